// SPDX-License-Identifier: MIT
// LinkingObjects.swift -- the objects that link to this one: where the links are found, and how many there are.

/// What the links are found by. None of this is generic, so that copies need no metadata of a generic type.
@usableFromInline
enum BacklinkSource {
    /// A property that is marked with ``Persisted``, of an object that is not managed: the name of the other property.
    case declared(String)
    /// A field without a mark.
    case field(String, BacklinkHandle)
    /// A property of a live object.
    case live(Backlinks)
}

/// The links that a field without a mark follows, once its object is managed. Copies share it, because a field that was
/// declared with `let` learns about the links later.
@usableFromInline
final class BacklinkHandle {
    var backlinks: Backlinks?
}

/// The links that lead to one object through one property of a class.
@usableFromInline
struct Backlinks {
    /// Owns the class, which is therefore not retained.
    let session: Session
    /// The class that the links come from.
    let origin: Unmanaged<ManagedClass>
    let column: UInt32
    /// The class and the key of the object that they lead to.
    let target: Unmanaged<ManagedClass>
    let key: UInt64
    /// The generation of that object.
    let generation: UInt64

    init(_ managed: ManagedClass, _ key: UInt64, _ slot: Int, generation: UInt64) {
        session = managed.session
        self.generation = generation
        origin = managed.unretainedTarget(ofSlot: slot)
        column = managed.originColumn(ofSlot: slot)
        target = .passUnretained(managed)
        self.key = key
    }

    /// The links that lead through a column of a class to an object.
    init(_ origin: ManagedClass, _ column: UInt32, to target: ManagedClass, _ key: UInt64) {
        session = target.session
        generation = session.generation
        self.origin = .passUnretained(origin)
        self.column = column
        self.target = .passUnretained(target)
        self.key = key
    }

    /// What finds the objects that the links come from.
    var query: LiveQuery {
        LiveQuery(origin.takeUnretainedValue(), .backlinks(column: column, key: key), generation: generation)
    }

    func isSame(as other: Backlinks) -> Bool {
        session.isSame(as: other.session)
            && origin._withUnsafeGuaranteedRef({ $0.table }) == other.origin._withUnsafeGuaranteedRef({ $0.table })
            && column == other.column && key == other.key
    }

    /// How many links there are; none if the realm was invalidated, or the write rolled back that created the object.
    func count(_ name: () -> String) -> Int {
        origin._withUnsafeGuaranteedRef { origin in
            if !origin.view.isOfThisThread { origin.session.checkThread(name) }
            if session.isLimited { return query.count }  // a loop has to find as many
            let (table, isGone) = target._withUnsafeGuaranteedRef { ($0.table, $0.isKnownGone(key, generation)) }
            if isGone { return 0 }
            do throws(StrataError) {
                return try origin.view.backlinkCount(key, of: table, from: origin.table, column)
            } catch {
                misuse("counting \(name()) failed: \(error.message)")
            }
        }
    }
}

/// The objects that link to an object through one of their properties. Kept by the engine, always up to date.
///
/// ```swift
/// class Person: Object { @Persisted var dogs: List<Dog> }
/// class Dog: Object { @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person> }
/// ```
///
/// The other class may be one of embedded objects. An object that links several times through a list appears several
/// times. For an unmanaged object it is empty.
public struct LinkingObjects<Element: ObjectBase> {
    @usableFromInline let source: BacklinkSource

    /// The links; nil while the object is unmanaged.
    var backlinks: Backlinks? {
        switch source {
        case .live(let backlinks): backlinks
        case .field(_, let handle): handle.backlinks
        case .declared: nil
        }
    }

    /// The property of `Element` that links here.
    public var propertyName: String {
        switch source {
        case .declared(let name), .field(let name, _): name
        case .live(let backlinks):
            backlinks.origin._withUnsafeGuaranteedRef { $0.propertyName(ofColumn: backlinks.column) } ?? ""
        }
    }

    /// Declares the property whose links are followed backwards.
    public init(fromType: Element.Type, property propertyName: String) {
        source = .field(propertyName, BacklinkHandle())
    }

    /// The links to an object that is not managed. Compiled into the program, because it is called for each new object.
    @inlinable
    init(declared propertyName: String) { source = .declared(propertyName) }

    /// The links to an object of a session.
    init(_ backlinks: Backlinks) { source = .live(backlinks) }

    /// The links to the object of a current row.
    fileprivate init(_ row: _Row, _ slot: Int) {
        source = LiveRow.unretained(row)._withUnsafeGuaranteedRef { owner in
            guard owner._mode == .live, let managed = owner._managed else { return .declared("") }
            let generation = owner._generation
            return managed._withUnsafeGuaranteedRef { .live(Backlinks($0, row.key, slot, generation: generation)) }
        }
    }

    /// Makes a field without a mark follow the links to an object.
    func becomeManaged(_ managed: ManagedClass, _ key: UInt64, _ slot: Int) {
        guard case .field(_, let handle) = source else { return }
        handle.backlinks = Backlinks(managed, key, slot, generation: managed.session.generation)
    }

    /// The session of the object that is linked to.
    var session: Session? { backlinks?.session }

    /// Whether it shows one version for ever; see ``ThreadConfined/freeze()``.
    public var isFrozen: Bool { session?.isFrozen ?? false }

    /// How many links there are; they are not visited for it, unless that may be stopped.
    public var count: Int {
        switch source {
        case .live(let backlinks): backlinks.count { "LinkingObjects<\(Element.self)>" }
        case .field(_, let handle): handle.backlinks?.count { "LinkingObjects<\(Element.self)>" } ?? 0
        case .declared: 0
        }
    }

    /// Whether nothing links here.
    public var isEmpty: Bool { count == 0 }
}

@available(
    *, unavailable,
    message: "live linking objects belong to one thread, queue or actor; send a copy, a ThreadSafeReference or Frozen")
extension LinkingObjects: Sendable {}

extension LinkingObjects: Equatable {
    /// True if both follow the same links to the same object.
    public static func == (left: LinkingObjects, right: LinkingObjects) -> Bool {
        if let one = left.backlinks, let other = right.backlinks { return one.isSame(as: other) }
        return switch (left.source, right.source) {
        case (.declared(let one), .declared(let other)): one == other
        case (.field(_, let one), .field(_, let other)): one === other
        default: false
        }
    }
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
    public init<Element: ObjectBase>(originProperty: String) where Value == LinkingObjects<Element> {
        self.init(LinkingObjects(declared: originProperty), flags: 0)
    }
}
