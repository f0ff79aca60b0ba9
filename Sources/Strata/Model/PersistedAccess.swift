// SPDX-License-Identifier: MIT
// PersistedAccess.swift -- a wrapper inside of an object, by its address.

import CStrata

/// What can be done with a wrapper whose type of value is not known. Not for use by programs.
///
/// The address is that of the wrapper inside of an object that is kept alive by the caller.
protocol PersistedAccess {
    static var _shape: _PropertyShape { get }
    static var _needsInitial: Bool { get }
    static func _flags(_ wrapper: UnsafeMutableRawPointer) -> UInt32
    /// The value of an unmanaged object.
    static func _unmanagedValue(_ wrapper: UnsafeMutableRawPointer) -> _StoredValue
    /// Changes the value; false if it does not fit.
    static func _set(_ wrapper: UnsafeMutableRawPointer, _ value: _StoredValue) -> Bool
    /// Releases the value of an object that has become managed.
    static func _forget(_ wrapper: UnsafeMutableRawPointer)
    /// The value of a ready row.
    static func _managedValue(_ row: _Row, _ column: UInt32) -> _StoredValue
    /// A value of exactly the type of the property, in its general form; nil if it has another type.
    static func _accept(_ value: Any) -> _StoredValue?
    /// Whether a value in its general form fits the property.
    static func _fits(_ value: _StoredValue) -> Bool
    /// The value of a property as a program sees it.
    static func _any(_ object: Object, _ offset: Int) -> Any
}

extension Persisted: PersistedAccess {
    static var _shape: _PropertyShape { Value._shape }

    static var _needsInitial: Bool { Value._initial() != nil }

    private static func at(_ wrapper: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Persisted<Value>> {
        wrapper.assumingMemoryBound(to: Persisted<Value>.self)
    }

    static func _flags(_ wrapper: UnsafeMutableRawPointer) -> UInt32 { at(wrapper).pointee._column }

    static func _unmanagedValue(_ wrapper: UnsafeMutableRawPointer) -> _StoredValue {
        if let value = at(wrapper).pointee._unmanaged { return Value._stored(value) }
        return Value._stored(Value._default())
    }

    static func _set(_ wrapper: UnsafeMutableRawPointer, _ value: _StoredValue) -> Bool {
        guard let value = Value._value(value) else { return false }
        at(wrapper).pointee.wrappedValue = value
        return true
    }

    static func _forget(_ wrapper: UnsafeMutableRawPointer) { at(wrapper).pointee._unmanaged = nil }

    static func _managedValue(_ row: _Row, _ column: UInt32) -> _StoredValue {
        Value._stored(Value._read(row, column))
    }

    static func _accept(_ value: Any) -> _StoredValue? { (value as? Value).map(Value._stored) }

    static func _fits(_ value: _StoredValue) -> Bool { Value._value(value) != nil }

    static func _any(_ object: Object, _ offset: Int) -> Any {
        at(Unmanaged.passUnretained(object).toOpaque() + offset).pointee.wrappedValue
    }
}
