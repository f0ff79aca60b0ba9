// SPDX-License-Identifier: MIT
// RealmStoreTests.swift -- closures of a store that read: where they run, how many at a time, and what they may not do.

import Dispatch
import Foundation
import Strata
import Synchronization
import Testing

/// Runs jobs on as many threads as there are jobs.
private final class ManyThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// How many closures run at the same time.
private final class Counter: Sendable {
    private let state = Mutex((now: 0, most: 0))

    func enter() {
        state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
    }

    func leave() { state.withLock { $0.now -= 1 } }

    var most: Int { state.withLock(\.most) }
}

/// A store that somebody lets go of.
private final class HeldStore: Sendable {
    private let store = Mutex<RealmStore?>(nil)

    /// Holds one that has written, so that it has a thread.
    func open(_ configuration: Realm.Configuration) async throws {
        let store = try await RealmStore(configuration: configuration)
        try await store.write { _ in }
        self.store.withLock { $0 = store }
    }

    func letGo() { store.withLock { $0 = nil } }
}

@Suite(.timeLimit(.minutes(20))) struct RealmStoreLifeTests {
    @Test func `a store that nobody holds has its file closed`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        for round in 0..<20 {
            do {
                let store = try await RealmStore(configuration: configuration)
                try await store.write { realm in _ = realm.create(Person.self, value: ["id": round], update: .modified) }
                if round % 2 == 0 { #expect(try await store.read { $0.objects(Person.self).count } == 1) }
            }
            #expect(try Realm.deleteFiles(for: configuration), "round \(round)")
        }
    }

    @Test func `a store may go while it writes, and in a write`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let held = HeldStore()
        try await held.open(configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let store = try await RealmStore(configuration: configuration)
            for id in 0..<5 {
                group.addTask {
                    try await store.write { realm in
                        if id == 2 { held.letGo() }
                        _ = realm.create(Person.self, value: ["id": id])
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await RealmStore(configuration: configuration).read { $0.objects(Person.self).count }
        #expect(count == 5)
    }
}

@Suite(.timeLimit(.minutes(20))) struct RealmStoreReadingTests {
    @Test func `closures that read are as many at a time as there are processors, and all are served`() async throws {
        let temporary = try TemporaryRealm()
        let store = try await RealmStore(configuration: temporary.configuration)
        try await store.write { realm in
            for id in 0..<100 { realm.create(Person.self, value: ["id": id, "name": "p\(id)"]) }
        }
        let counter = Counter()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for id in 0..<64 {
                group.addTask(executorPreference: ManyThreads()) {
                    try await store.read { realm in
                        counter.enter()
                        defer { counter.leave() }
                        Thread.sleep(forTimeInterval: 0.002)
                        return realm.object(ofType: Person.self, forPrimaryKey: id)?.name == "p\(id)"
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(counter.most > 0 && counter.most <= ProcessInfo.processInfo.activeProcessorCount)
    }

    @Test func `a task that is cancelled while it waits for a realm does not read, and holds up nobody`() async throws {
        let temporary = try TemporaryRealm()
        let store = try await RealmStore(configuration: temporary.configuration)
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let gate = DispatchSemaphore(value: 0), entered = Counter(), ran = Counter()
        let blocking = (0..<processors).map { _ in
            Task(executorPreference: ManyThreads()) {
                try await store.read { _ in
                    entered.enter()
                    gate.wait()
                }
            }
        }
        while entered.most < processors { try await Task.sleep(for: .milliseconds(1)) }
        let waiting = (0..<20).map { _ in
            Task(executorPreference: ManyThreads()) { try await store.read { _ in ran.enter() } }
        }
        for task in waiting.dropFirst() { task.cancel() }
        for _ in blocking { gate.signal() }
        for task in blocking { try await task.value }
        try await waiting[0].value
        for task in waiting.dropFirst() {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(ran.most == 1)
        #expect(try await store.read { $0.isEmpty })
    }

    /// The second one ends while the first one still runs, whatever that waits for.
    @Test func `a write keeps its deadline, and can be cancelled, while another closure of the store writes`() async throws {
        let temporary = try TemporaryRealm()
        let store = try await RealmStore(configuration: temporary.configuration)
        let begun = DispatchSemaphore(value: 0), rest = DispatchSemaphore(value: 0)
        let first = Task {
            try await store.write { realm in
                realm.add(Person(1))
                begun.signal()
                rest.wait()
            }
        }
        await Self.wait(for: begun)
        await #expect(throws: Realm.Error.self) { try await store.write(within: 0.01) { $0.add(Person(2)) } }
        let cancelled = Task { try await store.write { $0.add(Person(3)) } }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        rest.signal()
        try await first.value
        try await store.write { $0.add(Person(4)) }
        let ids = try await store.read { realm in Array(realm.objects(Person.self).map(\.id)) }
        #expect(ids == [1, 4])
    }

    private static func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                semaphore.wait()
                continuation.resume()
            }
        }
    }

    @Test func `what a closure throws comes out, and the next one reads the newest version`() async throws {
        struct Refused: Error {}
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let store = try await RealmStore(configuration: configuration)
        for id in 0..<20 {
            await #expect(throws: Refused.self) { try await store.read { _ in throw Refused() } }
            try onAnotherThread {
                let realm = try Realm(configuration: configuration)
                try realm.write { _ = realm.create(Person.self, value: ["id": id]) }
            }
            #expect(try await store.read { $0.objects(Person.self).count } == id + 1)
        }
    }

    @Test func `a store whose closures have ended lets the file be reused`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let path = temporary.url.path
        let store = try await RealmStore(configuration: configuration)
        try await store.write { realm in
            for id in 0..<2000 { realm.create(Person.self, value: ["id": id, "name": "a name of some length"]) }
        }
        _ = try await store.read { $0.objects(Person.self).count }
        @Sendable func writeMany() throws -> Int {
            let realm = try Realm(configuration: configuration)
            for age in 0..<200 { try realm.write { realm.objects(Person.self)[age * 10].age = age } }
            return try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        }
        _ = try onAnotherThread(writeMany)
        let size = try onAnotherThread(writeMany)
        for _ in 0..<3 { #expect(try onAnotherThread(writeMany) <= size + 65536) }
        #expect(try await store.read { $0.objects(Person.self).count } == 2000)
    }

    @Test func `a write in a closure that reads stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm()
            let store = try await RealmStore(configuration: temporary.configuration)
            try await store.read { realm in try realm.write {} }
            withExtendedLifetime(temporary) {}
        }
        expect(result, says: "a write is begun inside of RealmStore.read; use RealmStore.write")
    }

    @Test func `a realm that leaves its closure stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm()
            let store = try await RealmStore(configuration: temporary.configuration)
            nonisolated(unsafe) var kept: Realm?
            try await store.read { realm in kept = realm }
            _ = kept?.objects(Person.self).count
            withExtendedLifetime(temporary) {}
        }
        expect(result, says: "belongs to a closure of RealmStore.read, which has ended or runs elsewhere")
    }

    @Test func `tasks that read again and again let others have their turn`() async throws {
        let temporary = try TemporaryRealm()
        let store = try await RealmStore(configuration: temporary.configuration)
        let loops = ProcessInfo.processInfo.activeProcessorCount * 2
        let ended = Counter()
        let endedBefore = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<loops {
                group.addTask {
                    for _ in 0..<20_000 { try await store.read { _ in } }
                    ended.enter()
                    return nil
                }
            }
            group.addTask { try await store.read { _ in ended.most } }
            return try await group.reduce(nil) { $0 ?? $1 }
        }
        #expect(endedBefore == 0)
    }

    @Test func `a write for which the system starts no thread throws, and a later one goes on`() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryRealm()
            let store = try await RealmStore(configuration: temporary.configuration)
            alarm(60)  // instead of waiting for ever
            try await withoutThreads {
                for _ in 0..<2 {
                    do {
                        try await store.write { _ in }
                        preconditionFailure("it was written without a thread")
                    } catch let error as Realm.Error {
                        precondition(error.message.contains("the system starts no further thread"), error.message)
                    }
                }
            }
            try await store.write { realm in _ = realm.create(Person.self, value: ["id": 1]) }
            let count = try await store.read { $0.objects(Person.self).count }
            precondition(count == 1)
        }
    }
}
