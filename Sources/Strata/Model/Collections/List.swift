// SPDX-License-Identifier: MIT
// List.swift -- an ordered collection, the value of a property.

public import CStrata

/// An ordered collection of values or objects.
///
/// ```swift
/// class Walk: Object {
///     @Persisted var dogs: List<Dog>
///     @Persisted var minutes: List<Int>
///     @Persisted var notes: List<String?>
/// }
/// ```
///
/// A list of an unmanaged object is an ordinary collection. A list of a live object shows the realm and is changed
/// inside write transactions only; an unmanaged object put into it is added to the realm. The same object may be in a
/// list several times; deleting an object removes it from all lists.
///
/// Assigning a list to a property copies the elements. Positions outside of the list stop the program.
public final class List<Element: RealmCollectionValue> {
    /// The elements, while unmanaged.
    @exclusivity(unchecked) var elements: [Element] = []
    /// The column, once managed.
    @usableFromInline @exclusivity(unchecked) internal private(set) var place: CollectionPlace?

    /// Creates an empty unmanaged list.
    public init() {}

    /// Creates the list of a live object.
    @usableFromInline
    init(_ place: CollectionPlace) { self.place = place }

    // MARK: Reading

    /// How many elements there are. Of a list whose object was deleted there are none.
    public var count: Int { place?.count ?? elements.count }

    /// Whether there are none.
    public var isEmpty: Bool { count == 0 }

    /// The first element.
    public var first: Element? { isEmpty ? nil : self[0] }

    /// The last element.
    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// The first position of an element, or nil.
    public func index(of element: Element) -> Int? {
        if let place { return place.position(of: Element._stored(element)) }
        if let object = element as? ObjectBase {
            return elements.firstIndex { ($0 as? ObjectBase)?.isSameObject(as: object) ?? false }
        }
        return elements.firstIndex(of: element)
    }

    /// Whether the object that the list belongs to is gone.
    public var isInvalidated: Bool { place?.isInvalidated ?? false }

    /// Live and unmanaged lists are not frozen.
    public var isFrozen: Bool { false }

    /// The element at a position.
    public subscript(position: Int) -> Element {
        @inlinable
        get {
            if let place {
                var value = strata_value()
                if place.lend(position, &value), let element = Element._decode(value) { return element }
            }
            return element(at: position)
        }
        @inlinable
        set { replace(index: position, object: newValue) }
    }

    @usableFromInline
    func element(at position: Int) -> Element {
        if let place { return Element._element(place.value(at: position)) }
        check(position, below: elements.count)
        return elements[position]
    }

    // MARK: Changing
    //
    // Values that the engine takes as they are go there at once; this is compiled into the program. Everything else
    // takes the general way.

    /// Appends an element.
    @inlinable
    public func append(_ object: Element) {
        if let place, Element._lend(object, { place.append(plain: $0) }) == true { return }
        appendAny(object)
    }

    @usableFromInline
    func appendAny(_ object: Element) {
        if let place {
            place.insert(CollectionOfOne(Element._stored(object)), at: place.sizeForChange())
        } else {
            elements.append(Element._kept(object, in: self))
        }
    }

    /// Appends all elements of a sequence.
    @inlinable
    public func append<S: Sequence>(objectsIn objects: S) where S.Element == Element {
        let objects = Array(objects)
        if let place, place.isPlain { appendPlain(objects, place) } else { appendAll(objects) }
    }

    /// Appends numbers many at a time, and others that the engine takes as they are one by one.
    @inlinable
    func appendPlain(_ objects: [Element], _ place: CollectionPlace) {
        withUnsafeTemporaryAllocation(of: strata_value.self, capacity: 512) { values in
            var count = 0
            for (index, object) in zip(objects.indices, objects) {
                guard let value = Element._lend(object, { $0.hasBytes ? nil : $0 }), let value else {
                    place.append(plain: values[..<count])
                    for object in objects[index...] { append(object) }
                    return
                }
                values.initializeElement(at: count, to: value)
                count += 1
                if count < values.count { continue }
                place.append(plain: values[...])
                count = 0
            }
            place.append(plain: values[..<count])
        }
    }

    @usableFromInline
    func appendAll(_ objects: [Element]) {
        if let place {
            place.insert(objects.lazy.map(Element._stored), at: place.sizeForChange())
        } else {
            elements += objects.map { Element._kept($0, in: self) }
        }
    }

    /// Inserts an element before a position, which may be the count.
    @inlinable
    public func insert(_ object: Element, at index: Int) {
        if let place, Element._lend(object, { place.insert(plain: $0, at: index) }) == true { return }
        insert(contentsOf: CollectionOfOne(object), at: index)
    }

    /// Inserts elements before a position, which may be the count.
    public func insert<C: Collection>(contentsOf objects: C, at index: Int) where C.Element == Element {
        let objects = Array(objects)
        if let place {
            check(index, below: place.sizeForChange() + 1)
            place.insert(objects.lazy.map(Element._stored), at: index)
        } else {
            check(index, below: elements.count + 1)
            elements.insert(contentsOf: objects.map { Element._kept($0, in: self) }, at: index)
        }
    }

    /// Replaces the element at a position.
    @inlinable
    public func replace(index: Int, object: Element) {
        if let place, Element._lend(object, { place.set(plain: $0, at: index) }) == true { return }
        replaceAny(index, object)
    }

    @usableFromInline
    func replaceAny(_ index: Int, _ object: Element) {
        if let place {
            check(index, below: place.sizeForChange())
            place.set(Element._stored(object), at: index)
        } else {
            check(index, below: elements.count)
            elements[index] = Element._kept(object, in: self)
        }
    }

    /// Removes the element at a position from the list. An object stays in the realm, unless it is embedded.
    @discardableResult
    public func remove(at index: Int) -> Element {
        check(index, below: sizeForChange())
        let element = place == nil ? self[index] : Element._detached(self[index])
        remove(index..<index + 1)
        return element
    }

    /// Removes the first elements; the list must have as many.
    public func removeFirst(_ number: Int = 1) {
        check(removing: number, of: sizeForChange())
        remove(0..<number)
    }

    /// Removes the last elements; the list must have as many.
    public func removeLast(_ number: Int = 1) {
        let count = sizeForChange()
        check(removing: number, of: count)
        remove(count - number..<count)
    }

    /// Removes all elements from the list. Objects stay in the realm, unless they are embedded.
    public func removeAll() { remove(0..<sizeForChange()) }

    /// Replaces the elements of a range.
    public func replaceSubrange<C: Collection, R: RangeExpression>(_ subrange: R, with objects: C)
    where C.Element == Element, R.Bound == Int {
        let count = sizeForChange()
        let range = subrange.relative(to: 0..<count)
        if range.lowerBound < 0 || range.upperBound > count {
            misuse("the range \(range) is outside of a \(Self.typeName) of \(count)")
        }
        let objects = Array(objects)
        if let place {
            let values = objects.map(Element._stored)  // before the elements are gone, which may be these
            place.remove(range)
            place.insert(values, at: range.lowerBound)
        } else {
            elements.replaceSubrange(range, with: objects.map { Element._kept($0, in: self) })
        }
    }

    /// Removes the elements of a range.
    public func removeSubrange<R: RangeExpression>(_ subrange: R) where R.Bound == Int {
        replaceSubrange(subrange, with: EmptyCollection())
    }

    /// Moves an element so that it ends up at position `to`.
    public func move(from: Int, to: Int) {
        let count = sizeForChange()
        check(from, below: count)
        check(to, below: count)
        if from == to { return }
        if let place {
            place.move(from: from, to: to)
        } else {
            elements.insert(elements.remove(at: from), at: to)
        }
    }

    /// Exchanges two elements.
    public func swapAt(_ first: Int, _ second: Int) {
        let count = sizeForChange()
        check(first, below: count)
        check(second, below: count)
        if let place {
            place.swap(first, second)
        } else {
            elements.swapAt(first, second)
        }
    }

    private func sizeForChange() -> Int { place?.sizeForChange() ?? elements.count }

    private func remove(_ range: Range<Int>) {
        if let place { place.remove(range) } else { elements.removeSubrange(range) }
    }

    private func check(_ index: Int, below limit: Int) {
        if index < 0 || index >= limit {
            misuse("index \(index) is outside of \(place?.name ?? "a \(Self.typeName)"), which has \(count) elements")
        }
    }

    private func check(removing number: Int, of count: Int) {
        if number < 0 || number > count {
            misuse("\(number) elements cannot be removed from a \(Self.typeName) of \(count)")
        }
    }
}

@available(*, unavailable, message: "a live list belongs to one thread")
extension List: Sendable {}

extension List: PersistedCollection {
    static var elementType: any RealmCollectionValue.Type { Element.self }
    static var typeName: String { "List<\(Element.self)>" }

    var contents: _StoredValue {
        .elements(place.map { $0.values(0..<$0.count) } ?? elements.map(Element._stored))
    }

    func becomeManaged(_ place: CollectionPlace) {
        self.place = place
        elements = []
    }

    func fill(_ contents: _StoredValue) -> Bool {
        guard case .elements(let values) = contents else { return false }
        var elements: [Element] = []
        for value in values {
            guard let element = Element._value(value) else { return false }
            elements.append(element)
        }
        self.elements = elements
        return true
    }

    /// Replaces all elements by those of another list; of itself, it keeps them.
    func take(_ other: List) {
        if self === other { return }
        if let place {
            if let source = other.place, place.isSame(as: source) { return }
            place.replace(with: other.contents)
        } else {
            elements = Array(other)
        }
    }
}
