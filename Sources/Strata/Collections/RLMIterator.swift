// SPDX-License-Identifier: MIT
// RLMIterator.swift -- the iterator of all collections.

/// Walks a collection as it was when the walk began.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// Walks objects, which are then the elements.
    @usableFromInline let objects: ObjectIterator?
    /// The same, to be used without being retained for each object.
    @usableFromInline let objectWalk: Unmanaged<ObjectIterator>?
    /// Gives the values after `values`.
    @usableFromInline let walk: ValueWalk<Element>?
    @usableFromInline var values: [Element]
    @usableFromInline var position = 0

    private init(_ objects: ObjectIterator?, _ walk: ValueWalk<Element>?, _ values: [Element] = []) {
        self.objects = objects
        objectWalk = objects.map { .passUnretained($0) }
        self.walk = walk
        self.values = values
    }

    init(_ objects: ObjectIterator) { self.init(objects, nil) }
    init(_ values: [Element]) { self.init(nil, nil, values) }

    /// Walks what a managed collection holds.
    init(_ place: CollectionPlace) {
        if let target = place.target {
            self.init(ObjectIterator(.array(place.links), target), nil)
        } else {
            self.init(nil, ValueWalk(place))
        }
    }

    /// The next element, or nil at the end.
    @inlinable
    public mutating func next() -> Element? {
        if position == values.count {
            if let objectWalk {
                defer { _fixLifetime(objects) }
                guard let object = objectWalk._withUnsafeGuaranteedRef({ $0.next() }) else { return nil }
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
