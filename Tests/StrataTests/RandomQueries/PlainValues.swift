// SPDX-License-Identifier: MIT
// PlainValues.swift -- plain values, and how they compare.

import Foundation
import Strata

/// A value as the evaluator knows it. Decimals, dates and identifiers are numbers, so that nothing of the engine
/// takes part in comparing them.
enum PlainValue {
    case null
    case bool(Bool)
    case int(Int)
    case float(Float)
    case double(Double)
    case decimal(Double)
    case nan  // in a value of any type, where it is below all numbers and equal to itself (S106)
    case string(String)
    case data([UInt8])
    case date(Double)
    case objectId(UInt8)
    case uuid(UInt8)
    case link(PlainRow)
    case list([PlainValue])
    case map([String: PlainValue])

    var isNull: Bool { if case .null = self { true } else { false } }

    var row: PlainRow? { if case .link(let row) = self { row } else { nil } }

    /// The number of any numeric type.
    var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value), .decimal(let value): value
        case .nan: .nan
        default: nil
        }
    }

    /// Whether it has no place in the order of the other in a condition: NaN, unless values of any type are compared.
    func isApart(from other: PlainValue) -> Bool {
        if case .nan = self { return false }
        if case .nan = other { return false }
        return number?.isNaN == true || other.number?.isNaN == true
    }

    var bytes: [UInt8]? {
        switch self {
        case .string(let value): Array(value.utf8)
        case .data(let value): value
        default: nil
        }
    }

    /// The place of its type in the order of values of any type (S106).
    private var place: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int, .float, .double, .decimal, .nan: 2
        case .string: 3
        case .data: 4
        case .date: 5
        case .objectId: 6
        case .uuid: 7
        case .link: 8
        case .list, .map: 9
        }
    }

    func isOfType(of other: PlainValue) -> Bool { place == other.place }

    /// Negative, zero or positive, in the order by which is sorted.
    func order(_ other: PlainValue) -> Int {
        switch (self, other) {
        case (.int(let left), .int(let right)): return PlainValue.sign(left, right)
        case (.bool(let left), .bool(let right)): return PlainValue.sign(left ? 1 : 0, right ? 1 : 0)
        case (.date(let left), .date(let right)): return PlainValue.sign(left, right)
        case (.objectId(let left), .objectId(let right)): return PlainValue.sign(left, right)
        case (.uuid(let left), .uuid(let right)): return PlainValue.sign(left, right)
        case (.link(let left), .link(let right)): return PlainValue.sign(left.id, right.id)
        default: break
        }
        guard place == other.place else { return place - other.place }
        if let left = number, let right = other.number {
            if left.isNaN || right.isNaN { return (right.isNaN ? 1 : 0) - (left.isNaN ? 1 : 0) }
            return PlainValue.sign(left, right)
        }
        guard let left = bytes, let right = other.bytes else { return 0 }
        return left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
    }

    private static func sign<T: Comparable>(_ left: T, _ right: T) -> Int { left < right ? -1 : left == right ? 0 : 1 }

    /// Equality in a condition. Types that do not compare are not equal (S128).
    func equals(_ other: PlainValue) -> Bool {
        !isApart(from: other) && order(other) == 0
    }

    // MARK: For the engine

    static func date(of number: Double) -> Date { Date(timeIntervalSinceReferenceDate: number) }

    private static func uuid(of byte: UInt8) -> UUID {
        UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte))
    }

    private static func objectId(of byte: UInt8) -> ObjectId {
        let hex = (byte < 16 ? "0" : "") + String(byte, radix: 16)
        return try! ObjectId(string: hex + "00000000000000000000" + hex)
    }

    /// As an argument of a predicate, and as a value of a property that is no link.
    var argument: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .int(let value): value
        case .float(let value): value
        case .double(let value): value
        case .decimal(let value): Decimal128(value)
        case .nan: Double.nan
        case .string(let value): value
        case .data(let value): Data(value)
        case .date(let value): PlainValue.date(of: value)
        case .objectId(let value): PlainValue.objectId(of: value)
        case .uuid(let value): PlainValue.uuid(of: value)
        case .link(let row): row
        case .list, .map: any
        }
    }

    var any: AnyRealmValue {
        switch self {
        case .null, .link: .none
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal128(Decimal128(value))
        case .nan: .double(.nan)
        case .string(let value): .string(value)
        case .data(let value): .data(Data(value))
        case .date(let value): .date(PlainValue.date(of: value))
        case .objectId(let value): .objectId(PlainValue.objectId(of: value))
        case .uuid(let value): .uuid(PlainValue.uuid(of: value))
        case .list(let values): .fromArray(values.map(\.any))
        case .map(let values): .fromDictionary(values.mapValues(\.any))
        }
    }

    /// A value of the engine.
    init(_ given: Any) {
        switch given {
        case let value as Bool: self = .bool(value)
        case let value as Int: self = .int(value)
        case let value as Int8: self = .int(Int(value))
        case let value as Float: self = .float(value)
        case let value as Double: self = .double(value)
        case let value as Decimal128: self = .decimal(Double(value))
        case let value as String: self = .string(value)
        case let value as Data: self = .data(Array(value))
        case let value as Date: self = .date(value.timeIntervalSinceReferenceDate)
        case let value as UUID: self = .uuid(value.uuid.0)
        case let value as ObjectId: self = .objectId(UInt8(value.stringValue.prefix(2), radix: 16) ?? 0)
        case let value as Mood: self = .string(value.rawValue)
        case let value as Rank: self = .int(value.rawValue)
        default: self = .null
        }
    }

    /// Says which value it is, in a report.
    var text: String { if case .link(let row) = self { "object \(row.id)" } else { "\(self)" } }
}
