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
    ///   - isRelaxed: whether a power cut may take the last commit.
    ///   - busyTimeout: the seconds that whatever waits for others may take.
    init(
        _ location: Location, readOnly: Bool, isRelaxed: Bool, busyTimeout: TimeInterval = defaultBusyTimeout
    ) throws(StrataError) {
        EngineLog.begin
        var config = strata_config()
        config.size = UInt32(MemoryLayout<strata_config>.size)
        if readOnly { config.flags = UInt32(STRATA_OPEN_READ_ONLY) }
        if isRelaxed { config.durability = .STRATA_DURABILITY_RELAXED }
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

    /// The absolute path of the file, symbolic links resolved; empty in memory.
    var path: String { String(cString: strata_store_path(handle)) }
}
