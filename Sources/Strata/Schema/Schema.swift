// SPDX-License-Identifier: MIT
// Schema.swift -- all classes that a realm can hold.

/// All classes that a realm can hold.
public struct Schema: Sendable, Hashable {
    /// The classes, sorted by name.
    public let objectSchema: [ObjectSchema]

    init(_ classes: [ObjectSchema]) { objectSchema = classes.sorted { $0.className < $1.className } }

    /// The class of that name, or nil.
    public subscript(className: String) -> ObjectSchema? { objectSchema.first { $0.className == className } }
}

extension Schema: CustomStringConvertible {
    /// Several lines, for people.
    public var description: String { "Schema {\n\(objectSchema.map(\.indentedText).joined())}" }
}
