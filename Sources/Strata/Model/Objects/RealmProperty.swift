// SPDX-License-Identifier: MIT
// RealmProperty.swift -- optional values of classes that mark no property with @Persisted.

/// An optional value in a class of the older style of declarations.
///
/// ```swift
/// class Person: Object {
///     let age = RealmProperty<Int?>()
///     let dogs = List<Dog>()
///     override class func primaryKey() -> String? { nil }
/// }
///
/// let person = Person()
/// person.age.value = 36
/// ```
///
/// New classes say `@Persisted var age: Int?` instead.
public final class RealmProperty<Value: _Persistable> {
    final var storage: Persisted<Value>
    final var owner: BoxOwner?

    /// Creates a property with the default value of its type, which is nil for Optionals.
    public init() { storage = Persisted(Value._default(), flags: 0) }

    /// The value.
    public var value: Value {
        get { current }
        set { current = newValue }
    }
}

@available(*, unavailable, message: "a property of a live object belongs to one thread")
extension RealmProperty: Sendable {}

extension RealmProperty: Equatable where Value: Equatable {
    /// Compares the values.
    public static func == (left: RealmProperty, right: RealmProperty) -> Bool { left.value == right.value }
}

extension RealmProperty: CustomStringConvertible {
    /// The value as text.
    public var description: String { "\(value)" }
}

extension RealmProperty: Encodable where Value: Encodable {
    /// Writes the value, or null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension RealmProperty: Decodable where Value: Decodable {
    /// Reads a value, or null.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}

/// What ``RealmOptional`` can hold.
public typealias RealmOptionalType = _OptionalPersistable

/// An optional value in a class of the older style of declarations. See ``RealmProperty``, which does more.
public final class RealmOptional<Value: RealmOptionalType> {
    final var storage: Persisted<Value?>
    final var owner: BoxOwner?

    /// Creates a property.
    public init(_ value: Value? = nil) { storage = Persisted(.some(value), flags: 0) }

    /// The value, or nil.
    public var value: Value? {
        get { current }
        set { current = newValue }
    }
}

@available(*, unavailable, message: "a property of a live object belongs to one thread")
extension RealmOptional: Sendable {}

extension RealmOptional: CustomStringConvertible {
    /// The value as text.
    public var description: String { value.map { "\($0)" } ?? "nil" }
}

extension RealmOptional: Codable where Value: Codable {
    /// Reads a value, or null.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.init(container.decodeNil() ? nil : try container.decode(Value.self))
    }

    /// Writes the value, or null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// The managed object to which a box belongs. It has a row of its own, because the box may outlive the object.
final class BoxOwner {
    private let session: Session
    private let managed: ManagedClass
    private let key: UInt64
    private let generation: UInt64
    private var accessor: ObjectBase?

    init(_ managed: ManagedClass, _ row: _Row) {
        session = managed.session
        self.managed = managed
        key = row.key
        generation = managed.session.generation
    }

    /// The row of an object without fields, made when it is first needed.
    var row: _Row {
        if let accessor { return accessor.row }
        let object = session.classes.dynamic(managed.layout.schema.className).makeObject(key)
        object.become(.live, in: generation)
        accessor = object
        return object.row
    }
}

/// A class with one wrapper that is not inside of the object it belongs to.
protocol PropertyBox: AnyObject {
    associatedtype Value: _Persistable
    /// Has the value of an unmanaged object; shows a row of the owner once that is managed.
    var storage: Persisted<Value> { get set }
    /// Set once the object is managed.
    var owner: BoxOwner? { get set }
}

extension PropertyBox {
    /// The value.
    var current: Value {
        get {
            bind()
            return storage.wrappedValue
        }
        set {
            bind()
            if storage._row == nil {
                storage._unmanaged = newValue
            } else {
                storage.wrappedValue = newValue
            }
        }
    }

    private func bind() {
        if storage._row == nil, let owner { storage._row = owner.row }
    }
}

extension RealmProperty: PropertyBox {}
extension RealmOptional: PropertyBox {}

/// A box that is the value of a field.
enum BoxField<Box: PropertyBox>: TypedAccess {
    typealias Value = Box.Value

    private static func at(_ field: UnsafeMutableRawPointer) -> Box { field.load(as: Box.self) }

    static var _wrapperSize: Int? { nil }
    static func _flags(_ field: UnsafeMutableRawPointer) -> UInt32 { 0 }
    static func _unmanagedValue(_ field: UnsafeMutableRawPointer) -> _StoredValue {
        Value._stored(at(field).storage._unmanaged ?? Value._default())
    }
    static func _set(_ field: UnsafeMutableRawPointer, _ value: _StoredValue) -> Bool {
        guard let value = Value._value(value) else { return false }
        at(field).current = value
        return true
    }
    static func _forget(_ field: UnsafeMutableRawPointer) { at(field).storage._unmanaged = nil }
    static func _plain(_ field: UnsafeMutableRawPointer) -> Any? { Value._plain(at(field).current) }
    static func _record(_ field: UnsafeMutableRawPointer, _ row: _Row, slot: Int) -> AnyObject? {
        let box = at(field)
        (box.storage._row, box.storage._column) = (row, UInt32(slot))
        return box
    }
    static func _attach(_ field: UnsafeMutableRawPointer, _ managed: ManagedClass, _ row: _Row, slot: Int) {
        let box = at(field)
        box.owner = BoxOwner(managed, row)
        (box.storage._row, box.storage._column) = (nil, managed.columns[slot])
        // At once, so that threads which read it do not change it.
        if managed.isFrozen, let owner = box.owner { box.storage._row = owner.row }
    }
}

extension RealmProperty: UnmarkedProperty {
    static var access: any PersistedAccess.Type { BoxField<RealmProperty>.self }
    static func declaration(_ name: String, _ field: UnsafeMutableRawPointer) -> String {
        "@Persisted var \(name): \(TypeName.text(Value.self))"
    }
}

extension RealmOptional: UnmarkedProperty {
    static var access: any PersistedAccess.Type { BoxField<RealmOptional>.self }
    static func declaration(_ name: String, _ field: UnsafeMutableRawPointer) -> String {
        "@Persisted var \(name): \(TypeName.text(Value?.self))"
    }
}
