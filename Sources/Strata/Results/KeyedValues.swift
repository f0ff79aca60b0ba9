// SPDX-License-Identifier: MIT
// KeyedValues.swift -- properties of many elements by a path, with the collection operators.

import Foundation

/// Elements from which paths are followed.
struct KeyedValues {
    private let elements: [Any]

    init(_ elements: [Any]) { self.elements = elements }

    /// What a path leads to; the path may begin with an operator.
    func value(_ path: [String]) -> Any? {
        guard let name = path.first, name.hasPrefix("@") else { return elements.map { Self.follow($0, path[...]) } }
        let rest = Array(path.dropFirst())
        if rest.contains(where: { $0.hasPrefix("@") }) {
            misuse("the key path \(path.joined(separator: ".")) nests collection operators; use one")
        }
        if name == "@count" { return elements.count }
        let values = elements.map { Self.follow($0, rest[...]) }
        switch name {
        case "@unionOfObjects": return values
        case "@distinctUnionOfObjects": return Self.distinct(values)
        case "@min", "@max", "@sum", "@avg": return Self.total(name, values.compactMap(Self.stored))
        default: misuse("\(name) is no collection operator; there are @count, @min, @max, @sum, @avg, @unionOfObjects")
        }
    }

    /// The value of one element; NSNull if there is none.
    private static func follow(_ element: Any, _ path: ArraySlice<String>) -> Any {
        let element = UntypedValue.unwrap(element)
        guard let name = path.first else { return element }
        if name == "self" { return follow(element, path.dropFirst()) }
        if UntypedValue.isNil(element) { return NSNull() }
        guard let object = element as? ObjectBase else {
            misuse("\(type(of: element)) has no property \"\(name)\"")
        }
        return follow(object[name] ?? NSNull(), path.dropFirst())
    }

    private static func distinct(_ values: [Any]) -> [Any] {
        var seen = Set<AnyHashable>()
        return values.filter { ($0 as? AnyHashable).map { seen.insert($0).inserted } ?? true }
    }

    private static func stored(_ value: Any) -> _StoredValue? {
        if let number = value as? any FixedWidthInteger { return Int64(exactly: number).map { .int($0) } }
        if let number = value as? Float { return .float(number) }
        if let number = value as? any BinaryFloatingPoint { return .double(Double(number)) }
        if let date = value as? Date { return .date(date) }
        return (value as? Decimal128).map { .decimal($0) }
    }

    private static func total(_ name: String, _ values: [_StoredValue]) -> Any? {
        let totals = ValueTotals(values)
        switch name {
        case "@min": return totals.least.flatMap(\.plain)
        case "@max": return totals.greatest.flatMap(\.plain)
        case "@sum": return totals.sum.plain
        default: return totals.average.plain
        }
    }
}

extension _StoredValue {
    /// The value in the form in which programs use it.
    var plain: Any? {
        switch self {
        case .null: nil
        case .bool(let value): value
        case .int(let value): Int(value)
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .uuid(let value): value
        case .objectId(let value): value
        case .decimal(let value): value
        case .object(let value), .collection(let value): value
        case .elements(let values): values.map { $0.plain ?? NSNull() }
        case .entries(let entries):
            Dictionary(entries.map { ($0.key, $0.value.plain ?? NSNull()) }) { $1 }
        }
    }
}
