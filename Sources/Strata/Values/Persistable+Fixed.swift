// SPDX-License-Identifier: MIT
// Persistable+Fixed.swift -- Date, UUID and ObjectId as persisted types.
//
// A lane that is compiled into programs: reading and lending a value is inlined.

public import CStrata
public import Foundation

extension Date: _OptionalPersistable, _Indexable {
    public typealias PersistedType = Date
    public static var _shape: _PropertyShape { _PropertyShape(.date) }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> Date {
        Date(timeIntervalSinceReferenceDate: strata_row_double(row, column))
    }

    public static func _default() -> Date { Date() }
    @inlinable
    public static var _isGenerated: Bool { true }
    @inlinable
    public static func _decode(_ value: strata_value) -> Date? {
        value.type == .STRATA_DATE ? Date(timeIntervalSinceReferenceDate: value.as.real) : nil
    }

    @inlinable
    public static func _lend<R>(_ value: Date, _ body: (strata_value) -> R) -> R? {
        body(strata_date(value.timeIntervalSinceReferenceDate))
    }

    public static func _stored(_ value: Date) -> _StoredValue { .date(value) }

    public static func _value(_ stored: _StoredValue) -> Date? {
        if case .date(let value) = stored { value } else { nil }
    }
}

extension UUID: _OptionalPersistable, _PrimaryKey, _Indexable {
    public typealias PersistedType = UUID
    public static var _shape: _PropertyShape { _PropertyShape(.UUID) }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> UUID {
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        strata_row_fixed(row, column, &bytes, 16)
        return UUID(uuid: bytes)
    }

    public static func _default() -> UUID { UUID() }
    @inlinable
    public static var _isGenerated: Bool { true }
    public static func _stored(_ value: UUID) -> _StoredValue { .uuid(value) }

    public static func _value(_ stored: _StoredValue) -> UUID? {
        if case .uuid(let value) = stored { value } else { nil }
    }
}

extension ObjectId: _OptionalPersistable, _PrimaryKey, _Indexable {
    public typealias PersistedType = ObjectId
    public static var _shape: _PropertyShape { _PropertyShape(.objectId) }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> ObjectId {
        var bytes: ObjectIdBytes = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        strata_row_fixed(row, column, &bytes, 12)
        return ObjectId(bytes: bytes)
    }

    public static func _default() -> ObjectId { .generate() }
    @inlinable
    public static var _isGenerated: Bool { true }
    public static func _stored(_ value: ObjectId) -> _StoredValue { .objectId(value) }

    public static func _value(_ stored: _StoredValue) -> ObjectId? {
        if case .objectId(let value) = stored { value } else { nil }
    }
}
