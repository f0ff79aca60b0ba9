// SPDX-License-Identifier: MIT
// PersistedAccess.swift -- a property inside of an object, by its address.

/// What can be done with a property whose type of value is not known. Not for use by programs.
///
/// The address is that of the wrapper, or of the unmarked field, inside of an object. The caller keeps the object
/// alive.
protocol PersistedAccess {
    static var _shape: _PropertyShape { get }
    /// The size of the field if it is a ``Persisted`` wrapper.
    static var _wrapperSize: Int? { get }
    /// Whether the values are Optionals of a class of objects, all of which have the same layout.
    static var _isLink: Bool { get }
    static func _flags(_ wrapper: UnsafeMutableRawPointer) -> UInt32
    /// The value of an unmanaged object.
    static func _unmanagedValue(_ wrapper: UnsafeMutableRawPointer) -> _StoredValue
    /// Changes the value; false if it does not fit.
    static func _set(_ wrapper: UnsafeMutableRawPointer, _ value: _StoredValue) -> Bool
    /// Releases the value of an object that has become managed.
    static func _forget(_ wrapper: UnsafeMutableRawPointer)
    /// What is stored for the value; nil for nil. See `_Persistable._plain`.
    static func _plain(_ wrapper: UnsafeMutableRawPointer) -> Any?

    /// Makes the field of a prototype tell its recorder when it is read. Returns what is in the field if reading the
    /// field cannot be noticed.
    static func _record(_ field: UnsafeMutableRawPointer, _ row: _Row, slot: Int) -> AnyObject?

    /// Makes an unmarked field show a column of a row.
    static func _attach(_ field: UnsafeMutableRawPointer, _ managed: ManagedClass, _ row: _Row, slot: Int)

    /// The value of a current row.
    static func _managedValue(_ row: _Row, _ column: UInt32) -> _StoredValue
    /// What a current row has stored for the value; nil for nil.
    static func _managedPlain(_ row: _Row, _ column: UInt32) -> Any?
    /// Changes the value of a row; false if it does not fit.
    static func _setManaged(_ row: _Row, _ column: UInt32, _ value: _StoredValue) -> Bool

    /// The type of the values.
    static var _type: any _Persistable.Type { get }
}

extension PersistedAccess {
    /// Whether the field is a ``Persisted`` wrapper.
    static var _isWrapper: Bool { _wrapperSize != nil }

    /// The type of the collection that the property is; nil if it holds a single value.
    static var _collectionType: (any PersistedCollection.Type)? { _type as? any PersistedCollection.Type }
}

/// The access to properties whose values are of a certain type, in whatever field they are.
protocol TypedAccess: PersistedAccess {
    associatedtype Value: _Persistable
}

extension TypedAccess {
    static var _shape: _PropertyShape { Value._shape }
    static var _isLink: Bool { Value.self is any ObjectOptional.Type }
    static func _managedValue(_ row: _Row, _ column: UInt32) -> _StoredValue {
        Value._stored(Value._read(row, column))
    }
    static func _managedPlain(_ row: _Row, _ column: UInt32) -> Any? { Value._readPlain(row, column) }
    static func _setManaged(_ row: _Row, _ column: UInt32, _ value: _StoredValue) -> Bool {
        guard let value = Value._value(value) else { return false }
        Value._write(value, row, column)
        return true
    }
    static var _type: any _Persistable.Type { Value.self }
}

/// An Optional of a class of objects.
private protocol ObjectOptional {}
extension Optional: ObjectOptional where Wrapped: ObjectBase {}

extension Persisted: TypedAccess {
    static var _wrapperSize: Int? { MemoryLayout<Self>.size }

    private static func at(_ wrapper: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Persisted<Value>> {
        wrapper.assumingMemoryBound(to: Persisted<Value>.self)
    }

    static func _flags(_ wrapper: UnsafeMutableRawPointer) -> UInt32 { at(wrapper).pointee._column }

    static func _unmanagedValue(_ wrapper: UnsafeMutableRawPointer) -> _StoredValue {
        let wrapper = at(wrapper)
        if let value = wrapper.pointee._unmanaged { return Value._stored(value) }
        return Value._stored(Value._isGenerated ? wrapper.pointee._generated() : Value._default())
    }

    static func _set(_ wrapper: UnsafeMutableRawPointer, _ value: _StoredValue) -> Bool {
        guard let value = Value._value(value) else { return false }
        at(wrapper).pointee.wrappedValue = value
        return true
    }

    static func _forget(_ wrapper: UnsafeMutableRawPointer) { at(wrapper).pointee._unmanaged = nil }

    static func _plain(_ wrapper: UnsafeMutableRawPointer) -> Any? {
        let persisted = at(wrapper).pointee, column = persisted._column
        guard let row = persisted._row, LiveRow.owner(row)._mode == .live,
            row.isCurrent || _reload(row, column), Value._kept(persisted._unmanaged, row, column) == nil
        else { return Value._plain(persisted.wrappedValue) }
        return Value._readPlain(row, column)
    }

    static func _record(_ wrapper: UnsafeMutableRawPointer, _ row: _Row, slot: Int) -> AnyObject? {
        attach(wrapper, row, UInt32(slot))
        return nil
    }

    static func _attach(_ wrapper: UnsafeMutableRawPointer, _ managed: ManagedClass, _ row: _Row, slot: Int) {
        attach(wrapper, row, managed.columns[slot])
    }

    private static func attach(_ wrapper: UnsafeMutableRawPointer, _ row: _Row, _ column: UInt32) {
        FieldOffset(0, Self.self).attach(wrapper, row, column)
    }
}
