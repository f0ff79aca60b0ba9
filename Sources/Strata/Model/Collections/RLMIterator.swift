// SPDX-License-Identifier: MIT
// RLMIterator.swift -- the iterator of all collections.

/// Walks a collection as it was when the walk began.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// Walks objects, which are then the elements.
    @usableFromInline let objects: ObjectIterator?
    /// The same, without the cost of retaining it for each object. Invariant: `objects` keeps it alive.
    @usableFromInline let walker: Unmanaged<ObjectIterator>?
    /// Gives the values after `values`.
    @usableFromInline let walk: ValueWalk<Element>?
    @usableFromInline var values: [Element]
    @usableFromInline var position = 0

    init(_ objects: ObjectIterator) {
        self.objects = objects
        walker = .passUnretained(objects)
        walk = nil
        values = []
    }

    init(_ values: [Element]) {
        objects = nil
        walker = nil
        walk = nil
        self.values = values
    }

    private init(_ walk: ValueWalk<Element>) {
        objects = nil
        walker = nil
        self.walk = walk
        values = []
    }

    /// Walks what a managed collection holds.
    init(_ collection: ManagedCollection) {
        if let target = collection.target {
            self.init(ObjectIterator(.keys(EngineKeys(collection.links)), target))
        } else {
            self.init(ValueWalk(collection))
        }
    }

    /// The next element, or nil at the end.
    @inlinable
    public mutating func next() -> Element? {
        if let walker {
            defer { withExtendedLifetime(objects) {} }
            guard let object = walker._withUnsafeGuaranteedRef({ $0.nextObject() }) else { return nil }
            // Only collections whose elements are objects, or Optional ones, walk objects.
            return unsafeBitCast(object, to: Element.self)
        }
        if position == values.count {
            guard let walk else { return nil }
            values = walk.next()
            position = 0
            if values.isEmpty { return nil }
        }
        defer { position += 1 }
        return values[position]
    }
}
