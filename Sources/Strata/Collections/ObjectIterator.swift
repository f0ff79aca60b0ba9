// SPDX-License-Identifier: MIT
// ObjectIterator.swift -- walks objects without making one for each of them.

public import CStrata

/// Walks the objects of a result, as they were when the walk began.
///
/// The object returned last is pointed to the next row if nobody kept it, so that a loop over any number of rows makes
/// one object. An object that was kept stays what it is, and another is made. Rows are looked up some at a time, which
/// takes less time for each; of those that moved meanwhile only the key is used.
@usableFromInline
final class ObjectIterator {
    /// Where the rows come from.
    enum Source {
        case cursor(EngineCursor)
        case keys(EngineKeys)
    }

    /// How many rows are looked up at once, at most: as many as fit into a block that malloc has at hand. A walk begins
    /// with fewer, because it may end soon.
    private static var mostRows: Int { 24 }

    // For each object nothing is retained that `source` and `owner` keep alive: that would cost more than the rest.
    private let source: Source?
    private let owner: Session?
    private let cursor: OpaquePointer?
    private let keys: UnsafePointer<UInt64>?
    private unowned(unsafe) let managed: ManagedClass?
    private let objects: [ObjectBase]
    private let count: Int
    /// How many of the keys were looked up, or of `objects` returned.
    private var position = 0
    private var atOnce = 4
    private let rows: UnsafeMutablePointer<strata_row>
    @usableFromInline let isReusable: Bool
    /// The rows that were looked up and not yet returned.
    @usableFromInline @exclusivity(unchecked) var next: UnsafeMutablePointer<strata_row>
    @usableFromInline @exclusivity(unchecked) var end: UnsafeMutablePointer<strata_row>
    /// The state of an object that shows one of them.
    @usableFromInline @exclusivity(unchecked) var state: UInt64 = 0
    @usableFromInline @exclusivity(unchecked) var last: ObjectBase?

    init(_ source: Source, _ managed: ManagedClass) {
        self.source = source
        self.managed = managed
        owner = managed.session
        isReusable = managed.layout.isReusable
        objects = []
        switch source {
        case .cursor(let cursor):
            self.cursor = cursor.handle
            keys = nil
            count = Self.mostRows
        case .keys(let keys):
            cursor = nil
            self.keys = keys.pointer
            count = keys.count
        }
        rows = .allocate(capacity: min(count, Self.mostRows))
        (next, end) = (rows, rows)
    }

    /// Walks objects that are not managed.
    init(_ objects: [ObjectBase]) {
        source = nil
        owner = nil
        cursor = nil
        keys = nil
        managed = nil
        isReusable = false
        self.objects = objects
        count = objects.count
        rows = .allocate(capacity: 0)
        (next, end) = (rows, rows)
    }

    deinit { rows.deallocate() }

    /// The next object, or nil at the end.
    @inlinable
    func nextObject() -> ObjectBase? {
        guard next < end, strata_row_current(next), isReusable, isKnownUniquelyReferenced(&last) else {
            return further()
        }
        let object = last.unsafelyUnwrapped
        object.row.pointee = next.pointee
        object._state = state
        next += 1
        return object
    }

    /// The same, where there is more to do.
    @usableFromInline @inline(never)
    func further() -> ObjectBase? {
        guard let managed, let owner else {
            if position == count { return nil }
            position += 1
            return objects[position - 1]
        }
        state = ObjectBase.state(.live, owner.moment)
        repeat {
            if next == end && !lookUp(managed) {
                last = nil
                return nil
            }
            next += 1
        } while !isThere(next - 1, managed)
        let object: ObjectBase
        if isReusable, isKnownUniquelyReferenced(&last) {
            object = last.unsafelyUnwrapped
        } else {
            object = managed.makeObject(0)
            last = object
        }
        object.row.pointee = (next - 1).pointee
        object._state = state
        if !isReusable { managed.attachUnmarked(object) }
        return object
    }

    /// Looks some rows up; false if there are no more.
    private func lookUp(_ managed: ManagedClass) -> Bool {
        var found = 0
        let status: strata_status
        if let cursor {
            status = strata_cursor_next_rows(cursor, rows, atOnce, &found, managed.error)
        } else {
            found = min(atOnce, count - position)
            guard found > 0, let keys else { return false }
            status = strata_rows_bind(managed.view, managed.table, keys + position, found, rows, managed.error)
            position += found
        }
        if status != .STRATA_OK && status != .STRATA_END { failed(status, managed) }
        atOnce = min(atOnce * 4, Self.mostRows)
        (next, end) = (rows, rows + found)
        return found > 0
    }

    /// Whether a walk over all objects shows a row, which may be gone since it was looked up. A row from keys is always
    /// shown: if the object is gone, the row says so when it is read.
    private func isThere(_ row: UnsafeMutablePointer<strata_row>, _ managed: ManagedClass) -> Bool {
        if cursor == nil || strata_row_current(row) { return true }
        let status = strata_row_reload(row)
        if status.rawValue < 0 { misuse("walking over objects failed: the engine reports status \(status.rawValue)") }
        return status == .STRATA_OK
    }

    private func failed(_ status: strata_status, _ managed: ManagedClass) -> Never {
        misuse("walking over objects failed: \(StrataError(status, managed.error).message)")
    }
}
