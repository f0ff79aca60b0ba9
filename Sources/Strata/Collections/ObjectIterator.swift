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
        case objects([Object])
    }

    private let source: Source
    private let managed: ManagedClass?
    /// Keeps `managed` alive.
    private let session: Session?
    private var position = 0
    private var last: Object?

    init(_ source: Source, _ managed: ManagedClass) {
        self.source = source
        self.managed = managed
        session = managed.session
    }

    /// Walks objects that are not managed.
    init(_ objects: [Object]) {
        source = .objects(objects)
        managed = nil
        session = nil
    }

    /// The next object, or nil at the end.
    @usableFromInline
    func next() -> Object? {
        switch source {
        case .cursor(let cursor): return next(cursor)
        case .keys(let keys): return next(count: keys.count) { keys[$0] }
        case .array(let keys): return next(count: keys.count) { keys[$0] }
        case .objects(let objects):
            if position == objects.count { return nil }
            position += 1
            return objects[position - 1]
        }
    }

    private func next(_ cursor: EngineCursor) -> Object? {
        guard let managed else { return nil }
        let object = reusable(managed)
        do {
            if try cursor.next(object.row) { return object }
        } catch {
            misuse("walking the objects of \(managed.layout.schema.className) failed: \(error.message)")
        }
        last = nil
        return nil
    }

    @inline(__always)
    private func next(count: Int, _ key: (Int) -> UInt64) -> Object? {
        guard let managed else { return nil }
        if position == count {
            last = nil
            return nil
        }
        let object = reusable(managed)
        object.row.pointee = managed.unbound(key(position))
        position += 1
        return object
    }

    /// The object returned last if nobody kept it, otherwise another, which shows no row yet.
    @inline(__always)
    private func reusable(_ managed: ManagedClass) -> Object {
        if managed.layout.isReusable, isKnownUniquelyReferenced(&last) {
            let object = last.unsafelyUnwrapped
            object._moment = managed.session.moment
            object._mode = .live
            return object
        }
        let object = managed.makeObject(0)
        last = object
        return object
    }
}

/// The iterator of all collections of objects.
public struct ObjectCollectionIterator<Element: Object>: IteratorProtocol {
    @usableFromInline let walk: ObjectIterator

    init(_ walk: ObjectIterator) { self.walk = walk }

    /// The next object, or nil at the end.
    @inlinable
    public mutating func next() -> Element? {
        guard let object = walk.next() else { return nil }
        return unsafeDowncast(object, to: Element.self)
    }
}
