// SPDX-License-Identifier: MIT
// PersistableEnum.swift -- enums stored by their raw values.
//
// A lane that is compiled into programs: reading and lending a value is inlined.

public import CStrata

/// An enum of the older style of declarations, for `RealmProperty<Kind?>` and `RealmOptional<Kind>`. It can be the type
/// of properties marked with ``Persisted`` as well. It is stored by its raw value.
///
/// Unlike a ``PersistableEnum`` it has no first case that the library knows: its default is the case of the raw value 0
/// or of the smallest one up to 127, or that of the empty string. A default is also needed to query a property that is
/// not Optional.
public protocol RealmEnum: _OptionalPersistable, RealmCollectionValue, RawRepresentable
where RawValue: _OptionalPersistable, PersistedType == RawValue {}

/// An enum that can be the type of a persisted property. It is stored by its raw value.
///
/// ```swift
/// enum Mood: String, PersistableEnum { case calm, cross }
///
/// class Cat: Object {
///     @Persisted var mood: Mood          // the first case unless set
///     @Persisted var earlier: Mood?
/// }
/// ```
///
/// Reading a stored raw value that has no case gives nil from an Optional property and stops the program otherwise.
public protocol PersistableEnum: RealmEnum, CaseIterable {}

extension RealmEnum {
    public static var _shape: _PropertyShape { RawValue._shape }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> Self {
        let raw = RawValue._read(row, column)
        if let value = Self(rawValue: raw) { return value }
        return _substitute(raw, row, column)
    }

    @inlinable
    public static func _readOptional(_ row: _Row, _ column: UInt32) -> Self? {
        RawValue._readOptional(row, column).flatMap(Self.init(rawValue:))
    }

    @inlinable
    public static func _write(_ value: Self, _ row: _Row, _ column: UInt32) {
        RawValue._write(value.rawValue, row, column)
    }

    public static func _default() -> Self {
        if let value = Self(rawValue: RawValue._default()) { return value }
        let small = (1...127).lazy.compactMap { RawValue._value(.int($0)).flatMap(Self.init(rawValue:)) }
        if let value = small.first { return value }
        misuse(
            "\(Self.self) does not say which case is its default; conform it to PersistableEnum, whose default is the "
                + "first case, or declare the property as Optional")
    }

    @inlinable
    public static func _decode(_ value: strata_value) -> Self? {
        RawValue._decode(value).flatMap(Self.init(rawValue:))
    }

    @inlinable
    public static func _lend<R>(_ value: Self, _ body: (strata_value) -> R) -> R? {
        RawValue._lend(value.rawValue, body)
    }

    public static func _plain(_ value: Self) -> Any? { RawValue._plain(value.rawValue) }
    public static func _readPlain(_ row: _Row, _ column: UInt32) -> Any? { RawValue._readPlain(row, column) }

    public static func _readPlainOptional(_ row: _Row, _ column: UInt32) -> Any? {
        RawValue._readPlainOptional(row, column)
    }

    public static func _stored(_ value: Self) -> _StoredValue { RawValue._stored(value.rawValue) }

    public static func _value(_ stored: _StoredValue) -> Self? {
        RawValue._value(stored).flatMap(Self.init(rawValue:))
    }
}

extension RealmEnum where RawValue: _PersistableInteger {
    /// An integer that the raw type cannot hold is one without a case.
    @inlinable
    public static func _readOptional(_ row: _Row, _ column: UInt32) -> Self? {
        if strata_row_null(row, column) { return nil }
        return RawValue(exactly: strata_row_int(row, column)).flatMap(Self.init(rawValue:))
    }
}

extension PersistableEnum {
    public static func _default() -> Self {
        guard let first = allCases.first else { misuse("\(Self.self) has no cases, so it has no values to store") }
        return first
    }
}
