// SPDX-License-Identifier: MIT
// StoredValue+Order.swift -- the order of values, which is the same as in the engine.

import Foundation

extension _StoredValue {
    /// Less than 0, 0, or more: nulls, truth values, numbers by value, strings by their bytes, data, dates, object
    /// identifiers, UUIDs. NaN stands below all numbers.
    static func order(_ left: _StoredValue, _ right: _StoredValue) -> Int {
        let (a, b) = (left.rank, right.rank)
        if a != b { return a < b ? -1 : 1 }
        switch (left, right) {
        case (.bool(let a), .bool(let b)): return (a ? 1 : 0) - (b ? 1 : 0)
        case (.int(let a), .int(let b)): return compare(a, b)
        case (.string(let a), .string(let b)): return compare(a.utf8, b.utf8)
        case (.data(let a), .data(let b)): return compare(a, b)
        case (.date(let a), .date(let b)):
            return compare(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
        case (.objectId(let a), .objectId(let b)): return bytes(of: a.bytes, b.bytes)
        case (.uuid(let a), .uuid(let b)): return bytes(of: a.uuid, b.uuid)
        case (.elements(let a), .elements(let b)):
            for (a, b) in zip(a, b) where order(a, b) != 0 { return order(a, b) }
            return compare(a.count, b.count)
        case (.entries(let a), .entries(let b)):
            for (a, b) in zip(a, b) {
                let keys = compare(a.key.utf8, b.key.utf8)
                if keys != 0 { return keys }
                if order(a.value, b.value) != 0 { return order(a.value, b.value) }
            }
            return compare(a.count, b.count)
        default: return numbers(left, right)
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .string: 3
        case .data: 4
        case .date: 5
        case .objectId: 6
        case .uuid: 7
        case .object: 8
        case .collection, .elements: 9
        case .entries: 10
        default: 2
        }
    }

    /// The value of any number that is not decimal.
    var real: Double? {
        switch self {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// A number in the form of the engine, whose order of numbers of different types is not repeated here.
    private var number: EngineValue? {
        switch self {
        case .int(let value): .int(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal(value.engine)
        default: nil
        }
    }

    private static func numbers(_ left: _StoredValue, _ right: _StoredValue) -> Int {
        guard let left = left.number, let right = right.number else { return 0 }
        return EngineValue.order(left, right)
    }

    private static func compare<Value: Comparable>(_ a: Value, _ b: Value) -> Int { a < b ? -1 : a == b ? 0 : 1 }

    private static func compare<Bytes: Sequence<UInt8>>(_ a: Bytes, _ b: Bytes) -> Int {
        a.lexicographicallyPrecedes(b) ? -1 : b.lexicographicallyPrecedes(a) ? 1 : 0
    }

    private static func bytes<Value>(of a: Value, _ b: Value) -> Int {
        withUnsafeBytes(of: a) { a in withUnsafeBytes(of: b) { b in compare(a, b) } }
    }
}
