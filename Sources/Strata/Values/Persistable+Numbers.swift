// SPDX-License-Identifier: MIT
// Persistable+Numbers.swift -- Bool, integers and floating point as persisted types.
//
// A lane that is compiled into programs: reading and lending a value is inlined.

public import CStrata

/// The integers, which are all stored as 64 bits.
public protocol _PersistableInteger: _OptionalPersistable, _DefaultConstructible, _PrimaryKey, _Indexable,
    FixedWidthInteger
where PersistedType == Self {}

extension _PersistableInteger {
    public static var _shape: _PropertyShape { _PropertyShape(.int) }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> Self {
        let stored = strata_row_int(row, column)
        if let value = Self(exactly: stored) { return value }
        _outOfRange(stored, Self.self, row, column)
    }

    public static func _readPlain(_ row: _Row, _ column: UInt32) -> Any? {
        let stored = strata_row_int(row, column)
        return Self(exactly: stored) ?? Int(stored)
    }

    public static func _readPlainOptional(_ row: _Row, _ column: UInt32) -> Any? {
        strata_row_null(row, column) ? nil : _readPlain(row, column)
    }

    @inlinable
    public static func _decode(_ value: strata_value) -> Self? {
        value.type == .STRATA_INT ? Self(exactly: value.as.integer) : nil
    }

    @inlinable
    public static func _lend<R>(_ value: Self, _ body: (strata_value) -> R) -> R? {
        body(strata_int(Int64(truncatingIfNeeded: value)))
    }

    public static func _stored(_ value: Self) -> _StoredValue { .int(Int64(truncatingIfNeeded: value)) }

    public static func _value(_ stored: _StoredValue) -> Self? {
        if case .int(let value) = stored { Self(exactly: value) } else { nil }
    }
}

extension Int: _PersistableInteger { public typealias PersistedType = Int }
extension Int8: _PersistableInteger { public typealias PersistedType = Int8 }
extension Int16: _PersistableInteger { public typealias PersistedType = Int16 }
extension Int32: _PersistableInteger { public typealias PersistedType = Int32 }
extension Int64: _PersistableInteger { public typealias PersistedType = Int64 }

extension Bool: _OptionalPersistable, _PrimaryKey, _Indexable {
    public typealias PersistedType = Bool
    public static var _shape: _PropertyShape { _PropertyShape(.bool) }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> Bool { strata_row_bool(row, column) }

    @inlinable
    public static func _decode(_ value: strata_value) -> Bool? {
        value.type == .STRATA_BOOL ? value.as.boolean : nil
    }

    @inlinable
    public static func _lend<R>(_ value: Bool, _ body: (strata_value) -> R) -> R? { body(strata_bool(value)) }

    public static func _stored(_ value: Bool) -> _StoredValue { .bool(value) }

    public static func _value(_ stored: _StoredValue) -> Bool? {
        if case .bool(let value) = stored { value } else { nil }
    }
}

extension Float: _OptionalPersistable {
    public typealias PersistedType = Float
    public static var _shape: _PropertyShape { _PropertyShape(.float) }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> Float { strata_row_float(row, column) }

    @inlinable
    public static func _decode(_ value: strata_value) -> Float? {
        value.type == .STRATA_FLOAT ? value.as.single : nil
    }

    @inlinable
    public static func _lend<R>(_ value: Float, _ body: (strata_value) -> R) -> R? { body(strata_float(value)) }

    public static func _stored(_ value: Float) -> _StoredValue { .float(value) }

    public static func _value(_ stored: _StoredValue) -> Float? {
        if case .float(let value) = stored { value } else { nil }
    }
}

extension Double: _OptionalPersistable {
    public typealias PersistedType = Double
    public static var _shape: _PropertyShape { _PropertyShape(.double) }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> Double { strata_row_double(row, column) }

    @inlinable
    public static func _decode(_ value: strata_value) -> Double? {
        value.type == .STRATA_DOUBLE ? value.as.real : nil
    }

    @inlinable
    public static func _lend<R>(_ value: Double, _ body: (strata_value) -> R) -> R? { body(strata_double(value)) }

    public static func _stored(_ value: Double) -> _StoredValue { .double(value) }

    public static func _value(_ stored: _StoredValue) -> Double? {
        if case .double(let value) = stored { value } else { nil }
    }
}
