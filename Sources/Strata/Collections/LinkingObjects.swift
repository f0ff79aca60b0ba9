// SPDX-License-Identifier: MIT
// LinkingObjects.swift -- the objects that link to this one.

import CStrata

/// The objects that link to an object through one of their properties. Kept by the engine, always up to date.
///
/// ```swift
/// class Person: Object { @Persisted var dogs: List<Dog> }
/// class Dog: Object { @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person> }
/// ```
///
/// An object that links several times through a list appears several times. Of an unmanaged object it is empty.
public struct LinkingObjects<Element: Object> {
    /// The property of `Element` that links here.
    public let propertyName: String
    private let handle: Handle

    /// Where the links are found, once the object is managed. Shared by copies, because a field that was declared
    /// with `let` learns of it later, and to keep what the query found.
    private final class Handle {
        var place: Place? { didSet { kept = nil } }
        private var kept: LiveQuery?

        var query: LiveQuery? {
            if let kept { return kept }
            kept = place.map { LiveQuery($0.origin, .backlinks(column: $0.column, key: $0.key)) }
            return kept
        }
    }

    private var place: Place? { handle.place }

    /// Which links are meant. The session owns the class.
    private struct Place {
        let session: Session
        unowned(unsafe) let origin: ManagedClass
        let column: UInt32
        let target: UInt32
        let key: UInt64
    }

    /// Declares the property whose links are followed backwards.
    public init(fromType: Element.Type, property propertyName: String) {
        self.propertyName = propertyName
        handle = Handle()
    }

    fileprivate init(_ owner: ObjectBase, _ slot: Int) {
        guard owner._mode == .live, let managed = owner.managed else {
            propertyName = ""
            handle = Handle()
            return
        }
        propertyName = managed.layout.slots[slot].property.linkOriginPropertyName ?? ""
        handle = Handle()
        becomeManaged(managed, owner.row.pointee.key, slot)
    }

    /// Follows the links to an object.
    func becomeManaged(_ managed: ManagedClass, _ key: UInt64, _ slot: Int) {
        handle.place = Place(
            session: managed.session, origin: managed.target(ofSlot: slot), column: managed.originColumn(ofSlot: slot),
            target: managed.table, key: key)
    }

    /// The session of the object that is linked to.
    var session: Session? { place?.session }

    /// Live and unmanaged linking objects are not frozen.
    public var isFrozen: Bool { false }

    /// Whether both follow the same links to the same object.
    func isSame(as other: LinkingObjects) -> Bool {
        guard let place, let source = other.place else { return handle === other.handle }
        return place.session === source.session && place.origin === source.origin && place.column == source.column
            && place.key == source.key
    }

    private var query: LiveQuery? { handle.query }

    /// How many links there are; they are not visited for it.
    public var count: Int {
        guard let place else { return 0 }
        place.session.checkThread { "LinkingObjects<\(Element.self)>" }
        do {
            return try place.session.view.backlinks(
                to: place.target, place.key, from: place.origin.table, place.column)
        } catch {
            misuse("counting what links through \(Element.self).\(propertyName) failed: \(error.message)")
        }
    }

    /// Whether nothing links here.
    public var isEmpty: Bool { count == 0 }

    /// The first object.
    public var first: Element? { query?.first.map { unsafeDowncast($0, to: Element.self) } }

    /// The last object.
    public var last: Element? { query?.last.map { unsafeDowncast($0, to: Element.self) } }

    /// The position of an object, or nil if it does not link here.
    public func index(of object: Element) -> Int? { query?.position(of: object) }

    /// Whether the object that is linked to is gone.
    public var isInvalidated: Bool { query?.isInvalidated ?? false }

    /// The same objects as a result, to be filtered and sorted. Stops the program if the object is unmanaged.
    public var results: Results<Element> {
        guard let query else {
            misuse("LinkingObjects<\(Element.self)> of an unmanaged object cannot be queried; add the object first")
        }
        return Results(query)
    }
}

@available(*, unavailable, message: "the objects that link to a live object belong to its thread")
extension LinkingObjects: Sendable {}

extension LinkingObjects: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The count.
    public var endIndex: Int { count }

    /// The object at a position; stops the program if there is none.
    public subscript(position: Int) -> Element {
        guard let query else { misuse("index \(position) is outside of LinkingObjects of an unmanaged object") }
        return unsafeDowncast(query.object(at: position), to: Element.self)
    }

    /// Walks the objects as they are now.
    public func makeIterator() -> RLMIterator<Element> { query.map { RLMIterator($0.walk()) } ?? RLMIterator([]) }
}

extension LinkingObjects: CustomStringConvertible {
    /// The objects as text.
    public var description: String { collectionText("LinkingObjects<\(Element.self)>", self) }
}

extension LinkingObjects: _Persistable {
    public typealias PersistedType = LinkingObjects
    public static var _shape: _PropertyShape { _PropertyShape(.linkingObjects, target: Element.self) }

    public static func _read(_ row: _Row, _ column: UInt32) -> LinkingObjects {
        LinkingObjects(LiveRow.owner(row), Int(column))
    }

    public static func _write(_ value: LinkingObjects, _ row: _Row, _ column: UInt32) {
        misuse("\(LiveRow.propertyName(row, column)) follows links backwards and cannot be set; change the links")
    }

    public static func _assigned(_ value: LinkingObjects, over current: LinkingObjects?) -> LinkingObjects {
        misuse("a LinkingObjects<\(Element.self)> property cannot be set; change the links at the other end")
    }

    public static func _default() -> LinkingObjects { LinkingObjects(fromType: Element.self, property: "") }

    /// The name of the property, which is all that an unmanaged object knows.
    public static func _stored(_ value: LinkingObjects) -> _StoredValue { .string(value.propertyName) }

    public static func _value(_ stored: _StoredValue) -> LinkingObjects? { nil }
}

extension Persisted {
    /// Declares the property of the other class whose links are followed backwards.
    public init<Element: Object>(originProperty: String) where Value == LinkingObjects<Element> {
        self.init(LinkingObjects(fromType: Element.self, property: originProperty), flags: 0)
    }
}
