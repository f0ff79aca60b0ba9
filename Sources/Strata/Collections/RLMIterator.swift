// SPDX-License-Identifier: MIT
// RLMIterator.swift -- the iterator of all collections.

/// Walks a collection as it was when the walk began.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// Walks objects, which are then the elements.
    @usableFromInline let objects: ObjectIterator?
    /// Gives the values after `values`.
    @usableFromInline let walk: ValueWalk<Element>?
    @usableFromInline var values: [Element]
    @usableFromInline var position = 0

    init(_ objects: ObjectIterator) {
        self.objects = objects
        walk = nil
        values = []
    }

    init(_ values: [Element]) {
        objects = nil
        walk = nil
        self.values = values
    }

    /// Walks what a managed collection holds.
    init(_ place: CollectionPlace) {
        values = []
        if let target = place.target {
            objects = ObjectIterator(.array(place.links), target)
            walk = nil
        } else {
            objects = nil
            walk = ValueWalk(place)
        }
    }

    /// The next element, or nil at the end.
    @inlinable
    public mutating func next() -> Element? {
        if position == values.count {
            if let objects {
                guard let object = objects.next() else { return nil }
                // Only collections whose elements are objects, or Optional ones, walk objects.
                return unsafeBitCast(object, to: Element.self)
            }
            guard let walk else { return nil }
            values = walk.next()
            position = 0
            if values.isEmpty { return nil }
        }
        defer { position += 1 }
        return values[position]
    }
}
