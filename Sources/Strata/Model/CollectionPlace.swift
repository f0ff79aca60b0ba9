// SPDX-License-Identifier: MIT
// CollectionPlace.swift -- the column that a managed collection shows, and reading it.

import CStrata
import Foundation

/// A list, set or map column of one object. Has a row of its own, because the object may be pointed elsewhere.
final class CollectionPlace {
    let session: Session
    let owner: ManagedClass
    let column: UInt32
    let key: UInt64
    /// The class of the objects in it; nil if it holds values.
    let target: ManagedClass?
    let moment: UInt64
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
        target = owner.possibleTarget(ofColumn: column)
        row = owner.unbound(key)
    }

    /// The full name of the property, such as "Person.dogs".
    var name: String { "\(owner.layout.schema.className).\(owner.propertyName(ofColumn: column) ?? "collection")" }

    /// Whether both are the same collection of the same object.
    func isSame(as other: CollectionPlace) -> Bool {
        session === other.session && owner === other.owner && key == other.key && column == other.column
    }

    // MARK: Reading

    /// How many elements there are; nil if the object is gone.
    var size: Int? {
        session.checkThread { name }
        if moment < session.invalidatedAt || owner.wasRolledBack(key, moment) { return nil }
        return session.read(name) { () throws(StrataError) in try session.view.size(of: &row, column) }
    }

    var count: Int { size ?? 0 }

    var isInvalidated: Bool { size == nil }

    /// The element at a position, or the value of a map; stops the program if there is none.
    func value(at position: Int) -> _StoredValue {
        let count = count
        if position < 0 || position >= count {
            misuse("index \(position) is outside of \(name), which has \(count) elements")
        }
        return session.read(name) { () throws(StrataError) in
            var result = _StoredValue.null
            try session.view.visit(&row, column, position..<position + 1) { (value, position) throws(StrataError) in
                result = try decode(value, position)
            }
            return result
        }
    }

    /// The elements of a range that exists, in their general form.
    func values(_ range: Range<Int>) -> [_StoredValue] { elements(range) { $0 } }

    /// The elements of a range that exists.
    func elements<Element>(_ range: Range<Int>, _ make: (_StoredValue) -> Element) -> [Element] {
        session.read(name) { () throws(StrataError) in
            var result: [Element] = []
            result.reserveCapacity(range.count)
            try session.view.visit(&row, column, range) { (value, position) throws(StrataError) in
                result.append(make(try decode(value, position)))
            }
            return result
        }
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
        return session.read(name) { () throws(StrataError) in try session.view.find(key: key, in: &row, column) }
    }

    /// The keys of a map, in the order of their bytes.
    var keys: [String] {
        let count = count
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
