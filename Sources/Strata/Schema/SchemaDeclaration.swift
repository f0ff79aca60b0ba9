// SPDX-License-Identifier: MIT
// SchemaDeclaration.swift -- classes as the engine is told about them.

import CStrata

extension Schema {
    /// The tables of all classes. Linking objects have no column: the engine keeps backlinks by itself.
    var declaration: [TableDeclaration] {
        objectSchema.map { objectSchema in
            TableDeclaration(
                name: objectSchema.className, isEmbedded: objectSchema.isEmbedded,
                columns: objectSchema.properties.filter { $0.type != .linkingObjects }.map(\.declaration),
                indexes: objectSchema.compoundIndexes.map { names in
                    names.map { objectSchema[$0]?.columnName ?? $0 }
                })
        }
    }
}

extension Property {
    fileprivate var declaration: ColumnDeclaration {
        var flags: UInt32 = 0
        if (isOptional || type == .any) && type != .object { flags |= UInt32(STRATA_COLUMN_NULLABLE) }
        if isPrimaryKey {
            flags |= UInt32(STRATA_COLUMN_PRIMARY)
        } else if isIndexed {
            flags |= UInt32(STRATA_COLUMN_INDEXED)
        }
        return ColumnDeclaration(
            name: columnName, type: type.engineType, collection: engineCollection,
            flags: flags, target: objectClassName)
    }
}

extension Property {
    private var engineCollection: strata_collection {
        isArray ? .STRATA_LIST : isSet ? .STRATA_SET : isMap ? .STRATA_MAP : .STRATA_SINGLE
    }
}

extension PropertyType {
    /// The type of the engine's columns.
    var engineType: strata_type {
        switch self {
        case .int: .STRATA_INT
        case .bool: .STRATA_BOOL
        case .string: .STRATA_STRING
        case .data: .STRATA_DATA
        case .date: .STRATA_DATE
        case .float: .STRATA_FLOAT
        case .double: .STRATA_DOUBLE
        case .object, .linkingObjects: .STRATA_LINK
        case .objectId: .STRATA_OBJECT_ID
        case .UUID: .STRATA_UUID
        case .decimal128: .STRATA_DECIMAL
        case .any: .STRATA_MIXED
        }
    }
}

extension PropertyType {
    /// The type of properties that a column of the engine stands for; nil if this is a newer type.
    init?(_ type: strata_type) {
        let types: [PropertyType] = [
            .int, .bool, .string, .data, .date, .float, .double, .object, .any, .objectId, .decimal128, .UUID,
        ]
        guard let found = types.first(where: { $0.engineType == type }) else { return nil }
        self = found
    }
}
