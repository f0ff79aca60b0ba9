// SPDX-License-Identifier: MIT
// MutableSet+Collection.swift -- sets as collections of the standard library.

extension MutableSet: _PositionalCollection {
    /// The count.
    public var endIndex: Int { count }

    /// Sets have no positions that mean anything; stops the program.
    public func index(of element: Element) -> Int? {
        misuse("index(of:) of a \(Self.typeName); a set has no order, ask contains(_:)")
    }

    /// Walks the elements as they are now.
    public func makeIterator() -> RLMIterator<Element> { iterator }
}

extension MutableSet: Hashable {
    /// Managed sets are equal if they are the same property of the same object, unmanaged ones if their elements are.
    public static func == (left: MutableSet, right: MutableSet) -> Bool {
        left.isEqual(right) { left.count == right.count && left.allSatisfy(right.contains) }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        if let live { live.hash(into: &hasher) } else { hasher.combine(Set(elements)) }
    }
}

extension MutableSet: CustomStringConvertible {
    /// The elements as text, a hundred at most.
    public var description: String { text(depth: ValueText.depth) }
}

extension MutableSet: NestedText {
    func text(depth: Int) -> String { text("MutableSet", depth: depth) }
}

extension MutableSet: Decodable where Element: Decodable {
    /// Creates an unmanaged set of an array.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { insert(try container.decode(Element.self)) }
    }
}

extension MutableSet: Encodable where Element: Encodable {
    /// Encodes the elements as an array.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension MutableSet: _Persistable, _DefaultConstructible {
    public typealias PersistedType = MutableSet
    public static var _shape: _PropertyShape { Element._shape.many(.set) }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> MutableSet {
        guard let live = ManagedCollection.of(row, column) else { return MutableSet() }
        return MutableSet(live)
    }

    @inlinable
    public static func _kept(_ value: MutableSet?, _ row: _Row, _ column: UInt32) -> MutableSet? {
        value?.live?.isOf(row, column) == true ? value : nil
    }

    public static func _write(_ value: MutableSet, _ row: _Row, _ column: UInt32) { write(value, row, column) }

    public static func _assigned(_ value: MutableSet, over current: MutableSet?) -> MutableSet {
        let set = current ?? MutableSet()
        set.assign(value)
        return set
    }

    @inlinable
    public static var _isGenerated: Bool { true }
    public static func _stored(_ value: MutableSet) -> _StoredValue { .collection(value) }

    public static func _value(_ stored: _StoredValue) -> MutableSet? { from(stored, MutableSet()) }
}
