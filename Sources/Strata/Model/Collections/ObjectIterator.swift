// SPDX-License-Identifier: MIT
// ObjectIterator.swift -- loops over objects without making one for each of them.
//
// A lane that is compiled into programs: most steps of a loop only copy a row.

public import CStrata

/// A loop over the objects of a result, as they were when the loop began.
///
/// If the program did not keep the object that was returned last, it is made to show the next row, so that a loop over
/// any number of rows makes one object. If the program kept it, another object is made. Rows are looked up several at a
/// time, which takes less time for each. If a row moved since it was looked up, only its key is used.
@usableFromInline
final class ObjectIterator {
    /// Where the rows come from.
    enum Source {
        case cursor(EngineCursor)
        case keys(EngineKeys)
    }

    /// How many rows are looked up at once, at most. They fit into a block that malloc gives out fast. A loop begins
    /// with fewer, because it may end soon.
    private static var mostRows: Int { 24 }

    // `source` and `owner` keep everything alive, so that nothing is retained for each object: that would cost more
    // than the rest.
    private let source: Source?
    private let owner: Session?
    private let cursor: UnretainedCursor?
    private let keys: UnsafePointer<UInt64>?
    private unowned(unsafe) let managed: ManagedClass?
    private let objects: [ObjectBase]
    private let count: Int
    /// How many of the keys were looked up, or how many of `objects` were returned.
    private var position: Int
    private var atOnce = 4
    private let rows: _Row
    @usableFromInline let isReusable: Bool
    /// The rows that were looked up and not returned yet.
    @usableFromInline @exclusivity(unchecked) var next: _Row
    @usableFromInline @exclusivity(unchecked) var end: _Row
    /// The state of an object that shows one of them.
    @usableFromInline @exclusivity(unchecked) var state: UInt64 = 0
    @usableFromInline @exclusivity(unchecked) var last: ObjectBase?

    /// - Parameter position: the first of the keys that is returned.
    init(_ source: Source, _ managed: ManagedClass, from position: Int = 0) {
        self.position = position
        self.source = source
        self.managed = managed
        owner = managed.session
        // The row of an object that every thread may read is prepared for that: see `frozen`.
        isReusable = managed.layout.isReusable && !managed.isFrozen
        objects = []
        switch source {
        case .cursor(let cursor):
            self.cursor = cursor.unretained
            keys = nil
            count = Self.mostRows
        case .keys(let keys):
            cursor = nil
            self.keys = keys.pointer
            count = keys.count
        }
        rows = .allocate(capacity: min(count - position, Self.mostRows))
        (next, end) = (rows, rows)
    }

    /// A loop over objects that are not managed.
    init(_ objects: [ObjectBase]) {
        position = 0
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

    /// The next object, where more has to be done than to copy a row.
    @usableFromInline @inline(never)
    func further() -> ObjectBase? {
        guard let managed, let owner else {
            if position == count { return nil }
            position += 1
            return objects[position - 1]
        }
        state = ObjectBase.state(.live, owner.generation)
        repeat {
            if next == end && !lookUp(managed) {
                last = nil
                return nil
            }
            next += 1
        } while !isThere(next - 1)
        let row = (next - 1).pointee  // read first, because making an object runs code of the program
        if managed.isFrozen { return frozen(row, managed) }
        let object: ObjectBase
        if isReusable, isKnownUniquelyReferenced(&last) {
            object = last.unsafelyUnwrapped
        } else {
            object = managed.makeObject(0)
            if isReusable { last = object }
        }
        object.row.pointee = row
        object._state = state
        if !isReusable { managed.attachUnmarked(object) }
        return object
    }

    /// An object that every thread may read shows another row only if nobody but this loop has it.
    private func frozen(_ row: EngineRow, _ managed: ManagedClass) -> ObjectBase {
        var row = row
        managed.session.snapshot?.share(&row)
        if managed.layout.isReusable, isKnownUniquelyReferenced(&last) {
            let object = last.unsafelyUnwrapped
            object.row.pointee = row
            return object
        }
        let object = managed.layout.type.init()
        managed.attach(object, row)
        if managed.layout.isReusable { last = object }
        return object
    }

    /// Looks some rows up; false if there are no more.
    private func lookUp(_ managed: ManagedClass) -> Bool {
        let found: Int
        if let cursor {
            found = cursor.nextRows(rows, atOnce, managed.view)
        } else {
            found = min(atOnce, count - position)
            guard found > 0, let keys else { return false }
            managed.view.bind(rows, to: managed.table, keys + position, found)
            position += found
        }
        atOnce = min(atOnce * 4, Self.mostRows)
        (next, end) = (rows, rows + found)
        return found > 0
    }

    /// Whether the loop returns a row. A loop over all objects of a class leaves out those that were deleted since
    /// their rows were looked up. A loop over keys returns all: an object that is gone says so when it is read.
    private func isThere(_ row: _Row) -> Bool {
        cursor == nil || row.isCurrent || row.reload("walking over objects failed")
    }
}
