// SPDX-License-Identifier: MIT
// PlainEvaluation.swift -- the straightforward evaluation of a condition: one object after the other.

import Foundation
import Strata

extension PlainPath {
    /// The value at the end of a path without collections; null behind a null link.
    func value(_ row: PlainRow) -> PlainValue {
        var value = PlainValue.link(row)
        for step in steps {
            guard let row = value.row else { return .null }
            value = row.one[step.name] ?? .null
        }
        return value
    }

    /// All values at the end of a path with collections; null links lead to nothing.
    func values(_ row: PlainRow) -> [PlainValue] {
        var values = [PlainValue.link(row)]
        for step in steps {
            values = values.compactMap(\.row).flatMap { row in
                step.shape == .one ? [row.one[step.name] ?? .null] : row.many[step.name] ?? []
            }
        }
        return values
    }

    func keys(_ row: PlainRow) -> [String] {
        let owner = PlainPath(steps: steps.dropLast())
        return (owner.steps.isEmpty ? row : owner.value(row).row)?.keys[last.name] ?? []
    }
}

extension PlainOperator {
    func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        default: false
        }
    }

    /// S121 to S128.
    func holds(_ left: PlainValue, _ right: PlainValue, _ fold: String) -> Bool {
        let isSearched = PlainOperator.text.contains(self)
        let (left, right) = (left.folded(fold, isSearched), right.folded(fold, isSearched))
        switch self {
        case .equal: return left.equals(right)
        case .notEqual: return !left.equals(right)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard !left.isNull, left.isOfType(of: right) else { return false }
            return !left.isApart(from: right) && holds(left.order(right))
        case .like where left.isNull || right.isNull: return left.isNull && right.isNull
        case .contains, .begins, .ends, .like: break
        }
        guard let text = left.bytes, let part = right.bytes else { return false }
        if self == .like {
            guard case .string(let string) = left, case .string(let pattern) = right else { return text.like(part) }
            return Array(string.unicodeScalars.map(\.value)).like(Array(pattern.unicodeScalars.map(\.value)))
        }
        guard !part.isEmpty, part.count <= text.count else { return false }
        switch self {
        case .begins: return text.starts(with: part)
        case .ends: return text.suffix(part.count).elementsEqual(part)
        default: return (0...text.count - part.count).contains { text[$0...].starts(with: part) }
        }
    }
}

extension PlainValue {
    /// S123: marks are taken away first, then the letters of ASCII and Latin-1 are made small.
    /// Data is folded only where it is searched.
    func folded(_ fold: String, _ isSearched: Bool) -> PlainValue {
        guard !fold.isEmpty else { return self }
        if isSearched, case .data(let bytes) = self, let string = String(validating: bytes, as: UTF8.self) {
            return .data(PlainValue.string(string).folded(fold, false).bytes ?? [])
        }
        if isSearched, case .data(let bytes) = self, fold.contains("c") { return .data(Self.small(bytes)) }
        guard case .string(var string) = self else { return self }
        if fold.contains("d") {
            let plain = string.decomposedStringWithCanonicalMapping.unicodeScalars
            string = String(String.UnicodeScalarView(plain.filter { $0.properties.generalCategory != .nonspacingMark }))
        }
        if fold.contains("c") {
            string = String(String.UnicodeScalarView(string.unicodeScalars.map { scalar in
                let isLarge = (0x41...0x5A).contains(scalar.value)
                    || ((0xC0...0xDE).contains(scalar.value) && scalar.value != 0xD7)
                return isLarge ? Unicode.Scalar(scalar.value + 0x20)! : scalar
            }))
        }
        return .string(string)
    }

    /// Bytes that are no text as a whole may still hold letters.
    private static func small(_ bytes: [UInt8]) -> [UInt8] {
        var small = bytes
        for i in bytes.indices {
            let isLatin = i > 0 && bytes[i - 1] == 0xC3 && (0x80...0x9E).contains(bytes[i]) && bytes[i] != 0x97
            if isLatin || (0x41...0x5A).contains(bytes[i]) { small[i] += 0x20 }
        }
        return small
    }
}

extension Array where Element: FixedWidthInteger {
    /// S124, on code points or bytes.
    fileprivate func like(_ pattern: [Element]) -> Bool {
        var reached = [Bool](repeating: false, count: count + 1)
        reached[0] = true
        for wanted in pattern {
            var next = [Bool](repeating: false, count: count + 1)
            if wanted == 0x2A {
                next[0] = reached[0]
                for at in indices { next[at + 1] = reached[at + 1] || next[at] }
            } else {
                for at in indices where reached[at] && (wanted == 0x3F || wanted == self[at]) { next[at + 1] = true }
            }
            reached = next
        }
        return reached[count]
    }
}

extension PlainStep {
    /// What a value has at this step: one value, or null; or any number of values.
    func values(_ value: PlainValue) -> [PlainValue] {
        switch (self, value) {
        case (.key(let key), .map(let values)): return [values[key] ?? .null]
        case (.position(let position), .list(let values)):
            let index = position < 0 ? values.count + position : position
            return [values.indices.contains(index) ? values[index] : .null]
        case (.any, .list(let values)): return values
        case (.any, .map(let values)): return Array(values.values)
        case (.any, _): return []
        default: return [.null]
        }
    }
}

extension PlainTest {
    func holds(_ value: PlainValue) -> Bool {
        switch self {
        case .compare(let op, let constant, let fold): op.holds(value, constant, fold)
        case .among(let constants): constants.contains { value.equals($0) }
        case .between(let low, let high):
            PlainOperator.greaterOrEqual.holds(value, low, "") && PlainOperator.lessOrEqual.holds(value, high, "")
        }
    }
}

/// Totals of values (S110 to S112).
enum PlainTotal {
    static func total(_ function: String, _ all: [PlainValue], _ kind: PlainKind) -> PlainValue {
        let values = all.filter { !$0.isNull }
        switch function {
        case "@min": return values.min { $0.order($1) < 0 } ?? .null
        case "@max": return values.max { $0.order($1) < 0 } ?? .null
        case "@sum":
            let whole = values.reduce(0) { $0 &+ ($1.integer ?? 0) }
            if kind == .int || kind == .small { return .int(whole) }
            let sum = values.reduce(0) { $0 + ($1.number ?? 0) }
            return kind == .decimal ? .decimal(sum) : .double(sum)
        default:
            guard !values.isEmpty else { return .null }
            let average = values.reduce(0) { $0 + ($1.number ?? 0) } / Double(values.count)
            return kind == .decimal ? .decimal(average) : .double(average)
        }
    }
}

extension PlainValue {
    var integer: Int? { if case .int(let value) = self { value } else { nil } }
}

extension PlainCondition {
    func holds(_ row: PlainRow) -> Bool {
        switch self {
        case .all(let left, let right): return left.holds(row) && right.holds(row)
        case .either(let left, let right): return left.holds(row) || right.holds(row)
        case .not(let inner): return !inner.holds(row)
        case .constant(let value): return value
        case .test(let path, let test): return test.holds(path.value(row))
        case .reversed(let value, let op, let path): return op.holds(value, path.value(row), "")
        case .columns(let left, let op, let right, let fold): return op.holds(left.value(row), right.value(row), fold)
        case .any(let path, let test, let none): return path.values(row).contains(where: test.holds) != none
        case .element(let value, let path): return path.values(row).contains(where: value.equals)
        case .count(let path, let op, let count): return op.holds(path.values(row).count - count)
        case .total(let path, let function, let field, let op, let value):
            guard let kind = field?.kind ?? path.last.kind else { return false }
            let values = field.map { PlainPath(steps: path.steps + [$0]).values(row) } ?? path.values(row)
            return op.holds(PlainTotal.total(function, values, kind), value, "")
        case .entry(let path, let key, let test):
            let at = path.keys(row).firstIndex(of: key)
            return test.holds(at.map { path.values(row)[$0] } ?? .null)
        case .keys(let path, let test): return path.keys(row).contains { test.holds(.string($0)) }
        case .matches(let path, let inner, let op, let count):
            return op.holds(path.values(row).compactMap(\.row).filter(inner.holds).count - count)
        case .inside(let path, let steps, let test):
            return steps.reduce([path.value(row)]) { values, step in values.flatMap(step.values) }
                .contains(where: test.holds)
        case .within(let path, let shape): return path.value(row).row.map(shape.holds) ?? false
        case .itself(let test): return test.holds(.link(row))
        case .members(let path, let test):
            return path.isMany ? path.values(row).contains(where: test.holds) : test.holds(path.value(row))
        case .counted(let path, let inner, let owner, let op, let count):
            return PlainCondition.matches(path, inner.with(owner.map { $0.holds(row) }), op, count).holds(row)
        case .ownerPart: preconditionFailure("a part about the owner is asked of an element")
        }
    }
}
