// SPDX-License-Identifier: MIT
// PropertyType.swift -- what kinds of values a property can hold.

/// The kind of value that a property, or each element of a collection property, holds.
public enum PropertyType: Int, Sendable, Hashable, CustomStringConvertible {
    case int = 0
    case bool = 1
    case string = 2
    case data = 3
    case date = 4
    case float = 5
    case double = 6
    case object = 7
    case linkingObjects = 8
    case any = 9
    case objectId = 10
    case decimal128 = 11
    case UUID = 12

    /// The name, such as "int" or "linking objects".
    public var description: String {
        switch self {
        case .int: "int"
        case .bool: "bool"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .float: "float"
        case .double: "double"
        case .object: "object"
        case .linkingObjects: "linking objects"
        case .any: "mixed"
        case .objectId: "object id"
        case .decimal128: "decimal128"
        case .UUID: "uuid"
        }
    }

    /// True for the types that may be a primary key.
    var canBePrimaryKey: Bool {
        switch self {
        case .int, .string, .objectId, .UUID: true
        default: false
        }
    }

    /// True for the types that may have an index.
    var canBeIndexed: Bool {
        switch self {
        case .int, .bool, .string, .date, .objectId, .UUID, .any: true
        default: false
        }
    }
}

/// What the Swift type of a property says about the property. Not for use by programs.
public struct _PropertyShape {
    /// The kind of value, or of the elements.
    public var type: PropertyType
    /// True if the property can be nil.
    public var isOptional = false
    /// Whether it holds one value or many.
    public var collection: Collection
    /// The class of objects that it links to.
    public var target: AnyClass?

    /// Whether a property holds one value or many.
    public enum Collection: UInt8, Sendable {
        case none, list, set, map
    }

    /// Creates a shape.
    public init(
        _ type: PropertyType, isOptional: Bool = false, collection: Collection = .none, target: AnyClass? = nil
    ) {
        self.type = type
        self.isOptional = isOptional
        self.collection = collection
        self.target = target
    }
}
