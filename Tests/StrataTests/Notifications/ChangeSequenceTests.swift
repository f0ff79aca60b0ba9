// SPDX-License-Identifier: MIT
// ChangeSequenceTests.swift -- changes as sequences, and what is read again after each commit.

import Dispatch
import Foundation
import Strata
import Synchronization
import Testing

/// Applies changes to a list of keys, as a table on a screen would.
private struct Copy {
    private(set) var ids: [Int] = []
    /// The keys that the last change deleted and modified.
    private(set) var gone: Set<Int> = [], changed: Set<Int> = []

    mutating func apply(_ change: RealmCollectionChange<Results<Person>>?) {
        switch change {
        case .initial(let people): ids = people.map(\.id)
        case .update(let people, let deletions, let insertions, let modifications):
            changed = Set(modifications.map { ids[$0] })
            gone = Set(deletions.map { ids[$0] })
            for position in deletions.reversed() { ids.remove(at: position) }
            for position in insertions { ids.insert(people[position].id, at: position) }
            #expect(deletions == deletions.sorted() && insertions == insertions.sorted())
            #expect(modifications == modifications.sorted())
        case .error, nil: Issue.record("no change")
        }
    }
}

private actor Reader {
    private var realm: Realm!
    private(set) var log: [String] = []
    /// How many loops have begun and ended.
    private(set) var begun = 0, ended = 0

    func open(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func write(_ body: @Sendable (Realm) throws -> Void) throws { try realm.write { try body(realm) } }

    func forget() { log = [] }

    func wait(for text: String) async throws {
        while !log.contains(text) { try await Task.sleep(for: .milliseconds(1)) }
        log = []
    }

    // MARK: Loops

    func followPeople(_ keyPaths: [String]? = nil) async {
        begun += 1
        for await change in realm.objects(Person.self).sorted(by: \.age).changes(keyPaths: keyPaths) {
            log.append(text(change))
        }
        ended += 1
    }

    func followNames() async {
        begun += 1
        for await change in realm.objects(Person.self).changes(keyPaths: [\Person.name]) { log.append(text(change)) }
        ended += 1
    }

    func followList(of id: Int) async {
        begun += 1
        let list = realm.object(ofType: Person.self, forPrimaryKey: id)!.dogs
        for await change in list.changes() {
            if case .update(_, let deletions, let insertions, _) = change { log.append("-\(deletions) +\(insertions)") }
        }
        ended += 1
    }

    func followPerson(_ id: Int) async {
        begun += 1
        for await change in realm.object(ofType: Person.self, forPrimaryKey: id)!.changes() { log.append(text(change)) }
        ended += 1
    }

    func followMap() async {
        begun += 1
        for await change in realm.objects(MapHolder.self)[0].ages.changes() {
            switch change {
            case .initial(let map): log.append("initial \(map.count)")
            case .update(_, let gone, let come, let changed): log.append("-\(gone) +\(come) ~\(changed)")
            case .error: break
            }
        }
        ended += 1
    }

    func followRealm() async {
        begun += 1
        for await notification in realm.changes() { log.append("\(notification)") }
        ended += 1
    }

    func followCounts() async {
        begun += 1
        for await count in realm.objects(Person.self).where({ $0.age > 20 }).counts() { log.append("count \(count)") }
        ended += 1
    }

    func followOldest() async {
        begun += 1
        for await oldest in realm.objects(Person.self).sorted(by: \.age, ascending: false).prefixes(2) {
            log.append("oldest \(oldest.map(\.id))")
        }
        ended += 1
    }

    func followSums() async {
        begun += 1
        for await sum in realm.objects(Person.self).sums(of: \.age) { log.append("sum \(sum)") }
        ended += 1
    }

    // MARK: Two loops of different speed

    /// What a loop is told that asks rarely leads as far as what one is told that asks after each commit.
    func compareWithFast(_ seed: UInt64) async throws {
        var random = SeededGenerator(state: seed), next = 0
        let people = realm.objects(Person.self).where { $0.age > 20 }.sorted(by: \.age)
        var fast = people.changes().makeAsyncIterator(), slow = people.changes().makeAsyncIterator()
        var fastCopy = Copy(), slowCopy = Copy()
        var assigned: Set<Int> = []
        fastCopy.apply(await fast.next())
        slowCopy.apply(await slow.next())
        for step in 1...300 {
            try realm.write {
                for _ in 0..<Int.random(in: 0..<4, using: &random) {
                    guard let person = realm.object(
                        ofType: Person.self, forPrimaryKey: Int.random(in: 0...next, using: &random)) else { continue }
                    assigned.insert(person.id)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: realm.delete(person)
                    case 1: person.age = Int.random(in: 0..<100, using: &random)
                    default: person.name = "\(step)"
                    }
                }
                next += 1
                realm.add(Person(next, age: Int.random(in: 21..<100, using: &random)))  // so that there is a change
            }
            fastCopy.apply(await fast.next())
            #expect(fastCopy.ids == people.map(\.id), "seed \(seed), step \(step)")
            if Int.random(in: 0..<5, using: &random) != 0 { continue }
            let before = Set(slowCopy.ids)
            slowCopy.apply(await slow.next())
            #expect(slowCopy.ids == fastCopy.ids, "seed \(seed), step \(step)")
            let stayed = before.intersection(slowCopy.ids).subtracting(slowCopy.gone)
            #expect(slowCopy.changed == stayed.intersection(assigned), "seed \(seed), step \(step)")
            assigned = []
        }
    }
}

/// A realm of a queue.
private final class QueueConfined: @unchecked Sendable {
    private let queue = DispatchQueue(label: "writer")
    private let realm: Realm

    init(_ configuration: Realm.Configuration) throws {
        realm = try queue.sync { [queue] in try Realm(configuration: configuration, queue: queue) }
    }

    func write(_ body: (Realm) throws -> Void) throws { try queue.sync { try realm.write { try body(realm) } } }
}

class MapHolder: Object {
    @Persisted var ages: Map<String, Int>
}

@Suite(.timeLimit(.minutes(20))) struct ChangeSequenceTests {
    private func elsewhere(
        _ configuration: Realm.Configuration, _ body: @escaping @Sendable (Realm) throws -> Void
    ) throws {
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { try body(realm) }
        }
    }

    /// Starts a loop, and waits until it has begun.
    private func start(_ reader: Reader, _ loop: @escaping @Sendable () async -> Void) async throws -> Task<Void, Never> {
        let before = await reader.begun
        let task = Task { await loop() }
        while await reader.begun == before { try await Task.sleep(for: .milliseconds(1)) }
        return task
    }

    @Test func `a loop over changes is told what there is, and then of each change of whomever`() async throws {
        let temporary = try TemporaryRealm(), reader = Reader()
        try await reader.open(temporary.configuration)
        let task = try await start(reader) { await reader.followPeople() }
        try await reader.wait(for: "initial 0")
        try elsewhere(temporary.configuration) { realm in realm.add([Person(1, age: 5), Person(2, age: 3)]) }
        try await reader.wait(for: "2: -[] +[0, 1] ~[]")
        try await reader.write { realm in realm.objects(Person.self).where { $0.id == 1 }[0].name = "one" }
        try await reader.wait(for: "2: -[] +[] ~[1]")
        task.cancel()  // while it waits
        await task.value
        #expect(await reader.ended == 1)
        try elsewhere(temporary.configuration) { realm in realm.deleteAll() }
        #expect(await reader.log == [])
    }

    @Test func `key paths of a loop, as names and typed, say what counts as modified`() async throws {
        let temporary = try TemporaryRealm(), reader = Reader()
        try await reader.open(temporary.configuration)
        try elsewhere(temporary.configuration) { realm in realm.add(Person(1)) }
        for loop in [{ await reader.followPeople(["name"]) }, { await reader.followNames() }]
            as [@Sendable () async -> Void]
        {
            let task = try await start(reader, loop)
            try await reader.wait(for: "initial 1")
            try await reader.write { realm in realm.objects(Person.self)[0].score += 1 }
            try await reader.write { realm in realm.objects(Person.self)[0].name += "x" }
            try await reader.wait(for: "1: -[] +[] ~[0]")
            #expect(await reader.log == [])
            task.cancel()
            await task.value
        }
    }

    @Test(arguments: 1...4) func `a slow loop is told what leads as far as what a fast one is`(round: Int) async throws {
        let temporary = try TemporaryRealm(), reader = Reader()
        try await reader.open(temporary.configuration)
        try await reader.compareWithFast(testSeed("slow changes"))
    }

    @Test func `a loop ends when what it follows is gone, or when its task is cancelled before it begins`() async throws {
        let temporary = try TemporaryRealm(), reader = Reader()
        try await reader.open(temporary.configuration)
        try await reader.write { realm in
            let person = Person(1)
            person.dogs.append(Dog())
            realm.add(person)
        }
        let list = try await start(reader) { await reader.followList(of: 1) }
        let object = try await start(reader) { await reader.followPerson(1) }
        try await reader.write { realm in realm.objects(Person.self)[0].name = "one" }
        try await reader.wait(for: "name: nil -> one")
        try await reader.write { realm in realm.delete(realm.objects(Person.self)) }
        await list.value
        await object.value
        #expect(await reader.log.sorted() == ["-[0] +[]", "deleted"])
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            await reader.followPeople()
        }
        late.cancel()
        await late.value
        #expect(await reader.ended == 3)
    }

    @Test func `maps and realms are followed, too`() async throws {
        let temporary = try TemporaryRealm([MapHolder.self]), reader = Reader()
        try await reader.open(temporary.configuration)
        try await reader.write { realm in realm.create(MapHolder.self).ages["a"] = 1 }
        let map = try await start(reader) { await reader.followMap() }
        try await reader.wait(for: "initial 1")
        try await reader.write { realm in
            let ages = realm.objects(MapHolder.self)[0].ages
            (ages["a"], ages["b"], ages["c"]) = (2, 2, 2)
        }
        try await reader.wait(for: #"-[] +["b", "c"] ~["a"]"#)
        let whole = try await start(reader) { await reader.followRealm() }
        try await reader.write { realm in realm.objects(MapHolder.self)[0].ages["b"] = nil }
        try await reader.wait(for: #"-["b"] +[] ~[]"#)
        try elsewhere(temporary.configuration) { realm in realm.create(MapHolder.self) }
        try await reader.wait(for: "didChange")
        map.cancel()
        whole.cancel()
        await map.value
        await whole.value
    }

    @Test func `the number, the sum and the first elements are kept up, and told if they are others`() async throws {
        let temporary = try TemporaryRealm(), reader = Reader()
        try await reader.open(temporary.configuration)
        try await reader.write { realm in for id in 1...4 { realm.add(Person(id, age: id * 10)) } }
        let counts = try await start(reader) { await reader.followCounts() }
        try await reader.wait(for: "count 2")
        let oldest = try await start(reader) { await reader.followOldest() }
        try await reader.wait(for: "oldest [4, 3]")
        let sums = try await start(reader) { await reader.followSums() }
        try await reader.wait(for: "sum 100")
        func change(_ id: Int, _ body: @escaping @Sendable (Person) -> Void) async throws {
            try await reader.write { realm in body(realm.object(ofType: Person.self, forPrimaryKey: id)!) }
        }
        func told(_ texts: String...) async throws {
            while Set(await reader.log) != Set(texts) { try await Task.sleep(for: .milliseconds(1)) }
            await reader.forget()
        }
        try await change(1) { $0.name = "youngest" }  // concerns nobody
        try await change(1) { $0.age = 11 }
        try await told("sum 101")
        try await change(3) { $0.name = "second" }
        try await told("oldest [4, 3]")
        try await change(1) { $0.age = 21 }
        try await told("count 3", "sum 111")
        try await change(4) { $0.realm!.delete($0) }
        try await told("count 2", "sum 71", "oldest [3, 1]")
        for task in [counts, oldest, sums] {
            task.cancel()
            await task.value
        }
    }

    /// Of a commit that is made while the loop begins, it is told one way or the other.
    @Test func `a loop that begins beside a commit is not left waiting`() async throws {
        for round in 0..<150 {
            let temporary = try TemporaryRealm(), configuration = temporary.configuration
            let realm = try QueueConfined(configuration)
            let reader = Reader()
            async let told: Void = {
                try await reader.open(configuration)
                let task = Task { await reader.followPeople() }
                while !(await reader.log.contains { $0 == "initial 1" || $0 == "1: -[] +[0] ~[]" }) {
                    try await Task.sleep(for: .milliseconds(1))
                }
                task.cancel()
                await task.value
            }()
            if round % 3 != 0 { await Task.yield() }
            try realm.write { realm in realm.add(Person(1)) }
            try await told
        }
    }

    // MARK: Snapshots

    @Test func `what a closure reads is told at first and after commits, if it is another value`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let store = try await RealmStore(configuration: configuration)
        var names = store.snapshots(of: { realm in realm.objects(Person.self).sorted(by: \.id).map(\.name) })
            .makeAsyncIterator()
        #expect(try await names.next() == [])
        for id in 1...20 {
            try elsewhere(configuration) { realm in realm.create(Dog.self) }  // gives the same value
            try elsewhere(configuration) { realm in realm.add(Person(id, "p\(id)")) }
            #expect(try await names.next() == (1...id).map { "p\($0)" })
            try await store.write { realm in realm.objects(Person.self)[0].age += 1 }
        }
    }

    @Test func `every loop over snapshots gets to the newest, whoever commits`() async throws {
        let temporary = try TemporaryRealm()
        let store = try await RealmStore(configuration: temporary.configuration)
        let counts = store.snapshots(of: { realm in realm.objects(Person.self).count })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    var last = -1
                    for try await count in counts {
                        #expect(count > last)
                        last = count
                        if count == 100 { break }
                    }
                }
            }
            for task in 0..<4 {
                group.addTask {
                    for id in 0..<25 { try await store.write { realm in realm.add(Person(task * 25 + id)) } }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a loop over snapshots ends with an error of its closure, and when its task is cancelled`() async throws {
        struct Refused: Error {}
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let store = try await RealmStore(configuration: configuration)
        var counts = store.snapshots(of: { realm in
            let count = realm.objects(Person.self).count
            if count == 1 { throw Refused() }
            return count
        }).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try elsewhere(configuration) { realm in realm.add(Person(1)) }
        await #expect(throws: Refused.self) { try await counts.next() }
        #expect(try await counts.next() == nil)

        let told = Mutex(0)
        let task = Task {
            for try await _ in store.snapshots(of: { realm in realm.objects(Person.self).count }) {
                told.withLock { $0 += 1 }
            }
        }
        while told.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        try await task.value
        #expect(told.withLock { $0 } == 1)
    }
}
