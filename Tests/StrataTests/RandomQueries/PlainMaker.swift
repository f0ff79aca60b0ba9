// SPDX-License-Identifier: MIT
// PlainMaker.swift -- random values, objects and conditions.

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
    var schema = PlainSchema.declared
    /// The objects that constants may be.
    var known = PlainWorld()

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
        case .tree: return tree(3)
        }
    }

    /// A value of any type, or lists and dictionaries of them.
    private mutating func tree(_ levels: Int) -> PlainValue {
        switch levels == 0 ? 0 : below(3) {
        case 0: return value(.mixed)
        case 1: return .list((0..<below(4)).map { _ in tree(levels - 1) })
        default:
            let keys = ["a", "b", "bb"].prefix(below(4))
            return .map(Dictionary(uniqueKeysWithValues: keys.map { ($0, tree(levels - 1)) }))
        }
    }

    private func anyNaN(_ value: PlainValue) -> PlainValue { value.number?.isNaN == true ? .nan : value }

    mutating func value(_ field: PlainField, nullIn count: Int = 6) -> PlainValue {
        guard let kind = field.kind, !(field.isOptional && oneIn(count)) else { return .null }
        return value(kind)
    }

    // MARK: Objects

    private mutating func link(_ rows: [PlainRow]) -> PlainValue {
        rows.isEmpty || oneIn(4) ? .null : .link(pick(rows))
    }

    /// An object with links into a world.
    mutating func object(_ kind: PlainClass, _ id: Int, _ world: PlainWorld) -> PlainRow {
        let row = PlainRow(kind, id)
        if kind == .place {
            let (latitude, longitude) = place()
            row.one["type"] = .string(oneIn(8) ? pick(words) : "Point")
            row.many["coordinates"] = [.double(longitude), .double(latitude)] + (oneIn(5) ? [.double(100)] : [])
            return row
        }
        for field in schema.fields(kind) where field.shape != .inverse {
            if field.shape == .one {
                row.one[field.name] = field.kind == nil ? link(field, world) : value(field)
            } else {
                fill(row, field, world)
            }
        }
        if !kind.isEmbedded { row.one["id"] = .int(id) }
        return row
    }

    private mutating func link(_ field: PlainField, _ world: PlainWorld) -> PlainValue {
        guard let target = field.target else { return .null }
        if target.isEmbedded { return oneIn(3) ? .null : .link(object(target, 0, world)) }
        return link(world.rows(target))
    }

    private mutating func fill(_ row: PlainRow, _ field: PlainField, _ world: PlainWorld) {
        var values: [PlainValue] = []
        for _ in 0..<(oneIn(3) ? 0 : below(5)) {
            let new = field.kind == nil ? link(field, world) : value(field)
            if field.kind != nil || field.shape == .map || !new.isNull { values.append(new) }
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

    mutating func world() -> PlainWorld {
        var world = PlainWorld()
        let size = oneIn(6) ? 300 + below(500) : oneIn(8) ? below(4) : 10 + below(70)
        for id in 0..<(1 + size / 3) { world.parts.append(object(.part, id, world)) }
        for id in 0..<size { world.samples.append(object(.sample, id, world)) }
        world.linkBack()
        return world
    }

    // MARK: Paths

    /// A path to one value.
    mutating func path(_ root: PlainClass, where fits: (PlainKind) -> Bool = { $0 != .tree }) -> PlainPath? {
        var (steps, at): ([PlainField], PlainClass) = ([], root)
        while oneIn(4), let next = pickField(at, { $0.shape == .one && $0.target != nil }) {
            steps.append(next)
            at = next.target ?? at
        }
        guard let last = pickField(at, { $0.shape == .one && $0.kind.map(fits) == true }) else { return nil }
        return PlainPath(steps: steps + [last])
    }

    private mutating func pickField(_ root: PlainClass, _ fits: (PlainField) -> Bool) -> PlainField? {
        let fields = schema.fields(root).filter(fits)
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

    /// - Parameter isWhole: whether the object is the one that is found, and no element of a collection.
    mutating func condition(_ root: PlainClass, depth: Int, isWhole: Bool = true) -> PlainCondition {
        if depth > 0 && below(10) < 5 {
            let left = condition(root, depth: depth - 1, isWhole: isWhole)
            let right = condition(root, depth: depth - 1, isWhole: isWhole)
            return oneIn(5) ? .not(left) : oneIn(2) ? .all(left, right) : .either(left, right)
        }
        for _ in 0..<10 {
            if let simple = simple(root, depth, isWhole) { return simple }
        }
        return .constant(oneIn(2))
    }

    private mutating func simple(_ root: PlainClass, _ depth: Int, _ isWhole: Bool) -> PlainCondition? {
        switch below(31) {
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
        case 14: return isWhole ? itself(root) : nil
        case 15, 16: return inside(root)
        case 17: return within(root)
        case 18: return members(root)
        case 19: return depth > 0 ? counted(root, depth) : nil
        default:
            guard let path = path(root, where: { _ in true }) else { return nil }
            return .test(path, test(path.last))
        }
    }

    private mutating func test(_ field: PlainField) -> PlainTest {
        if field.kind == .tree { return test(PlainField(name: "", type: .value(.mixed, optional: true))) }
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
        let inner = condition(target, depth: depth - 1, isWhole: false)
        return .matches(path, inner, pick(PlainOperator.comparing), below(3))
    }

    private mutating func counted(_ root: PlainClass, _ depth: Int) -> PlainCondition? {
        guard case .matches(let path, let inner, let op, let count)? = matches(root, depth) else { return nil }
        let owner = (0...below(2)).compactMap { _ in simple(root, 0, false) }
        var whole = inner
        for part in owner.indices {
            let part = oneIn(4) ? PlainCondition.not(.ownerPart(part)) : .ownerPart(part)
            whole = oneIn(2) ? .all(whole, part) : oneIn(2) ? .either(part, whole) : .not(.all(part, whole))
        }
        return .counted(path, whole, owner: owner, op, count)
    }

    /// Values of a custom type, also behind one link or in another collection.
    private mutating func members(_ root: PlainClass) -> PlainCondition? {
        guard let field = pickField(root, \.isCustom) else { return nil }
        var steps: [PlainField] = []
        if oneIn(2), let link = pickField(root, { $0.target == root }) { steps.append(link) }
        func value() -> PlainRow? { oneIn(6) ? nil : object(.piece, 0, known) }
        let test: PlainMembers
        switch below(3) {
        case 0: test = .equal(value())
        case 1: test = .notEqual(value())
        default: test = .among((0..<below(4)).map { _ in value() })
        }
        return .members(PlainPath(steps: steps + [field]), test)
    }

    private mutating func itself(_ root: PlainClass) -> PlainCondition? {
        let rows = known.rows(root)
        guard !rows.isEmpty else { return nil }
        if oneIn(2) { return .itself(.among((0..<below(4)).map { _ in .link(pick(rows)) })) }
        return .itself(.compare(pick([.equal, .notEqual]), .link(pick(rows)), fold: ""))
    }

    private mutating func inside(_ root: PlainClass) -> PlainCondition? {
        guard let path = path(root, where: { $0 == .tree }) else { return nil }
        let steps = (0...below(2)).map { _ in
            oneIn(3) ? PlainStep.any : oneIn(2) ? .key(pick(["a", "b", "x"])) : .position(below(5) - 2)
        }
        return .inside(path, steps, test(path.last))
    }

    private mutating func within(_ root: PlainClass) -> PlainCondition? {
        guard let place = pickField(root, { $0.target == .place }) else { return nil }
        let parent = schema.fields(.sample).first { $0.name == "parent" }
        return .within(PlainPath(steps: (oneIn(4) ? [parent].compactMap { $0 } : []) + [place]), shape())
    }

    /// Whether a link is null or leads to an object.
    private mutating func link(_ root: PlainClass) -> PlainCondition? {
        guard let field = pickField(root, { $0.shape == .one && $0.target != nil }) else { return nil }
        let isNull = field.target?.isEmbedded == true || oneIn(3) || rows(field).isEmpty
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

    private func rows(_ field: PlainField) -> [PlainRow] { field.target == .part ? known.parts : known.samples }
}
