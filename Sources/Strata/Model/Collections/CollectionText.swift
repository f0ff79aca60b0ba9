// SPDX-License-Identifier: MIT
// CollectionText.swift -- collections as text.

/// The text of a collection: a hundred elements at most.
func collectionText<Element>(_ title: String, _ elements: some Collection<Element>) -> String {
    let shown = elements.prefix(100).enumerated().map { index, element in
        "\t[\(index)] " + elementText(element).replacing("\n", with: "\n\t")
    }
    let rest = elements.count - shown.count
    let skipped = rest > 0 ? "\n\t... \(rest) objects skipped." : ""
    return "\(title) (\n" + shown.joined(separator: ",\n") + skipped + "\n)"
}

/// The text of one element.
func elementText(_ element: Any) -> String {
    if UntypedValue.isNil(element) { return "(null)" }
    let element = UntypedValue.unwrap(element)
    return (element as? ObjectBase)?.text(depth: 4) ?? "\(element)"
}
