// SPDX-License-Identifier: MIT
// RandomQueriesTests.swift -- random queries, compared with an evaluation over plain values and without indexes.

import Foundation
import Strata
import Testing

private protocol Numbered: Object { var id: Int { get } }
extension SampleValues: Numbered {}
extension SamplePartValues: Numbered {}

private enum Stage {
    case filter(PlainCondition, PlainText)
    case sort([(path: PlainPath, ascending: Bool)])
    case distinct([PlainPath])
    case limit(Int, skip: Int)

    var report: String {
        switch self {
        case .filter(_, let text): "filter \(text.report)"
        case .sort(let keys): "sort \(keys.map { "\($0.path.text) \($0.ascending ? "up" : "down")" })"
        case .distinct(let paths): "distinct \(paths.map(\.text))"
        case .limit(let count, let skip): "limit \(count) skip \(skip)"
        }
    }

    // MARK: Over plain values

    func applied(_ rows: [PlainRow]) -> [PlainRow] {
        switch self {
        case .filter(let condition, _): return rows.filter(condition.holds)
        case .limit(let count, let skip): return Array(rows.dropFirst(skip).prefix(count))
        case .distinct(let paths):
            var kept: [(row: PlainRow, values: [PlainValue])] = []
            for row in rows where !paths.contains(where: { $0.meetsNoObject(row) }) {
                let values = paths.map { $0.value(row) }
                let isKnown = kept.contains { zip($0.values, values).allSatisfy { $0.order($1) == 0 } }
                if !isKnown { kept.append((row, values)) }
            }
            return kept.map(\.row)
        case .sort(let keys):
            return rows.enumerated().sorted { left, right in
                for key in keys {
                    let order = key.path.order(left.element, right.element)
                    if order != 0 { return key.ascending ? order < 0 : order > 0 }
                }
                return left.offset < right.offset
            }.map(\.element)
        }
    }

    // MARK: In the engine

    func applied<T: Object>(_ results: Results<T>, _ object: (PlainRow) -> Object) -> Results<T> {
        switch self {
        case .filter(_, let text):
            results.filter(NSPredicate(format: text.text, argumentArray: text.arguments(object)))
        case .sort(let keys):
            results.sorted(by: keys.map { SortDescriptor(keyPath: $0.path.text, ascending: $0.ascending) })
        case .distinct(let paths): results.distinct(by: paths.map(\.text))
        case .limit(let count, let skip): results.limit(count, skip: skip)
        }
    }
}

extension PlainValue {
    /// The last bits of a sum of doubles depend on the order in which is added up, by as much as the largest is large.
    fileprivate func isClose(to other: PlainValue, among values: [PlainValue]) -> Bool {
        guard let left = number, let right = other.number else { return isNull && other.isNull }
        let largest = values.reduce(0) { Swift.max($0, abs($1.number ?? 0)) }
        return left == right || (left.isNaN && right.isNaN) || abs(left - right) <= largest * 1e-12
    }
}

extension PlainPath {
    func meetsNoObject(_ row: PlainRow) -> Bool {
        steps.count > 1 && PlainPath(steps: Array(steps.dropLast())).value(row).isNull
    }

    /// Null values come first, null links last (S104).
    fileprivate func order(_ left: PlainRow, _ right: PlainRow) -> Int {
        let (isLeftNone, isRightNone) = (meetsNoObject(left), meetsNoObject(right))
        if isLeftNone || isRightNone { return (isLeftNone ? 1 : 0) - (isRightNone ? 1 : 0) }
        return value(left).order(value(right))
    }
}

/// Runs queries against two realms with the same data, and says which differ from what they should give.
private final class RandomQueries {
    private let seed: UInt64
    private var maker: PlainMaker
    private var world = PlainWorld()
    private var indexed: SampleRealm<Sample, SamplePart>
    private var plain: SampleRealm<PlainSample, PlainSamplePart>
    private(set) var written = 0, mismatches = 0
    private var number = 0
    private var nextId = 0

    init(_ seed: UInt64) throws {
        self.seed = seed
        maker = PlainMaker(seed)
        (indexed, plain) = (try SampleRealm(), try SampleRealm())
        try renew()
    }

    private func renew() throws {
        world = maker.world()
        maker.known = world
        nextId = world.samples.count
        (indexed, plain) = (try SampleRealm(), try SampleRealm())
        try indexed.create(world.parts + world.samples)
        try plain.create(world.parts + world.samples)
    }

    func run(_ count: Int) throws {
        while number < count && mismatches < 20 {
            number += 1
            if number % 250 == 0 {
                try indexed.realm.verify()
                try renew()
            } else if number % 10 == 0 {
                try change()
            }
            try query()
        }
    }

    // MARK: Changes

    /// Changes a value, or adds or removes an object, so that indexes have to follow.
    private func change() throws {
        if maker.oneIn(4) {
            let row = maker.sample(nextId, world)
            nextId += 1
            world.samples.append(row)
            world.linkBack()
            try indexed.create([row])
            try plain.create([row])
        } else if !world.samples.isEmpty {
            let row = maker.pick(maker.oneIn(4) ? world.parts : world.samples)
            if maker.oneIn(5) && row.id > 0 {
                try indexed.remove(row)
                try plain.remove(row)
                world.remove(row)
            } else {
                let fields = row.kind.fields.filter { $0.shape == .one && $0.kind != nil && $0.name != "id" }
                let field = maker.pick(fields)
                row.one[field.name] = maker.value(field)
                try indexed.change(row, field)
                try plain.change(row, field)
            }
        }
        maker.known = world
    }

    // MARK: Queries

    private func stage(_ root: PlainClass) -> Stage? {
        switch maker.below(10) {
        case 0, 1, 2:
            let paths = (0...maker.below(3)).compactMap { _ in maker.path(root) }
            return .sort(paths.map { ($0, !maker.oneIn(3)) })
        case 3:
            let paths = (0...maker.below(2)).compactMap { _ in maker.path(root) }
            return .distinct(paths)
        case 4, 5: return .limit(maker.below(12), skip: maker.oneIn(2) ? 0 : maker.below(5))
        default:
            let condition = maker.condition(root, depth: maker.below(4))
            return .filter(condition, PlainText(condition, maker.random.next()))
        }
    }

    private func query() throws {
        let root: PlainClass = maker.oneIn(4) ? .part : .sample
        var stages: [Stage] = []
        if !maker.oneIn(8) {
            let condition = maker.condition(root, depth: maker.below(4))
            stages.append(.filter(condition, PlainText(condition, maker.random.next())))
        }
        while maker.oneIn(2), let stage = stage(root) { stages.append(stage) }
        let owner = root == .part && maker.oneIn(3) && !world.samples.isEmpty ? maker.pick(world.samples) : nil
        let base = owner.map { ($0.many["parts"] ?? []).compactMap(\.row) } ?? world.rows(root)
        let expected = stages.reduce(base) { $1.applied($0) }
        let question = question(root)

        if root == .sample {
            compare(expected, stages, question, "indexed", indexed.samples, indexed.object)
            compare(expected, stages, question, "plain", plain.samples, plain.object)
            try compareWritten(expected, stages)
        } else if let owner {
            let lists = ((indexed.object(owner) as! Sample).parts, (plain.object(owner) as! PlainSample).parts)
            compare(expected, stages, question, "list, indexed", lists.0.filter("TRUEPREDICATE"), indexed.object)
            compare(expected, stages, question, "list, plain", lists.1.filter("TRUEPREDICATE"), plain.object)
        } else {
            compare(expected, stages, question, "indexed", indexed.parts, indexed.object)
            compare(expected, stages, question, "plain", plain.parts, plain.object)
        }
    }

    /// The first condition with `where`, if it can be written so.
    private func compareWritten(_ expected: [PlainRow], _ stages: [Stage]) throws {
        guard case .filter(let condition, _)? = stages.first,
            condition.query(Query<Sample>._constructForTesting()) != nil
        else { return }
        written += 1
        let filtered = indexed.samples.where { condition.query($0)! }
        let results = stages.dropFirst().reduce(filtered) { $1.applied($0, indexed.object) }
        check(results.map(\.id) == expected.map(\.id), stages, "where", "\(expected.map(\.id))", "\(results.map(\.id))")
    }

    private enum Question {
        case count, isEmpty, first, last
        case index(PlainRow), matching(PlainCondition, PlainText), total(String, PlainField)
    }

    private func question(_ root: PlainClass) -> Question {
        switch maker.below(8) {
        case 0: return .isEmpty
        case 1: return .first
        case 2: return .last
        case 3 where !world.rows(root).isEmpty: return .index(maker.pick(world.rows(root)))
        case 4:
            let condition = maker.condition(root, depth: 1)
            return .matching(condition, PlainText(condition, maker.random.next()))
        case 5, 6:
            let fields = root.fields.filter { $0.shape == .one && $0.kind?.isNumeric == true }
            return .total(maker.pick(["@min", "@max", "@sum", "@avg"]), maker.pick(fields))
        default: return .count
        }
    }

    private func compare<T: Numbered>(
        _ expected: [PlainRow], _ stages: [Stage], _ question: Question, _ name: String, _ base: Results<T>,
        _ object: (PlainRow) -> Object
    ) {
        func results() -> Results<T> { stages.reduce(base) { $1.applied($0, object) } }
        answer(expected, stages, question, name, results(), object)
        let ids = results().map(\.id), wanted = expected.map(\.id)
        check(ids == wanted, stages, name, "\(wanted)", "\(ids)")
    }

    /// Asked before the objects are read, so that it is not answered from what was read.
    private func answer<T: Numbered>(
        _ expected: [PlainRow], _ stages: [Stage], _ question: Question, _ name: String, _ results: Results<T>,
        _ object: (PlainRow) -> Object
    ) {
        func equal<V: Equatable>(_ what: String, _ wanted: V, _ given: V) {
            check(wanted == given, stages, "\(name), \(what)", "\(wanted)", "\(given)")
        }
        switch question {
        case .count: equal("count", expected.count, results.count)
        case .isEmpty: equal("isEmpty", expected.isEmpty, results.isEmpty)
        case .first: equal("first", expected.first?.id, results.first?.id)
        case .last: equal("last", expected.last?.id, results.last?.id)
        case .index(let row):
            equal("index of \(row.id)", expected.firstIndex { $0 === row }, results.index(of: object(row) as! T))
        case .matching(let condition, let text):
            let predicate = NSPredicate(format: text.text, argumentArray: text.arguments(object))
            let wanted = expected.firstIndex(where: condition.holds)
            equal("index matching \(text.report)", wanted, results.index(matching: predicate))
        case .total(let function, let field):
            let values = expected.map { $0.one[field.name] ?? .null }
            var wanted = PlainTotal.total(function, values, field.kind!)
            let given = results.total(function, field)
            if case .int(let sum) = wanted, field.kind == .small { wanted = .int(Int(Int8(truncatingIfNeeded: sum))) }
            let isSame = function != "@avg" && wanted.integer != nil ? wanted.integer == given.integer
                : wanted.isClose(to: given, among: ["@sum", "@avg"].contains(function) ? values : [])
            check(isSame, stages, "\(name), \(function) of \(field.name)", "\(wanted)", "\(given)")
        }
    }

    private func check(_ isSame: Bool, _ stages: [Stage], _ name: String, _ wanted: String, _ given: String) {
        guard !isSame else { return }
        mismatches += 1
        let query = stages.map(\.report).joined(separator: "; ")
        Issue.record("seed \(seed), query \(number), \(name): \(query)\nexpected \(wanted)\ngiven    \(given)")
    }
}

extension Results where Element: Object {
    fileprivate func total(_ function: String, _ field: PlainField) -> PlainValue {
        switch field.kind {
        case .decimal:
            if function == "@avg" {
                let average: Decimal128? = average(ofProperty: field.name)
                return average.map { .decimal(Double($0)) } ?? .null
            }
            return number(function, field, Decimal128.self) { .decimal(Double($0)) }
        case _ where function == "@avg": return average(ofProperty: field.name).map { .double($0) } ?? .null
        case .small: return number(function, field, Int8.self) { .int(Int($0)) }
        case .float: return number(function, field, Float.self) { .float($0) }
        case .double: return number(function, field, Double.self) { .double($0) }
        default: return number(function, field, Int.self) { .int($0) }
        }
    }

    private func number<T: _Persistable>(
        _ function: String, _ field: PlainField, _: T.Type, _ plain: (T) -> PlainValue
    ) -> PlainValue
    where T.PersistedType: MinMaxType & AddableType {
        switch function {
        case "@sum": return plain(sum(ofProperty: field.name))
        case "@min":
            let least: T? = self.min(ofProperty: field.name)
            return least.map(plain) ?? .null
        default:
            let greatest: T? = self.max(ofProperty: field.name)
            return greatest.map(plain) ?? .null
        }
    }
}

@Suite struct RandomQueriesTests {
    /// STRATA_SOAK asks for more queries.
    @Test func `S103 to S140: random queries give what plain values say, with indexes and without`() throws {
        let count = ProcessInfo.processInfo.environment["STRATA_SOAK"].flatMap(Int.init) ?? 3000
        let queries = try RandomQueries(testSeed("random queries"))
        try queries.run(count)
        print("random queries: \(count), of them with where \(queries.written), mismatches \(queries.mismatches)")
        #expect(queries.written > count / 50)
    }
}
