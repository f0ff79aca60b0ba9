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
    // Invariant: `_header` is at offset 0, for every Value, where `PersistedHeader.attach` writes it.
    // The setter is nonmutating and goes through the row. So no access to the field that holds a wrapper ever
    // modifies it, the compiler needs no check of exclusive access, and a read costs a few instructions.

    /// What the wrapper shows.
    @usableFromInline var _header: PersistedHeader
    /// The value of an unmanaged object; nil stands for the default. One that is generated is kept from the first time
    /// it is read.
    @usableFromInline var _unmanaged: Value?

    @inlinable
    init(_ value: Value?, flags: UInt32) {
        _header = PersistedHeader(nil, flags)
        _unmanaged = value
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
            guard let row = _header.row, strata_row_current(row) || _reload(row, _header.column) else {
                return _unmanaged ?? (Value._isGenerated ? _generated() : Value._default())
            }
            return Value._read(row, _header.column)
        }
        nonmutating set {
            guard let row = _header.row else { _unattached() }
            if _isUnmanaged(row) {
                let wrapper = _header.wrapper(row).assumingMemoryBound(to: Self.self)
                wrapper.pointee._unmanaged = Value._assigned(newValue, over: wrapper.pointee._unmanaged)
            } else {
                Value._write(newValue, row, _header.column)
            }
        }
    }
}

extension Persisted {
    /// Makes the default of an unmanaged object, and keeps it.
    @usableFromInline @inline(never)
    func _generated() -> Value {
        let value = Value._default()
        if let row = _header.row, _isUnmanaged(row) {
            _header.wrapper(row).assumingMemoryBound(to: Self.self).pointee._unmanaged = value
        }
        return value
    }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
    /// Declares a primary key: unique within the class, and never changed once the object is managed.
    @inlinable
    public init(primaryKey: Bool) { self.init(nil, flags: primaryKey ? PersistedHeader.primaryKey : 0) }

    /// Declares a primary key with a value of its own.
    @inlinable
    public init(wrappedValue: Value, primaryKey: Bool) {
        self.init(wrappedValue, flags: primaryKey ? PersistedHeader.primaryKey : 0)
    }
}

extension Persisted where Value.PersistedType: _Indexable {
    /// Declares an indexed property: queries and sorting by it need not look at every object.
    @inlinable
    public init(indexed: Bool) { self.init(nil, flags: indexed ? PersistedHeader.indexed : 0) }

    /// Declares an indexed property with a value of its own.
    @inlinable
    public init(wrappedValue: Value, indexed: Bool) {
        self.init(wrappedValue, flags: indexed ? PersistedHeader.indexed : 0)
    }
}

/// The part of every wrapper that is the same for all types of values: a row and 16 bits, in one word, because there
/// are as many of these as there are properties of live objects.
///
/// Invariant: addresses have 48 bits, as they have on all systems that do not give out more on request.
@usableFromInline
struct PersistedHeader {
    @inlinable static var primaryKey: UInt32 { 1 << 15 }
    @inlinable static var indexed: UInt32 { 1 << 14 }
    /// Objects keep their wrappers in multiples of `unit` below `unit * units`.
    @inlinable static var unit: Int { 8 }
    static var units: Int { 1 << 14 }

    /// The address of the row above the 16 bits.
    @usableFromInline var bits: UInt

    @inlinable @inline(__always)
    init(_ row: _Row?, _ column: UInt32) { bits = UInt(bitPattern: row) << 16 | UInt(column) }

    /// The row of the object that contains the wrapper; nil until `Object.init` has run.
    @inlinable
    var row: _Row? { _Row(bitPattern: bits >> 16) }

    /// Of a live object: the column number, or for linking objects that of the property. While unmanaged: where the
    /// object keeps the wrapper, in units, and flags.
    @inlinable
    var column: UInt32 { UInt32(truncatingIfNeeded: bits & 0xffff) }

    /// Tells the wrapper at an address that it shows a column of a row.
    @inline(__always)
    static func attach(_ wrapper: UnsafeMutableRawPointer, _ row: _Row, _ column: UInt32) {
        wrapper.storeBytes(of: PersistedHeader(row, column), as: PersistedHeader.self)
    }

    /// Tells the wrapper of an unmanaged object where it is.
    @inline(__always)
    static func place(_ base: UnsafeMutableRawPointer, _ offset: Int, _ row: _Row) {
        let wrapper = base + offset
        let flags = wrapper.load(as: PersistedHeader.self).column
        attach(wrapper, row, flags | UInt32(truncatingIfNeeded: offset / unit))
    }

    /// The wrapper of an unmanaged object.
    @inlinable @inline(__always)
    func wrapper(_ row: _Row) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(row) - 16 + Int(bits & 0x3fff) * PersistedHeader.unit
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
