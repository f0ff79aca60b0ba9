// SPDX-License-Identifier: MIT
// RealmFiles.swift -- the files of a realm: the one with the objects, and those beside it.

import Foundation

/// The files of a realm.
struct RealmFiles {
    let file: URL

    /// Nil for a realm in memory.
    init?(_ configuration: Realm.Configuration) {
        guard let file = configuration.fileURL else { return nil }
        self.file = file
    }

    var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

    /// Deletes them. Nobody may have them open, in this process or another one.
    ///
    /// - Returns: whether there was the file with the objects.
    @discardableResult
    func delete() throws(StrataError) -> Bool {
        let existed = exists
        if existed { try EngineStore.delete(file.path) }
        for suffix in existed ? [".previous"] : [".previous", "-lock", "-log"] {
            let path = file.path + suffix
            if unlink(path) == 0 || errno == ENOENT { continue }
            let code = errno
            throw StrataError(
                code == EACCES || code == EPERM ? .filePermissionDenied : .fileOperationFailed,
                "\(path) cannot be deleted: \(String(cString: strerror(code)))", systemCode: code, fileURL: file)
        }
        return existed
    }

    /// Copies the seed, unless the file exists.
    func plant(_ seed: URL) throws(StrataError) {
        if exists { return }
        do throws(StrataError) {
            let store = try EngineStore(reading: seed.path)
            try store.backUp(to: file.path)
        } catch where error.code == .fileExists {
            // Another process was first.
        } catch {
            throw StrataError(
                error.code, "seedFilePath: \(error.message)", systemCode: error.systemCode, fileURL: seed)
        }
    }

    /// Compacts the file if `decide` wants that, unless another process has it open.
    func compact(_ configuration: Realm.Configuration, _ decide: (Int, Int) -> Bool) throws(StrataError) {
        if !exists { return }
        let sizes = try EngineStore(.file(file.path), configuration).sizes
        guard decide(sizes.file, sizes.used) else { return }
        do throws(StrataError) {
            try EngineStore.compact(file.path, within: configuration.busyTimeout)
        } catch where error.code == .alreadyOpen {
            // It is for the next launch.
        }
    }
}
