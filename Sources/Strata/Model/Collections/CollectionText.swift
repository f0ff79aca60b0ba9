// SPDX-License-Identifier: MIT
// CollectionText.swift -- collections as text.

/// The text of a collection: its type, where it is in memory, and a hundred elements at most.
struct CollectionText {
    /// How many elements are shown.
    static let shown = 100

    private let head: String
    private let count: Int
    private let elements: String

    /// - Parameters:
    ///   - name: such as "List".
    ///   - content: the class or the type of what it holds, such as "Dog" or "int".
    ///   - identity: what is the same for two values that show the same collection; nil if there is no such thing.
    ///   - elements: what the elements are called.
    init(_ name: String, of content: String, at identity: AnyObject?, count: Int, _ elements: String = "objects") {
        let address = identity.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } ?? 0
        head = "\(name)<\(content)> <0x\(String(address, radix: 16))>"
        self.count = count
        self.elements = elements
    }

    /// The text to a depth; `lines` makes those of the elements, to the depth that is left for them.
    func text(depth: Int, _ lines: (_ depth: Int) -> [String]) -> String {
        if depth == 0 { return ValueText.tooDeep }
        let shown = lines(depth - 1)
        let skipped = count > shown.count ? "\n\t... \(count - shown.count) \(elements) skipped." : ""
        return "\(head) (\n" + shown.map { "\t" + $0.replacing("\n", with: "\n\t") }.joined(separator: ",\n") + skipped
            + "\n)"
    }

    /// The text to a depth, with numbered elements.
    func text<Element: RealmCollectionValue>(depth: Int, _ elements: some Sequence<Element>) -> String {
        text(depth: depth) { depth in
            elements.prefix(Self.shown).enumerated().map { index, element in
                "[\(index)] " + ValueText.text(Element._plain(element), depth: depth)
            }
        }
    }
}

extension _Persistable {
    /// The class of objects or the type of stored values, for the text of a collection of these.
    static var contentText: String {
        let shape = _shape
        return (shape.target as? ObjectBase.Type)?.className() ?? "\(shape.type)"
    }
}

extension ElementCollection {
    /// The elements as text.
    func text(_ name: String, depth: Int) -> String {
        let count = live?.count ?? elements.count
        return CollectionText(name, of: live?.target?.name ?? Element.contentText, at: self, count: count)
            .text(depth: depth, self)
    }
}
