// SPDX-License-Identifier: MIT
// RealmFiles.swift -- the files of a realm: the one with the objects, and those beside it.

import Foundation

/// The files of a realm.
struct RealmFiles {
    let file: URL
    private var all: [String] { [file.path, file.path + "-lock", file.path + "-log", file.path + ".previous"] }

    /// Nil for a realm in memory.
    init?(_ configuration: Realm.Configuration) {
        guard let file = configuration.fileURL else { return nil }
        self.file = file
    }

    var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

    /// Deletes them. Nobody in the process may have them open.
    func delete() throws(StrataError) {
        for path in all where FileManager.default.fileExists(atPath: path) {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                throw StrataError(.fileOperationFailed, "\(path) cannot be deleted: \(error)", fileURL: file)
            }
        }
    }

    /// Copies the seed, unless the file exists.
    func plant(_ seed: URL) throws(StrataError) {
        if exists { return }
        do throws(StrataError) {
            let store = try EngineStore(.file(seed.path), readOnly: true)
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
