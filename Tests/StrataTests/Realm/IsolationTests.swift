// SPDX-License-Identifier: MIT
// IsolationTests.swift -- realms of threads, dispatch queues and actors.

import Dispatch
import Foundation
import Strata
import Testing

/// The pattern of an actor that keeps a realm.
private actor Kennel {
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    var count: Int { realm.objects(Person.self).count }

    func add(_ id: Int, _ name: String) throws {
        try realm.write { realm.add(Person(id, name)) }
    }

    /// Changes an object again and again, and is suspended in between; counts the threads on which it ran.
    func birthdays(of id: Int, _ count: Int) async throws -> Int {
        let person = try #require(realm.object(ofType: Person.self, forPrimaryKey: id))
        let everybody = realm.objects(Person.self).where { $0.id == id }
        var threads = Set<pthread_t>()
        for _ in 0..<count {
            await Task.yield()
            threads.insert(pthread_self())
            try realm.write { person.age += 1 }
            #expect(everybody[0].age == person.age && person.dogs.isEmpty)
        }
        return threads.count
    }

    func age(of id: Int) -> Int? { realm.object(ofType: Person.self, forPrimaryKey: id)?.age }

    func isSame(_ configuration: Realm.Configuration) async throws -> Bool {
        let again = try await Realm(configuration: configuration, actor: self), here = try await Realm.open(
            configuration: configuration)
        return again == realm && here == realm
    }

    func refreshed() async -> Bool { await realm.asyncRefresh() }

    func close() { realm = nil }

    func leak() -> Leak { Leak(realm: realm) }
}

/// Runs the jobs of an actor on two threads in turn.
private final class TwoThreads: SerialExecutor, @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var turn = 0

    init() {
        for number in 0..<2 { Thread.detachNewThread { self.run(number) } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.broadcast()
        }
    }

    private func run(_ number: Int) {
        while true {
            let job = condition.withLock {
                while jobs.isEmpty || turn != number { condition.wait() }
                return jobs.removeFirst()
            }
            job.runSynchronously(on: asUnownedSerialExecutor())
            condition.withLock {
                turn = 1 - number
                condition.broadcast()
            }
        }
    }
}

private actor Restless {
    private let executor = TwoThreads()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func beginAndWait(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm(configuration: configuration, actor: self)
        realm.beginWrite()
        await Task.yield()
        realm.create(Person.self)
    }
}

private actor Guest {
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws -> Leak {
        let realm = try await Realm(configuration: configuration, actor: self)
        self.realm = realm
        return Leak(realm: realm)
    }

    func close() { realm = nil }

    /// Where a guest lay that has ended, and its realm.
    static func visit(_ configuration: Realm.Configuration) async throws -> (ObjectIdentifier, Leak) {
        let guest = Guest()
        return (ObjectIdentifier(guest), try await guest.open(configuration))
    }
}

/// What the compiler would not let out of an actor.
private struct Leak: @unchecked Sendable { let realm: Realm }

@globalActor private actor Library {
    static let shared = Library()
}

@Suite struct IsolationTests {
    @Test func `S150 L6: a realm follows its actor over threads`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let kennel = try await Kennel(configuration)
        try await kennel.add(1, "Ann")
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await kennel.birthdays(of: 1, 50) } }
            for try await threads in group { #expect(threads >= 1) }
        }
        #expect(await kennel.age(of: 1) == 400)
        #expect(await kennel.count == 1)
        #expect(try await kennel.isSame(configuration))
        try temporary.open().verify()
    }

    /// The actor that comes may lie where one lay that has gone, while somebody still has that one's realm.
    @Test func `L6: a realm is not mistaken for that of an actor that has ended`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        for _ in 0..<20 {
            let (place, kept) = try await Guest.visit(configuration)
            var guests: [Guest] = []
            for _ in 0..<10_000 {
                let guest = Guest()
                guests.append(guest)
                if ObjectIdentifier(guest) != place { continue }
                let leak = try await guest.open(configuration)
                #expect(leak.realm != kept.realm)
                return await guest.close()
            }
        }
        Issue.record("no actor lay where one had lain")
    }

    @Test func `L2 L6: actors, global actors and the main actor have realms of their own`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let first = try await Kennel(configuration), second = try await Kennel(configuration)
        try await first.add(1, "Ann")
        #expect(await second.refreshed())
        #expect(await second.count == 1)
        #expect(try await inLibrary(configuration) == 1)
        #expect(try await onMain(configuration) == 1)
        let refused = Realm.Configuration(fileURL: URL(fileURLWithPath: "/nowhere/at/all.realm"))
        await #expect(throws: Realm.Error.self) { _ = try await Kennel(refused) }
    }

    @Library private func inLibrary(_ configuration: Realm.Configuration) async throws -> Int {
        let realm = try await Realm.open(configuration: configuration)
        let everybody = realm.objects(Person.self)
        for _ in 0..<20 { await Task.yield() }
        return everybody.count
    }

    @MainActor private func onMain(_ configuration: Realm.Configuration) async throws -> Int {
        let realm = try await Realm(configuration: configuration), again = try await Realm(configuration: configuration)
        #expect(realm == again)
        let everybody = realm.objects(Person.self)
        for _ in 0..<20 { await Task.yield() }
        return everybody.count
    }

    /// The main thread is parked when `main` is suspended; then jobs of the main actor run on other threads.
    @MainActor @Test func `L1 L6: a realm opened on the main actor belongs to it, whatever its thread`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let realm = try temporary.open(), people = realm.objects(Person.self)
        var threads = Set([pthread_self()])
        for id in 0..<50 {
            try await Task.sleep(for: .microseconds(100))
            await Task.detached { await Task.yield() }.value
            threads.insert(pthread_self())
            if id % 2 == 0 { try realm.write { realm.add(Person(id)) } }
            if id % 2 == 1 { try await realm.asyncWrite { realm.add(Person(id)) } }
            #expect(people.count == id + 1)
        }
        let again = try await Realm(configuration: configuration)
        #expect(try again == realm && temporary.open() == realm)
        #expect(try Realm(configuration: configuration, queue: .main) == realm)
        nonisolated(unsafe) let kept = realm
        let count = await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume(returning: kept.objects(Person.self).count) }
        }
        #expect(count == 50)
    }

    @Test func `L1 L6: a realm belongs to a queue, whichever thread works for it`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let queue = DispatchQueue(label: "people"), leading = DispatchQueue(label: "leading to it", target: queue)
        nonisolated(unsafe) var kept: Realm?
        for id in 0..<50 {
            await withCheckedContinuation { continuation in
                (id % 2 == 0 ? queue : leading).async {
                    do {
                        if kept == nil { kept = try Realm(configuration: configuration, queue: queue) }
                        try kept?.write { kept?.add(Person(id)) }
                        #expect(try Realm(configuration: configuration, queue: queue) == kept)
                    } catch { Issue.record(error) }
                    continuation.resume()
                }
            }
        }
        queue.sync {
            #expect(kept?.objects(Person.self).count == 50)
            kept = nil
        }
    }

    @Test func `L2: a realm is opened in the background for a queue`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let queue = DispatchQueue(label: "people")
        let count = try await withCheckedThrowingContinuation { continuation in
            Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
                continuation.resume(with: result.map { $0.objects(Person.self).count })
            }
        }
        #expect(count == 0)
        let refused = Realm.Configuration(fileURL: URL(fileURLWithPath: "/nowhere/at/all.realm"))
        let code = await withCheckedContinuation { continuation in
            Realm.asyncOpen(configuration: refused, callbackQueue: queue) { result in
                if case .failure(let error as Realm.Error) = result { continuation.resume(returning: error.code) }
            }
        }
        #expect(code == .fileNotFound)
        queue.suspend()
        let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { _ in
            Issue.record("a cancelled opening called back")
        }
        task.cancel()
        queue.resume()
        queue.sync {}
    }

    @Test func `S150: who uses a realm elsewhere is told whose it is`() async {
        let actor = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm()
            let kennel = try await Kennel(temporary.configuration), leak = await kennel.leak()
            try onAnotherThread { _ = leak.realm.objects(Person.self).count }
            await kennel.close()
        }
        expect(
            actor,
            says: "belongs to the actor Kennel, for which it was opened; open a realm of its own on this "
                + "thread, and pass a ThreadSafeReference, what "
                + "freeze() or snapshot() gives, or a primary key")
        let queue = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm(), queue = DispatchQueue(label: "people")
            let leak = try queue.sync { Leak(realm: try Realm(configuration: temporary.configuration, queue: queue)) }
            leak.realm.beginWrite()
        }
        expect(queue, says: "the realm belongs to the dispatch queue \"people\"; open a realm of its own ")
        let opened = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm()
            _ = try Realm(configuration: temporary.configuration, queue: DispatchQueue(label: "people"))
        }
        expect(opened, says: "a realm is opened for the dispatch queue \"people\" elsewhere; open it on that queue")
    }

    @Test func `a write that is open over an await stops when its thread changes`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm()
            try await Restless().beginAndWait(temporary.configuration)
        }
        expect(result, says: "is used on another thread than the one on which the write transaction was begun; end it")
    }
}
