// SPDX-License-Identifier: MIT
// RandomQueriesMaker.swift -- random values, objects and conditions.

import Foundation
import Strata

private let words = [
    "", "a", "A", "b", "ab", "Ab", "abc", "ABC", "aXc", "ä", "Ä", "äb", "é", "É", "škoda", "Škoda", "skoda", "÷", "×",
    "ß", "a🐶c", "bcab", "e\u{301}", "zz", "aaab", "Österreich", "österreich", String(repeating: "ab", count: 40),
]
private let patterns = ["*", "?", "a*", "*b", "a?c", "*b*", "??", "A*", "*a*b*", "", "ä*", "abc", "?b*c", "**"]

/// Makes what random queries are about; every choice comes from one seed.
struct PlainMaker {
    var random: SeededGenerator

    init(_ seed: UInt64) { random = SeededGenerator(state: seed) }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }

    // MARK: Values

    mutating func value(_ kind: PlainKind) -> PlainValue {
        switch kind {
        case .bool: return .bool(oneIn(2))
        case .int:
            return oneIn(40) ? .int(pick([Int.max, Int.min, 1 << 53, 1 << 32, -1 << 40])) : .int(below(25) - 5)
        case .small: return .int(below(256) - 128)
        case .float: return .float(oneIn(60) ? pick([.nan, .infinity, -0.0]) : Float(below(40) - 10) / 2)
        case .double: return .double(oneIn(60) ? pick([.nan, -.infinity, -0.0]) : Double(below(40) - 10) / 2)
        case .decimal: return .decimal(Double(below(40) - 10) / 2)
        case .string: return .string(pick(words))
        case .data:
            let raw: [[UInt8]] = [[0], [0xFF], [0x41, 0, 0x80], []]
            return .data(oneIn(6) ? pick(raw) : Array(pick(words).prefix(1 + below(5)).utf8))
        case .date: return .date(Double(below(40) - 10) / 2)
        case .uuid: return .uuid(UInt8(below(12)))
        case .objectId: return .objectId(UInt8(below(12) * 9))
        case .mood: return .string(pick(Mood.allCases).rawValue)
        case .rank: return .int(pick(Rank.allCases).rawValue)
        case .mixed:
            let kinds: [PlainKind] = [
                .bool, .int, .int, .float, .double, .double, .string, .string, .data, .date, .uuid, .objectId, .decimal,
            ]
            return oneIn(8) ? .null : anyNaN(value(pick(kinds)))
        }
    }

    private func anyNaN(_ value: PlainValue) -> PlainValue { value.number?.isNaN == true ? .nan : value }

    mutating func value(_ field: PlainField, nullIn count: Int = 6) -> PlainValue {
        guard let kind = field.kind, !(field.isOptional && oneIn(count)) else { return .null }
        return value(kind)
    }

    // MARK: Objects

    mutating func part(_ id: Int) -> PlainRow { plain(.part, id) }

    private mutating func plain(_ kind: PlainClass, _ id: Int) -> PlainRow {
        let row = PlainRow(kind, id)
        for field in kind.fields where field.shape == .one && field.kind != nil { row.one[field.name] = value(field) }
        if kind != .piece { row.one["id"] = .int(id) }
        return row
    }

    private mutating func link(_ rows: [PlainRow]) -> PlainValue {
        rows.isEmpty || oneIn(4) ? .null : .link(pick(rows))
    }

    mutating func sample(_ id: Int, _ world: PlainWorld) -> PlainRow {
        let row = plain(.sample, id)
        row.one["part"] = link(world.parts)
        row.one["parent"] = link(world.samples)
        row.one["piece"] = oneIn(3) ? .null : .link(plain(.piece, 0))
        for field in PlainClass.sample.fields where field.shape != .one && field.shape != .inverse {
            var values: [PlainValue] = []
            for _ in 0..<(oneIn(3) ? 0 : below(5)) {
                if let target = field.target {
                    let new = target == .piece ? .link(plain(.piece, 0)) : link(world.parts)
                    if field.shape == .map || !new.isNull { values.append(new) }
                } else {
                    values.append(value(field))
                }
            }
            if field.shape == .set {
                values = values.enumerated().filter { at, new in
                    !values[..<at].contains { $0.order(new) == 0 }
                }.map(\.element)
            }
            if field.shape == .map {
                let keys = Array(["a", "b", "bb", "Ä", "key"].shuffled(using: &random).prefix(values.count)).sorted()
                row.keys[field.name] = keys
                values = Array(values.prefix(keys.count))
            }
            row.many[field.name] = values
        }
        return row
    }

    mutating func world() -> PlainWorld {
        var world = PlainWorld()
        let size = oneIn(6) ? 300 + below(500) : oneIn(8) ? below(4) : 10 + below(70)
        for id in 0..<(1 + size / 3) { world.parts.append(part(id)) }
        for id in 0..<size { world.samples.append(sample(id, world)) }
        world.linkBack()
        return world
    }

    // MARK: Paths

    /// A path to one value.
    mutating func path(_ root: PlainClass, where fits: (PlainKind) -> Bool = { _ in true }) -> PlainPath? {
        var (steps, at): ([PlainField], PlainClass) = ([], root)
        while oneIn(4), let next = pickField(at, { $0.shape == .one && $0.target != nil }) {
            steps.append(next)
            at = next.target ?? at
        }
        guard let last = pickField(at, { $0.shape == .one && $0.kind.map(fits) == true }) else { return nil }
        return PlainPath(steps: steps + [last])
    }

    private mutating func pickField(_ root: PlainClass, _ fits: (PlainField) -> Bool) -> PlainField? {
        let fields = root.fields.filter(fits)
        return fields.isEmpty ? nil : pick(fields)
    }

    /// A path to a collection, now and then behind a link.
    private mutating func collection(_ root: PlainClass, _ fits: (PlainField) -> Bool) -> PlainPath? {
        var steps: [PlainField] = []
        if oneIn(5), let link = pickField(root, { $0.shape == .one && $0.target != nil }) { steps.append(link) }
        let at = steps.last?.target ?? root
        return pickField(at) { $0.shape != .one && fits($0) }.map { PlainPath(steps: steps + [$0]) }
    }

    // MARK: Conditions

    mutating func condition(_ root: PlainClass, depth: Int) -> PlainCondition {
        if depth > 0 && below(10) < 5 {
            let (left, right) = (condition(root, depth: depth - 1), condition(root, depth: depth - 1))
            return oneIn(5) ? .not(left) : oneIn(2) ? .all(left, right) : .either(left, right)
        }
        for _ in 0..<10 {
            if let simple = simple(root, depth) { return simple }
        }
        return .constant(oneIn(2))
    }

    private mutating func simple(_ root: PlainClass, _ depth: Int) -> PlainCondition? {
        switch below(24) {
        case 0: return oneIn(4) ? .constant(oneIn(2)) : nil
        case 1: return columns(root)
        case 2, 3, 4: return any(root)
        case 5:
            guard let path = collection(root, { $0.kind != nil }) else { return nil }
            return .element(value(path.last), of: path)
        case 6:
            guard let path = collection(root, { _ in true }) else { return nil }
            return .count(path, pick(PlainOperator.comparing), below(4))
        case 7, 8: return total(root)
        case 9: return entry(root)
        case 10, 11: return depth > 0 ? matches(root, depth) : nil
        case 12: return link(root)
        case 13:
            guard let path = path(root, where: { $0.isNumeric || $0 == .date }), let kind = path.last.kind else {
                return nil
            }
            return .reversed(value(kind), pick(PlainOperator.comparing), path)
        default:
            guard let path = path(root) else { return nil }
            return .test(path, test(path.last))
        }
    }

    private mutating func test(_ field: PlainField) -> PlainTest {
        guard let kind = field.kind else { return .among([]) }
        let isOrdered = kind.isNumeric || [.date, .string, .mixed, .rank].contains { $0 == kind }
        switch below(8) {
        case 0:
            return .among((0..<below(5)).map { _ in value(field) })
        case 1 where isOrdered && kind != .string:
            let of = kind == .mixed ? pick([.int, .double, .date]) : kind
            let (low, high) = (value(of), value(of))
            return kind == .mixed ? .between(anyNaN(low), anyNaN(high)) : .between(low, high)
        case 2...3 where kind.isText:
            let op = pick(PlainOperator.text)
            let isPattern = op == .like && kind != .data
            let constant = isPattern ? .string(pick(patterns)) : value(kind == .mixed ? .string : kind)
            let folds = kind == .data ? [""] : op == .like ? ["", "c"] : ["", "", "c", "d", "cd"]
            return .compare(op, constant, fold: pick(folds))
        case 4...5 where isOrdered: return .compare(pick(PlainOperator.order), value(kind), fold: "")
        case 6 where kind == .string:
            return .compare(pick([.equal, .notEqual]), value(field), fold: pick(["c", "d", "cd"]))
        default: return .compare(pick([.equal, .equal, .notEqual]), value(field), fold: "")
        }
    }

    private mutating func columns(_ root: PlainClass) -> PlainCondition? {
        guard let left = path(root), let kind = left.last.kind else { return nil }
        guard let right = path(root, where: { $0 == kind }) else { return nil }
        if kind == .string && oneIn(3) {
            let op = pick([.contains, .begins, .ends, .like, .equal] as [PlainOperator])
            return .columns(left, op, right, fold: op == .like ? pick(["", "c"]) : pick(["", "c", "d", "cd"]))
        }
        let isOrdered = kind.isNumeric || kind == .date || kind == .string
        return .columns(left, pick(isOrdered ? PlainOperator.comparing : [.equal, .notEqual]), right, fold: "")
    }

    private mutating func any(_ root: PlainClass) -> PlainCondition? {
        guard var path = collection(root, { _ in true }) else { return nil }
        while let target = path.last.target {
            guard let next = pickField(target, { field in
                field.kind != nil || (field.target != nil && path.steps.count < 3)
            }) else { return nil }
            path.steps.append(next)
        }
        return .any(path, test(path.last), none: oneIn(4))
    }

    private mutating func total(_ root: PlainClass) -> PlainCondition? {
        func isTotalled(_ field: PlainField) -> Bool { field.kind?.isNumeric == true || field.kind == .date }
        guard let path = collection(root, { $0.target != nil || isTotalled($0) }) else { return nil }
        let field = path.last.target.flatMap { pickField($0) { $0.shape == .one && isTotalled($0) } }
        guard let kind = field?.kind ?? path.last.kind else { return nil }
        let function = pick(kind == .date ? ["@min", "@max"] : ["@min", "@max", "@sum", "@avg"])
        if function != "@sum" && oneIn(6) { return .total(path, function, field, pick([.equal, .notEqual]), .null) }
        var wanted = kind
        if function == "@avg" && kind != .decimal { wanted = .double }
        if function == "@sum" && kind == .small { wanted = .int }
        return .total(path, function, field, pick(PlainOperator.comparing), value(wanted))
    }

    private mutating func entry(_ root: PlainClass) -> PlainCondition? {
        guard let path = collection(root, { $0.shape == .map }) else { return nil }
        if path.last.kind == nil || oneIn(3) {
            let op = pick([.equal, .notEqual, .begins, .contains] as [PlainOperator])
            return .keys(path, .compare(op, .string(pick(["a", "b", "bb", "Ä", "x"])), fold: pick(["", "c"])))
        }
        return .entry(path, pick(["a", "b", "bb", "key", "x"]), test(path.last))
    }

    private mutating func matches(_ root: PlainClass, _ depth: Int) -> PlainCondition? {
        guard let path = collection(root, { $0.target != nil && $0.shape != .map }) else { return nil }
        guard let target = path.last.target else { return nil }
        return .matches(path, condition(target, depth: depth - 1), pick(PlainOperator.comparing), below(3))
    }

    /// Whether a link is null or leads to an object.
    private mutating func link(_ root: PlainClass) -> PlainCondition? {
        guard let field = pickField(root, { $0.shape == .one && $0.target != nil }) else { return nil }
        let isNull = field.target == .piece || oneIn(3) || rows(field).isEmpty
        let constant = isNull ? .null : PlainValue.link(pick(rows(field)))
        let path = PlainPath(steps: [field])
        if !constant.isNull && oneIn(3) {
            return .test(path, .among([constant, .link(pick(rows(field)))] + (oneIn(2) ? [.null] : [])))
        }
        if !constant.isNull && oneIn(3), let many = pickField(root, { $0.shape != .one && $0.target == field.target }) {
            return .element(constant, of: PlainPath(steps: [many]))
        }
        return .test(path, .compare(pick([.equal, .notEqual]), constant, fold: ""))
    }

    /// The objects that constants may be.
    var known = PlainWorld()

    private func rows(_ field: PlainField) -> [PlainRow] { field.target == .part ? known.parts : known.samples }
}
