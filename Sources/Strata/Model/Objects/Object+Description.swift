// SPDX-License-Identifier: MIT
// Object+Description.swift -- objects as text, to a bounded depth.

import Foundation

extension ObjectBase: CustomStringConvertible {
    /// Class name and properties, one to a line; links to a depth of five. Safe for deleted objects.
    public var description: String { text(depth: 5) }

    /// The object as text, with links to a depth.
    func text(depth: Int) -> String {
        if isInvalidated { return "[invalid object]" }
        let layout = layout
        if depth == 0 { return "<Maximum depth exceeded>" }
        var lines = "\(layout.schema.className) {\n"
        for (index, slot) in layout.slots.prefix(layout.storedCount).enumerated() {
            let value = ValueText.text(plainValue(index), depth: depth - 1)
            lines += "\t\(slot.property.name) = \(value.replacing("\n", with: "\n\t"));\n"
        }
        return lines + "}"
    }
}

/// Values of properties as text.
enum ValueText {
    /// How many elements of a collection are shown.
    static let elements = 100

    /// A value as text, with links to a depth.
    static func text(_ value: Any?, depth: Int) -> String {
        guard let value, !UntypedValue.isNil(value) else { return "(null)" }
        switch UntypedValue.unwrap(value) {
        case let object as ObjectBase: return object.text(depth: depth)
        case let collection as any PersistedCollection: return text(collection, depth: depth)
        case let data as Data: return text(data)
        case let other: return "\(other)"
        }
    }

    /// At most 24 bytes of some data, in hexadecimal.
    static func text(_ data: Data) -> String {
        let digits = data.prefix(24).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return data.count > 24 ? "<\(digits)... - \(data.count) total bytes>" : "<\(digits)>"
    }

    /// A collection as text.
    private static func text(_ collection: any PersistedCollection, depth: Int) -> String {
        let contents = collection.contents
        let all: [String]
        let count: Int
        let brackets: (String, String)
        switch contents {
        case .elements(let values):
            all = values.prefix(elements).enumerated().map { "[\($0)] \(text($1, depth: depth))" }
            (count, brackets) = (values.count, ("(", ")"))
        case .entries(let entries):
            all = entries.prefix(elements).map { "[\($0.key)]: \(text($0.value, depth: depth))" }
            (count, brackets) = (entries.count, ("{", "}"))
        default: return ""
        }
        let rest = count > all.count ? "\n\t... \(count - all.count) objects skipped." : ""
        let shown = all.map { "\t" + $0.replacing("\n", with: "\n\t") }.joined(separator: ",\n")
        return "\(type(of: collection).typeName) \(brackets.0)\n\(shown)\(rest)\n\(brackets.1)"
    }

    private static func text(_ value: _StoredValue, depth: Int) -> String {
        switch value {
        case .null: "(null)"
        case .string(let text): text
        case .data(let data): Self.text(data)
        case .object(let object): text(object as Any?, depth: depth)
        case .collection(let collection): text(collection as Any?, depth: depth)
        default: value.text
        }
    }
}
