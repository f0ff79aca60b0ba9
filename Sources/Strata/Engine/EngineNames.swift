// SPDX-License-Identifier: MIT
// EngineNames.swift -- the constants of the engine under names of Swift.

import CStrata

typealias EngineType = strata_type

extension strata_type {
    static var bool: Self { .STRATA_BOOL }
    static var int: Self { .STRATA_INT }
    static var float: Self { .STRATA_FLOAT }
    static var double: Self { .STRATA_DOUBLE }
    static var string: Self { .STRATA_STRING }
    static var data: Self { .STRATA_DATA }
    static var date: Self { .STRATA_DATE }
    static var uuid: Self { .STRATA_UUID }
    static var objectId: Self { .STRATA_OBJECT_ID }
    static var decimal: Self { .STRATA_DECIMAL }
    static var mixed: Self { .STRATA_MIXED }
    static var link: Self { .STRATA_LINK }
}

/// Whether a column holds one value or many.
typealias EngineCollectionKind = strata_collection

extension strata_collection {
    static var single: Self { .STRATA_SINGLE }
    static var list: Self { .STRATA_LIST }
    static var set: Self { .STRATA_SET }
    static var map: Self { .STRATA_MAP }
}

/// Which commits a power cut may take.
typealias EngineDurability = strata_durability

extension strata_durability {
    static var full: Self { .STRATA_DURABILITY_FULL }
    static var relaxed: Self { .STRATA_DURABILITY_RELAXED }
    static var logged: Self { .STRATA_DURABILITY_LOGGED }
    static var deferred: Self { .STRATA_DURABILITY_DEFERRED }
}

typealias EngineOperator = strata_operator

extension strata_operator {
    static var always: Self { .STRATA_TRUE }
    static var never: Self { .STRATA_FALSE }
    static var and: Self { .STRATA_AND }
    static var or: Self { .STRATA_OR }
    static var not: Self { .STRATA_NOT }
    static var equal: Self { .STRATA_EQUAL }
    static var notEqual: Self { .STRATA_NOT_EQUAL }
    static var less: Self { .STRATA_LESS }
    static var lessOrEqual: Self { .STRATA_LESS_EQUAL }
    static var greater: Self { .STRATA_GREATER }
    static var greaterOrEqual: Self { .STRATA_GREATER_EQUAL }
    static var `in`: Self { .STRATA_IN }
    static var beginsWith: Self { .STRATA_BEGINS_WITH }
    static var endsWith: Self { .STRATA_ENDS_WITH }
    static var contains: Self { .STRATA_CONTAINS }
    static var between: Self { .STRATA_BETWEEN }
    static var like: Self { .STRATA_LIKE }

    /// Whether the operator compares pieces of strings or data.
    var isTextual: Bool {
        switch self {
        case .STRATA_BEGINS_WITH, .STRATA_ENDS_WITH, .STRATA_CONTAINS, .STRATA_LIKE: true
        default: false
        }
    }
}

typealias EngineAggregate = strata_aggregate

extension strata_aggregate {
    static var count: Self { .STRATA_COUNT }
    static var min: Self { .STRATA_MIN }
    static var max: Self { .STRATA_MAX }
    static var sum: Self { .STRATA_SUM }
    static var average: Self { .STRATA_AVERAGE }

    /// The name for a message.
    var name: String {
        switch self {
        case .STRATA_MIN: "minimum"
        case .STRATA_MAX: "maximum"
        case .STRATA_SUM: "sum"
        case .STRATA_AVERAGE: "average"
        default: "count"
        }
    }
}

/// What the engine can hold.
enum EngineLimits {
    static var tableNameBytes: Int { Int(STRATA_MAX_TABLE_NAME) }
    static var columnNameBytes: Int { Int(STRATA_MAX_COLUMN_NAME) }
    static var columns: Int { Int(STRATA_MAX_COLUMNS) }
    static var compoundIndexes: Int { Int(STRATA_MAX_INDEXES) }
    static var compoundIndexProperties: Int { Int(STRATA_MAX_INDEX_COLUMNS) }
}

/// How the engine tells threads apart.
enum EngineThread {
    /// The calling thread.
    @inline(__always)
    static var current: UInt { strata_thread() }
}
