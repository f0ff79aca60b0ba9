// SPDX-License-Identifier: MIT
// RLMIterator.swift -- the iterator of all collections.

/// Walks a collection as it was when the walk began.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// Walks objects, which are then the elements.
    @usableFromInline let walk: ObjectIterator?
    @usableFromInline let values: [Element]
    @usableFromInline var position = 0

    init(_ walk: ObjectIterator) {
        self.walk = walk
        values = []
    }

    init(_ values: [Element]) {
        walk = nil
        self.values = values
    }

    /// The next element, or nil at the end.
    @inlinable
    public mutating func next() -> Element? {
        if let walk {
            guard let object = walk.next() else { return nil }
            // Only collections whose elements are objects, or Optional ones, walk objects.
            return unsafeBitCast(object, to: Element.self)
        }
        guard position < values.count else { return nil }
        defer { position += 1 }
        return values[position]
    }
}
