// SPDX-License-Identifier: MIT
// Persisted.swift -- the property wrapper.
//
// A lane that is compiled into programs: reading a property must cost a few instructions.

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
    // Invariant: `_row` is the first field and `_column` the last, for every Value; `FieldOffset` writes them. They are
    // not packed into one word, because unpacking would delay every read. The column mostly needs no memory: it lies in
    // bytes behind the value that would be padding.
    // The setter is nonmutating and writes through `_row`. So the field that holds a wrapper is never modified by name,
    // the compiler makes no check of exclusive access, and a read costs a few instructions.

    /// The row of the object that contains the wrapper; nil until `Object.init` has run.
    @usableFromInline var _row: _Row?
    /// The value of an unmanaged object; nil stands for the default. A generated default is stored when it is first
    /// read. In a live object it is of no use, except for a collection that shows the realm; see `_kept`.
    @usableFromInline var _unmanaged: Value?
    /// In a live object, the column number, or for linking objects the number of the slot. In an unmanaged object,
    /// where in the object the wrapper is, with the flags of `FieldOffset`.
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
            return Value._kept(_unmanaged, row, _column) ?? Value._read(row, _column)
        }
        nonmutating set {
            guard let row = _row else { _unattached() }
            if _isUnmanaged(row) {
                let wrapper = FieldOffset.wrapper(row, _column).assumingMemoryBound(to: Self.self)
                wrapper.pointee._unmanaged = Value._assigned(newValue, over: wrapper.pointee._unmanaged)
            } else {
                Value._write(newValue, row, _column)
            }
        }
    }
}

extension Persisted {
    /// Makes the default of an unmanaged object, and stores it, so that it is the same when it is read again.
    @usableFromInline @inline(never)
    func _generated() -> Value {
        let value = Value._default()
        if let row = _row, _isUnmanaged(row) {
            FieldOffset.wrapper(row, _column).assumingMemoryBound(to: Self.self).pointee._unmanaged = value
        }
        return value
    }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
    /// Declares a primary key: unique within the class, and never changed once the object is managed.
    @inlinable
    public init(primaryKey: Bool) { self.init(nil, flags: primaryKey ? FieldOffset.primaryKey : 0) }

    /// Declares a primary key with a value of its own.
    @inlinable
    public init(wrappedValue: Value, primaryKey: Bool) {
        self.init(wrappedValue, flags: primaryKey ? FieldOffset.primaryKey : 0)
    }
}

extension Persisted where Value.PersistedType: _Indexable {
    /// Declares an indexed property: queries and sorting by it need not look at every object.
    @inlinable
    public init(indexed: Bool) { self.init(nil, flags: indexed ? FieldOffset.indexed : 0) }

    /// Declares an indexed property with a value of its own.
    @inlinable
    public init(wrappedValue: Value, indexed: Bool) {
        self.init(wrappedValue, flags: indexed ? FieldOffset.indexed : 0)
    }
}

/// Called for a wrapper that is not in an object.
@usableFromInline @inline(never)
func _unattached() -> Never {
    misuse("a @Persisted property can be set only in a subclass of Object, after super.init() was called")
}
