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
        case array([UInt64])
    }

    private let source: Source?
    /// The source again, without the cost of retaining it for each object.
    private let cursor: OpaquePointer?
    private let error: UnsafeMutablePointer<strata_error>?
    private unowned(unsafe) let managed: ManagedClass?
    private unowned(unsafe) let session: Session?
    private let isReusable: Bool
    /// Keeps `managed` and `session` alive.
    private let owner: Session?
    private let objects: [ObjectBase]
    private let count: Int
    private var position = 0
    private var last: ObjectBase?

    init(_ source: Source, _ managed: ManagedClass) {
        self.source = source
        self.managed = managed
        owner = managed.session
        session = managed.session
        isReusable = managed.layout.isReusable
        objects = []
        switch source {
        case .cursor(let cursor):
            self.cursor = cursor.handle
            count = 0
        case .keys(let keys):
            cursor = nil
            count = keys.count
        case .array(let keys):
            cursor = nil
            count = keys.count
        }
        error = managed.session.view.error
    }

    /// Walks objects that are not managed.
    init(_ objects: [ObjectBase]) {
        source = nil
        cursor = nil
        error = nil
        managed = nil
        session = nil
        owner = nil
        isReusable = false
        self.objects = objects
        count = objects.count
    }

    /// The next object, or nil at the end.
    @usableFromInline
    func next() -> ObjectBase? {
        if let cursor { return next(cursor) }
        if position == count {
            last = nil
            return nil
        }
        defer { position += 1 }
        guard let managed else { return objects[position] }
        let object = reusable()
        switch source {
        case .keys(let keys): object.row.pointee = managed.unbound(keys[position])
        case .array(let keys): object.row.pointee = managed.unbound(keys[position])
        case .cursor, nil: break
        }
        if !isReusable { managed.attachUnmarked(object) }
        return object
    }

    @inline(__always)
    private func next(_ cursor: OpaquePointer) -> ObjectBase? {
        let object = reusable()
        let status = strata_cursor_next(cursor, object.row, error)
        if status == .STRATA_OK {
            if !isReusable { managed?.attachUnmarked(object) }
            return object
        }
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
