// SPDX-License-Identifier: MIT
// LinkProperty.swift -- to-one links: a property whose type is an Optional object.

import CStrata

extension Object: _OptionalPersistable {
    public static var _shape: _PropertyShape { _PropertyShape(.object, target: self) }

    /// Never called for a class that is in a realm: to-one links must be Optional.
    public static func _read(_ row: _Row, _ column: UInt32) -> Self { _readOptional(row, column) ?? _default() }

    public static func _readOptional(_ row: _Row, _ column: UInt32) -> Self? {
        let owner = LiveRow.owner(row)
        if owner._mode == .tracing, let tracer = owner._tracer {
            return unsafeDowncast(tracer.prototype(self), to: Self.self)
        }
        let key = strata_row_link(row, column)
        guard key != 0, let managed = owner.managed else { return nil }
        return unsafeDowncast(managed.target(ofColumn: column).makeObject(key), to: Self.self)
    }

    public static func _write(_ value: Object, _ row: _Row, _ column: UInt32) {
        guard let session = LiveRow.changing(row, column) else { return }
        session.record { () throws(StrataError) in
            let key = try Promotion(session, .error).add(value)
            try session.view.set(row, column, strata_link(key))
        }
    }

    public static func _default() -> Self { Self() }

    public static func _stored(_ value: Object) -> _StoredValue { .object(value) }

    public static func _value(_ stored: _StoredValue) -> Self? {
        if case .object(let object) = stored { object as? Self } else { nil }
    }
}
