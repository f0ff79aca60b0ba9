// SPDX-License-Identifier: MIT
// DynamicLayout.swift -- classes whose objects are used only by the names of their properties.

import Foundation

/// Makes layouts of classes whose objects have no fields.
enum DynamicLayout {
    /// The layout for a class of the program.
    static func of(_ known: ClassLayout) -> ClassLayout {
        ClassLayout(dynamic: known.schema, known.slots.map { slot(for: $0.property, slot: $0) })
    }

    /// The layout for a table of the file; nil if there is none.
    static func of(table name: String, _ view: EngineView) -> ClassLayout? {
        guard let table = view.table(named: name) else { return nil }
        var properties: [Property] = []
        for column in 0..<UInt32(view.columnCount(of: table)) {
            guard let stored = view.column(column, of: table), let type = PropertyType(stored.type) else { continue }
            properties.append(Property(
                name: stored.name, columnName: stored.name, type: type, isArray: stored.collection == .list,
                isSet: stored.collection == .set, isMap: stored.collection == .map,
                isIndexed: stored.isPrimaryKey || stored.isIndexed, isPrimaryKey: stored.isPrimaryKey,
                isOptional: stored.isNullable || type == .object && stored.collection == .single,
                objectClassName: stored.target, linkOriginPropertyName: nil))
        }
        let schema = ObjectSchema(
            className: name, properties: properties, computedProperties: [], objectClass: DynamicObject.self,
            isEmbedded: view.isEmbedded(table))
        return ClassLayout(dynamic: schema, properties.map { slot(for: $0, slot: nil) })
    }

    private static func slot(for property: Property, slot: ClassLayout.Slot?) -> ClassLayout.Slot {
        ClassLayout.Slot(property: property, offset: -1, access: access(property), target: slot?.target)
    }

    private static func access(_ property: Property) -> any PersistedAccess.Type {
        switch property.type {
        case .int: access(property, Int.self)
        case .bool: access(property, Bool.self)
        case .float: access(property, Float.self)
        case .double: access(property, Double.self)
        case .string: access(property, String.self)
        case .data: access(property, Data.self)
        case .date: access(property, Date.self)
        case .objectId: access(property, ObjectId.self)
        case .decimal128: access(property, Decimal128.self)
        case .UUID: access(property, UUID.self)
        case .any: collection(property, AnyRealmValue.self)
        case .linkingObjects: Persisted<LinkingObjects<DynamicObject>>.self
        case .object:
            if property.isMap {
                Persisted<Map<String, DynamicObject?>>.self
            } else {
                collection(property, DynamicObject.self, single: Persisted<ObjectBase?>.self)
            }
        }
    }

    /// The access to values of a type, or to Optionals of it, or to collections of either.
    private static func access<Value: RealmCollectionValue & _OptionalPersistable>(
        _ property: Property, _: Value.Type
    ) -> any PersistedAccess.Type {
        property.isOptional ? collection(property, Value?.self) : collection(property, Value.self)
    }

    private static func collection<Value: RealmCollectionValue>(
        _ property: Property, _: Value.Type, single: any PersistedAccess.Type = Persisted<Value>.self
    ) -> any PersistedAccess.Type {
        if property.isArray { return Persisted<List<Value>>.self }
        if property.isSet { return Persisted<MutableSet<Value>>.self }
        if property.isMap { return Persisted<Map<String, Value>>.self }
        return single
    }
}
