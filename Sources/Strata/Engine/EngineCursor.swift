// SPDX-License-Identifier: MIT
// EngineCursor.swift -- walks objects in order; keys and groups that a query returned.

import CStrata
import Foundation

/// Walks objects in order; closed with its last reference. Keeps its view alive.
final class EngineCursor {
    private let view: EngineView
    fileprivate let handle: OpaquePointer

    /// The cursor for calls that must not retain it. The cursor must outlive it.
    var unretained: UnretainedCursor { UnretainedCursor(handle: handle) }

    /// All objects of a table. The corresponding C function is `strata_scan`.
    init(_ view: EngineView, table: UInt32, backward: Bool = false) throws(StrataError) {
        var out: OpaquePointer?
        try view.check(strata_scan(view.handle, table, backward, &out, view.error))
        guard let out else { throw StrataError(.fail, "the engine made no cursor") }
        self.view = view
        handle = out
    }

    /// The objects that link to an object through a column of `origin`. The corresponding C function is
    /// `strata_backlinks`.
    init(
        _ view: EngineView, linkingTo key: UInt64, of table: UInt32, from origin: UInt32, _ column: UInt32
    ) throws(StrataError) {
        var out: OpaquePointer?
        try view.check(strata_backlinks(view.handle, table, key, origin, column, &out, view.error))
        guard let out else { throw StrataError(.fail, "the engine made no cursor") }
        self.view = view
        handle = out
    }

    deinit { strata_cursor_close(handle) }

    /// The key of the next object; nil at the end. The corresponding C function is `strata_cursor_next`.
    func nextKey() throws(StrataError) -> UInt64? {
        var row = strata_row()
        return try view.check(strata_cursor_next(handle, &row, view.error)) ? row.key : nil
    }
}

/// A cursor without its lifetime, for loops in which a retain for each object would cost more than the rest.
struct UnretainedCursor {
    fileprivate let handle: OpaquePointer

    /// Points rows to the next objects; returns how many there are, 0 at the end. The corresponding C function is
    /// `strata_cursor_next_rows`.
    @inline(__always)
    func nextRows(_ rows: _Row, _ capacity: Int, _ view: UnretainedView) -> Int {
        var found = 0
        let status = strata_cursor_next_rows(handle, rows, capacity, &found, view.error)
        if status != .STRATA_OK && status != .STRATA_END { view.failedWalk(status) }
        return found
    }
}

/// The object keys that a query returned, in memory that the engine allocated.
final class EngineKeys {
    private var keys: strata_keys

    init(_ keys: strata_keys) { self.keys = keys }

    /// Copies keys.
    init(_ keys: some Collection<UInt64>) {
        let size = Swift.max(keys.count, 1) * MemoryLayout<UInt64>.stride
        let data = malloc(size)!.assumingMemoryBound(to: UInt64.self)
        _ = UnsafeMutableBufferPointer(start: data, count: keys.count).initialize(from: keys)
        self.keys = strata_keys(data: data, count: UInt64(keys.count))
    }

    /// Keys that `write` puts into the memory; nil if it cannot.
    init?(count: Int, _ write: (UnsafeMutablePointer<UInt64>) -> Bool) {
        let data = malloc(Swift.max(count, 1) * MemoryLayout<UInt64>.stride)!.assumingMemoryBound(to: UInt64.self)
        keys = strata_keys(data: data, count: UInt64(count))
        if !write(data) { return nil }
    }

    /// No keys.
    static var none: EngineKeys { EngineKeys(EmptyCollection()) }

    deinit { strata_keys_free(&keys) }

    var count: Int { Int(keys.count) }

    /// The keys, which live as long as this object.
    var pointer: UnsafePointer<UInt64>? { keys.data.map { UnsafePointer($0) } }

    /// The keys as positions of values in a collection, which they are if a collection was searched.
    var positions: [Int] { (0..<count).map { Int(self[$0]) } }

    /// The first position of a key. The corresponding C function is `strata_keys_find`.
    func position(of key: UInt64) -> Int? {
        var position: UInt64 = 0
        return strata_keys_find(&keys, key, 0, &position) == .STRATA_OK ? Int(position) : nil
    }

    /// The key at a position, which is not checked.
    subscript(position: Int) -> UInt64 { keys.data[position] }
}

/// Groups of objects, in memory that the engine allocated.
final class EngineGroups {
    private var groups: strata_groups

    init(_ groups: strata_groups) { self.groups = groups }

    deinit { strata_groups_free(&groups) }

    var count: Int { Int(groups.count) }

    /// The values of a group, which live as long as this object.
    subscript(index: Int) -> UnsafeBufferPointer<EngineValue> {
        let width = Int(groups.width)
        return UnsafeBufferPointer(start: groups.values + index * width, count: width)
    }
}
