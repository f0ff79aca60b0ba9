// SPDX-License-Identifier: MIT
// Property.swift -- one persisted property of a class.

/// A persisted property of a class, as the schema describes it.
public struct Property: Sendable, Hashable {
    /// The name in the class.
    public let name: String
    /// The name in the file.
    public let columnName: String
    /// The kind of value, or of the elements of a collection.
    public let type: PropertyType
    /// True for a `List`.
    public let isArray: Bool
    /// True for a set.
    public let isSet: Bool
    /// True for a map.
    public let isMap: Bool
    /// True if there is an index; always true for a primary key.
    public let isIndexed: Bool
    /// True for the primary key.
    public let isPrimaryKey: Bool
    /// True if the property, or each element of a collection of values, can be nil.
    public let isOptional: Bool
    /// The class of objects that the property links to.
    public let objectClassName: String?
    /// For linking objects, the property of `objectClassName` that links here.
    public let linkOriginPropertyName: String?

    /// True for a list, a set or a map.
    var isCollection: Bool { isArray || isSet || isMap }
}

extension Property: CustomStringConvertible {
    /// Several lines, for people.
    public var description: String {
        func yes(_ flag: Bool) -> String { flag ? "YES" : "NO" }
        var lines = ["type = \(type);"]
        if let objectClassName {
            lines.append("objectClassName = \(objectClassName);")
            lines.append("linkOriginPropertyName = \(linkOriginPropertyName ?? "(null)");")
        }
        lines += [
            "columnName = \(columnName);", "indexed = \(yes(isIndexed));", "isPrimary = \(yes(isPrimaryKey));",
            "array = \(yes(isArray));", "set = \(yes(isSet));", "dictionary = \(yes(isMap));",
            "optional = \(yes(isOptional));",
        ]
        return "\(name) {\n" + lines.map { "\t\($0)\n" }.joined() + "}"
    }
}
