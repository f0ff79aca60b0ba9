// SPDX-License-Identifier: MIT
// CollectionPlace.swift -- what a managed collection shows, and reading it.

public import CStrata
import Foundation

/// A list, set or map column of one object, or a list or map nested in a value of any type. Has a row of its own,
/// because the object may be pointed elsewhere.
@usableFromInline
final class CollectionPlace {
    let session: Session
    let owner: ManagedClass
    let column: UInt32
    let key: UInt64
    /// The class of the objects in it; nil if it holds values.
    let target: ManagedClass?
    let moment: UInt64
    /// Set if this is a part of a value of any type, which the column or one of its elements is.
    let nested: NestedCollection?
    let kind: CollectionContents
    /// Whether the elements are neither objects nor values of any type, so that the engine can take and give them as
    /// they are.
    @usableFromInline let isPlain: Bool
    /// How many elements there were when `Session.changes` was `knownAt`.
    @exclusivity(unchecked) private var known: Int?
    @exclusivity(unchecked) private var knownAt: UInt64 = 0
    /// Unchecked, because the engine is asked for the bytes of an element while it is asked for the element.
    @exclusivity(unchecked) var row: strata_row

    /// How many elements are read or written by one call of the engine.
    static let batch = 512

    init(_ owner: ManagedClass, _ key: UInt64, _ column: UInt32, moment: UInt64) {
        session = owner.session
        self.owner = owner
        self.column = column
        self.key = key
        self.moment = moment
        nested = nil
        target = owner.possibleTarget(ofColumn: column)
        kind = owner.contents(ofColumn: column)
        isPlain = target == nil && !kind.isAny
        row = owner.unbound(key)
    }

    /// A list or map nested in a value of any type.
    init(_ nested: NestedCollection) {
        let base = nested.root.base
        session = base.session
        owner = base.owner
        column = base.column
        key = base.key
        moment = base.moment
        target = nil
        kind = base.kind
        isPlain = false
        self.nested = nested
        row = base.owner.unbound(base.key)
    }

    /// The full name of the property, such as "Person.dogs".
    var name: String {
        nested?.name ?? "\(owner.layout.schema.className).\(owner.propertyName(ofColumn: column) ?? "collection")"
    }

    /// Whether both are the same collection of the same object.
    func isSame(as other: CollectionPlace) -> Bool {
        guard session === other.session && owner === other.owner && key == other.key && column == other.column else {
            return false
        }
        switch (nested, other.nested) {
        case (let one?, let other?): return one.isSame(as: other)
        case (nil, nil): return true
        default: return false
        }
    }

    // MARK: Reading

    /// How many elements there are; nil if the object is gone.
    var size: Int? {
        session.checkThread { name }
        if let nested { return nested.size }
        if knownAt == session.changes { return known }
        known = session.read(name) { () throws(StrataError) in
            isReachable ? try session.view.size(of: &row, column) : nil
        }
        knownAt = session.changes
        return known
    }

    /// Notes how many elements there are after a change.
    @inline(__always)
    func resized(to size: Int) {
        known = size
        knownAt = session.changes
    }

    /// Whether the object may still be there as far as this realm is concerned.
    var isReachable: Bool { !owner.isKnownGone(key, moment) }

    var count: Int { size ?? 0 }

    var isInvalidated: Bool { size == nil }

    /// The element at a position, or the value of a map; stops the program if there is none. A list or a map among
    /// values of any type is one that can be changed.
    func value(at position: Int) -> _StoredValue {
        let count = count
        if position < 0 || position >= count {
            misuse("index \(position) is outside of \(name), which has \(count) elements")
        }
        if let nested { return nested.element(at: position) }
        return session.read(name) { () throws(StrataError) in
            var result = _StoredValue.null
            try session.view.visit(&row, column, position..<position + 1) { (value, position) throws(StrataError) in
                result = try element(value, position)
            }
            return result
        }
    }

    /// The element at a position, or the value of a map, as the engine lends it until something changes; false where
    /// `value(at:)` must get it, or say what is wrong.
    @usableFromInline
    func lend(_ position: Int, _ out: UnsafeMutablePointer<strata_value>) -> Bool {
        guard isPlain, position >= 0, isReachable else { return false }
        return strata_collection_get(&row, column, UInt64(position), 1, out, session.view.error) == .STRATA_OK
    }

    /// The same of some elements from a position on.
    func lend(_ position: Int, _ count: Int, _ out: UnsafeMutablePointer<strata_value>) -> Bool {
        guard isPlain, isReachable else { return false }
        return strata_collection_get(&row, column, UInt64(position), UInt64(count), out, session.view.error)
            == .STRATA_OK
    }

    /// The same of the value under a key of a map.
    @usableFromInline
    func lend(_ key: String, _ out: UnsafeMutablePointer<strata_value>) -> Bool {
        guard isPlain, isReachable else { return false }
        var key = key, position: UInt64 = 0
        let status = key.withUTF8 { text in
            strata_map_find(
                &row, column, strata_bytes(data: text.baseAddress, size: text.count), &position, session.view.error)
        }
        guard status == .STRATA_OK else { return false }
        return strata_collection_get(&row, column, position, 1, out, session.view.error) == .STRATA_OK
    }

    /// Whether a set holds a value; nil where `position(of:)` must find out.
    @usableFromInline
    func holds(plain value: strata_value) -> Bool? {
        guard isPlain, isReachable else { return nil }
        var value = value, position: UInt64 = 0
        switch strata_collection_find(&row, column, &value, 0, &position, session.view.error) {
        case .STRATA_OK: return true
        case .STRATA_NOT_FOUND where size != nil: return false
        default: return nil
        }
    }

    /// The elements of a range that exists, in their general form, with all that is nested in them.
    func values(_ range: Range<Int>) -> [_StoredValue] {
        if let nested { return Array(nested.values[range]) }
        return session.read(name) { () throws(StrataError) in
            var result: [_StoredValue] = []
            result.reserveCapacity(range.count)
            try session.view.visit(&row, column, range) { (value, position) throws(StrataError) in
                result.append(try decode(value, position))
            }
            return result
        }
    }

    /// The element at a position that exists, with all that is nested in it.
    func whole(at position: Int) -> _StoredValue { values(position..<position + 1)[0] }

    /// The elements of a range that exists.
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

    /// An engine value as an element: a list or a map among values of any type is one that can be changed.
    private func element(_ value: strata_value, _ position: Int) throws(StrataError) -> _StoredValue {
        guard value.type == .STRATA_NESTED, !kind.isSet else { return try decode(value, position) }
        let step: NestedStep
        if kind.isMap {
            step = .key(try session.view.keys(of: &row, column, position..<position + 1)[0])
        } else {
            step = .index(position)
        }
        return NestedCollection.of(NestedRoot(self, step)).map { .collection(CollectionPlace($0)) } ?? .null
    }

    /// The element at a position that exists, with all that is nested in it.
    func whole(_ position: Int) throws(StrataError) -> _StoredValue {
        var result = _StoredValue.null
        try session.view.visit(&row, column, position..<position + 1) { (value, position) throws(StrataError) in
            result = try decode(value, position)
        }
        return result
    }

    /// The keys of the objects of a range that exists; 0 stands for nil.
    func links(_ range: Range<Int>) -> [UInt64] {
        session.read(name) { () throws(StrataError) in try currentLinks(range) }
    }

    func currentLinks(_ range: Range<Int>) throws(StrataError) -> [UInt64] {
        var result: [UInt64] = []
        result.reserveCapacity(range.count)
        try session.view.visit(&row, column, range) { (value, _) throws(StrataError) in
            result.append(value.type == .STRATA_NULL ? 0 : value.as.link)
        }
        return result
    }

    /// The keys of all objects; 0 stands for nil.
    var links: [UInt64] { links(0..<count) }

    /// The first position of an element, or of a value of a map; nil if there is none.
    func position(of value: _StoredValue) -> Int? {
        guard size != nil else { return nil }
        if let nested { return nested.position(of: value) }
        return session.read(name) { () throws(StrataError) in
            let encoded: strata_value
            if case .object(let object) = value {
                guard let object = object as? ObjectBase, let key = session.keyForComparison(object),
                    target == nil || object.row.pointee.table == target?.table
                else { return nil }
                encoded = session.link(key, target == nil ? object.row.pointee.table : 0)
            } else {
                session.arena.reset()
                guard let plain = try value.encodedAny(session.arena) else { return nil }
                encoded = plain
            }
            return try session.view.find(encoded, in: &row, column)
        }
    }

    /// An engine value in its general form.
    func decode(_ value: strata_value, _ position: Int) throws(StrataError) -> _StoredValue {
        switch value.type {
        case .STRATA_STRING where value.as.bytes.data == nil && value.as.bytes.size > 0:
            return .string(String(decoding: try large(position, value.as.bytes.size), as: UTF8.self))
        case .STRATA_DATA where value.as.bytes.data == nil && value.as.bytes.size > 0:
            return .data(try large(position, value.as.bytes.size))
        case .STRATA_NESTED where value.as.bytes.data == nil:
            return try session.decoded(nested: try large(position, value.as.bytes.size))
        default:
            return try session.decoded(value, target)
        }
    }

    private func large(_ position: Int, _ size: Int) throws(StrataError) -> Data {
        try session.view.bytes(of: &row, column, position, size)
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

extension Session {
    /// The engine's link to an object; `table` is 0 unless the column holds any values.
    func link(_ key: UInt64, _ table: UInt32) -> strata_value {
        var value = strata_link(key)
        value.table = table
        return value
    }
}
