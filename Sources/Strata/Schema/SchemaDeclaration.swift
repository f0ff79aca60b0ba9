// SPDX-License-Identifier: MIT
// SchemaDeclaration.swift -- classes and types in the form of the engine.

extension Schema {
    /// The tables of all classes. Linking objects have no column, because the engine maintains backlinks itself.
    var declaration: [EngineTable] {
        objectSchema.map { objectSchema in
            EngineTable(
                name: objectSchema.className, isEmbedded: objectSchema.isEmbedded,
                columns: objectSchema.properties.map(\.declaration),
                indexes: objectSchema.compoundIndexes.map { names in
                    names.map { objectSchema[$0]?.columnName ?? $0 }
                })
        }
    }
}

extension Property {
    fileprivate var declaration: EngineColumn {
        EngineColumn(
            name: columnName, type: type.engineType,
            collection: isArray ? .list : isSet ? .set : isMap ? .map : .single,
            isNullable: (isOptional || type == .any) && type != .object,
            isPrimaryKey: isPrimaryKey, isIndexed: isIndexed, target: objectClassName)
    }
}

extension PropertyType {
    /// The type of the engine's columns.
    var engineType: EngineType {
        switch self {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .data
        case .date: .date
        case .float: .float
        case .double: .double
        case .object, .linkingObjects: .link
        case .objectId: .objectId
        case .UUID: .uuid
        case .decimal128: .decimal
        case .any: .mixed
        }
    }

    /// The type of properties that a column of the engine stands for; nil if this is a newer type.
    init?(_ type: EngineType) {
        let types: [PropertyType] = [
            .int, .bool, .string, .data, .date, .float, .double, .object, .any, .objectId, .decimal128, .UUID,
        ]
        guard let found = types.first(where: { $0.engineType == type }) else { return nil }
        self = found
    }
}
