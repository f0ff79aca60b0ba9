// SPDX-License-Identifier: MIT
// LinkingObjects+Results.swift -- the objects that link to an object, found by a query.

extension LinkingObjects {
    private var query: LiveQuery? { backlinks?.query }

    /// The first object.
    public var first: Element? { query?.first.map(Element._element(of:)) }

    /// The last object.
    public var last: Element? { query?.last.map(Element._element(of:)) }

    /// The position of an object, or nil if it does not link here.
    public func index(of object: Element) -> Int? { query?.position(of: object) }

    /// True if the object that is linked to is gone, or its realm was invalidated.
    public var isInvalidated: Bool { query?.isInvalidated ?? false }

    /// The same objects as a result, to be filtered and sorted. Stops the program if the object is unmanaged.
    public var results: Results<Element> {
        guard let query else {
            misuse("LinkingObjects<\(Element.self)> of an unmanaged object cannot be queried; add the object first")
        }
        return Results(query)
    }
}

extension LinkingObjects: _PositionalCollection {
    /// The count.
    public var endIndex: Int { count }

    /// The object at a position; stops the program if there is none.
    public subscript(position: Int) -> Element {
        guard let query else { misuse("index \(position) is outside of LinkingObjects of an unmanaged object") }
        return Element._element(of: query.object(at: position))
    }

    /// Walks the objects as they are now.
    public func makeIterator() -> RLMIterator<Element> { query.map { RLMIterator($0.iterator()) } ?? RLMIterator([]) }
}

extension LinkingObjects: CustomStringConvertible {
    /// The objects as text.
    public var description: String {
        CollectionText("LinkingObjects", of: query?.managed.name ?? Element.className(), at: query, count: count)
            .text(depth: ValueText.depth, self)
    }
}
