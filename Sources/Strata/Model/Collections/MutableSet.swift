// SPDX-License-Identifier: MIT
// MutableSet.swift -- a collection of values or objects that holds each once.

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
    /// Where they are among these.
    private var positions: [SetMember<Element>: Int] = [:]
    /// The column, once managed.
    @usableFromInline @exclusivity(unchecked) internal private(set) var place: CollectionPlace?

    /// Creates an empty unmanaged set.
    public init() {}

    /// Creates the set of a live object.
    @usableFromInline
    init(_ place: CollectionPlace) { self.place = place }

    // MARK: Reading

    /// How many elements there are. Of a set whose object was deleted there are none.
    public var count: Int { place?.count ?? elements.count }

    /// Whether there are none.
    public var isEmpty: Bool { count == 0 }

    /// Some element.
    public var first: Element? { isEmpty ? nil : self[0] }

    /// Some element.
    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// Whether the object that the set belongs to is gone.
    public var isInvalidated: Bool { place?.isInvalidated ?? false }

    /// Live and unmanaged sets are not frozen.
    public var isFrozen: Bool { false }

    /// An element by its position, which changes with every change of the set.
    @inlinable
    public subscript(position: Int) -> Element {
        if let place {
            var value = strata_value()
            if place.lend(position, &value), let element = Element._decode(value) { return element }
        }
        return element(at: position)
    }

    @usableFromInline
    func element(at position: Int) -> Element {
        if let place { return Element._element(place.value(at: position)) }
        if position < 0 || position >= elements.count {
            misuse("index \(position) is outside of a \(Self.typeName), which has \(elements.count) elements")
        }
        return elements[position]
    }

    /// Whether the set holds an element.
    @inlinable
    public func contains(_ element: Element) -> Bool {
        if let place, let found = Element._lend(element, { place.holds(plain: $0) }), let found { return found }
        return containsAny(element)
    }

    @usableFromInline
    func containsAny(_ element: Element) -> Bool {
        place.map { $0.position(of: Element._stored(element)) != nil } ?? (positions[SetMember(element)] != nil)
    }

    /// Whether another collection holds all elements of this one.
    public func isSubset(of possibleSuperset: MutableSet) -> Bool {
        requireSameRealm(possibleSuperset)
        return allSatisfy(possibleSuperset.contains)
    }

    /// Whether the two have an element in common.
    public func intersects(_ otherSet: MutableSet) -> Bool {
        requireSameRealm(otherSet)
        return otherSet.contains(where: contains)
    }

    // MARK: Changing

    /// Inserts an element, unless the set holds it.
    @inlinable
    public func insert(_ object: Element) {
        if let place, Element._lend(object, { place.unite(plain: $0) }) == true { return }
        insertAny(object)
    }

    @usableFromInline
    func insertAny(_ object: Element) {
        if let place {
            _ = place.sizeForChange()
            place.unite(CollectionOfOne(Element._stored(object)))
        } else if positions[SetMember(object)] == nil {
            positions[SetMember(object)] = elements.count
            elements.append(object)
        }
    }

    /// Inserts the elements of a sequence that the set does not hold.
    @inlinable
    public func insert<S: Sequence>(objectsIn objects: S) where S.Element == Element {
        let objects = Array(objects)
        if let place, !place.isPlain { return insertAll(objects, place) }
        for object in objects { insert(object) }
        _ = place?.sizeForChange()
    }

    @usableFromInline
    func insertAll(_ objects: [Element], _ place: CollectionPlace) {
        _ = place.sizeForChange()
        place.unite(objects.lazy.map(Element._stored))
    }

    /// Removes an element, if the set holds it. An object stays in the realm.
    public func remove(_ object: Element) {
        if let place {
            _ = place.sizeForChange()
            if let position = place.position(of: Element._stored(object)) { place.remove(position..<position + 1) }
        } else if let position = positions.removeValue(forKey: SetMember(object)) {
            // The last element takes the place.
            let last = elements.removeLast()
            if position == elements.count { return }
            elements[position] = last
            positions[SetMember(last)] = position
        }
    }

    /// Removes all elements. Objects stay in the realm.
    public func removeAll() {
        if let place {
            place.remove(0..<place.sizeForChange())
        } else {
            elements = []
            positions = [:]
        }
    }

    /// Inserts the elements of another set.
    public func formUnion(_ other: MutableSet) {
        requireSameRealm(other)
        insert(objectsIn: other)
    }

    /// Removes the elements that another set does not hold.
    public func formIntersection(_ other: MutableSet) {
        requireSameRealm(other)
        _ = place?.sizeForChange()
        for element in Array(self) where !other.contains(element) { remove(element) }
    }

    /// Removes the elements of another set.
    public func subtract(_ other: MutableSet) {
        requireSameRealm(other)
        _ = place?.sizeForChange()
        for element in Array(other) { remove(element) }
    }

    private func requireSameRealm(_ other: MutableSet) {
        guard let place, let source = other.place, place.session !== source.session else { return }
        misuse("\(source.name) belongs to another realm than \(place.name); copy its elements")
    }
}

@available(*, unavailable, message: "a live set belongs to one thread")
extension MutableSet: Sendable {}

extension MutableSet: PersistedCollection {
    static var elementType: any RealmCollectionValue.Type { Element.self }
    static var typeName: String { "MutableSet<\(Element.self)>" }

    var contents: _StoredValue {
        .elements(place.map { $0.values(0..<$0.count) } ?? elements.map(Element._stored))
    }

    func becomeManaged(_ place: CollectionPlace) {
        self.place = place
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

    /// Replaces all elements by those of another set; of itself, it keeps them.
    func take(_ other: MutableSet) {
        if self === other { return }
        if let place {
            if let source = other.place, place.isSame(as: source) { return }
            place.replace(with: other.contents)
        } else {
            removeAll()
            insert(objectsIn: other)
        }
    }
}

/// An element of an unmanaged set, equal to what it is equal to in a realm: strings are compared by their bytes, so that
/// two spellings of "é" are two elements.
private struct SetMember<Element: RealmCollectionValue>: Hashable {
    private let element: Element

    init(_ element: Element) { self.element = element }

    static func == (left: SetMember, right: SetMember) -> Bool {
        if case .string(let one) = Element._stored(left.element), case .string(let two) = Element._stored(right.element) {
            return one.utf8.elementsEqual(two.utf8)
        }
        return left.element == right.element
    }

    func hash(into hasher: inout Hasher) { element.hash(into: &hasher) }
}
