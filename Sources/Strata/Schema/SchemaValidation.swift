// SPDX-License-Identifier: MIT
// SchemaValidation.swift -- every rule that a schema must obey, each with its message.

extension Schema {
    /// Throws `invalidInput` naming every rule that is broken.
    func validate() throws(StrataError) {
        var problems: [String] = []
        for objectSchema in objectSchema { problems += objectSchema.problems(in: self) }
        if problems.isEmpty { return }
        throw StrataError(.invalidInput, "The schema is invalid: " + problems.joined(separator: ". ") + ".")
    }
}

extension ObjectSchema {
    fileprivate func problems(in schema: Schema) -> [String] {
        var problems: [String] = []
        if className.utf8.count > EngineLimits.tableNameBytes {
            problems.append(
                "class name \(className) is \(className.utf8.count) bytes long; "
                    + "at most \(EngineLimits.tableNameBytes) are allowed")
        }
        if properties.isEmpty {
            problems.append("class \(className) has no persisted properties; mark some with @Persisted")
        }
        let keys = properties.filter(\.isPrimaryKey).map(\.name)
        if isEmbedded, let key = keys.first {
            problems.append(
                "class \(className) is embedded and cannot have a primary key; remove primaryKey from \(key)")
        }
        if keys.count > 1 {
            problems.append(
                "class \(className) has \(keys.count) primary keys (\(keys.joined(separator: ", "))); keep one")
        }
        if properties.count > EngineLimits.columns {
            problems.append(
                "class \(className) has \(properties.count) properties; at most \(EngineLimits.columns) are allowed")
        }
        var names = Set<String>()
        for property in properties {
            if !names.insert(property.name).inserted {
                problems.append(
                    "property \(className).\(property.name) is declared twice, "
                        + "by the class and by one it inherits from; rename one")
            }
            problems += property.problems(of: self, in: schema)
        }
        return problems
    }
}

extension Property {
    fileprivate func problems(of owner: ObjectSchema, in schema: Schema) -> [String] {
        let full = "\(owner.className).\(name)"
        var problems: [String] = []
        if name.utf8.count > EngineLimits.columnNameBytes {
            problems.append(
                "property name \(full) is \(name.utf8.count) bytes long; "
                    + "at most \(EngineLimits.columnNameBytes) are allowed")
        }
        if isPrimaryKey && (isCollection || !type.canBePrimaryKey) {
            problems.append(
                "property \(full) is of type \(type), which cannot be a primary key; use Int, String, ObjectId or UUID")
        }
        if isIndexed && !isPrimaryKey && (isCollection || !type.canBeIndexed) {
            problems.append("property \(full) is of type \(type), which cannot be indexed; remove `indexed: true`")
        }
        if type == .object && !isCollection && !isOptional {
            problems.append(
                "property \(full) links to one object and must be Optional; "
                    + "declare it as \(objectClassName ?? "Object")?")
        }
        if type == .any && isOptional && !isCollection {
            problems.append(
                "property \(full) is of type AnyRealmValue, which holds nil itself; declare it as AnyRealmValue")
        }
        guard let objectClassName else { return problems }
        guard let target = schema[objectClassName] else {
            return problems + [
                "property \(full) links to class \(objectClassName), which is not in the schema; "
                    + "add it to objectTypes, or override shouldIncludeInDefaultSchema()"
            ]
        }
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
        guard let origin = target[linkOriginPropertyName] else {
            return [
                "property \(full) has the origin \(target.className).\(linkOriginPropertyName), which does not exist"
            ]
        }
        if origin.type == .object && origin.objectClassName == owner.className { return [] }
        let actual = origin.objectClassName ?? "\(origin.type)"
        return [
            "property \(full) has the origin \(target.className).\(linkOriginPropertyName), "
                + "which links to \(actual) instead of \(owner.className)"
        ]
    }
}
