// SPDX-License-Identifier: MIT
// LinkingObjects+Results.swift -- the objects that link to an object, found by a query.

extension LinkingObjects {
    private var query: LiveQuery? {
        backlinks.map { LiveQuery($0.origin.takeUnretainedValue(), .backlinks(column: $0.column, key: $0.key)) }
    }

    /// The first object.
    public var first: Element? { query?.first.map { unsafeDowncast($0, to: Element.self) } }

    /// The last object.
    public var last: Element? { query?.last.map { unsafeDowncast($0, to: Element.self) } }

    /// The position of an object, or nil if it does not link here.
    public func index(of object: Element) -> Int? { query?.position(of: object) }

    /// Whether the object that is linked to is gone.
    public var isInvalidated: Bool { query?.isInvalidated ?? false }

    /// The same objects as a result, to be filtered and sorted. Stops the program if the object is unmanaged.
    public var results: Results<Element> {
        guard let query else {
            misuse("LinkingObjects<\(Element.self)> of an unmanaged object cannot be queried; add the object first")
        }
        return Results(query)
    }
}

extension LinkingObjects: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The count.
    public var endIndex: Int { count }

    /// The object at a position; stops the program if there is none.
    public subscript(position: Int) -> Element {
        guard let query else { misuse("index \(position) is outside of LinkingObjects of an unmanaged object") }
        return unsafeDowncast(query.object(at: position), to: Element.self)
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
