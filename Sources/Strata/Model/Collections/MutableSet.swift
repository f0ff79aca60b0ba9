// SPDX-License-Identifier: MIT
// MutableSet.swift -- a collection of values or objects that holds each once.
//
// A lane that is compiled into programs: inlined code passes elements that need no conversion directly to the
// engine and back. All others have to pass through their general form.

public import CStrata

/// A collection that holds each value, or each object, at most once.
///
/// A set of an unmanaged object is an ordinary collection. A set of a live object shows the realm and is changed
/// inside write transactions only; an unmanaged object put into it is added to the realm. Deleting an object removes
/// it from all sets. A live set is in the order of its values; that of objects, and of an unmanaged set, is no
/// particular one.
///
/// Assigning a set to a property copies the elements.
public final class MutableSet<Element: RealmCollectionValue> {
    /// The elements, while unmanaged.
    private(set) var elements: [Element] = []
    /// Where each element is in `elements`.
    private var positions: [CollectionMember<Element>: Int] = [:]
    /// The set in the realm, once managed.
    @usableFromInline @exclusivity(unchecked) internal private(set) var live: ManagedCollection?

    /// Creates an empty unmanaged set.
    public init() {}

    /// Creates the set of a live object.
    @usableFromInline
    init(_ live: ManagedCollection) { self.live = live }

    // MARK: Reading

    /// How many elements there are. A set whose object was deleted has none.
    public var count: Int { live?.count ?? elements.count }

    /// Whether it is empty.
    public var isEmpty: Bool { count == 0 }

    /// Some element.
    public var first: Element? { isEmpty ? nil : self[0] }

    /// Some element.
    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// Whether the object that the set belongs to is gone.
    public var isInvalidated: Bool { live?.isInvalidated ?? false }

    /// Whether it shows one version for ever; see ``ThreadConfined/freeze()``.
    public var isFrozen: Bool { live?.owner.isFrozen ?? false }

    /// An element by its position, which changes with every change of the set.
    @inlinable
    public subscript(position: Int) -> Element {
        if let plain = live?.plain {
            var value = strata_value()
            if plain.lend(position, &value), let element = Element._decode(value) { return element }
        }
        return element(at: position)
    }

    @usableFromInline
    func element(at position: Int) -> Element { generalElement(at: position) }

    /// Whether the set holds an element.
    @inlinable
    public func contains(_ element: Element) -> Bool {
        if let plain = live?.plain, let isFound = Element._lend(element, { plain.contains($0) }), let isFound {
            return isFound
        }
        return containsAny(element)
    }

    @usableFromInline
    func containsAny(_ element: Element) -> Bool {
        live.map { $0.position(of: Element._stored(element)) != nil } ?? (positions[CollectionMember(element)] != nil)
    }

    /// Whether another collection holds all elements of this one.
    public func isSubset(of possibleSuperset: MutableSet) -> Bool {
        requireSameRealm(possibleSuperset)
        if let live, possibleSuperset.live == nil { return live.positions(of: possibleSuperset).count == count }
        return allSatisfy(possibleSuperset.contains)
    }

    /// Whether the two have an element in common.
    public func intersects(_ otherSet: MutableSet) -> Bool {
        requireSameRealm(otherSet)
        return live == nil ? contains(where: otherSet.contains) : otherSet.contains(where: contains)
    }

    // MARK: Changing

    /// Inserts an element, unless the set holds it.
    @inlinable
    public func insert(_ object: Element) {
        if let plain = live?.plain, Element._lend(object, { plain.insertIntoSet($0) }) != nil { return }
        insertAny(object)
    }

    @usableFromInline
    func insertAny(_ object: Element) {
        if let live {
            _ = live.sizeForChange()
            live.insertIntoSet(CollectionOfOne(Element._stored(object)))
        } else if positions[CollectionMember(object)] == nil {
            positions[CollectionMember(object)] = elements.count
            elements.append(object)
        }
    }

    /// Inserts the elements of a sequence that the set does not hold.
    @inlinable
    public func insert<S: Sequence>(objectsIn objects: S) where S.Element == Element {
        let objects = Array(objects)
        if let live, !live.isPlain { return insertAll(objects, live) }
        for object in objects { insert(object) }
        _ = live?.sizeForChange()
    }

    @usableFromInline
    func insertAll(_ objects: [Element], _ live: ManagedCollection) {
        _ = live.sizeForChange()
        live.insertIntoSet(objects.lazy.map(Element._stored))
    }

    /// Removes an element, if the set holds it. An object stays in the realm.
    public func remove(_ object: Element) {
        if let live {
            _ = live.sizeForChange()
            if let position = live.position(of: Element._stored(object)) { live.remove(position..<position + 1) }
        } else if let position = positions.removeValue(forKey: CollectionMember(object)) {
            // The last element moves to the position of the removed one.
            let last = elements.removeLast()
            if position == elements.count { return }
            elements[position] = last
            positions[CollectionMember(last)] = position
        }
    }

    /// Removes all elements. Objects stay in the realm.
    public func removeAll() {
        if let live {
            live.remove(0..<live.sizeForChange())
        } else {
            elements = []
            positions = [:]
        }
    }

    /// Inserts the elements of another set.
    public func formUnion(_ other: MutableSet) {
        requireSameRealm(other)
        guard live == nil, let source = other.live else { return insert(objectsIn: other) }
        let held = source.positions(of: self)
        for (position, element) in other.enumerated() where !held.contains(position) { insert(element) }
    }

    /// Removes the elements that another set does not hold.
    public func formIntersection(_ other: MutableSet) {
        requireSameRealm(other)
        guard let live, other.live == nil else {
            _ = live?.sizeForChange()
            for element in Array(self) where !other.contains(element) { remove(element) }
            return
        }
        let kept = live.positions(of: other)
        for position in (0..<live.sizeForChange()).reversed() where !kept.contains(position) {
            live.remove(position..<position + 1)
        }
    }

    /// Removes the elements of another set.
    public func subtract(_ other: MutableSet) {
        requireSameRealm(other)
        _ = live?.sizeForChange()
        if live == nil, other.live != nil {
            for element in elements where other.contains(element) { remove(element) }
        } else {
            for element in Array(other) { remove(element) }
        }
    }

    private func requireSameRealm(_ other: MutableSet) {
        guard let live, let source = other.live, live.session !== source.session else { return }
        misuse("\(source.name) belongs to another realm than \(live.name); copy its elements")
    }
}

// Only a live set knows an object by the row that it shows. So of two sets, one of them live, that one is asked.
extension ManagedCollection {
    /// The positions of those elements that an unmanaged set holds, too.
    fileprivate func positions<Element>(of other: MutableSet<Element>) -> Set<Int> {
        Set(other.elements.compactMap { position(of: Element._stored($0)) })
    }
}

@available(
    *, unavailable,
    message: "a live set belongs to one thread, queue or actor; send a copy, a ThreadSafeReference or Frozen")
extension MutableSet: Sendable {}

extension MutableSet: ElementCollection {
    static var typeName: String { "MutableSet<\(Element.self)>" }
    static var isSet: Bool { true }

    func becomeManaged(_ live: ManagedCollection) {
        self.live = live
        elements = []
        positions = [:]
    }

    func fill(_ contents: _StoredValue) -> Bool {
        guard case .elements(let values) = contents else { return false }
        removeAll()
        for value in values {
            guard let element = Element._value(value) else { return false }
            insert(element)
        }
        return true
    }

    func copyElements(of other: MutableSet) {
        removeAll()
        insert(objectsIn: other)
    }
}
