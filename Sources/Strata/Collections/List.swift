// SPDX-License-Identifier: MIT
// List.swift -- an ordered to-many property.

import CStrata

/// An ordered collection of objects, the value of a to-many property.
///
/// A list of an unmanaged object is an ordinary collection. A list of a live object shows the realm and is changed
/// inside write transactions only; an unmanaged object put into it is added to the realm. The same object may be in a
/// list several times; deleting an object removes it from all lists.
///
/// Assigning a list to a property copies the elements. Positions outside of the list stop the program.
public final class List<Element: Object> {
    /// The elements, while unmanaged.
    var elements: [Element] = []
    /// The column, once managed.
    var place: ListPlace?

    /// Creates an empty unmanaged list.
    public init() {}

    /// Creates the list of a live object.
    init(_ place: ListPlace) { self.place = place }

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

    /// The first position of an object, or nil.
    public func index(of object: Element) -> Int? {
        if let place { return place.position(of: object) }
        return elements.firstIndex { $0.isSameObject(as: object) }
    }

    /// Whether the object that the list belongs to is gone.
    public var isInvalidated: Bool { place?.isInvalidated ?? false }

    /// Live and unmanaged lists are not frozen.
    public var isFrozen: Bool { false }

    /// The element at a position.
    public subscript(position: Int) -> Element {
        get {
            guard let place else {
                check(position, below: elements.count)
                return elements[position]
            }
            return unsafeDowncast(place.object(at: position), to: Element.self)
        }
        set { replace(index: position, object: newValue) }
    }

    // MARK: Changing

    /// Appends an object.
    public func append(_ object: Element) {
        if let place { place.insert([object], at: place.countForChange()) } else { elements.append(object) }
    }

    /// Appends all objects of a sequence.
    public func append<S: Sequence>(objectsIn objects: S) where S.Element == Element {
        let objects = Array(objects)
        if let place { place.insert(objects, at: place.countForChange()) } else { elements += objects }
    }

    /// Inserts an object before a position, which may be the count.
    public func insert(_ object: Element, at index: Int) { insert(contentsOf: CollectionOfOne(object), at: index) }

    /// Inserts objects before a position, which may be the count.
    public func insert<C: Collection>(contentsOf objects: C, at index: Int) where C.Element == Element {
        let objects = Array(objects)
        if let place {
            check(index, below: place.countForChange() + 1)
            place.insert(objects, at: index)
        } else {
            check(index, below: elements.count + 1)
            elements.insert(contentsOf: objects, at: index)
        }
    }

    /// Replaces the element at a position.
    public func replace(index: Int, object: Element) {
        if let place {
            check(index, below: place.countForChange())
            place.set(object, at: index)
        } else {
            check(index, below: elements.count)
            elements[index] = object
        }
    }

    /// Removes the element at a position from the list. The object itself stays.
    public func remove(at index: Int) {
        check(index, below: place?.countForChange() ?? elements.count)
        remove(index..<index + 1)
    }

    /// Removes the first elements; the list must have as many.
    public func removeFirst(_ number: Int = 1) {
        let count = place?.countForChange() ?? elements.count
        check(removing: number, of: count)
        remove(0..<number)
    }

    /// Removes the last elements; the list must have as many.
    public func removeLast(_ number: Int = 1) {
        let count = place?.countForChange() ?? elements.count
        check(removing: number, of: count)
        remove(count - number..<count)
    }

    /// Removes all elements from the list. The objects themselves stay.
    public func removeAll() { remove(0..<(place?.countForChange() ?? elements.count)) }

    /// Replaces the elements of a range.
    public func replaceSubrange<C: Collection, R: RangeExpression>(_ subrange: R, with objects: C)
    where C.Element == Element, R.Bound == Int {
        let count = place?.countForChange() ?? elements.count
        let range = subrange.relative(to: 0..<count)
        if range.lowerBound < 0 || range.upperBound > count {
            misuse("the range \(range) is outside of a List<\(Element.self)> of \(count)")
        }
        let objects = Array(objects)
        remove(range)
        if let place {
            place.insert(objects, at: range.lowerBound)
        } else {
            elements.insert(contentsOf: objects, at: range.lowerBound)
        }
    }

    /// Removes the elements of a range.
    public func removeSubrange<R: RangeExpression>(_ subrange: R) where R.Bound == Int {
        replaceSubrange(subrange, with: EmptyCollection())
    }

    /// Moves an element so that it ends up at position `to`.
    public func move(from: Int, to: Int) {
        let count = place?.countForChange() ?? elements.count
        check(from, below: count)
        check(to, below: count)
        if let place {
            place.move(from: from, to: to)
        } else {
            elements.insert(elements.remove(at: from), at: to)
        }
    }

    /// Exchanges two elements.
    public func swapAt(_ first: Int, _ second: Int) {
        let count = place?.countForChange() ?? elements.count
        check(first, below: count)
        check(second, below: count)
        if let place {
            place.swap(first, second)
        } else {
            elements.swapAt(first, second)
        }
    }

    private func remove(_ range: Range<Int>) {
        if let place { place.remove(range) } else { elements.removeSubrange(range) }
    }

    private func check(_ index: Int, below limit: Int) {
        if index < 0 || index >= limit {
            misuse("index \(index) is outside of a List<\(Element.self)> of \(count) elements")
        }
    }

    private func check(removing number: Int, of count: Int) {
        if number < 0 || number > count {
            misuse("\(number) elements cannot be removed from a List<\(Element.self)> of \(count)")
        }
    }

    // MARK: Querying

    private var query: LiveQuery {
        guard let place else {
            misuse("List<\(Element.self)> of an unmanaged object cannot be queried; add the object first")
        }
        return place.query
    }

    /// The same objects as a result, in the order of the list. Stops the program if the list is unmanaged.
    public var results: Results<Element> { Results(query) }

    /// In the order of a property.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        results.sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// In the order of a property.
    public func sorted<Value: _Persistable>(
        by keyPath: KeyPath<Element, Value>, ascending: Bool = true
    ) -> Results<Element> {
        results.sorted(by: keyPath, ascending: ascending)
    }

    /// In the order of some properties, the most important first.
    public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Element> {
        results.sorted(by: descriptors)
    }
}

@available(*, unavailable, message: "a live list belongs to one thread")
extension List: Sendable {}
