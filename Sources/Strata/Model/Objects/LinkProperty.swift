// SPDX-License-Identifier: MIT
// LinkProperty.swift -- to-one links: a property whose type is an Optional object.

extension ObjectBase: _OptionalPersistable {
    public typealias PersistedType = ObjectBase

    public static var _shape: _PropertyShape { _PropertyShape(.object, target: self) }

    /// Never called for a class that is in a realm, because to-one links must be Optional. Custom types that are stored
    /// as embedded objects read the defaults of a new object instead of nil.
    public static func _read(_ row: _Row, _ column: UInt32) -> Self { _readOptional(row, column) ?? _default() }

    // The casts hold because a property of this class has a column whose target is the `ManagedClass` that the session
    // found by the class, and a recorder makes its prototypes of the class that it is given.
    public static func _readOptional(_ row: _Row, _ column: UInt32) -> Self? {
        LiveRow.unretained(row)._withUnsafeGuaranteedRef { owner in
            if owner._mode == .recording, let recorder = owner._recorder {
                return unsafeDowncast(recorder.prototype(self), to: Self.self)
            }
            let key = row.link(column)
            guard key != 0, let managed = owner._managed else { return nil }
            return managed._withUnsafeGuaranteedRef {
                unsafeDowncast($0.target(ofColumn: column).makeObject(key), to: Self.self)
            }
        }
    }

    public static func _write(_ value: ObjectBase, _ row: _Row, _ column: UInt32) {
        guard let session = LiveRow.changing(row, column) else { return }
        LiveRow.owner(row).managed?.target(ofColumn: column)
            .requireKind(of: value, linkedBy: LiveRow.propertyName(row, column))
        guard value.isEmbedded else {
            session.record { () throws(StrataError) in
                let key = try ObjectInserter(session, .error).add(value)
                try session.view.set(row, column, .link(key))
            }
            return
        }
        let old = row.link(column)
        if value._mode == .live, value._session === session, old == value.row.key, old != 0,
            !value.isInvalidated
        {
            return  // the object that is there
        }
        session.record { () throws(StrataError) in
            let key = try ObjectInserter(session, .error).add(value)
            try session.view.set(row, column, .link(key))
        }
        session.deleteEmbedded(old, of: row, column)
    }

    public static func _writeNil(_ row: _Row, _ column: UInt32) {
        guard let session = LiveRow.changing(row, column) else { return }
        let old = row.link(column)
        session.record { () throws(StrataError) in try session.view.set(row, column, .null) }
        session.deleteEmbedded(old, of: row, column)
    }

    public static func _default() -> Self { Self() }
    public static func _stored(_ value: ObjectBase) -> _StoredValue { .object(value) }
    public static func _value(_ stored: _StoredValue) -> Self? {
        if case .object(let object) = stored { object as? Self } else { nil }
    }

    // A collection or a query whose elements are of a class makes its objects with the `ManagedClass` that the session
    // found by that very class, so that they are instances of it. A checked cast would cost more than a step of a loop.
    @inlinable
    public static func _element(of object: AnyObject) -> Self { unsafeDowncast(object, to: Self.self) }
}

extension ObjectBase {
    /// Whether the object is embedded in another.
    final var isEmbedded: Bool { managed?.isEmbedded ?? (self is EmbeddedObject) }
}

extension Session {
    /// Deletes the embedded object that a link led to before it was changed.
    fileprivate func deleteEmbedded(_ key: UInt64, of row: _Row, _ column: UInt32) {
        guard key != 0, let target = LiveRow.owner(row).managed?.target(ofColumn: column), target.isEmbedded else {
            return
        }
        deleteEmbedded([key], of: target)
    }
}
