// SPDX-License-Identifier: MIT
// StoreFile.swift -- an open file, with one view of it.

import CStrata
import Glibc

/// A file and a view of it. Closed with its last reference.
final class StoreFile {
    let path: String
    let store: OpaquePointer
    let view: OpaquePointer
    /// What ends exports early, and has been given to the view, too.
    var interrupt: OpaquePointer?

    enum Access {
        case reading
        /// The file must exist.
        case writing
        case creating
    }

    /// The bytes of a file that a server may have in its memory, however large the file is and whatever it is asked.
    static let residentOfServer: UInt64 = 32 << 20

    /// Opens a file. Reading needs no more than the permission to read.
    ///
    /// - Parameter resident: the bytes of it that the process may have in its memory; 0 for all that is read. It is the
    ///   same for all that have the file open at a time.
    convenience init(
        _ path: String, for access: Access = .reading, wait milliseconds: UInt32 = 10_000, resident: UInt64 = 0
    ) throws(Failure) {
        var config = strata_config_blank()
        if access != .creating && !Self.isThere(path) && errno == ENOENT {
            throw Self.absence(of: path)
        }
        if access != .creating { config.flags = UInt32(STRATA_OPEN_NO_CREATE) }
        if access == .reading { config.flags |= UInt32(STRATA_OPEN_READ_ONLY) }
        config.wait = milliseconds
        config.max_resident = resident
        let name = CText(path)
        config.path = UnsafePointer(name.pointer)
        try self.init(path, config)
    }

    /// Whether there is a file that can be opened. An empty one is as good as none. Leaves ENOENT in `errno` if not.
    static func isThere(_ path: String) -> Bool {
        var info = stat()
        if stat(path, &info) != 0 { return false }
        errno = ENOENT
        return info.st_mode & S_IFMT != S_IFREG || info.st_size > 0
    }

    /// - Parameter way: how this command makes a file.
    static func absence(of path: String, way: String = "") -> Failure {
        if Glibc.access(path, F_OK) != 0 { return Failure(.unavailable, "\(path): there is no such file\(way)") }
        return Failure(
            .unavailable,
            "\(path) is empty; strata import, or strata migrate --create, makes a file of it; or else restore a backup")
    }

    /// Classes without objects, in memory. Fails for those that no file can have, and leaves nothing behind.
    convenience init(memoryOf declaration: Declaration) throws(Failure) {
        var config = strata_config_blank()
        let name = CText("schema")
        config.memory_name = UnsafePointer(name.pointer)
        try self.init("schema", config)
        try declaration.apply(to: self, version: declaration.version ?? 0)
    }

    private init(_ path: String, _ config: strata_config) throws(Failure) {
        var config = config
        var store: OpaquePointer?
        var view: OpaquePointer?
        try call { strata_store_open(&config, &store, $0) }
        do {
            try call { strata_view_open(store, &view, $0) }
        } catch {
            strata_store_close(store)
            throw error
        }
        self.path = path
        self.store = store!
        self.view = view!
        strata_view_set_label(view, "strata")
        interrupt = Interruption.current
        if interrupt != nil { _ = try? call { strata_view_set_interrupt(view, interrupt, $0) } }
    }

    deinit {
        strata_view_close(view)
        strata_store_close(store)
    }

    /// Changes the file: all of it, or nothing.
    func write<Result>(_ body: () throws -> Result) throws -> Result {
        try call { strata_view_begin(view, $0) }
        do {
            let result = try body()
            try call { strata_view_commit(view, $0) }
            return result
        } catch {
            strata_view_cancel(view)
            throw error
        }
    }

    /// How many objects a class has.
    func count(_ table: Table) throws(Failure) -> UInt64 {
        var count: UInt64 = 0
        try call { strata_table_size(view, table.number, &count, $0) }
        return count
    }

    /// Moves to the newest commit.
    func refresh() throws(Failure) {
        try call { strata_view_refresh(view, nil, $0) }
    }

    /// Waits for a commit after the one that the view shows, or after that of a token. False if Ctrl-C ends that.
    func awaitCommit(after given: strata_token? = nil) throws(Failure) -> Bool {
        var token = given ?? strata_token()
        if given == nil { try call { strata_view_token(view, &token, $0) } }
        do {
            try call { strata_store_wait(store, &token, .max, interrupt, $0) }
            return true
        } catch {
            if error.isInterrupted { return false }
            throw error
        }
    }

    var figures: strata_store_stats {
        get throws(Failure) {
            var stats = strata_store_stats_blank()
            try call { strata_store_get_stats(store, &stats, $0) }
            return stats
        }
    }
}

/// A string that C reads. Lifetime: that of the value.
final class CText {
    let pointer: UnsafeMutablePointer<CChar>

    init(_ text: String) { pointer = strdup(text) }
    deinit { free(pointer) }
}
