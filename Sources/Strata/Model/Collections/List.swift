// SPDX-License-Identifier: MIT
// List.swift -- an ordered collection, the value of a property.
//
// A lane that is compiled into programs: inlined code passes elements that need no conversion directly to the
// engine and back. All others have to pass through their general form.

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
    /// The list in the realm, once managed.
    @usableFromInline @exclusivity(unchecked) internal private(set) var live: ManagedCollection?

    /// Creates an empty unmanaged list.
    public init() {}

    /// Creates the list of a live object.
    @usableFromInline
    init(_ live: ManagedCollection) { self.live = live }

    // MARK: Reading

    /// How many elements there are. A list whose object was deleted has none.
    public var count: Int { live?.count ?? elements.count }

    /// Whether it is empty.
    public var isEmpty: Bool { count == 0 }

    /// The first element.
    public var first: Element? { isEmpty ? nil : self[0] }

    /// The last element.
    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// The first position of an element, or nil. In a managed list the stored values are compared; see
    /// ``CustomPersistable`` for types with an `==` of their own.
    public func index(of element: Element) -> Int? {
        if let live, live.target == nil { return live.position(of: Element._stored(element)) }
        if let object = element as? ObjectBase {
            if let live { return live.position(of: .object(object)) }
            return elements.firstIndex { ($0 as? ObjectBase)?.isIdentical(to: object) ?? false }
        }
        if live == nil {
            if element is any _CustomPersistable { return elements.firstIndex(of: element) }  // by its own `==`
            let member = CollectionMember(element)
            return elements.firstIndex { CollectionMember($0) == member }
        }
        // The engine knows nothing of the `==` of values that are stored as objects.
        return enumerated().first { $0.element == element }?.offset
    }

    /// Whether the object that the list belongs to is gone.
    public var isInvalidated: Bool { live?.isInvalidated ?? false }

    /// Whether it shows one version for ever; see ``ThreadConfined/freeze()``.
    public var isFrozen: Bool { live?.owner.isFrozen ?? false }

    /// The element at a position.
    public subscript(position: Int) -> Element {
        @inlinable
        get {
            if let plain = live?.plain {
                var value = strata_value()
                if plain.lend(position, &value), let element = Element._decode(value) { return element }
            }
            return element(at: position)
        }
        @inlinable
        set { replace(index: position, object: newValue) }
    }

    @usableFromInline
    func element(at position: Int) -> Element { generalElement(at: position) }

    // MARK: Changing

    /// Appends an element.
    @inlinable
    public func append(_ object: Element) {
        if let plain = live?.plain, Element._lend(object, { plain.append($0) }) != nil { return }
        appendAny(object)
    }

    @usableFromInline
    func appendAny(_ object: Element) {
        if let live {
            live.insert(CollectionOfOne(Element._stored(object)), at: live.sizeForChange())
        } else {
            elements.append(Element._withoutCycle(object, in: self))
        }
    }

    /// Appends all elements of a sequence.
    @inlinable
    public func append<S: Sequence>(objectsIn objects: S) where S.Element == Element {
        let objects = Array(objects)
        if let plain = live?.plain { appendPlain(objects, plain) } else { appendAll(objects) }
    }

    /// Appends elements without bytes of their own, such as numbers, many at a time, and all others one by one.
    @inlinable
    func appendPlain(_ objects: [Element], _ plain: PlainCollection) {
        withUnsafeTemporaryAllocation(of: strata_value.self, capacity: 512) { values in
            var count = 0
            for (index, object) in zip(objects.indices, objects) {
                guard let value = Element._lend(object, { $0.hasBytes ? nil : $0 }), let value else {
                    plain.append(values[..<count])
                    for object in objects[index...] { append(object) }
                    return
                }
                values.initializeElement(at: count, to: value)
                count += 1
                if count < values.count { continue }
                plain.append(values[...])
                count = 0
            }
            plain.append(values[..<count])
        }
    }

    @usableFromInline
    func appendAll(_ objects: [Element]) {
        if let live {
            live.insert(objects.lazy.map(Element._stored), at: live.sizeForChange())
        } else {
            elements += objects.map { Element._withoutCycle($0, in: self) }
        }
    }

    /// Inserts an element before a position, which may be the count.
    @inlinable
    public func insert(_ object: Element, at index: Int) {
        if let plain = live?.plain, Element._lend(object, { plain.insert($0, at: index) }) != nil { return }
        insert(contentsOf: CollectionOfOne(object), at: index)
    }

    /// Inserts elements before a position, which may be the count.
    public func insert<C: Collection>(contentsOf objects: C, at index: Int) where C.Element == Element {
        let objects = Array(objects)
        if let live {
            check(index, below: live.sizeForChange() + 1)
            live.insert(objects.lazy.map(Element._stored), at: index)
        } else {
            check(index, below: elements.count + 1)
            elements.insert(contentsOf: objects.map { Element._withoutCycle($0, in: self) }, at: index)
        }
    }

    /// Replaces the element at a position.
    @inlinable
    public func replace(index: Int, object: Element) {
        if let plain = live?.plain, Element._lend(object, { plain.set($0, at: index) }) != nil { return }
        replaceAny(index, object)
    }

    @usableFromInline
    func replaceAny(_ index: Int, _ object: Element) {
        if let live {
            check(index, below: live.sizeForChange())
            live.set(Element._stored(object), at: index)
        } else {
            check(index, below: elements.count)
            elements[index] = Element._withoutCycle(object, in: self)
        }
    }

    /// Removes the element at a position from the list. An object stays in the realm, unless it is embedded.
    @discardableResult
    public func remove(at index: Int) -> Element {
        check(index, below: sizeForChange())
        let element = live == nil ? self[index] : Element._detached(self[index])
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
        if let live {
            let values = objects.map(Element._stored)  // before the elements are gone, which may be these
            live.remove(range)
            live.insert(values, at: range.lowerBound)
        } else {
            elements.replaceSubrange(range, with: objects.map { Element._withoutCycle($0, in: self) })
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
        if let live {
            live.move(from: from, to: to)
        } else {
            elements.insert(elements.remove(at: from), at: to)
        }
    }

    /// Exchanges two elements.
    public func swapAt(_ first: Int, _ second: Int) {
        let count = sizeForChange()
        check(first, below: count)
        check(second, below: count)
        if let live {
            live.swap(first, second)
        } else {
            elements.swapAt(first, second)
        }
    }

    private func sizeForChange() -> Int { live?.sizeForChange() ?? elements.count }

    private func remove(_ range: Range<Int>) {
        if let live { live.remove(range) } else { elements.removeSubrange(range) }
    }

    private func check(_ index: Int, below limit: Int) {
        if index < 0 || index >= limit {
            misuse("index \(index) is outside of \(live?.name ?? "a \(Self.typeName)"), which has \(count) elements")
        }
    }

    private func check(removing number: Int, of count: Int) {
        if number < 0 || number > count {
            misuse("\(number) elements cannot be removed from a \(Self.typeName) of \(count)")
        }
    }
}

@available(
    *, unavailable,
    message: "a live list belongs to one thread, queue or actor; send a copy, a ThreadSafeReference or Frozen")
extension List: Sendable {}

extension List: ElementCollection {
    static var typeName: String { "List<\(Element.self)>" }

    func becomeManaged(_ live: ManagedCollection) {
        self.live = live
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

    func copyElements(of other: List) { elements = Array(other) }
}
