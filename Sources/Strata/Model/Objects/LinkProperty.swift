// SPDX-License-Identifier: MIT
// LinkProperty.swift -- to-one links: a property whose type is an Optional object.

import CStrata

extension ObjectBase: _OptionalPersistable {
    public typealias PersistedType = ObjectBase

    public static var _shape: _PropertyShape { _PropertyShape(.object, target: self) }

    /// Never called for a class that is in a realm: to-one links must be Optional. Custom types that are stored as
    /// embedded objects take the defaults of a new object for nil.
    public static func _read(_ row: _Row, _ column: UInt32) -> Self { _readOptional(row, column) ?? _default() }

    public static func _readOptional(_ row: _Row, _ column: UInt32) -> Self? {
        LiveRow.unretained(row)._withUnsafeGuaranteedRef { owner in
            if owner._mode == .tracing, let tracer = owner._tracer {
                return unsafeDowncast(tracer.prototype(self), to: Self.self)
            }
            let key = strata_row_link(row, column)
            guard key != 0, let managed = owner._managed else { return nil }
            return managed._withUnsafeGuaranteedRef {
                unsafeDowncast($0.target(ofColumn: column).makeObject(key), to: Self.self)
            }
        }
    }

    public static func _write(_ value: ObjectBase, _ row: _Row, _ column: UInt32) {
        guard let session = LiveRow.changing(row, column) else { return }
        guard value.isEmbedded else {
            session.record { () throws(StrataError) in
                let key = try Promotion(session, .error).add(value)
                try session.view.set(row, column, strata_link(key))
            }
            return
        }
        let old = strata_row_link(row, column)
        if value._mode == .live, value._session === session, old == value.row.pointee.key, old != 0,
            !value.isInvalidated
        {
            return  // the object that is there
        }
        session.record { () throws(StrataError) in
            let key = try Promotion(session, .error).add(value)
            try session.view.set(row, column, strata_link(key))
        }
        session.deleteEmbedded(old, of: row, column)
    }

    public static func _writeNil(_ row: _Row, _ column: UInt32) {
        guard let session = LiveRow.changing(row, column) else { return }
        let old = strata_row_link(row, column)
        session.record { () throws(StrataError) in try session.view.set(row, column, strata_null()) }
        session.deleteEmbedded(old, of: row, column)
    }

    public static func _default() -> Self { Self() }
    public static func _stored(_ value: ObjectBase) -> _StoredValue { .object(value) }
    public static func _value(_ stored: _StoredValue) -> Self? {
        if case .object(let object) = stored { object as? Self } else { nil }
    }
}

extension ObjectBase {
    /// Whether the object is a part of another.
    final var isEmbedded: Bool { managed?.isEmbedded ?? (self is EmbeddedObject) }
}

extension Session {
    /// Deletes the embedded object that a link led to before it was changed.
    fileprivate func deleteEmbedded(_ key: UInt64, of row: _Row, _ column: UInt32) {
        guard key != 0, let target = LiveRow.owner(row).managed?.target(ofColumn: column), target.isEmbedded else {
            return
        }
        delete(table: target.table, keys: CollectionOfOne(key))
    }
}
