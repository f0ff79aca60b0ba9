// SPDX-License-Identifier: MIT
// LiveRow.swift -- the slow paths of properties: rows that moved, changes, and what to say when either is wrong.
//
// The fast paths are compiled into programs (Persisted.swift, Values/). Here every pointer to a row points to the first
// field of an object. A lane: `_store(lent:)` is called from inlined code with a value of the engine.

public import CStrata

/// The object that a row is part of, and what can be done with it.
enum LiveRow {
    /// The object whose first field is `row`.
    @inline(__always)
    static func owner(_ row: _Row) -> ObjectBase { unretained(row).takeUnretainedValue() }

    /// The same, for paths on which a retain would cost too much.
    @inline(__always)
    static func unretained(_ row: _Row) -> Unmanaged<ObjectBase> {
        .fromOpaque(UnsafeRawPointer(row) - ObjectBase.rowOffset)
    }

    /// True if reading the row only records which property is read.
    static func isRecording(_ row: _Row) -> Bool { owner(row)._mode == .recording }

    /// The full name of a property, such as "Dog.name".
    static func propertyName(_ row: _Row, _ column: UInt32) -> String {
        let object = owner(row)
        let name = object is DynamicObject ? object.layout.schema.className : "\(type(of: object))"
        return "\(name).\(object.managed?.propertyName(ofColumn: column) ?? "column \(column)")"
    }

    /// The object for a message, such as "Dog with primary key 7".
    static func name(_ object: ObjectBase) -> String {
        let name = "\(type(of: object))"
        guard let managed = object.managed else { return name }
        guard let primaryKey = managed.layout.primaryKey, object._mode == .live, !object.isInvalidated else {
            return "\(name) (object \(object.row.key))"
        }
        let slot = managed.layout.slots[primaryKey]
        let value = slot.access._managedValue(object.row, managed.columns[primaryKey])
        return "\(name) with \(slot.property.name) \(value.text)"
    }

    /// Makes the row of a live object current after its view moved on; false if the object is gone.
    static func refresh(_ object: ObjectBase) -> Bool {
        // Nothing is retained: the object keeps its session alive, which owns the class.
        object._managed?._withUnsafeGuaranteedRef { managed in
            if managed.isFrozen { return false }  // it was bound when it was made
            let row = object.row
            if !managed.view.isOfThisThread {
                managed.session.checkThread { "\(type(of: object)) (object \(row.key))" }
            }
            if managed.isKnownGone(row.key, object._generation) { return false }
            return row.reload("\(type(of: object)) cannot be read")
        } ?? false
    }

    /// Copies bytes that are stored outside of a current row; returns how many.
    static func read(_ row: _Row, _ column: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let session = owner(row)._session else { return 0 }
        return session.read("reading \(propertyName(row, column))") { () throws(StrataError) in
            try session.view.read(row, column, into: buffer)
        }
    }

    /// The session of a row that is about to be changed, or nil if changes are ignored because one failed. Makes the
    /// row current.
    static func changing(_ row: _Row, _ column: UInt32) -> Session? {
        let object = owner(row)
        let session = writing(object, column)
        if !row.isCurrent && !refresh(object) { gone(object, column) }
        if session.failure != nil { return nil }
        session.changeCount &+= 1
        return session
    }

    /// Changes a cell of a row, which need not be current, or makes the write fail.
    @inline(__always)
    fileprivate static func set(_ row: _Row, _ column: UInt32, _ value: (Session) -> EngineValue) {
        let object = owner(row)
        let session = writing(object, column)
        if object.isKnownGone { gone(object, column) }
        if session.beginChange() && !session.set(object, column, value(session)) { gone(object, column) }
    }

    /// Changes a row, which need not be current, or makes the write fail. The change gives false if the object is gone.
    static func change(_ row: _Row, _ column: UInt32, _ change: (EngineView) throws(StrataError) -> Bool) {
        let object = owner(row)
        let session = writing(object, column)
        if object.isKnownGone { gone(object, column) }
        guard session.beginChange() else { return }
        do throws(StrataError) {
            if try !change(session.view) { gone(object, column) }
        } catch {
            session.fail(error.naming(name(object)))
        }
    }

    /// The session of an object that is about to be changed; stops the program if it cannot be.
    @inline(__always)
    private static func writing(_ object: ObjectBase, _ column: UInt32) -> Session {
        guard object._mode == .live, let session = object._session else { gone(object, column) }
        session.checkThread { propertyName(object.row, column) }
        session.requireWriting { "\(propertyName(object.row, column)) cannot be set" }
        return session
    }

    @inline(never)
    private static func gone(_ object: ObjectBase, _ column: UInt32) -> Never {
        let wasDeleted = object._mode == .deleted || object._generation >= object._session?.invalidatedAt ?? 0
        misuse(
            "\(propertyName(object.row, column)) is used, but object \(object.row.key) "
                + (wasDeleted
                    ? "was deleted, or the write that created it was cancelled; check isInvalidated first"
                    : "belongs to a realm that was invalidated; fetch it again"))
    }

    fileprivate static func reload(_ row: _Row, _ column: UInt32) {
        unretained(row)._withUnsafeGuaranteedRef { object in
            switch object._mode {
            case .live: if !refresh(object) { gone(object, column) }
            case .recording: object._recorder?.record(object, property: Int(column))
            case .deleted, .unmanaged: gone(object, column)
            }
        }
    }
}

/// Makes a row current after its view moved on; false if the object is unmanaged. Stops the program if the object is
/// gone.
@usableFromInline @inline(never)
func _reload(_ row: _Row, _ column: UInt32) -> Bool {
    if _isUnmanaged(row) { return false }
    LiveRow.reload(row, column)
    return true
}

/// Changes a cell to any value but an object or a collection.
@usableFromInline @inline(never)
func _store(_ value: _StoredValue, _ row: _Row, _ column: UInt32) {
    LiveRow.set(row, column) { session in
        session.arena.reset()
        guard let encoded = value.encoded(session.arena) else { misuse("an object was stored as a plain value") }
        return encoded
    }
}

/// Changes a cell to a value in the form of the engine, which is lent.
@usableFromInline @inline(never)
func _store(lent value: strata_value, _ row: _Row, _ column: UInt32) {
    LiveRow.set(row, column) { _ in value }
}

extension Session {
    /// Changes a cell, or makes the write fail; false if the object is gone.
    fileprivate func set(_ object: ObjectBase, _ column: UInt32, _ value: EngineValue) -> Bool {
        do throws(StrataError) {
            return try view.set(object.row, column, value)
        } catch {
            fail(error.naming(LiveRow.name(object)))
            return true
        }
    }
}

/// Ends a change that was made in place, or makes it the general way if it could not be made in place. In place nobody
/// was asked whether changes are allowed, which they are not while an object is validated.
@inline(__always)
private func finish(_ isStored: Bool, _ value: @autoclosure () -> EngineValue, _ row: _Row, _ column: UInt32) {
    if !isStored { return _store(lent: value(), row, column) }
    // Nothing is retained: the caller keeps the object alive, which keeps its session alive, which owns the class.
    LiveRow.unretained(row)._withUnsafeGuaranteedRef { object in
        object._managed?._withUnsafeGuaranteedRef { managed in
            managed.session.requireWriting { "\(LiveRow.propertyName(row, column)) cannot be set" }
            managed.session.changeCount &+= 1
        }
    }
}

/// Changes an integer, in place if the row was changed before in this transaction.
@usableFromInline
func _storeInt(_ value: Int64, _ row: _Row, _ column: UInt32) {
    finish(row.store(value, column), .int(value), row, column)
}

/// Changes a double, in place if the row was changed before in this transaction.
@usableFromInline
func _storeDouble(_ value: Double, _ row: _Row, _ column: UInt32) {
    finish(row.store(value, column), .double(value), row, column)
}

/// Changes a date, in place if the row was changed before in this transaction.
@usableFromInline
func _storeDate(_ value: Double, _ row: _Row, _ column: UInt32) {
    finish(row.store(value, column), .date(value), row, column)
}

/// Changes a float, in place if the row was changed before in this transaction.
@usableFromInline
func _storeFloat(_ value: Float, _ row: _Row, _ column: UInt32) {
    finish(row.store(value, column), .float(value), row, column)
}
