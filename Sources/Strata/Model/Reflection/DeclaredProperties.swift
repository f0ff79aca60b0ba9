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

    /// The properties behind some fields.
    func slots(_ fields: [StoredField]) -> [ClassLayout.Slot] { fields.map(slot) }

    /// What is wrong with the declarations: fields that lack a mark, and class functions that name no property.
    func problems(_ fields: StoredProperties) -> [SchemaProblem] {
        let forgotten = fields.forgotten.map { field in
            SchemaProblem(
                field.owner.className(),
                "property \(field.owner.className()).\(field.name) is not marked with @Persisted, as others of the "
                    + "class are, and would not be stored; declare it as \(declaration(of: field)), or name it in "
                    + "ignoredProperties()")
        }
        let keys = primaryKey.map { [$0] } ?? []
        return forgotten + unknown(keys, "primaryKey() returns", fields)
            + unknown(columnNames.keys.sorted(), "propertiesMapping() names", fields)
    }

    /// How a field would be declared as a marked property.
    private func declaration(of field: ForgottenField) -> String {
        let address = Unmanaged.passUnretained(prototype).toOpaque() + field.offset
        return "`\(field.type.declaration(field.name, address))`"
    }

    /// The problems of a class function that names properties.
    private func unknown(_ names: [String], _ function: String, _ fields: StoredProperties) -> [SchemaProblem] {
        let known = fields.persisted.map(\.name)
        return names.filter { !known.contains($0) }.map { name in
            SchemaProblem(
                type.className(),
                "\(type).\(function) \"\(name)\", which is no persisted property of \(type); "
                    + (fields.others.contains(name) ? "mark it with @Persisted" : "name one of \(known)"))
        }
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
