// SPDX-License-Identifier: MIT
// SectionSequenceTests.swift -- changes of sections as sequences.

import Dispatch
import Foundation
import Strata
import Testing

// MARK: Loops that ask now and then

/// Which properties of which objects were assigned.
private typealias Assigned = [Int: Set<String>]

/// A loop over changes that asks after some commits, and compares what it is told with what there is.
private protocol Loop: AnyObject {
    /// Whether and which properties make an object count as modified.
    var paths: [String]? { get }
    /// What was assigned since it asked.
    var assigned: Assigned { get set }
    /// After how many more commits it asks.
    var patience: Int { get set }
    func ask(_ comment: Comment, isolation: isolated any Actor) async
}

extension Loop {
    func note(_ new: Assigned) { assigned.merge(new) { $0.union($1) } }

    /// Those of some objects that count as modified.
    func modified(_ ids: some Sequence<Int>) -> Set<Int> {
        Set(ids.filter { id in
            guard let names = assigned[id] else { return false }
            return paths.map { !names.isDisjoint(with: $0) } ?? true
        })
    }
}

/// Sections, as plain arrays that follow what is told.
private final class AllLoop<Key: Hashable & _Persistable>: Loop {
    private let sections: SectionedResults<Key, Person>
    private var changes: LiveChanges<SectionedResultsChange<SectionedResults<Key, Person>>>.AsyncIterator
    let paths: [String]?
    var assigned: Assigned = [:], patience = 1
    private var keys: [Key] = [], ids: [[Int]] = []

    init(_ sections: SectionedResults<Key, Person>, _ paths: [String]? = nil) {
        self.sections = sections
        self.paths = paths
        changes = sections.changes(keyPaths: paths).makeAsyncIterator()
    }

    func ask(_ comment: Comment, isolation: isolated any Actor) async {
        switch await changes.next(isolation: isolation) {
        case .initial(let all): (keys, ids) = (all.allKeys, all.map { $0.map(\.id) })
        case .update(let all, let deletions, let insertions, let modifications, let come, let gone):
            let before = (keys: keys, ids: ids), left = Set(deletions)
            #expect(deletions == left.sorted() && insertions == Set(insertions).sorted(), comment)
            #expect(modifications == Set(modifications).sorted() && left.isDisjoint(with: modifications), comment)
            #expect((deletions + modifications).allSatisfy { !gone.contains($0[0]) }, comment)
            for path in deletions.reversed() { ids[path[0]].remove(at: path[1]) }
            for section in gone.reversed() { _ = (keys.remove(at: section), ids.remove(at: section)) }
            for section in come {
                keys.insert(all[section].key, at: section)
                ids.insert([], at: section)
            }
            for path in insertions { ids[path[0]].insert(all[path].id, at: path[1]) }
            let stayed = before.ids.enumerated().filter { !gone.contains($0.offset) }.flatMap { section, ids in
                ids.indices.filter { !left.contains([section, $0]) }.map { ids[$0] }
            }
            #expect(Set(modifications.map { before.ids[$0[0]][$0[1]] }) == modified(stayed), comment)
        case nil: Issue.record("no change, \(comment)")
        }
        #expect(keys == sections.allKeys && ids == sections.map { $0.map(\.id) }, comment)
        assigned = [:]
    }
}

/// One section, as a plain array.
private final class SectionLoop<Key: Hashable & _Persistable>: Loop {
    private let section: ResultsSection<Key, Person>
    private var changes: LiveChanges<SectionedResultsChange<ResultsSection<Key, Person>>>.AsyncIterator
    let paths: [String]?
    var assigned: Assigned = [:], patience = 1
    private var ids: [Int] = []

    init(_ section: ResultsSection<Key, Person>, _ paths: [String]? = nil) {
        self.section = section
        self.paths = paths
        changes = section.changes(keyPaths: paths).makeAsyncIterator()
    }

    func ask(_ comment: Comment, isolation: isolated any Actor) async {
        switch await changes.next(isolation: isolation) {
        case .initial(let section): ids = section.map(\.id)
        case .update(let section, let deletions, let insertions, let modifications, _, let gone):
            let before = ids
            if !gone.isEmpty { ids = [] }
            for path in deletions.reversed() { ids.remove(at: path[1]) }
            let stayed = ids
            for path in insertions { ids.insert(section[path[1]].id, at: path[1]) }
            #expect(Set(modifications.map { before[$0[1]] }) == modified(stayed), comment)
        case nil: Issue.record("no change, \(comment)")
        }
        #expect(ids == section.map(\.id), comment)
        assigned = [:]
    }
}

// MARK: Actors

private actor Reader {
    private var realm: Realm!
    private(set) var log: [String] = []
    private(set) var ended = 0

    func open(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func write(_ body: @Sendable (Realm) throws -> Void) throws { try realm.write { try body(realm) } }

    func wait(for text: String) async throws {
        while !log.contains(text) { try await Task.sleep(for: .milliseconds(1)) }
        #expect(log == [text])
        log = []
    }

    private var byAge: SectionedResults<Int, Person> {
        realm.objects(Person.self).sectioned(by: \.age, ascending: true)
    }

    func follow(age: Int, keyPaths: [String]? = nil) async {
        let section = byAge.first { $0.key == age }!
        for await change in section.changes(keyPaths: keyPaths) { log.append(text(change)) }
        ended += 1
    }

    /// What is told after each of some writes.
    func told(after writes: (Realm) throws -> Void...) async throws -> [String] {
        var changes = byAge.changes().makeAsyncIterator()
        var log = [text(await changes.next()!)]
        for write in writes {
            try write(realm)
            log.append(text(await changes.next()!))
        }
        return log
    }

    // MARK: Random changes

    private func commit(_ step: Int, _ next: inout Int, _ random: inout SeededGenerator) throws -> Assigned {
        var assigned: Assigned = [:]
        func name() -> String {
            "\("abcd".randomElement(using: &random)!)\(Int.random(in: 0..<50, using: &random))"
        }
        try realm.write {
            if Int.random(in: 0..<8, using: &random) == 0 {
                realm.delete(realm.objects(Person.self).where { $0.age == Int.random(in: 0..<6, using: &random) })
            }
            for _ in 0..<Int.random(in: 0..<6, using: &random) {
                guard let person = realm.objects(Person.self).randomElement(using: &random) else { break }
                let property = ["id", "age", "age", "name", "score"].randomElement(using: &random)!
                switch property {
                case "age": person.age = Int.random(in: 0..<6, using: &random)
                case "name": person.name = name()
                case "score": person.score = Double(step)
                default:
                    realm.delete(person)
                    continue
                }
                assigned[person.id, default: []].insert(property)
            }
            for age in [3, Int.random(in: 0..<6, using: &random)] {  // so that there is a change, also of that section
                next += 1
                realm.add(Person(next, name(), age: age))
            }
        }
        return assigned
    }

    func compare(_ seed: UInt64) async throws {
        var random = SeededGenerator(state: seed), next = 0
        try realm.write { realm.add(Person(0, "b", age: 3)) }
        let people = realm.objects(Person.self), falling = SortDescriptor(keyPath: "age", ascending: false)
        let byLetter = people.sectioned(by: { String($0.name.prefix(1)) }, sortDescriptors: ["name", "id"])
        let byFallingAge = people.where { $0.age != 1 }.sectioned(by: \.age, sortDescriptors: [falling, "name"])
        let loops: [any Loop] = [
            AllLoop(byAge), AllLoop(byAge), AllLoop(byAge, ["score"]), AllLoop(byLetter), AllLoop(byLetter, ["age"]),
            AllLoop(byFallingAge), AllLoop(byFallingAge, []), AllLoop(byFallingAge, ["name"]),
            SectionLoop(byAge[0]), SectionLoop(byAge[0], ["name"]), SectionLoop(byFallingAge[0]),
        ]
        for loop in loops { await loop.ask("seed \(seed), first", isolation: self) }
        for step in 1...200 {
            let assigned = try commit(step, &next, &random)
            if Int.random(in: 0..<3, using: &random) == 0 { await Task.yield() }
            for (number, loop) in loops.enumerated() {
                loop.note(assigned)
                loop.patience -= 1
                if loop.patience > 0 { continue }
                await loop.ask("seed \(seed), step \(step), loop \(number)", isolation: self)
                loop.patience = number == 0 ? 1 : Int.random(in: 1...5, using: &random)
            }
        }
    }
}

private final class QueueExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "sections")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// An actor that runs on a queue, with a realm of the queue.
private actor OnQueue {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func follow(_ configuration: Realm.Configuration) async throws -> [String] {
        let realm = try Realm(configuration: configuration, queue: executor.queue)
        var log: [String] = []
        for await change in realm.objects(Person.self).sectioned(by: \.age, ascending: true).changes() {
            log.append(text(change))
            if log.count == 1 {
                try onAnotherThread {
                    let realm = try Realm(configuration: configuration)
                    try realm.write { realm.add(Person(1, age: 7)) }
                }
            }
            if log.count == 2 { break }
        }
        return log
    }
}

/// Runs the jobs of an actor on one thread, so that a write may be open over an `await`.
private final class ThreadExecutor: SerialExecutor, @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []

    init() {
        Thread.detachNewThread {
            while true { self.next().runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    private func next() -> UnownedJob {
        condition.withLock {
            while jobs.isEmpty { condition.wait() }
            return jobs.removeFirst()
        }
    }
}

private actor OnThread {
    private let executor = ThreadExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private var log: [String] = []

    private func follow(_ realm: Realm) async {
        let sections = realm.objects(Person.self).sectioned(by: \.age, ascending: true)
        for await change in sections.changes() { log.append(text(change)) }
    }

    func askWhileWriting(_ configuration: Realm.Configuration) async throws -> [String] {
        let realm = try await Realm(configuration: configuration, actor: self)
        let task = Task { await follow(realm) }
        while log.count < 1 { await Task.yield() }
        for (id, cancels) in [(1, true), (2, false)] {
            try realm.write { realm.add(Person(id, age: 1)) }
            realm.beginWrite()  // wakes the loop
            realm.add(Person(9, age: 2))
            for _ in 0..<100 { await Task.yield() }
            #expect(log.count == id)
            if cancels { realm.cancelWrite() } else { try realm.commitWrite() }
            while log.count == id { await Task.yield() }
        }
        task.cancel()
        await task.value
        return log
    }
}

@Suite(.timeLimit(.minutes(20))) struct SectionSequenceTests {
    @Test(arguments: 1...4) func `each change leads from what was seen last to what is there`(round: Int) async throws {
        let temporary = try TemporaryRealm(), reader = Reader()
        try await reader.open(temporary.configuration)
        try await reader.compare(testSeed("changes of sections"))
    }

    @Test func `a section is followed while it goes and comes back, until the task is cancelled`() async throws {
        let temporary = try TemporaryRealm(), reader = Reader()
        try await reader.open(temporary.configuration)
        try await reader.write { realm in
            for (id, age) in [(1, 10), (2, 20), (3, 20)] { realm.add(Person(id, age: age)) }
        }
        let task = Task { await reader.follow(age: 20) }
        try await reader.wait(for: "initial")
        try await reader.write { realm in realm.objects(Person.self).where { $0.id == 3 }[0].name = "three" }
        try await reader.wait(for: "-[] +[] ~[[1, 1]] sections +[] -[]")
        try await reader.write { realm in realm.delete(realm.objects(Person.self).where { $0.age == 20 }) }
        try await reader.wait(for: "-[] +[] ~[] sections +[] -[1]")
        try await reader.write { realm in realm.add([Person(4, age: 15), Person(5, age: 20)]) }
        try await reader.wait(for: "-[] +[[2, 0]] ~[] sections +[2] -[]")
        try await reader.write { realm in realm.add(Person(6, age: 30)) }  // concerns another section
        task.cancel()
        await task.value
        #expect(await reader.ended == 1)
        #expect(await reader.log == [])
    }

    @Test func `key paths of a loop say what counts as modified in a section`() async throws {
        let temporary = try TemporaryRealm(), reader = Reader()
        try await reader.open(temporary.configuration)
        try await reader.write { realm in realm.add(Person(1, age: 10)) }
        let task = Task { await reader.follow(age: 10, keyPaths: ["name"]) }
        try await reader.wait(for: "initial")
        try await reader.write { realm in realm.objects(Person.self)[0].score += 1 }
        try await reader.write { realm in realm.add(Person(2, age: 10)) }
        try await reader.wait(for: "-[] +[[0, 1]] ~[] sections +[] -[]")
        try await reader.write { realm in realm.objects(Person.self)[0].name = "one" }
        try await reader.wait(for: "-[] +[] ~[[0, 0]] sections +[] -[]")
        task.cancel()
        await task.value
    }

    @Test func `what was changed and changed back is not told, nor what was cancelled`() async throws {
        let temporary = try TemporaryRealm(), reader = Reader()
        try await reader.open(temporary.configuration)
        try await reader.write { realm in for id in 1...3 { realm.add(Person(id, age: id)) } }
        let told = try await reader.told(after: { realm in
            let person = realm.object(ofType: Person.self, forPrimaryKey: 2)!
            try realm.write { person.age = 3 }
            try realm.write { person.age = 2 }
            realm.beginWrite()
            realm.deleteAll()
            realm.cancelWrite()
            try realm.write { realm.add(Person(4, age: 1)) }
        }, { realm in
            try realm.write { realm.delete(realm.object(ofType: Person.self, forPrimaryKey: 2)!) }
            try realm.write { realm.add(Person(2, age: 2)) }
            try realm.write { realm.add(Person(5, age: 5)) }
            try realm.write { realm.delete(realm.object(ofType: Person.self, forPrimaryKey: 5)!) }
        })
        #expect(told == [
            "initial", "-[] +[[0, 1]] ~[[1, 0]] sections +[] -[]", "-[[1, 0]] +[[1, 0]] ~[] sections +[] -[]",
        ])
    }

    @Test func `a loop that asks while a write is open is told behind it, also if it is cancelled`() async throws {
        let temporary = try TemporaryRealm()
        let log = try await OnThread().askWhileWriting(temporary.configuration)
        #expect(log == [
            "initial", "-[] +[[0, 0]] ~[] sections +[0] -[]", "-[] +[[0, 1], [1, 0]] ~[] sections +[1] -[]",
        ])
    }

    @Test func `an actor on a queue follows sections in a realm of the queue`() async throws {
        let temporary = try TemporaryRealm()
        let log = try await OnQueue().follow(temporary.configuration)
        #expect(log == ["initial", "-[] +[[0, 0]] ~[] sections +[0] -[]"])
    }

    @Test func `a loop over changes of frozen sections is misuse`() async {
        let frozen = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withQueueRealm { queue in
                queue.run { realm in
                    let sections = realm.objects(Person.self).sectioned(by: \.age, ascending: true).freeze()
                    _ = sections.changes().makeAsyncIterator()
                }
            }
        }
        expect(frozen, says: "sections of Person is frozen and never changes; observe what thaw() gives")
    }
}
