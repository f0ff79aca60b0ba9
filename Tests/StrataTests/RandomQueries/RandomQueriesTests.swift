// SPDX-License-Identifier: MIT
// RandomQueriesTests.swift -- random queries of random classes, compared with an evaluation over plain values, and
// with the same without indexes.

import Foundation
import Strata
import Testing

/// Runs queries against two realms with the same data, and says which differ from what they should give.
private final class RandomQueries {
    private let seed: UInt64
    private var maker: PlainMaker
    private var world = PlainWorld()
    private var realms: [(name: String, realm: any PlainRealm)] = []
    /// The realm with indexes, if its classes are declared and not made.
    private var declared: PlainStore<Sample, SamplePart>?
    private(set) var families = 0, written = 0, macros = 0, indexed = 0, mismatches = 0
    private var number = 0
    private var nextId = 0
    /// Queries on all objects of a class, to be asked again after changes.
    private var earlier: [PlainQuery] = []
    private var about = ""

    init(_ seed: UInt64) {
        self.seed = seed
        maker = PlainMaker(seed)
    }

    func run(_ count: Int) throws {
        while number < count && mismatches < 20 {
            if number % 125 == 0 {
                try renew()
            } else if number % 10 == 0 {
                try change()
            }
            number += 1
            let query = query()
            let expected = query.answer(world)
            for (name, realm) in realms {
                // From the second time on by what was prepared.
                for time in 1...3 { check(expected, try realm.answer(query), "\(name), time \(time): \(query.report)") }
            }
            keep(query)
            if number % 10 == 0, realms[0].realm.usesIndex(query) { indexed += 1 }
            if let declared {
                try compareWritten(query, declared)
                if number % 4 == 0 { try compareMacro(declared) }
            }
        }
    }

    /// Makes new classes every other time, and new objects.
    private func renew() throws {
        for (_, realm) in realms { try realm.verify() }
        families += 1
        if families % 2 == 0 {
            let family = PlainFamily(&maker)
            maker.schema = family.schema
            about = "\(family.schema.report); \(PlainIndexes.of(family.indexed).report)"
            declared = nil
            realms = Array(zip(["made, indexed", "made, plain"], try family.stores()))
        } else {
            maker.schema = .declared
            about = "declared classes"
            let indexed = try PlainStore<Sample, SamplePart>(.declared, [SamplePiece.self])
            let plain = try PlainStore<PlainSample, PlainSamplePart>(.declared, [SamplePiece.self])
            declared = indexed
            realms = [("indexed", indexed), ("plain", plain)]
        }
        world = maker.world()
        earlier = []
        maker.known = world
        nextId = world.samples.count
        for (_, realm) in realms { try realm.create(world.parts + world.samples) }
    }

    /// Changes a value, or adds or removes an object, so that indexes have to follow.
    private func change() throws {
        if maker.oneIn(4) {
            let row = maker.object(.sample, nextId, world)
            nextId += 1
            world.samples.append(row)
            world.linkBack()
            for (_, realm) in realms { try realm.create([row]) }
        } else if !world.samples.isEmpty {
            let row = maker.pick(maker.oneIn(4) ? world.parts : world.samples)
            if maker.oneIn(5) && row.id > 0 {
                for (_, realm) in realms { try realm.remove(row) }
                world.remove(row)
                earlier = []  // which may compare with the object
            } else {
                let fields = maker.schema.fields(row.kind).filter {
                    $0.shape == .one && $0.kind != nil && $0.name != "id"
                }
                guard !fields.isEmpty else { return }
                let field = maker.pick(fields)
                row.one[field.name] = maker.value(field)
                for (_, realm) in realms { try realm.change(row, field) }
            }
        }
        maker.known = world
        for query in earlier {
            let expected = query.answer(world)
            for (name, realm) in realms { check(expected, try realm.answer(query), "\(name), again: \(query.report)") }
        }
    }

    /// Remembers a query that needs no certain object.
    private func keep(_ query: PlainQuery) {
        guard case .all = query.start else { return }
        if case .index = query.question { return }
        earlier.append(query)
        if earlier.count > 8 { earlier.removeFirst() }
    }

    // MARK: Queries

    private func filter(_ root: PlainClass, depth: Int) -> (PlainCondition, PlainText) {
        let condition = maker.condition(root, depth: depth)
        return (condition, PlainText(condition, maker.random.next()))
    }

    private func stage(_ root: PlainClass) -> PlainStage {
        switch maker.below(10) {
        case 0, 1, 2:
            let paths = (0...maker.below(3)).compactMap { _ in maker.path(root) }
            return .sort(paths.map { ($0, !maker.oneIn(3)) })
        case 3: return .distinct((0...maker.below(2)).compactMap { _ in maker.path(root) })
        case 4, 5: return .limit(maker.below(12), skip: maker.oneIn(2) ? 0 : maker.below(5))
        default:
            let (condition, text) = filter(root, depth: maker.below(4))
            return .filter(condition, text)
        }
    }

    private func start() -> PlainQuery.Start {
        guard maker.oneIn(5), !world.samples.isEmpty else { return .all(maker.oneIn(4) ? .part : .sample) }
        switch maker.below(4) {
        case 0: return .partSet(maker.pick(world.samples))
        case 1: return .children(maker.pick(world.samples))
        case 2: return .users(maker.pick(world.parts))
        default: return .parts(maker.pick(world.samples))
        }
    }

    private func query() -> PlainQuery {
        let start = start(), root = PlainQuery(start: start, stages: [], question: .all).root
        var stages: [PlainStage] = []
        if case .partSet = start { stages.append(.sort([(PlainPath(steps: [maker.schema.fields(root)[0]]), true)])) }
        if !maker.oneIn(8) {
            let (condition, text) = filter(root, depth: maker.below(4))
            stages.append(.filter(condition, text))
        }
        while maker.oneIn(2) { stages.append(stage(root)) }
        return PlainQuery(start: start, stages: stages, question: question(start, root, stages))
    }

    private func question(_ start: PlainQuery.Start, _ root: PlainClass, _ stages: [PlainStage]) -> PlainQuestion {
        switch maker.below(16) {
        case 0: return .isEmpty
        case 1: return .first
        case 2: return .last
        case 3: return .count
        case 4 where !world.rows(root).isEmpty: return .index(maker.pick(world.rows(root)))
        case 5:
            let (condition, text) = filter(root, depth: 1)
            return .matching(condition, text)
        case 6, 7:
            let fields = maker.schema.fields(root).filter { $0.shape == .one && $0.kind?.isNumeric == true }
            return .total(maker.pick(["@min", "@max", "@sum", "@avg"]), maker.pick(fields))
        case 8 where declared != nil && root == .sample:
            let names = ["int", "optInt", "string", "optString", "mood", "optDate", "flag", "double", "uuid"]
            return .groups(maker.pick(maker.schema.fields(root).filter { names.contains($0.name) }))
        case 9, 10:
            let isPaged = stages.allSatisfy { stage in
                switch stage {
                case .filter, .sort: true
                default: false
                }
            }
            if case .all = start, isPaged { return .pages(1 + maker.below(20)) }
            return .all
        default: return .all
        }
    }

    /// The first condition with `where`, if it can be written so.
    private func compareWritten(_ query: PlainQuery, _ store: PlainStore<Sample, SamplePart>) throws {
        guard case .all(.sample) = query.start, case .filter(let condition, _)? = query.stages.first,
            condition.query(Query<Sample>._constructForTesting()) != nil
        else { return }
        written += 1
        func results() -> Results<Sample> {
            let filtered = store.samples.where { condition.query($0)! }
            return query.stages.dropFirst().reduce(filtered) { $1.applied($0, store.object) }
        }
        for _ in 1...3 {
            check(query.answer(world), try query.question.answer(results(), store.object), "where: \(query.report)")
        }
    }

    private func compareMacro(_ store: PlainStore<Sample, SamplePart>) throws {
        macros += 1
        let (predicate, condition) = maker.predicate()
        let expected = PlainAnswer.ids(world.samples.filter(condition.holds).map(\.id))
        check(expected, .ids(store.samples.filter(predicate).map(\.id)), "#Predicate: \(predicate)")
    }

    private func check(_ expected: PlainAnswer, _ given: PlainAnswer, _ what: String) {
        guard !expected.isSame(given) else { return }
        mismatches += 1
        Issue.record("seed \(seed), query \(number), \(what)\nof \(about)\nexpected \(expected)\ngiven    \(given)")
    }
}

@Suite struct RandomQueriesTests {
    /// STRATA_SOAK asks for more queries.
    @Test func `S103 to S142: random queries give what plain values say, with indexes and without`() throws {
        let count = ProcessInfo.processInfo.environment["STRATA_SOAK"].flatMap(Int.init) ?? 3000
        let queries = RandomQueries(testSeed("random queries"))
        try queries.run(count)
        print(
            "random queries: \(count) of \(queries.families) families of classes, with where \(queries.written), "
                + "with #Predicate \(queries.macros), by an index \(queries.indexed) of \(count / 10), "
                + "mismatches \(queries.mismatches)")
        #expect(queries.written > count / 100 && queries.macros > count / 20 && queries.indexed > count / 200)
    }
}
