// SPDX-License-Identifier: MIT
// List+Collection.swift -- lists as collections of the standard library.

public import struct Foundation.IndexSet

extension List: MutableCollection, _PositionalCollection, RangeReplaceableCollection {
    /// The count.
    public var endIndex: Int { count }

    /// Replaces the elements of a range.
    public func replaceSubrange<C: Collection>(_ subrange: Range<Int>, with objects: C) where C.Element == Element {
        replaceSubrange(RangeOf(subrange), with: objects)
    }

    /// The elements of a range. Assigning others replaces them, however many there are.
    public subscript(bounds: Range<Int>) -> Slice<List> {
        get {
            checkBounds(bounds)
            return Slice(base: self, bounds: bounds)
        }
        set { replaceSubrange(bounds, with: newValue) }
        _modify {
            checkBounds(bounds)
            let size = count
            var slice = Slice(base: self, bounds: bounds)
            yield &slice
            // Changes of elements went through the slice to this list; a change of what the slice covers did not.
            let covered = bounds.lowerBound..<bounds.upperBound + count - size
            if slice.base !== self || slice.indices != covered { replaceSubrange(covered, with: slice) }
        }
    }

    /// The elements of a range of any other kind. Assigning others replaces them, however many there are.
    public subscript<Bounds: RangeExpression>(bounds: Bounds) -> Slice<List> where Bounds.Bound == Int {
        get { self[bounds.relative(to: self)] }
        set { self[bounds.relative(to: self)] = newValue }
        _modify { yield &self[bounds.relative(to: self)] }
    }

    /// All elements. Assigning others replaces them, however many there are.
    public subscript(all: UnboundedRange) -> Slice<List> {
        get { self[0..<count] }
        set { self[0..<count] = newValue }
        _modify { yield &self[0..<count] }
    }

    private func checkBounds(_ bounds: Range<Int>) {
        if bounds.lowerBound < 0 || bounds.upperBound > count {
            misuse("the range \(bounds) is outside of a \(Self.typeName) of \(count)")
        }
    }

    /// Appends all elements of a sequence.
    public func append<S: Sequence>(contentsOf objects: S) where S.Element == Element { append(objectsIn: objects) }

    /// Removes the elements at some positions.
    public func remove(atOffsets offsets: IndexSet) {
        for range in offsets.rangeView.reversed() { replaceSubrange(range, with: EmptyCollection()) }
    }

    /// Moves the elements at some positions, in their order, in front of the element that is now at another position.
    public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
        if destination < 0 || destination > count {
            misuse("offset \(destination) is outside of a \(Self.typeName) of \(count) elements")
        }
        // First those behind the destination move forward, then those in front of it, from the last, move back.
        var target = destination
        for offset in offsets where offset >= destination {
            move(from: offset, to: target)
            target += 1
        }
        target = destination
        for offset in offsets.reversed() where offset < destination {
            target -= 1
            move(from: offset, to: target)
        }
    }

    /// Walks the elements as they are now. A new object is made only if the program kept the one before.
    public func makeIterator() -> RLMIterator<Element> { iterator }
}

/// A range as an expression, so that the compiler chooses the `replaceSubrange` of expressions.
private struct RangeOf: RangeExpression {
    let range: Range<Int>
    init(_ range: Range<Int>) { self.range = range }
    func relative<C: Collection>(to collection: C) -> Range<Int> where C.Index == Int { range }
    func contains(_ element: Int) -> Bool { range.contains(element) }
}

extension List: Hashable {
    /// Managed lists are equal if they are the same property of the same object, unmanaged ones if their elements are.
    public static func == (left: List, right: List) -> Bool {
        left.isEqual(right) { left.elements == right.elements }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        if let live { live.hash(into: &hasher) } else { hasher.combine(elements) }
    }
}

extension List: CustomStringConvertible {
    /// The elements as text, a hundred at most.
    public var description: String { text(depth: ValueText.depth) }
}

extension List: NestedText {
    func text(depth: Int) -> String { text("List", depth: depth) }
}

extension List: Decodable where Element: Decodable {
    /// Creates an unmanaged list of an array.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { elements.append(try container.decode(Element.self)) }
    }
}

extension List: Encodable where Element: Encodable {
    /// Encodes the elements as an array.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension List: _Persistable, _DefaultConstructible {
    public typealias PersistedType = List
    public static var _shape: _PropertyShape { Element._shape.many(.list) }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> List {
        guard let live = ManagedCollection.of(row, column) else { return List() }
        return List(live)
    }

    @inlinable
    public static func _kept(_ value: List?, _ row: _Row, _ column: UInt32) -> List? {
        value?.live?.isOf(row, column) == true ? value : nil
    }

    public static func _write(_ value: List, _ row: _Row, _ column: UInt32) { write(value, row, column) }

    public static func _assigned(_ value: List, over current: List?) -> List {
        let list = current ?? List()
        list.assign(value)
        return list
    }

    @inlinable
    public static var _isGenerated: Bool { true }
    public static func _stored(_ value: List) -> _StoredValue { .collection(value) }

    public static func _value(_ stored: _StoredValue) -> List? { from(stored, List()) }
}
