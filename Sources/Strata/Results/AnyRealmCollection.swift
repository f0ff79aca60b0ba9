// SPDX-License-Identifier: MIT
// AnyRealmCollection.swift -- any collection of one type of elements.

/// Any list, set, result or linking objects of one type of elements.
public struct AnyRealmCollection<Element: RealmCollectionValue> {
    let base: any RealmCollection<Element>

    /// Wraps a collection. If the collection is live, so is the wrapper.
    public init<C: RealmCollection>(_ base: C) where C.Element == Element {
        self.base = (base as? AnyRealmCollection)?.base ?? base
    }

    /// Wraps a collection that is no wrapper.
    init(erasing base: any RealmCollection<Element>) { self.base = base }

    /// The realm that holds the collection; nil if it is unmanaged.
    public var realm: Realm? { base.realm }
    /// Whether the realm was invalidated since, or the object that the collection belongs to is gone.
    public var isInvalidated: Bool { base.isInvalidated }
    /// Whether the collection is frozen.
    public var isFrozen: Bool { base.isFrozen }
    /// The same for ever, and for every thread.
    public func freeze() -> AnyRealmCollection { isFrozen ? self : AnyRealmCollection(base.freeze()) }
    /// The live collection in a realm of the caller; nil if its object was deleted.
    public func thaw() -> AnyRealmCollection? { base.thaw().map { AnyRealmCollection($0) } }
    /// How many elements there are.
    public var count: Int { base.count }
    /// The first element.
    public var first: Element? { base.first }
    /// The last element.
    public var last: Element? { base.last }
    /// The first position of an element, or nil.
    public func index(of element: Element) -> Int? { base.index(of: element) }
    /// The same elements as a result, in the same order. Stops the program if the collection is unmanaged.
    public var results: Results<Element> { base.results }
}

@available(
    *, unavailable,
    message: "a live collection belongs to one thread, queue or actor; send a copy or Frozen")
extension AnyRealmCollection: Sendable {}

extension AnyRealmCollection: _PositionalCollection {
    /// The count.
    public var endIndex: Int { base.count }
    /// The element at a position; stops the program if there is none.
    public subscript(position: Int) -> Element { base[position] }
    /// Walks the elements as they are now.
    public func makeIterator() -> AnyIterator<Element> { Self.iterator(base) }

    private static func iterator<C: RealmCollection<Element>>(_ base: C) -> AnyIterator<Element> {
        AnyIterator(base.makeIterator())
    }
}

extension AnyRealmCollection: Equatable {
    /// True if both wrap equal collections.
    public static func == (left: AnyRealmCollection, right: AnyRealmCollection) -> Bool { equal(left.base, right) }

    private static func equal<C: RealmCollection>(_ base: C, _ other: AnyRealmCollection) -> Bool {
        (other.base as? C).map { $0 == base } ?? false
    }

}

extension AnyRealmCollection: CustomStringConvertible {
    /// The elements as text.
    public var description: String { base.description }
}
