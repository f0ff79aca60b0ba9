// SPDX-License-Identifier: MIT
// ObjectSchema.swift -- the persisted properties of one class.

/// The persisted properties of one class.
public struct ObjectSchema: Sendable {
    /// The name of the class, which is also that of its table.
    public let className: String
    /// The stored properties; inherited ones first, each in order of declaration.
    public let properties: [Property]
    /// The linking objects, which are not stored; inherited ones first, each in order of declaration.
    public let computedProperties: [Property]

    /// The class; `DynamicObject` for a class that only the file knows.
    public let objectClass: ObjectBase.Type
    /// True for a class of embedded objects.
    public let isEmbedded: Bool
    /// The names of the properties of each compound index.
    public internal(set) var compoundIndexes: [[String]] = []
    /// The primary key, if there is one.
    public var primaryKeyProperty: Property? { properties.first(where: \.isPrimaryKey) }

    /// The property of that name, stored or not, or nil.
    public subscript(propertyName: String) -> Property? {
        properties.first { $0.name == propertyName } ?? computedProperties.first { $0.name == propertyName }
    }
}

extension ObjectSchema: Hashable {
    /// True if both describe the same; the class of the program does not matter.
    public static func == (left: ObjectSchema, right: ObjectSchema) -> Bool {
        left.className == right.className && left.isEmbedded == right.isEmbedded && left.properties == right.properties
            && left.computedProperties == right.computedProperties && left.compoundIndexes == right.compoundIndexes
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(className)
        hasher.combine(properties)
    }
}

extension ObjectSchema: CustomStringConvertible {
    /// Several lines, for people: the name, with "(embedded)" behind it for a class of embedded objects, and all
    /// properties.
    public var description: String {
        let properties = (properties + computedProperties).map(\.indentedText).joined()
        return "\(className) \(isEmbedded ? "(embedded) " : ""){\n\(properties)}"
    }
}

extension CustomStringConvertible {
    /// The description, each line indented by a tab.
    var indentedText: String {
        description.split(separator: "\n", omittingEmptySubsequences: false).map { "\t\($0)\n" }.joined()
    }
}
