// SPDX-License-Identifier: MIT
// Persisted.swift -- the property wrapper.

public import CStrata

/// Marks a property of an ``Object`` subclass as stored.
///
/// The type is `Bool`, an integer, `Float`, `Double`, `String`, `Data`, `Date`, `UUID`, ``ObjectId`` or a
/// ``PersistableEnum``, an Optional of one of these, an Optional object, a ``List`` or ``LinkingObjects``.
///
/// Without a value of its own, a property starts as nil, 0, false, empty, the first case, the present moment or a new
/// unique identifier.
///
/// Reading a property of a live object is about as fast as reading one of a plain Swift object. Changing one needs a
/// write transaction. Misuse stops the program: reading a deleted object, the wrong thread, changing a primary key.
@propertyWrapper
public struct Persisted<Value: _Persistable> {
    // Invariant: `_row` is the first field and `_column` the last, for every Value; `WrapperPlace` writes them. Each is
    // loaded as it is, because to cut both out of one word delays every read. Behind the value the column mostly takes
    // bytes that would be padding.
    // The setter is nonmutating and goes through `_row`. So no access to the field that holds a wrapper ever
    // modifies it, the compiler needs no check of exclusive access, and a read costs a few instructions.

    /// The row of the object that contains the wrapper; nil until `Object.init` has run.
    @usableFromInline var _row: _Row?
    /// The value of an unmanaged object; nil stands for the default. One that is generated is kept from the first time
    /// it is read.
    @usableFromInline var _unmanaged: Value?
    /// Of a live object: the column number, or for linking objects that of the property. While unmanaged: where the
    /// object keeps the wrapper, and `WrapperPlace` flags.
    @usableFromInline var _column: UInt32

    @inlinable
    init(_ value: Value?, flags: UInt32) {
        _row = nil
        _unmanaged = value
        _column = flags
    }

    /// Declares a stored property with the default value of its type.
    @inlinable
    public init() { self.init(nil, flags: 0) }

    /// Declares a stored property with a value of its own.
    @inlinable
    public init(wrappedValue: Value) { self.init(wrappedValue, flags: 0) }

    /// The value.
    @inlinable
    public var wrappedValue: Value {
        get {
            guard let row = _row, strata_row_current(row) || _reload(row, _column) else {
                return _unmanaged ?? (Value._isGenerated ? _generated() : Value._default())
            }
            return Value._read(row, _column)
        }
        nonmutating set {
            guard let row = _row else { _unattached() }
            if _isUnmanaged(row) {
                let wrapper = WrapperPlace.wrapper(row, _column).assumingMemoryBound(to: Self.self)
                wrapper.pointee._unmanaged = Value._assigned(newValue, over: wrapper.pointee._unmanaged)
            } else {
                Value._write(newValue, row, _column)
            }
        }
    }
}

extension Persisted {
    /// Makes the default of an unmanaged object, and keeps it.
    @usableFromInline @inline(never)
    func _generated() -> Value {
        let value = Value._default()
        if let row = _row, _isUnmanaged(row) {
            WrapperPlace.wrapper(row, _column).assumingMemoryBound(to: Self.self).pointee._unmanaged = value
        }
        return value
    }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
    /// Declares a primary key: unique within the class, and never changed once the object is managed.
    @inlinable
    public init(primaryKey: Bool) { self.init(nil, flags: primaryKey ? WrapperPlace.primaryKey : 0) }

    /// Declares a primary key with a value of its own.
    @inlinable
    public init(wrappedValue: Value, primaryKey: Bool) {
        self.init(wrappedValue, flags: primaryKey ? WrapperPlace.primaryKey : 0)
    }
}

extension Persisted where Value.PersistedType: _Indexable {
    /// Declares an indexed property: queries and sorting by it need not look at every object.
    @inlinable
    public init(indexed: Bool) { self.init(nil, flags: indexed ? WrapperPlace.indexed : 0) }

    /// Declares an indexed property with a value of its own.
    @inlinable
    public init(wrappedValue: Value, indexed: Bool) {
        self.init(wrappedValue, flags: indexed ? WrapperPlace.indexed : 0)
    }
}

/// Where an object keeps the parts of a wrapper that are the same for all types of values, in bytes from its start.
@usableFromInline
struct WrapperPlace {
    @inlinable static var primaryKey: UInt32 { 1 << 31 }
    @inlinable static var indexed: UInt32 { 1 << 30 }

    /// The start of the field, and the row of a wrapper.
    let offset: Int32
    private let column: Int32

    /// The place of a field. Of one that is no wrapper nothing but the start can be used.
    init(_ offset: Int, _ access: any PersistedAccess.Type) {
        self.offset = Int32(offset)
        column = Int32(offset + (access._wrapperSize ?? 0) - MemoryLayout<UInt32>.size)
    }

    /// Tells a wrapper that it shows a column of a row.
    @inline(__always)
    func attach(_ base: UnsafeMutableRawPointer, _ row: _Row, _ column: UInt32) {
        base.storeBytes(of: row, toByteOffset: Int(offset), as: _Row.self)
        base.storeBytes(of: column, toByteOffset: Int(self.column), as: UInt32.self)
    }

    /// Tells the wrapper of an unmanaged object where it is.
    @inline(__always)
    func place(_ base: UnsafeMutableRawPointer, _ row: _Row) {
        let flags = base.load(fromByteOffset: Int(column), as: UInt32.self)
        attach(base, row, flags | UInt32(bitPattern: offset))
    }

    /// The wrapper of an unmanaged object.
    @inlinable @inline(__always)
    static func wrapper(_ row: _Row, _ column: UInt32) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(row) - ObjectBase.rowOffset + Int(column & (indexed - 1))
    }
}

/// Whether the object of a row is unmanaged: no table has the number of its row.
@inlinable @inline(__always)
func _isUnmanaged(_ row: _Row) -> Bool { row.pointee.table == UInt32.max }

/// Called for a wrapper that is not in an object.
@usableFromInline @inline(never)
func _unattached() -> Never {
    misuse("a @Persisted property can be set only in a subclass of Object, after super.init() was called")
}
