// SPDX-License-Identifier: MIT
// SchemaValidation.swift -- every rule that a schema must obey, each with its message.

extension Schema {
    /// Throws `invalidInput` naming every rule that is broken.
    ///
    /// - Parameter found: mistakes that cannot be seen in the schema, because they are about what is not in it.
    func validate(_ found: [SchemaProblem]) throws(StrataError) {
        let problems = found + objectSchema.flatMap { $0.problems(in: self) } + twins
        if !problems.isEmpty { throw SchemaProblem.error(problems) }
    }

    /// Classes of the same name, which would share a table.
    private var twins: [SchemaProblem] {
        zip(objectSchema, objectSchema.dropFirst()).filter { $0.className == $1.className }.map { one, other in
            SchemaProblem(
                one.className,
                "there are two classes named \(one.className): \(String(reflecting: one.objectClass)) and "
                    + "\(String(reflecting: other.objectClass)); rename one, override shouldIncludeInDefaultSchema() "
                    + "in one, or list the classes in objectTypes")
        }
    }
}

extension ObjectSchema {
    fileprivate func problems(in schema: Schema) -> [SchemaProblem] {
        var texts: [String] = []
        if className.isEmpty {
            texts.append("class \(objectClass) has an empty name; return another from _realmObjectName()")
        }
        if className.utf8.count > EngineLimits.tableNameBytes {
            texts.append(
                "class name \(className) is \(className.utf8.count) bytes long; "
                    + "at most \(EngineLimits.tableNameBytes) are allowed; return a shorter one from "
                    + "_realmObjectName(), or rename the class")
        }
        if properties.isEmpty && computedProperties.isEmpty {
            texts.append("class \(className) has no persisted properties; mark some with @Persisted")
        }
        let keys = properties.filter(\.isPrimaryKey).map(\.name)
        if isEmbedded, let key = keys.first {
            texts.append("class \(className) is embedded and cannot have a primary key; remove primaryKey from \(key)")
        }
        if keys.count > 1 {
            texts.append(
                "class \(className) has \(keys.count) primary keys (\(keys.joined(separator: ", "))); keep one")
        }
        if properties.count > EngineLimits.columns {
            texts.append(
                "class \(className) has \(properties.count) properties; at most \(EngineLimits.columns) are allowed; "
                    + "move some to a class that it links to")
        }
        texts += duplicates
        for property in properties + computedProperties { texts += property.problems(of: self, in: schema) }
        texts += compoundIndexProblems
        return texts.map { SchemaProblem(className, $0) }
    }

    /// Properties with the name of another one, in the class or in the file.
    private var duplicates: [String] {
        var texts: [String] = [], names = Set<String>(), columns: [String: Property] = [:]
        for property in properties + computedProperties where !names.insert(property.name).inserted {
            texts.append(
                "property \(className).\(property.name) is declared twice, "
                    + "by the class and by one it inherits from; rename one")
        }
        for property in properties {
            guard let other = columns.updateValue(property, forKey: property.columnName), other.name != property.name
            else { continue }
            texts.append(
                "properties \(className).\(other.name) and \(className).\(property.name) are both stored as "
                    + "\"\(property.columnName)\"; change propertiesMapping()")
        }
        return texts
    }
}

extension Property {
    fileprivate func problems(of owner: ObjectSchema, in schema: Schema) -> [String] {
        let full = "\(owner.className).\(name)"
        return nameProblems(full) + valueProblems(full) + targetProblems(full, owner, schema)
    }

    private func nameProblems(_ full: String) -> [String] {
        if type == .linkingObjects { return [] }
        if columnName.isEmpty { return ["property \(full) has an empty name in propertiesMapping(); give it another"] }
        if columnName.utf8.count <= EngineLimits.columnNameBytes { return [] }
        return [
            "property name \(columnName == name ? full : "\(columnName) of \(full)") is \(columnName.utf8.count) bytes "
                + "long; at most \(EngineLimits.columnNameBytes) are allowed; give it a shorter one in "
                + "propertiesMapping(), or rename it"
        ]
    }

    private func valueProblems(_ full: String) -> [String] {
        var problems: [String] = []
        if isPrimaryKey && (isCollection || !type.canBePrimaryKey) {
            problems.append(
                "property \(full) is \(kindText), which cannot be a primary key; use Int, String, ObjectId or UUID")
        }
        if isIndexed && !isPrimaryKey && (isCollection || !type.canBeIndexed) {
            problems.append(
                "property \(full) is \(kindText), which cannot be indexed; "
                    + "remove `indexed: true`, or its name from indexedProperties()")
        }
        if type == .object && !isCollection && !isOptional {
            problems.append(
                "property \(full) links to one object and must be Optional; "
                    + "declare it as \(objectClassName ?? "Object")?")
        }
        return problems
    }

    /// What the property is, for a message.
    fileprivate var kindText: String {
        isArray ? "a list" : isSet ? "a set" : isMap ? "a map" : "of type \(type)"
    }

    private func targetProblems(_ full: String, _ owner: ObjectSchema, _ schema: Schema) -> [String] {
        guard let objectClassName else { return [] }
        guard let target = schema[objectClassName] else {
            return [
                "property \(full) links to class \(objectClassName), which is not in the schema; add "
                    + "\(objectClassName).self to objectTypes, or let its shouldIncludeInDefaultSchema() return true"
            ]
        }
        var problems: [String] = []
        if isSet && target.isEmbedded {
            problems.append(
                "property \(full) is a set of embedded objects, which only lists and maps can hold; "
                    + "use List<\(objectClassName)>")
        }
        if type == .linkingObjects { problems += originProblems(full, owner, target) }
        return problems
    }

    private func originProblems(_ full: String, _ owner: ObjectSchema, _ target: ObjectSchema) -> [String] {
        guard let linkOriginPropertyName, !linkOriginPropertyName.isEmpty else {
            return ["property \(full) names no origin; declare it as @Persisted(originProperty: \"...\")"]
        }
        let origin = "property \(full) has the origin \(target.className).\(linkOriginPropertyName)"
        let links = target.properties.filter { $0.type == .object && $0.objectClassName == owner.className }
        let fix = links.isEmpty
            ? "add a link to \(owner.className) to \(target.className)"
            : "name " + links.map(\.name).joined(separator: " or ")
        guard let property = target[linkOriginPropertyName] else { return ["\(origin), which does not exist; \(fix)"] }
        if links.contains(property) { return [] }
        let actual = property.type == .object ? "links to \(property.objectClassName ?? "")" : "is \(property.kindText)"
        return ["\(origin), which \(actual) instead of \(owner.className); \(fix)"]
    }
}

// MARK: Compound indexes

extension ObjectSchema {
    fileprivate var compoundIndexProblems: [String] {
        var problems = compoundIndexes.flatMap(problems(ofIndex:))
        if compoundIndexes.count > EngineLimits.compoundIndexes {
            problems.append(
                "class \(className) has \(compoundIndexes.count) compound indexes; "
                    + "at most \(EngineLimits.compoundIndexes) are allowed; remove some")
        }
        if Set(compoundIndexes).count < compoundIndexes.count {
            problems.append("\(className).compoundIndexes() has an index twice; remove one")
        }
        return problems
    }

    private func problems(ofIndex names: [String]) -> [String] {
        var problems: [String] = []
        if names.count < 2 || names.count > EngineLimits.compoundIndexProperties {
            problems.append(
                "\(className).compoundIndexes() has \(names), but an index is of 2 to "
                    + "\(EngineLimits.compoundIndexProperties) properties; one alone is marked `indexed: true`")
        }
        if Set(names).count < names.count {
            problems.append("\(className).compoundIndexes() has a property twice in \(names); remove one")
        }
        for name in names {
            guard let property = self[name] else {
                problems.append(
                    "\(className).compoundIndexes() names \"\(name)\", which is no persisted property of \(className); "
                        + "name one of \(properties.map(\.name)), or mark it with @Persisted")
                continue
            }
            if property.isCollection || !property.type.canBeInCompoundIndex {
                problems.append(
                    "property \(className).\(name) is \(property.kindText), which cannot be part of a compound index; "
                        + "remove it from compoundIndexes()")
            }
        }
        return problems
    }
}

extension PropertyType {
    /// True for the types of the properties of compound indexes.
    fileprivate var canBeInCompoundIndex: Bool { canBeIndexed && self != .any || self == .object }
}
