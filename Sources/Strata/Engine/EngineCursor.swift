// SPDX-License-Identifier: MIT
// EngineCursor.swift -- walks objects in order, and the keys that a query returned.

import CStrata
import Foundation

/// Walks objects in order; closed with its last reference. Keeps its view alive.
final class EngineCursor {
    private let view: EngineView
    let handle: OpaquePointer

    /// All objects of a table. The corresponding C function is `strata_scan`.
    init(_ view: EngineView, table: UInt32, backward: Bool = false) throws(StrataError) {
        var out: OpaquePointer?
        try view.check(strata_scan(view.handle, table, backward, &out, view.error))
        guard let out else { throw StrataError(.fail, "the engine made no cursor") }
        self.view = view
        handle = out
    }

    deinit { strata_cursor_close(handle) }

    /// Points `row` to the next object; false at the end. The corresponding C function is `strata_cursor_next`.
    func next(_ row: UnsafeMutablePointer<strata_row>) throws(StrataError) -> Bool {
        let status = strata_cursor_next(handle, row, view.error)
        if status == .STRATA_OK { return true }
        return try view.check(status)
    }
}

/// The object keys that a query returned, in memory of the engine.
final class EngineKeys {
    private var keys: strata_keys

    init(_ keys: strata_keys) { self.keys = keys }

    /// Keys of one's own.
    init(_ keys: some Collection<UInt64>) {
        let size = Swift.max(keys.count, 1) * MemoryLayout<UInt64>.stride
        let data = malloc(size)!.assumingMemoryBound(to: UInt64.self)
        _ = UnsafeMutableBufferPointer(start: data, count: keys.count).initialize(from: keys)
        self.keys = strata_keys(data: data, count: UInt64(keys.count))
    }

    deinit { strata_keys_free(&keys) }

    var count: Int { Int(keys.count) }

    /// The keys, which are good as long as this object.
    var pointer: UnsafePointer<UInt64>? { keys.data.map { UnsafePointer($0) } }

    /// The first position of a key. The corresponding C function is `strata_keys_find`.
    func position(of key: UInt64) -> Int? {
        var position: UInt64 = 0
        return strata_keys_find(&keys, key, 0, &position) == .STRATA_OK ? Int(position) : nil
    }

    /// The key at a position, which is not checked.
    subscript(position: Int) -> UInt64 { keys.data[position] }
}

/// Groups of objects, in memory of the engine.
final class EngineGroups {
    private var groups: strata_groups

    init(_ groups: strata_groups) { self.groups = groups }

    deinit { strata_groups_free(&groups) }

    var count: Int { Int(groups.count) }

    /// The values of a group, which are good as long as this object.
    subscript(index: Int) -> UnsafeBufferPointer<strata_value> {
        let width = Int(groups.width)
        return UnsafeBufferPointer(start: groups.values + index * width, count: width)
    }
}

extension EngineView {
    /// Runs a query. The corresponding C function is `strata_query_run`.
    func run(_ query: inout strata_query, _ stats: UnsafeMutablePointer<strata_query_stats>? = nil)
        throws(StrataError) -> EngineKeys
    {
        var keys = strata_keys()
        try check(strata_query_run(handle, &query, &keys, stats, error))
        return EngineKeys(keys)
    }

    /// Counts what a query would return. The corresponding C function is `strata_query_count`.
    func count(_ query: inout strata_query) throws(StrataError) -> Int {
        var count: UInt64 = 0
        try check(strata_query_count(handle, &query, &count, nil, error))
        return Int(count)
    }

    /// Groups the objects of a query. The corresponding C function is `strata_query_group`.
    func group(
        _ query: inout strata_query, _ keys: [strata_sort], _ measures: [strata_measure],
        _ stats: UnsafeMutablePointer<strata_query_stats>? = nil
    ) throws(StrataError) -> EngineGroups {
        var groups = strata_groups()
        try check(
            strata_query_group(
                handle, &query, keys, UInt32(keys.count), measures, UInt32(measures.count), &groups, stats, error))
        return EngineGroups(groups)
    }

    /// Reads and checks everything. The corresponding C function is `strata_verify`.
    func verify() throws(StrataError) -> strata_verify_report {
        var report = strata_verify_report()
        try check(strata_verify(handle, &report, error))
        return report
    }
}
