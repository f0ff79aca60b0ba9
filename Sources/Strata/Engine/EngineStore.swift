// SPDX-License-Identifier: MIT
// EngineStore.swift -- an open store, closed with its last reference.

import CStrata
import Foundation

/// One handle of an open file, or of a store in memory. May be used from every thread.
final class EngineStore: @unchecked Sendable {
    /// Where a store lives.
    enum Location {
        case file(String)
        case memory(String)
    }

    let handle: OpaquePointer

    /// Opens the store, creating it if that is allowed. The corresponding C function is `strata_store_open`.
    ///
    /// - Parameters:
    ///   - durability: which commits a power cut may take.
    ///   - busyTimeout: the seconds that whatever waits for others may take.
    ///   - isAsItIs: whether a store that the process has open already may be open otherwise.
    init(
        _ location: Location, readOnly: Bool, durability: EngineDurability = .full,
        busyTimeout: TimeInterval = defaultBusyTimeout, isAsItIs: Bool = false
    ) throws(StrataError) {
        EngineLog.begin
        var config = strata_config()
        config.size = UInt32(MemoryLayout<strata_config>.size)
        config.flags = UInt32((readOnly ? STRATA_OPEN_READ_ONLY : 0) | (isAsItIs ? STRATA_OPEN_AS_IT_IS : 0))
        config.durability = durability
        config.wait = max(1, Self.milliseconds(busyTimeout))  // 0 would be the default
        var error = strata_error()
        var out: OpaquePointer?
        var url: URL?
        let status: strata_status
        switch location {
        case .file(let path):
            url = URL(fileURLWithPath: path)
            status = path.withCString {
                config.path = $0
                return strata_store_open(&config, &out, &error)
            }
        case .memory(let name):
            status = name.withCString {
                config.memory_name = $0
                return strata_store_open(&config, &out, &error)
            }
        }
        guard status == .STRATA_OK, let out else { throw StrataError(status, &error, url) }
        handle = out
    }

    /// Opens a file that exists for reading, or however the process has it open.
    convenience init(reading path: String) throws(StrataError) {
        try self.init(.file(path), readOnly: true, isAsItIs: true)
    }

    deinit { strata_store_close(handle) }

    /// The seconds that the engine waits if it is not told.
    static let defaultBusyTimeout = TimeInterval(STRATA_DEFAULT_WAIT) / 1000

    /// Seconds as the engine takes them; it has no longer ones than 49 days.
    static func milliseconds(_ seconds: TimeInterval) -> UInt32 {
        UInt32(exactly: (seconds * 1000).rounded(.up)) ?? (seconds > 0 ? .max : 0)
    }

    /// A number that changes with every commit. The corresponding C function is `strata_store_newest`.
    var newest: UInt64 { strata_store_newest(handle) }

    /// Whether both are the same file, or the same store in memory.
    func isSame(as other: EngineStore) -> Bool { handle == other.handle }

    /// The bytes of the file, and those in use; 0 if they cannot be found.
    var sizes: (file: Int, used: Int) {
        guard let figures = try? statistics() else { return (0, 0) }
        return (figures.fileSize, figures.usedSize)
    }

    /// Figures about the file. The corresponding C function is `strata_store_get_stats`.
    func statistics() throws(StrataError) -> Realm.Statistics {
        var stats = strata_store_stats()
        stats.size = UInt32(MemoryLayout<strata_store_stats>.size)
        var error = strata_error()
        let status = strata_store_get_stats(handle, &stats, &error)
        if status != .STRATA_OK { throw StrataError(status, &error) }
        return Realm.Statistics(
            fileSize: Int(stats.file_size), usedSize: Int(stats.used_size), freeSize: Int(stats.free_size),
            heldSize: Int(stats.held_size), version: stats.version, pins: Int(stats.snapshots),
            mostPins: Int(stats.max_snapshots))
    }

    /// Rewrites a file without its free space. The corresponding C function is `strata_compact`.
    static func compact(_ path: String, within seconds: TimeInterval) throws(StrataError) {
        var config = strata_config()
        config.size = UInt32(MemoryLayout<strata_config>.size)
        config.wait = max(1, milliseconds(seconds))
        var error = strata_error()
        let status = path.withCString {
            config.path = $0
            return strata_compact(&config, nil, &error)
        }
        if status != .STRATA_OK { throw StrataError(status, &error, URL(fileURLWithPath: path)) }
    }

    /// Deletes a file, its lock file and its log. The corresponding C function is `strata_file_delete`.
    static func delete(_ path: String) throws(StrataError) {
        var error = strata_error()
        let status = strata_file_delete(path, &error)
        if status != .STRATA_OK { throw StrataError(status, &error, URL(fileURLWithPath: path)) }
    }

    /// Puts a copy in the place of a file. The corresponding C function is `strata_file_replace`.
    static func replace(_ path: String, by copy: String) throws(StrataError) {
        var error = strata_error()
        let status = strata_file_replace(path, copy, &error)
        if status != .STRATA_OK { throw StrataError(status, &error, URL(fileURLWithPath: path)) }
    }

    /// Copies the newest commit to a new file. The corresponding C function is `strata_store_backup`.
    ///
    /// - Parameters:
    ///   - isCompact: whether free space is left out.
    ///   - isCommitted: whether this thread may be writing; its changes are not in the copy.
    func backUp(to path: String, isCompact: Bool = false, isCommitted: Bool = false) throws(StrataError) {
        var error = strata_error()
        let flags =
            (isCompact ? UInt32(STRATA_BACKUP_COMPACT) : 0)
            | (isCommitted ? UInt32(STRATA_BACKUP_COMMITTED) : 0)
        let status = strata_store_backup(handle, path, flags, &error)
        if status != .STRATA_OK { throw StrataError(status, &error, URL(fileURLWithPath: path)) }
    }

    /// The absolute path of the file, symbolic links resolved; empty in memory.
    var path: String { String(cString: strata_store_path(handle)) }
}
