// SPDX-License-Identifier: MIT
// Persistable.swift -- what a type must be able to do to be the type of a persisted property.
//
// A lane that is compiled into programs: reading and lending a value is inlined. Here are reading and conversion, which
// need only the row; writing, which needs the live object, is in Model/Objects/Persistable+Writing.swift.
//
// A value has three forms. Programs have a Swift value. `_StoredValue` is the general form: one enum for all types. The
// engine has a `strata_value`. `_stored` and `_value` convert between the first two; `_lend` and `_decode` convert
// between Swift and the engine without the general form, where that is possible.

public import CStrata

/// A type in which a program can ask for the least, the greatest, the sum or the average of values: every type of
/// persisted properties, and `NSNumber` and `NSDate`.
public protocol _HasPersistedType {
    /// The type whose values are stored: for enums that of their raw values, for custom types the one they name, for
    /// all others the type itself.
    associatedtype PersistedType
    /// What the type says about a property.
    static var _shape: _PropertyShape { get }
    /// The value of a general form, which must already be of the right type; nil if the type has no such value.
    static func _value(_ stored: _StoredValue) -> Self?
    /// The result of arithmetic in the form of the type, as far as it has one.
    static func _fitting(_ result: _StoredValue) -> _StoredValue
}

/// A type of persisted properties. Programs use the types that conform; they do not conform types of their own, except
/// enums by way of ``PersistableEnum``.
///
/// `_read` is called with a current row, on the thread of the row, and is compiled into the program.
public protocol _Persistable: _HasPersistedType {
    /// Reads a cell of a current row.
    static func _read(_ row: _Row, _ column: UInt32) -> Self
    /// Changes a cell.
    static func _write(_ value: Self, _ row: _Row, _ column: UInt32)
    /// The value of a property that was declared without one.
    static func _default() -> Self
    /// Whether `_default()` returns another value each time, so that an object must remember the first.
    static var _isGenerated: Bool { get }
    /// The value in its general form.
    static func _stored(_ value: Self) -> _StoredValue
    /// The value that the engine lends, without the general form; nil where only `_value(_:)` can make it.
    static func _decode(_ value: strata_value) -> Self?
    /// Lends the value to the engine, without the general form; nil where only `_stored(_:)` can describe it.
    static func _lend<R>(_ value: Self, _ body: (strata_value) -> R) -> R?
    /// What is stored for the value, for programs that use the property by its name: for enums their raw values; nil
    /// for nil.
    static func _plain(_ value: Self) -> Any?
    /// The same of a cell of a current row, which need not hold a value of this type: an enum may have no such case.
    static func _readPlain(_ row: _Row, _ column: UInt32) -> Any?
    /// A value of unknown type as a property of this type accepts it, in its general form; nil if it does not fit. The
    /// type is that of a single value.
    static func _accepted(_ value: Any) -> _StoredValue?
    /// The instance that the property of a live object has kept from before it was added, and that shows the column of
    /// its current row; nil if there is none.
    static func _kept(_ value: Self?, _ row: _Row, _ column: UInt32) -> Self?
    /// What an unmanaged object stores when `value` is assigned to a property that has the value `current`.
    static func _assigned(_ value: Self, over current: Self?) -> Self
}

extension _Persistable {
    @inlinable
    public static var _isGenerated: Bool { false }
    @inlinable
    public static func _decode(_ value: strata_value) -> Self? { nil }
    @inlinable
    public static func _lend<R>(_ value: Self, _ body: (strata_value) -> R) -> R? { nil }
    @inlinable
    public static func _kept(_ value: Self?, _ row: _Row, _ column: UInt32) -> Self? { nil }
    public static func _plain(_ value: Self) -> Any? { value }
    public static func _readPlain(_ row: _Row, _ column: UInt32) -> Any? { _plain(_read(row, column)) }

    @inlinable
    public static func _assigned(_ value: Self, over current: Self?) -> Self { value }
}

/// A type whose Optional can be persisted as well.
public protocol _OptionalPersistable: _Persistable {
    /// Reads a cell of a current row that may be null.
    static func _readOptional(_ row: _Row, _ column: UInt32) -> Self?
    /// What a cell of a current row has stored that may be null. See `_readPlain`.
    static func _readPlainOptional(_ row: _Row, _ column: UInt32) -> Any?
    /// Makes a cell null.
    static func _writeNil(_ row: _Row, _ column: UInt32)
}

extension _OptionalPersistable {
    @inlinable
    public static func _readOptional(_ row: _Row, _ column: UInt32) -> Self? {
        strata_row_null(row, column) ? nil : _read(row, column)
    }

    public static func _readPlainOptional(_ row: _Row, _ column: UInt32) -> Any? {
        _readOptional(row, column).flatMap(_plain)
    }
}

extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
    public typealias PersistedType = Wrapped.PersistedType?

    public static var _shape: _PropertyShape {
        var shape = Wrapped._shape
        shape.isOptional = true
        return shape
    }

    public static func _value(_ stored: _StoredValue) -> Wrapped?? {
        if case .null = stored { return .some(nil) }
        return Wrapped._value(stored).map { .some($0) }
    }
}

extension Optional: _Persistable where Wrapped: _OptionalPersistable {
    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> Wrapped? { Wrapped._readOptional(row, column) }

    @inlinable
    public static func _write(_ value: Wrapped?, _ row: _Row, _ column: UInt32) {
        if let value {
            Wrapped._write(value, row, column)
        } else {
            Wrapped._writeNil(row, column)
        }
    }

    @inlinable
    public static func _default() -> Wrapped? { nil }

    @inlinable
    public static func _decode(_ value: strata_value) -> Wrapped?? {
        value.type == .STRATA_NULL ? .some(nil) : Wrapped._decode(value).map { .some($0) }
    }

    @inlinable
    public static func _lend<R>(_ value: Wrapped?, _ body: (strata_value) -> R) -> R? {
        if let value { Wrapped._lend(value, body) } else { body(strata_null()) }
    }

    public static func _plain(_ value: Wrapped?) -> Any? { value.flatMap(Wrapped._plain) }

    public static func _readPlain(_ row: _Row, _ column: UInt32) -> Any? { Wrapped._readPlainOptional(row, column) }

    public static func _stored(_ value: Wrapped?) -> _StoredValue { value.map(Wrapped._stored) ?? .null }
}

/// Marks types that can be a primary key.
public protocol _PrimaryKey {}

/// Marks types that can be indexed.
public protocol _Indexable {}

extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}
extension Optional: _Indexable where Wrapped: _Indexable {}
