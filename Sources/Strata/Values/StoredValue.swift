// SPDX-License-Identifier: MIT
// StoredValue.swift -- one value of any persisted type: the general form of values.

public import Foundation

/// One value of any persisted type, between Swift types and the engine. Not for use by programs.
public enum _StoredValue {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case uuid(UUID)
    case objectId(ObjectId)
    /// An object, managed or not, of any realm.
    case object(AnyObject)
    /// A collection object, or the managed collection behind one inside of a value of any type.
    case collection(AnyObject)
    case decimal(Decimal128)
    /// The elements of a list or a set.
    case elements([_StoredValue])
    /// The entries of a map.
    case entries([(key: String, value: _StoredValue)])
}

extension _StoredValue {
    /// True if both are the same value. Objects and collections are compared by identity.
    static func same(_ left: _StoredValue, _ right: _StoredValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.data(let a), .data(let b)): a == b
        case (.date(let a), .date(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.objectId(let a), .objectId(let b)): a == b
        case (.decimal(let a), .decimal(let b)): a.low == b.low && a.high == b.high
        case (.object(let a), .object(let b)), (.collection(let a), .collection(let b)): a === b
        default: false
        }
    }

    /// Whether this is a collection without elements.
    var isEmpty: Bool {
        switch self {
        case .elements(let values): values.isEmpty
        case .entries(let entries): entries.isEmpty
        default: false
        }
    }

    /// The value for a message, cut to a reasonable length.
    var text: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): "\"\(value.prefix(60))\(value.utf8.count > 60 ? "..." : "")\""
        case .data(let value): "\(value.count) bytes"
        case .date(let value): "\(value)"
        case .uuid(let value): value.uuidString
        case .objectId(let value): value.stringValue
        case .object(let value), .collection(let value): "an instance of \(type(of: value))"
        case .decimal(let value): "\(value)"
        case .elements(let values): "\(values.count) elements"
        case .entries(let entries): "\(entries.count) entries"
        }
    }
}
