// SPDX-License-Identifier: MIT
// RLMIterator.swift -- the iterator of all collections.

/// A loop over a collection, as it was when the loop began.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// The loop, if the elements are objects, or values that are stored as objects.
    @usableFromInline let objects: ObjectIterator?
    /// `objects`, without the cost of a retain for each object. Invariant: `objects` keeps it alive.
    @usableFromInline let unretained: Unmanaged<ObjectIterator>?
    /// The loop, if the elements are values; it returns the values behind `values`.
    @usableFromInline let valueIterator: ValueIterator<Element>?
    @usableFromInline var values: [Element]
    @usableFromInline var position = 0

    init(_ objects: ObjectIterator) {
        self.objects = objects
        unretained = .passUnretained(objects)
        valueIterator = nil
        values = []
    }

    init(_ values: [Element]) {
        objects = nil
        unretained = nil
        valueIterator = nil
        self.values = values
    }

    private init(_ valueIterator: ValueIterator<Element>) {
        objects = nil
        unretained = nil
        self.valueIterator = valueIterator
        values = []
    }

    /// A loop over a managed collection.
    init(_ collection: ManagedCollection) {
        if let target = collection.target {
            self.init(ObjectIterator(.keys(EngineKeys(collection.links)), target))
        } else {
            self.init(ValueIterator(collection))
        }
    }

    /// The next element, or nil at the end.
    @inlinable
    public mutating func next() -> Element? {
        if let unretained {
            defer { withExtendedLifetime(objects) {} }
            guard let object = unretained._withUnsafeGuaranteedRef({ $0.nextObject() }) else { return nil }
            return Element._element(of: object)
        }
        if position == values.count {
            guard let valueIterator else { return nil }
            values = valueIterator.next()
            position = 0
            if values.isEmpty { return nil }
        }
        defer { position += 1 }
        return values[position]
    }
}
