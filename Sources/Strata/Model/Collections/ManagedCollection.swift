// SPDX-License-Identifier: MIT
// ManagedCollection.swift -- what a list, a set or a map of a live object shows, and reading it.
//
// Elements are read in their general form here. Where the engine can lend elements without a conversion, a
// `PlainCollection` does so faster.

import Foundation

/// A list, set or map column of one object, or a list or map nested in a value of any type.
///
/// It has a row of its own, because the object that it was read from may be made to show another row.
@usableFromInline
final class ManagedCollection {
    let session: Session
    let owner: ManagedClass
    let column: UInt32
    let key: UInt64
    /// The class of the objects in it; nil if it holds values.
    let target: ManagedClass?
    /// The generation of the object that it was read from.
    let generation: UInt64
    /// Set if this is a list or a map nested in a value of any type, which is in the column or in one of its elements.
    let nested: NestedCollection?
    let kind: CollectionKind
    /// Whether the elements are neither objects nor values of any type. See `plain`.
    @usableFromInline let isPlain: Bool
    /// How many elements there are; nil if the object is gone.
    @exclusivity(unchecked) private var knownSize = Cached<Int?>()
    /// Unchecked, because the engine is asked for the bytes of an element while it is asked for the element.
    @exclusivity(unchecked) private var liveRow: EngineRow
    /// The row of the object. Each use of a frozen collection has one of its own, because all threads use it.
    var row: EngineRow {
        get { owner.isFrozen ? owner.unbound(key) : liveRow }
        _modify {
            if owner.isFrozen {
                var row = owner.unbound(key)
                yield &row
            } else {
                yield &liveRow
            }
        }
    }

    /// How many elements are written by one call of the engine.
    static let batch = 512

    /// A column of an object.
    init(_ owner: ManagedClass, _ key: UInt64, _ column: UInt32, generation: UInt64) {
        session = owner.session
        self.owner = owner
        self.column = column
        self.key = key
        self.generation = generation
        nested = nil
        target = owner.possibleTarget(ofColumn: column)
        kind = owner.kind(ofColumn: column)
        isPlain = target == nil && !kind.isAny
        liveRow = owner.unbound(key)
    }

    /// A list or map nested in a value of any type.
    init(_ nested: NestedCollection) {
        let base = nested.root.base
        session = base.session
        owner = base.owner
        column = base.column
        key = base.key
        generation = base.generation
        target = nil
        kind = base.kind
        isPlain = false
        self.nested = nested
        liveRow = base.owner.unbound(base.key)
    }

    /// The collection that a property of a live object shows; nil if the row only records which properties are read.
    @usableFromInline
    static func of(_ row: _Row, _ column: UInt32) -> ManagedCollection? {
        let owner = LiveRow.owner(row)
        guard owner._mode == .live, let managed = owner.managed else { return nil }
        return ManagedCollection(managed, row.key, column, generation: owner._generation)
    }

    /// Whether this is the collection in a column of a row.
    @usableFromInline
    func isOf(_ row: _Row, _ column: UInt32) -> Bool {
        key == row.key && self.column == column && owner.table == row.table && session === LiveRow.owner(row)._session
    }

    /// Fast access to the elements; nil if they are objects or values of any type.
    @inlinable @inline(__always)
    var plain: PlainCollection? { isPlain ? PlainCollection(self) : nil }

    /// The full name of the property, such as "Person.dogs".
    var name: String {
        nested?.name ?? "\(owner.name).\(owner.propertyName(ofColumn: column) ?? "collection")"
    }

    /// Whether both are the same collection of the same object.
    func isSame(as other: ManagedCollection) -> Bool {
        guard session.isSame(as: other.session) && owner.table == other.owner.table && key == other.key
            && column == other.column
        else { return false }
        switch (nested, other.nested) {
        case (let one?, let other?): return one.isSame(as: other)
        case (nil, nil): return true
        default: return false
        }
    }

    /// Hashes what `isSame` compares.
    func hash(into hasher: inout Hasher) {
        session.hash(into: &hasher)
        hasher.combine(owner.table)
        hasher.combine(column)
        hasher.combine(key)
        nested?.hash(into: &hasher)
    }

    // MARK: Size

    /// How many elements there are; nil if the object is gone.
    var size: Int? {
        session.checkThread { name }
        if let nested { return nested.size }
        if !owner.isFrozen, let size = knownSize.current(session) { return size }
        let size = session.read(name) { () throws(StrataError) in
            isReachable ? try session.view.size(of: &row, column) : nil
        }
        if !owner.isFrozen { knownSize = Cached(size, session) }
        return size
    }

    /// Remembers how many elements there are after a change.
    @inline(__always)
    func resized(to size: Int) { knownSize = Cached(size, session) }

    /// Whether the object may still be there as far as this realm is concerned.
    var isReachable: Bool { !owner.isKnownGone(key, generation) }

    var count: Int { size ?? 0 }

    var isInvalidated: Bool { size == nil }

    // MARK: Elements

    /// The element at a position, or the value of a map; stops the program if there is none. A list or a map among
    /// values of any type is one that can be changed.
    func value(at position: Int) -> _StoredValue {
        check(position, below: count)
        if let nested { return nested.element(at: position) }
        return session.read(name) { () throws(StrataError) in
            var result = _StoredValue.null
            try session.view.visit(&row, column, position..<position + 1) { (value, position) throws(StrataError) in
                result = try element(value, position)
            }
            return result
        }
    }

    /// Stops the program unless a position is below a limit, which is the count or one more.
    func check(_ position: Int, below limit: Int) {
        if position < 0 || position >= limit {
            misuse("index \(position) is outside of \(name), which has \(count) elements")
        }
    }

    /// The elements of a range that exists. A list or a map among values of any type is one that can be changed.
    func elements<Element>(_ range: Range<Int>, _ make: (_StoredValue) -> Element) -> [Element] {
        if let nested { return range.map { make(nested.element(at: $0)) } }
        return session.read(name) { () throws(StrataError) in
            var result: [Element] = []
            result.reserveCapacity(range.count)
            try session.view.visit(&row, column, range) { (value, position) throws(StrataError) in
                result.append(make(try element(value, position)))
            }
            return result
        }
    }

    /// The element that the engine gave for a position. A list or a map among values of any type is one that can be
    /// changed.
    private func element(_ value: EngineValue, _ position: Int) throws(StrataError) -> _StoredValue {
        guard value.isNested, !kind.isSet else { return try wholeValue(value, position) }
        let step: NestedStep
        if kind.isMap {
            step = .key(try session.view.keys(of: &row, column, position..<position + 1)[0])
        } else {
            step = .index(position)
        }
        return NestedCollection.of(NestedRoot(self, step)).map { .collection(ManagedCollection($0)) } ?? .null
    }

    /// The elements of a range that exists, in their general form, with all that is nested in them.
    func values(_ range: Range<Int>) -> [_StoredValue] {
        if let nested { return Array(nested.values[range]) }
        return session.read(name) { () throws(StrataError) in
            var result: [_StoredValue] = []
            result.reserveCapacity(range.count)
            try session.view.visit(&row, column, range) { (value, position) throws(StrataError) in
                result.append(try wholeValue(value, position))
            }
            return result
        }
    }

    /// The element of a column at a position that exists, with all that is nested in it.
    func wholeValue(at position: Int) throws(StrataError) -> _StoredValue {
        var result = _StoredValue.null
        try session.view.visit(&row, column, position..<position + 1) { (value, position) throws(StrataError) in
            result = try wholeValue(value, position)
        }
        return result
    }

    /// The element that the engine gave for a position, with all that is nested in it.
    func wholeValue(_ value: EngineValue, _ position: Int) throws(StrataError) -> _StoredValue {
        try session.storedValue(value, target) { (size) throws(StrataError) in
            try session.view.bytes(of: &row, column, position, size)
        }
    }

    // MARK: Objects

    /// The keys of all objects; 0 stands for nil.
    var links: [UInt64] { links(0..<count) }

    /// The keys of the objects of a range that exists; 0 stands for nil.
    func links(_ range: Range<Int>) -> [UInt64] {
        session.read(name) { () throws(StrataError) in try currentLinks(range) }
    }

    func currentLinks(_ range: Range<Int>) throws(StrataError) -> [UInt64] {
        var result: [UInt64] = []
        result.reserveCapacity(range.count)
        try session.view.visit(&row, column, range) { (value, _) throws(StrataError) in
            result.append(value.linkedKey)
        }
        return result
    }

    // MARK: Searching

    /// The first position of an element, or of a value of a map; nil if there is none.
    func position(of value: _StoredValue) -> Int? {
        guard size != nil else { return nil }
        if let nested { return nested.position(of: value) }
        return session.read(name) { () throws(StrataError) in
            guard let target = try encodedForSearch(value) else { return nil }
            return try session.view.find(target, in: &row, column)
        }
    }

    /// A value that is searched for; nil if it cannot be an element.
    private func encodedForSearch(_ value: _StoredValue) throws(StrataError) -> EngineValue? {
        guard case .object(let object) = value else {
            session.arena.reset()
            return try value.encodedAny(session.arena)
        }
        guard let object = object as? ObjectBase, let key = session.keyForComparison(object) else { return nil }
        guard let target else { return .link(key, of: object.row.table) }
        return object.row.table == target.table ? .link(key) : nil
    }

    /// The positions of the values that meet a condition, in the order of the collection.
    func select(_ condition: EngineCondition) throws(StrataError) -> [Int] {
        if let nested { return try nested.select(condition) }
        return try session.view.select(&row, column, condition).positions
    }

    /// The positions of the values in an order: that of the collection if `ascending` is nil.
    func order(ascending: Bool?, isDistinct: Bool) throws(StrataError) -> [Int] {
        if let nested { return nested.order(ascending: ascending, isDistinct: isDistinct) }
        return try session.view.order(&row, column, ascending: ascending, isDistinct: isDistinct).positions
    }

    // MARK: Maps

    /// The position of a key.
    func position(ofKey key: String) -> Int? {
        guard size != nil else { return nil }
        if let nested { return nested.position(ofKey: key) }
        return session.read(name) { () throws(StrataError) in try session.view.find(key: key, in: &row, column) }
    }

    /// The keys of a map, in the order of their bytes.
    var keys: [String] {
        let count = count
        if let nested { return nested.keys }
        return session.read(name) { () throws(StrataError) in try session.view.keys(of: &row, column, 0..<count) }
    }
}
