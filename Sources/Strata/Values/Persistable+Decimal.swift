// SPDX-License-Identifier: MIT
// Persistable+Decimal.swift -- Decimal128 as a persisted type.

extension Decimal128: _OptionalPersistable {
    public typealias PersistedType = Decimal128
    public static var _shape: _PropertyShape { _PropertyShape(.decimal128) }
    public static func _read(_ row: _Row, _ column: UInt32) -> Decimal128 { Decimal128(row.decimal(column)) }
    public static func _stored(_ value: Decimal128) -> _StoredValue { .decimal(value) }
    public static func _value(_ stored: _StoredValue) -> Decimal128? {
        if case .decimal(let value) = stored { value } else { nil }
    }
}

extension Decimal128: RealmCollectionValue {}
