// SPDX-License-Identifier: MIT
// CustomPersistable.swift -- types of programs that are stored as another type.
//
// A lane that is compiled into programs: reading and lending a value is inlined.

public import CStrata

/// What ``CustomPersistable`` and ``FailableCustomPersistable`` have in common. Programs conform to one of these.
///
/// There is no default of `==` and `hash(into:)` here: a member of an extension would replace those that the compiler
/// makes for a type whose members are all `Hashable`.
public protocol _CustomPersistable: _OptionalPersistable, RealmCollectionValue
where PersistedType: _OptionalPersistable & Hashable {
    /// The type that is stored.
    associatedtype PersistedType
    /// The value as it is stored.
    var persistableValue: PersistedType { get }
    /// The value that a stored one represents; nil if it represents none.
    static func _make(_ persisted: PersistedType) -> Self?
}

/// A type that is stored as another one, which can represent every value, and whose every value represents one.
///
/// ```swift
/// struct Celsius: CustomPersistable {
///     var degrees: Double
///     init(persistedValue: Double) { degrees = persistedValue }
///     var persistableValue: Double { degrees }
/// }
///
/// class Reading: Object {
///     @Persisted var temperature: Celsius
///     @Persisted var before: Celsius?
/// }
/// ```
///
/// The stored type may be every type of a property that is not a collection, also a class of embedded objects. If it
/// can be indexed, or be a primary key, so can this one. The schema knows only the stored type, so that changing
/// between the two changes no file.
///
/// The type is `Hashable`: the compiler makes `==` and `hash(into:)` of a struct or enum if all that it holds is
/// `Hashable`, and otherwise the type declares them. This `==` should agree with what is stored, because both are used:
///
/// - Swift's own `contains(_:)` and `firstIndex(of:)` of a ``List`` or of ``Results`` read the elements and use `==`,
///   as they do in Realm, and so do collections that are not managed.
/// - `index(of:)` of a managed ``List`` and of ``Results``, `contains(_:)` of a managed ``MutableSet``, and queries
///   compare what is stored, without reading the elements. Only among values that are stored as embedded objects
///   `index(of:)` uses `==`, because there is nothing else to compare.
public protocol CustomPersistable: _CustomPersistable {
    /// The type that is stored.
    associatedtype PersistedType
    /// Creates the value that a stored one represents.
    init(persistedValue: PersistedType)
}

extension CustomPersistable {
    @inlinable
    public static func _make(_ persisted: PersistedType) -> Self? { Self(persistedValue: persisted) }
}

/// A type that is stored as another one, some of whose values represent nothing.
///
/// Reading a stored value that represents nothing gives nil from an Optional property and stops the program otherwise,
/// as does the default of the stored type where it is needed.
public protocol FailableCustomPersistable: _CustomPersistable {
    /// The type that is stored.
    associatedtype PersistedType
    /// Creates the value that a stored one represents, or nil if it represents none.
    init?(persistedValue: PersistedType)
}

extension FailableCustomPersistable {
    @inlinable
    public static func _make(_ persisted: PersistedType) -> Self? { Self(persistedValue: persisted) }
}

extension _CustomPersistable {
    public static var _shape: _PropertyShape {
        var shape = PersistedType._shape
        if shape.type == .object { shape.isOptional = true }
        return shape
    }
    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> Self {
        let persisted = PersistedType._read(row, column)
        return _make(persisted) ?? _substitute(persisted, row, column)
    }
    @inlinable
    public static func _readOptional(_ row: _Row, _ column: UInt32) -> Self? {
        PersistedType._readOptional(row, column).flatMap(_make)
    }
    @inlinable
    public static func _write(_ value: Self, _ row: _Row, _ column: UInt32) {
        PersistedType._write(value.persistableValue, row, column)
    }
    public static func _default() -> Self {
        let persisted = PersistedType._default()
        if let value = _make(persisted) { return value }
        misuse(
            "\(Self.self) cannot be made of \(persisted), the default of \(PersistedType.self); "
                + "declare the property with a value, or as Optional")
    }
    public static var _isGenerated: Bool { PersistedType._isGenerated }
    @inlinable
    public static func _decode(_ value: strata_value) -> Self? { PersistedType._decode(value).flatMap(_make) }
    @inlinable
    public static func _lend<R>(_ value: Self, _ body: (strata_value) -> R) -> R? {
        PersistedType._lend(value.persistableValue, body)
    }
    public static func _plain(_ value: Self) -> Any? { PersistedType._plain(value.persistableValue) }
    public static func _readPlain(_ row: _Row, _ column: UInt32) -> Any? { PersistedType._readPlain(row, column) }
    public static func _readPlainOptional(_ row: _Row, _ column: UInt32) -> Any? {
        PersistedType._readPlainOptional(row, column)
    }
    @inlinable
    public static func _writeNil(_ row: _Row, _ column: UInt32) { PersistedType._writeNil(row, column) }
    public static func _stored(_ value: Self) -> _StoredValue { PersistedType._stored(value.persistableValue) }
    public static func _value(_ stored: _StoredValue) -> Self? { PersistedType._value(stored).flatMap(_make) }
}
