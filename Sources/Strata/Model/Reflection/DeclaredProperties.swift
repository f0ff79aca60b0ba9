// SPDX-License-Identifier: MIT
// DeclaredProperties.swift -- what a class declares about its properties, by marks and by class functions.

/// What a class declares about its properties, by marks and by class functions.
struct DeclaredProperties {
    private let type: ObjectBase.Type
    private let prototype: ObjectBase
    private let primaryKey: String?
    private let indexed: Set<String>
    private let columnNames: [String: String]

    init(_ type: ObjectBase.Type) {
        self.type = type
        prototype = type.init()
        primaryKey = type.primaryKey()
        indexed = Set(type.indexedProperties())
        columnNames = type.propertiesMapping()
    }

    /// The properties behind some fields; stops the program if a class function names a property that does not exist.
    func slots(_ fields: [StoredField]) -> [ClassLayout.Slot] {
        let slots = fields.map(slot)
        let names = Set(slots.map(\.property.name))
        if let primaryKey, !names.contains(primaryKey) {
            misuse("\(type).primaryKey() returns \"\(primaryKey)\", which is no persisted property of \(type)")
        }
        if let name = columnNames.keys.sorted().first(where: { !names.contains($0) }) {
            misuse("\(type).propertiesMapping() names \"\(name)\", which is no persisted property of \(type)")
        }
        return slots
    }

    /// The compound indexes; stops the program if one names a property that does not exist.
    func compoundIndexes(_ slots: [ClassLayout.Slot]) -> [[String]] {
        let names = Set(slots.lazy.filter { $0.property.type != .linkingObjects }.map(\.property.name))
        let indexes = type.compoundIndexes()
        if let name = indexes.joined().first(where: { !names.contains($0) }) {
            misuse("\(type).compoundIndexes() names \"\(name)\", which is no persisted property of \(type)")
        }
        return indexes
    }

    private func slot(_ field: StoredField) -> ClassLayout.Slot {
        let wrapper = Unmanaged.passUnretained(prototype).toOpaque() + field.offset
        let shape = field.access._shape
        let flags = field.access._flags(wrapper)
        let isPrimary = flags & FieldOffset.primaryKey != 0 || primaryKey == field.name
        let isIndexed = flags & FieldOffset.indexed != 0 || indexed.contains(field.name)
        var origin: String?
        if shape.type == .linkingObjects, case .string(let name) = field.access._unmanagedValue(wrapper) {
            origin = name
        }
        let target = shape.target as? ObjectBase.Type
        return ClassLayout.Slot(
            property: Property(
                name: field.name, columnName: columnNames[field.name] ?? field.name, type: shape.type,
                isArray: shape.collection == .list, isSet: shape.collection == .set, isMap: shape.collection == .map,
                isIndexed: isPrimary || isIndexed, isPrimaryKey: isPrimary,
                isOptional: shape.isOptional,
                objectClassName: target?.className(), linkOriginPropertyName: origin),
            offset: field.offset, access: field.access, target: target)
    }
}
