// SPDX-License-Identifier: MIT
// Persistable+Writing.swift -- how values get into the rows of live objects.
//
// A lane that is compiled into programs: what a setter does before it calls the library must be inlined. Values/ has
// the other half, reading, which needs nothing but the row.

public import CStrata
public import Foundation

extension _Persistable {
    /// Changes a cell. Values that can be lent to the engine need no general form.
    @inlinable
    public static func _write(_ value: Self, _ row: _Row, _ column: UInt32) {
        if _lend(value, { _store(lent: $0, row, column) }) == nil { _store(_stored(value), row, column) }
    }
}

extension _OptionalPersistable {
    public static func _writeNil(_ row: _Row, _ column: UInt32) { _store(.null, row, column) }
}

extension _PersistableInteger {
    @inlinable
    public static func _write(_ value: Self, _ row: _Row, _ column: UInt32) {
        _storeInt(Int64(truncatingIfNeeded: value), row, column)
    }
}

extension Float {
    @inlinable
    public static func _write(_ value: Float, _ row: _Row, _ column: UInt32) { _storeFloat(value, row, column) }
}

extension Double {
    @inlinable
    public static func _write(_ value: Double, _ row: _Row, _ column: UInt32) { _storeDouble(value, row, column) }
}

extension Date {
    @inlinable
    public static func _write(_ value: Date, _ row: _Row, _ column: UInt32) {
        _storeDate(value.timeIntervalSinceReferenceDate, row, column)
    }
}

// MARK: Stored values that stand for nothing

extension RealmEnum {
    /// Called for a raw value without a case: the default while a key path is recorded; otherwise stops the program.
    @usableFromInline @inline(never)
    static func _substitute(_ raw: RawValue, _ row: _Row, _ column: UInt32) -> Self {
        if LiveRow.isRecording(row) { return _default() }
        misuse(
            "\(LiveRow.propertyName(row, column)) holds \(raw), which is no case of \(Self.self); "
                + "add the case, or make the property Optional")
    }
}

extension _CustomPersistable {
    /// Called for a stored value that the type refuses: the default while a key path is recorded; otherwise stops the
    /// program.
    @usableFromInline @inline(never)
    static func _substitute(_ persisted: PersistedType, _ row: _Row, _ column: UInt32) -> Self {
        if LiveRow.isRecording(row) { return _default() }
        misuse(
            "\(LiveRow.propertyName(row, column)) holds \(persisted), which no \(Self.self) can be made of; "
                + "make the property Optional, or accept the value in init?(persistedValue:)")
    }
}

/// Called for a property that holds a larger integer than its type has, which another version of the class has stored.
@usableFromInline @inline(never)
func _outOfRange(_ stored: Int64, _ type: Any.Type, _ row: _Row, _ column: UInt32) -> Never {
    misuse(
        "\(LiveRow.propertyName(row, column)) holds \(stored), which is no \(type); declare it as Int; by its "
            + "name, as object[\"...\"], it can be read and changed")
}
