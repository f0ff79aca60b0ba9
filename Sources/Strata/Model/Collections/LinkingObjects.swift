// SPDX-License-Identifier: MIT
// LinkingObjects.swift -- the objects that link to this one.

import CStrata

/// Where linking objects come from. None of this is generic: copies need not ask for the metadata of a class.
@usableFromInline
enum BacklinkSource {
    /// Of a property marked with ``Persisted``, of an object that is not managed.
    case declared(String)
    /// Of a field without a mark.
    case field(String, BacklinkHandle)
    /// Of a live object.
    case live(BacklinkPlace)
}

/// Where the links are found, once the object is managed. Shared by copies, because a field that was declared with
/// `let` learns of it later.
@usableFromInline
final class BacklinkHandle {
    var place: BacklinkPlace?
}

/// Which links are meant.
@usableFromInline
struct BacklinkPlace {
    /// Owns the class, which is therefore not retained.
    let session: Session
    let origin: Unmanaged<ManagedClass>
    let column: UInt32
    let target: UInt32
    let key: UInt64

    init(_ managed: ManagedClass, _ key: UInt64, _ slot: Int) {
        session = managed.session
        origin = managed.unretainedTarget(ofSlot: slot)
        column = managed.originColumn(ofSlot: slot)
        target = managed.table
        self.key = key
    }

    func isSame(as other: BacklinkPlace) -> Bool {
        session === other.session && origin.toOpaque() == other.origin.toOpaque() && column == other.column
            && key == other.key
    }

    /// How many links there are.
    func count(_ name: () -> String) -> Int {
        var count: UInt64 = 0
        let status = origin._withUnsafeGuaranteedRef { origin in
            if origin.head.pointee.owner != strata_thread() { origin.session.checkThread(name) }
            return strata_backlinks_count(origin.view, target, key, origin.table, column, &count, origin.error)
        }
        if status.rawValue < 0 { failed(status, name()) }
        return Int(count)
    }

    @inline(never)
    private func failed(_ status: strata_status, _ name: String) -> Never {
        misuse("counting \(name) failed: \(session.view.failure(status).message)")
    }
}

/// The objects that link to an object through one of their properties. Kept by the engine, always up to date.
///
/// ```swift
/// class Person: Object { @Persisted var dogs: List<Dog> }
/// class Dog: Object { @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person> }
/// ```
///
/// An object that links several times through a list appears several times. Of an unmanaged object it is empty.
public struct LinkingObjects<Element: Object> {
    @usableFromInline let source: BacklinkSource

    private var place: BacklinkPlace? {
        switch source {
        case .live(let place): place
        case .field(_, let handle): handle.place
        case .declared: nil
        }
    }

    /// The property of `Element` that links here.
    public var propertyName: String {
        switch source {
        case .declared(let name), .field(let name, _): name
        case .live(let place):
            place.origin._withUnsafeGuaranteedRef { $0.propertyName(ofColumn: place.column) } ?? ""
        }
    }

    /// Declares the property whose links are followed backwards.
    public init(fromType: Element.Type, property propertyName: String) {
        source = .field(propertyName, BacklinkHandle())
    }

    /// Those of an object that is not managed. Compiled into the program: it is called for each new object.
    @inlinable
    init(declared propertyName: String) { source = .declared(propertyName) }

    /// The links to the object of a ready row.
    fileprivate init(_ row: _Row, _ slot: Int) {
        source = LiveRow.unretained(row)._withUnsafeGuaranteedRef { owner in
            guard owner._mode == .live, let managed = owner._managed else { return .declared("") }
            return managed._withUnsafeGuaranteedRef { .live(BacklinkPlace($0, row.pointee.key, slot)) }
        }
    }

    /// Follows the links to an object.
    func becomeManaged(_ managed: ManagedClass, _ key: UInt64, _ slot: Int) {
        if case .field(_, let handle) = source { handle.place = BacklinkPlace(managed, key, slot) }
    }

    /// The session of the object that is linked to.
    var session: Session? { place?.session }

    /// Live and unmanaged linking objects are not frozen.
    public var isFrozen: Bool { false }

    /// Whether both follow the same links to the same object.
    func isSame(as other: LinkingObjects) -> Bool {
        if let place, let otherPlace = other.place { return place.isSame(as: otherPlace) }
        return switch (source, other.source) {
        case (.declared(let name), .declared(let otherName)): name == otherName
        case (.field(_, let handle), .field(_, let otherHandle)): handle === otherHandle
        default: false
        }
    }

    private var query: LiveQuery? {
        place.map { LiveQuery($0.origin.takeUnretainedValue(), .backlinks(column: $0.column, key: $0.key)) }
    }

    /// How many links there are; they are not visited for it.
    public var count: Int {
        switch source {
        case .live(let place): place.count { "LinkingObjects<\(Element.self)>" }
        case .field(_, let handle): handle.place?.count { "LinkingObjects<\(Element.self)>" } ?? 0
        case .declared: 0
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
        LinkingObjects(row, Int(column))
    }

    public static func _write(_ value: LinkingObjects, _ row: _Row, _ column: UInt32) {
        misuse("\(LiveRow.propertyName(row, column)) follows links backwards and cannot be set; change the links")
    }

    public static func _assigned(_ value: LinkingObjects, over current: LinkingObjects?) -> LinkingObjects {
        misuse("a LinkingObjects<\(Element.self)> property cannot be set; change the links at the other end")
    }

    public static func _default() -> LinkingObjects { LinkingObjects(declared: "") }

    /// The name of the property, which is all that an unmanaged object knows.
    public static func _stored(_ value: LinkingObjects) -> _StoredValue { .string(value.propertyName) }

    public static func _value(_ stored: _StoredValue) -> LinkingObjects? { nil }
}

extension Persisted {
    /// Declares the property of the other class whose links are followed backwards.
    @inlinable
    public init<Element: Object>(originProperty: String) where Value == LinkingObjects<Element> {
        self.init(LinkingObjects(declared: originProperty), flags: 0)
    }
}
