// SPDX-License-Identifier: MIT
// Object+Description.swift -- objects as text, to a bounded depth.
import Foundation

extension Object: CustomStringConvertible {
    /// Class name and properties, one to a line; links to a depth of five. Safe for deleted objects.
    public var description: String { text(depth: 5) }

    /// The object as text, with links to a depth.
    func text(depth: Int) -> String {
        if isInvalidated { return "[invalid object]" }
        let layout = ClassLayout.of(type(of: self))
        if depth == 0 { return "\(layout.schema.className) { ... }" }
        var lines = "\(layout.schema.className) {\n"
        for slot in layout.slots.prefix(layout.storedCount) {
            let value = Self.text(of: slot.access._any(self, slot.offset), depth: depth - 1)
            let indented = value.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t")
            lines += "\t\(slot.property.name) = \(indented);\n"
        }
        return lines + "}"
    }

    private static func text(of value: Any, depth: Int) -> String {
        if ClassLayout.Slot.isNil(value) { return "(null)" }
        switch ClassLayout.Slot.unwrap(value) {
        case let object as Object: return object.text(depth: depth)
        case let collection as any ObjectCollection: return text(of: collection, depth: depth)
        case let data as Data: return text(of: data)
        case let other: return "\(other)"
        }
    }

    private static func text(of data: Data) -> String {
        let digits = data.prefix(24).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return data.count > 24 ? "<\(digits)... - \(data.count) total bytes>" : "<\(digits)>"
    }

    private static func text(of collection: any ObjectCollection, depth: Int) -> String {
        let elements = collection.snapshot
        let shown = elements.prefix(100).map { "\t\($0.text(depth: depth))".replacing("\n", with: "\n\t") }
        let rest = elements.count > 100 ? "\n\t... \(elements.count - 100) objects skipped." : ""
        return "List<\(elements.first.map { "\(type(of: $0))" } ?? "Object")> (\n"
            + shown.joined(separator: ",\n") + rest + "\n)"
    }
}
