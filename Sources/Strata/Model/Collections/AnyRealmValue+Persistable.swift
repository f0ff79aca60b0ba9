// SPDX-License-Identifier: MIT
// AnyRealmValue+Persistable.swift -- values of any type as properties and elements.

import Foundation

extension AnyRealmValue: _Persistable, _Indexable, RealmCollectionValue {
    public typealias PersistedType = AnyRealmValue
    public static var _shape: _PropertyShape { _PropertyShape(.any) }

    public static func _read(_ row: _Row, _ column: UInt32) -> AnyRealmValue {
        let owner = LiveRow.owner(row)
        guard owner._mode == .live, let managed = owner.managed else { return .none }
        let session = managed.session
        return session.read(LiveRow.propertyName(row, column)) { () throws(StrataError) in
            guard try session.view.value(of: row, column).isNested else {
                return _make(try session.storedValue(row, managed, column))
            }
            let base = ManagedCollection(managed, row.key, column, generation: owner._generation)
            guard let nested = NestedCollection.of(NestedRoot(base, nil)) else { return .none }
            return _make(.collection(ManagedCollection(nested)))
        }
    }

    public static func _write(_ value: AnyRealmValue, _ row: _Row, _ column: UInt32) {
        guard let session = LiveRow.changing(row, column) else { return }
        let stored = _stored(value)
        session.record { () throws(StrataError) in
            for object in stored.objects { _ = try ObjectInserter(session, .error).add(object) }
            session.arena.reset()
            guard let encoded = try stored.encodedAny(session.arena, for: LiveRow.propertyName(row, column)) else {
                return
            }
            try session.view.set(row, column, encoded)
        }
    }

    public static func _default() -> AnyRealmValue { .none }

    public static func _plain(_ value: AnyRealmValue) -> Any? {
        switch value {
        case .none: nil
        case .int(let value): value
        case .bool(let value): value
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .object(let value): value
        case .objectId(let value): value
        case .decimal128(let value): value
        case .uuid(let value): value
        case .dictionary(let value): value
        case .list(let value): value
        }
    }

    public static func _stored(_ value: AnyRealmValue) -> _StoredValue {
        switch value {
        case .none: .null
        case .int(let value): .int(Int64(value))
        case .bool(let value): .bool(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .data(let value): .data(value)
        case .date(let value): .date(value)
        case .object(let value): .object(value)
        case .objectId(let value): .objectId(value)
        case .decimal128(let value): .decimal(value)
        case .uuid(let value): .uuid(value)
        case .dictionary(let map): map.contents
        case .list(let list): list.contents
        }
    }

    public static func _value(_ stored: _StoredValue) -> AnyRealmValue? {
        if case .collection(let collection) = stored, !(collection is ManagedCollection) { return nil }
        if case .object(let object) = stored, !(object is Object) { return nil }
        return _make(stored)
    }

    /// The value that a general form describes.
    private static func _make(_ stored: _StoredValue) -> AnyRealmValue {
        switch stored {
        case .null: return .none
        case .collection(let live as ManagedCollection):
            return live.nested?.isMap == true ? .dictionary(Map(live)) : .list(List(live))
        case .collection: return .none
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(Int(value))
        case .float(let value): return .float(value)
        case .double(let value): return .double(value)
        case .string(let value): return .string(value)
        case .data(let value): return .data(value)
        case .date(let value): return .date(value)
        case .uuid(let value): return .uuid(value)
        case .objectId(let value): return .objectId(value)
        case .decimal(let value): return .decimal128(value)
        case .object(let object): return (object as? Object).map { .object($0) } ?? .none
        case .elements(let values): return .fromArray(values.map(_make))
        case .entries(let entries):
            // Not through a dictionary of Swift, in which keys are equal that are written with other bytes.
            let map = Map<String, AnyRealmValue>()
            for (key, value) in entries { map.updateValue(_make(value), forKey: key) }
            return .dictionary(map)
        }
    }
}

extension ObjectBase {
    /// The same managed object as one without fields, used by the names of its properties; nil for an unmanaged object.
    var asDynamic: DynamicObject? {
        guard _mode == .live, let managed, let session = _session else { return nil }
        let dynamic = session.classes.dynamic(managed.layout.schema.className)  // makes dynamic objects
        return unsafeDowncast(dynamic.makeObject(row.key), to: DynamicObject.self)
    }
}
