// SPDX-License-Identifier: MIT
// ManyTasksTests.swift -- many tasks, actors, queues and processes on one file.

import Dispatch
import Foundation
import Strata
import Testing

/// A counter in a realm of an actor. Its number is raised in every way that an actor has.
private actor Counter {
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    private func raise() {
        let person = realm.create(Person.self, value: ["id": 1], update: .modified)
        person.age += 1
    }

    func raiseAtOnce() throws { try realm.write { raise() } }

    func raiseLater() async throws { try await realm.asyncWrite { raise() } }

    /// Reads before and behind suspensions: within a realm the number never falls.
    func watch() async throws {
        let person = realm.object(ofType: Person.self, forPrimaryKey: 1)
        var last = person?.age ?? 0
        for _ in 0..<3 {
            await Task.yield()
            await realm.asyncRefresh()
            let now = person?.age ?? last
            #expect(now >= last)
            last = now
        }
    }

    func reference() -> ThreadSafeReference<Person>? {
        realm.object(ofType: Person.self, forPrimaryKey: 1).map { ThreadSafeReference(to: $0) }
    }

    func follow(_ reference: ThreadSafeReference<Person>) { #expect(realm.resolve(reference)?.id == 1) }

    func copy() -> ObjectSnapshot<Person>? { realm.object(ofType: Person.self, forPrimaryKey: 1)?.snapshot() }
}

/// Shows the ages of all persons in their order, as it is told of them.
private actor AgeBoard {
    private var realm: Realm!
    private var token: NotificationToken?
    private var shown: [Int]?

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    private var all: Results<Person> { realm.objects(Person.self).sorted(by: \.age) }

    func begin() async {
        shown = nil
        token = await all.observe(on: self) { board, change in board.follow(change) }
    }

    private func follow(_ change: RealmCollectionChange<Results<Person>>) { shown.follow(change) }

    /// Ends the observation when it has been told of everything. What it shows, and what there is.
    func end() async -> (shown: [Int]?, there: [Int]) {
        await realm.asyncRefresh()
        token = nil
        return (shown, all.map(\.id))
    }
}

@Suite(.timeLimit(.minutes(20))) struct ManyTasksTests {
    /// Some of the writes that share a transaction came before the observation.
    @Test func `an observation that begins while tasks write misses nothing`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let store = try await RealmStore(configuration: configuration), board = try await AgeBoard(configuration)
        try await store.write { realm in for id in 0..<6 { realm.add(Person(id, age: id * 10)) } }
        for round in 0..<200 {
            let writing = (0..<6).map { number in
                Task {
                    try await store.write { realm in
                        let person = realm.object(ofType: Person.self, forPrimaryKey: (round + number) % 6)
                        person?.age = round * 7919 * (number + 1) % 1000
                    }
                }
            }
            for _ in 0..<round % 20 { await Task.yield() }
            await board.begin()
            for task in writing { try await task.value }
            let last = round * 104_729 % 1000
            try await store.write { $0.object(ofType: Person.self, forPrimaryKey: round % 6)?.age = last }
            let (shown, there) = await board.end()
            #expect(shown == there, "round \(round)")
            if shown != there { break }
        }
    }

    /// Every write that returned is in the file, every one that threw is not, and nothing waits for ever.
    @Test func `L6 W4 X1: a thousand tasks on actors, queues and a store count right`() async throws {
        let seed = testSeed("a thousand tasks")
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let store = try await RealmStore(configuration: configuration)
        let counters = [try await Counter(configuration), try await Counter(configuration)]
        let queue = DispatchQueue(label: "many.tasks")
        let raised = await withTaskGroup(of: Int.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    var random = SeededGenerator(state: seed &+ UInt64(number))
                    let counter = counters[number % 2], other = counters[(number + 1) % 2]
                    switch Int.random(in: 0..<9, using: &random) {
                    case 0: return (try? await counter.raiseAtOnce()) == nil ? 0 : 1
                    case 1, 2: return (try? await counter.raiseLater()) == nil ? 0 : 1
                    case 3, 4:
                        return (try? await store.write { realm in
                            realm.create(Person.self, value: ["id": 1], update: .modified).age += 1
                        }) == nil ? 0 : 1
                    case 5: try? await counter.watch()
                    case 6:
                        if let reference = await counter.reference() { await other.follow(reference) }
                        let copy = await counter.copy()
                        let age = try? await store.read { $0.objects(Person.self).first?.age }
                        #expect((copy?.age ?? 0) <= 1000 && (age ?? 0) <= 1000)
                    case 7:
                        return await withCheckedContinuation { continuation in
                            queue.async {
                                let raised = Result {
                                    let realm = try Realm(configuration: configuration, queue: queue)
                                    try realm.write {
                                        realm.create(Person.self, value: ["id": 1], update: .modified).age += 1
                                    }
                                }
                                continuation.resume(returning: (try? raised.get()) == nil ? 0 : 1)
                            }
                        }
                    default:
                        let write = Task { try await counter.raiseLater() }
                        if Bool.random(using: &random) { await Task.yield() }
                        write.cancel()
                        // A write that was cancelled too late is in the file; then it does not throw.
                        return (try? await write.value) == nil ? 0 : 1
                    }
                    return 0
                }
            }
            return await group.reduce(0, +)
        }
        let found = try await store.read { $0.objects(Person.self).first?.age ?? 0 }
        #expect(found == raised, "seed \(seed)")
        #expect(raised > 400)
        _ = try await store.read { try $0.verify() }
    }

    /// A process that is stopped in a write holds nobody up longer than the deadline, and the error names it.
    @Test func `S149: others fail at their deadline behind a stopped process, and go on when it is killed`()
        async throws
    {
        let temporary = try TemporaryRealm()
        var configuration = temporary.configuration
        configuration.busyTimeout = 0.05
        let note = FileManager.default.temporaryDirectory.appendingPathComponent("strata-stopped-\(getpid())")
        try configuration.fileURL!.path.write(to: note, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: note) }
        try temporary.open().write {}
        async let child = #expect(processExitsWith: .signal(SIGKILL)) {
            let note = FileManager.default.temporaryDirectory.appendingPathComponent("strata-stopped-\(getppid())")
            let path = try String(contentsOf: note, encoding: .utf8)
            let realm = try Realm(configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: path), objectTypes: [Person.self, Dog.self, Everything.self]))
            realm.beginWrite()
            realm.create(Person.self, value: ["id": 1])
            try "\(getpid())".write(to: note, atomically: true, encoding: .utf8)
            raise(SIGSTOP)
        }
        var stopped: Int32?
        while stopped == nil {
            try await Task.sleep(for: .milliseconds(5))
            stopped = (try? String(contentsOf: note, encoding: .utf8)).flatMap(Int32.init)
        }
        let pid = try #require(stopped)
        let store = try await RealmStore(configuration: configuration)
        let counter = try await Counter(configuration)
        func busy(_ body: () async throws -> Void) async {
            do {
                try await body()
                Issue.record("a write got its turn beside one that is stopped")
            } catch let error as Realm.Error {
                #expect(error.code == .busy && error.message.contains("\(pid)"), "\(error.message)")
            } catch {
                Issue.record(error)
            }
        }
        await busy { try await store.write(within: 0.02) { _ in } }
        await busy { try await store.write { _ in } }
        await busy { try await counter.raiseLater() }
        await busy { try await counter.raiseAtOnce() }
        #expect(try await store.read { $0.isEmpty })  // reading goes on
        kill(pid, SIGKILL)
        _ = await child
        try await store.write { realm in _ = realm.create(Person.self, value: ["id": 1]) }
        try await counter.raiseLater()
        #expect(await counter.copy()?.age == 1)
    }
}
