// SPDX-License-Identifier: MIT
// PreviousFile.swift -- the file as it was before a migration.

import Foundation
import Synchronization

/// The copy of a file that is kept before a migration which may lose values. It lies beside the file, with `.previous`
/// behind its name, until a later run of the program has opened the file with the new version.
struct PreviousFile {
    private let file: URL
    private var copy: URL { file.appendingPathExtension("previous") }

    /// The files that this process has migrated. Their copies stay until another process has opened them.
    private static let migrated = Mutex<Set<String>>([])

    /// Nil for a realm in memory.
    init?(_ configuration: Realm.Configuration) {
        guard let file = configuration.fileURL else { return nil }
        self.file = file
    }

    /// Copies the file as it is before the write that is open. Where the file system lets files share blocks, that
    /// takes neither time nor room.
    func keep(_ store: EngineStore) throws(StrataError) {
        Self.migrated.withLock { _ = $0.insert(file.path) }
        try? FileManager.default.removeItem(at: copy)
        do throws(StrataError) {
            try store.backUp(to: copy.path, isCommitted: true)
        } catch {
            throw StrataError(
                error.code,
                "the file cannot be kept before its migration: \(error.message)"
                    + (error.code == .outOfDiskSpace ? ". Make room, or set keepsPreviousFile = false" : ""),
                systemCode: error.systemCode, fileURL: file)
        }
    }

    /// The file was opened for writing with the classes of the program: the copy is not needed any more.
    func forget() {
        if Self.migrated.withLock({ $0.contains(file.path) }) { return }
        if FileManager.default.fileExists(atPath: copy.path) { try? FileManager.default.removeItem(at: copy) }
    }

    /// The migration failed, and the file is as it was.
    func drop() { try? FileManager.default.removeItem(at: copy) }

    /// Puts the copy back; false if there is none.
    func restore() throws(StrataError) -> Bool {
        guard FileManager.default.fileExists(atPath: copy.path) else { return false }
        try EngineStore.replace(file.path, by: copy.path)
        return true
    }
}
