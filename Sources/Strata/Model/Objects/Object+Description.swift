// SPDX-License-Identifier: MIT
// Object+Description.swift -- objects as text, to a bounded depth.

extension ObjectBase: CustomStringConvertible {}

extension ObjectBase: NestedText {
    func text(depth: Int) -> String {
        if isInvalidated { return "[invalid object]" }
        if depth == 0 { return ValueText.tooDeep }
        let layout = layout
        let lines = layout.slots.prefix(layout.storedCount).enumerated().map { index, slot in
            let value = ValueText.text(plainValue(index), depth: depth - 1)
            return "\t\(slot.property.name) = \(value.replacing("\n", with: "\n\t"));\n"
        }
        return "\(layout.schema.className) {\n\(lines.joined())}"
    }
}
