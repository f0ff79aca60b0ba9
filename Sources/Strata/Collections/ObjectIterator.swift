// SPDX-License-Identifier: MIT
// ObjectIterator.swift -- walks objects without making one for each of them.

import CStrata

/// Walks the objects of a result, as they were when the walk began.
///
/// The object returned last is pointed to the next row if nobody kept it, so that a loop over any number of rows makes
/// one object. An object that was kept stays what it is, and another is made.
@usableFromInline
final class ObjectIterator {
    /// Where the rows come from.
    enum Source {
        case cursor(EngineCursor)
        case keys(EngineKeys)
    }

    // For each object nothing is retained that `source` and `owner` keep alive: that would cost more than the rest.
    private let source: Source?
    private let owner: Session?
    private let cursor: OpaquePointer?
    private let keys: UnsafePointer<UInt64>?
    private let view: OpaquePointer?
    private let error: UnsafeMutablePointer<strata_error>?
    private unowned(unsafe) let managed: ManagedClass?
    private unowned(unsafe) let session: Session?
    private let table: UInt32
    private let isReusable: Bool
    private let objects: [ObjectBase]
    private let count: Int
    @exclusivity(unchecked) private var position = 0
    @exclusivity(unchecked) private var last: ObjectBase?

    init(_ source: Source, _ managed: ManagedClass) {
        self.source = source
        self.managed = managed
        owner = managed.session
        session = managed.session
        table = managed.table
        isReusable = managed.layout.isReusable
        objects = []
        switch source {
        case .cursor(let cursor):
            self.cursor = cursor.handle
            keys = nil
            count = 0
        case .keys(let keys):
            cursor = nil
            self.keys = keys.pointer
            count = keys.count
        }
        view = managed.view
        error = managed.error
    }

    /// Walks objects that are not managed.
    init(_ objects: [ObjectBase]) {
        source = nil
        owner = nil
        cursor = nil
        keys = nil
        view = nil
        error = nil
        managed = nil
        session = nil
        table = 0
        isReusable = false
        self.objects = objects
        count = objects.count
    }

    /// The next object, or nil at the end.
    @usableFromInline
    func next() -> ObjectBase? {
        let object: ObjectBase
        let status: strata_status
        if let cursor {
            object = reusable()
            status = strata_cursor_next(cursor, object.row, error)
        } else if position < count {
            position += 1
            guard let keys else { return objects[position - 1] }
            object = reusable()
            // If the object is gone, the row says so when it is read.
            status = strata_row_bind(view, table, keys[position - 1], object.row, error)
        } else {
            return end(.STRATA_END)
        }
        if status != .STRATA_OK && status != .STRATA_NOT_FOUND { return end(status) }
        if !isReusable { managed?.attachUnmarked(object) }
        return object
    }

    @inline(never)
    private func end(_ status: strata_status) -> ObjectBase? {
        if status != .STRATA_END, let error {
            misuse("walking over objects failed: \(StrataError(status, error).message)")
        }
        last = nil
        return nil
    }

    /// The object returned last if nobody kept it, otherwise another, which shows no row yet.
    @inline(__always)
    private func reusable() -> ObjectBase {
        if isReusable, isKnownUniquelyReferenced(&last) {
            let object = last.unsafelyUnwrapped
            object._moment = session.unsafelyUnwrapped.moment
            object._mode = .live
            return object
        }
        return another()
    }

    @inline(never)
    private func another() -> ObjectBase {
        guard let managed else { misuse("an iterator without objects was asked for one") }
        let object = managed.makeObject(0)
        last = object
        return object
    }
}
