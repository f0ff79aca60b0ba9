// SPDX-License-Identifier: MIT
// CancellationTests.swift -- tasks that are cancelled at each of their suspension points.

import Dispatch
import Foundation
import Strata
import Synchronization
import Testing

/// When a task is cancelled: before one of its jobs runs, or while it is suspended behind it.
private struct Moment: Sendable, CustomStringConvertible {
    let job: Int
    let isBehind: Bool

    var description: String { "\(isBehind ? "behind" : "before") job \(job)" }
}

/// Runs the jobs of one task, each of which ends at a suspension point, and cancels it at a moment.
private final class Stepper: TaskExecutor {
    private struct State {
        var jobs = 0
        var cancel: (@Sendable () -> Void)?
    }

    private let moment: Moment
    private let queue = DispatchQueue(label: "stepper")
    private let state = Mutex(State())

    init(_ moment: Moment) { self.moment = moment }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in
            let (number, cancel) = state.withLock { state in
                defer { state.jobs += 1 }
                return (state.jobs, state.cancel)
            }
            if number == moment.job, !moment.isBehind { cancel?() }
            job.runSynchronously(on: asUnownedTaskExecutor())
            if number == moment.job, moment.isBehind { cancel?() }
        }
    }

    /// How the body ended, and whether the moment came.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async -> (Result<Value, any Error>, Bool) {
        queue.suspend()
        let task = Task(executorPreference: self) { try await body() }
        state.withLock { $0.cancel = { task.cancel() } }
        queue.resume()
        let result = await task.result
        return (result, state.withLock { moment.job < $0.jobs })
    }
}

private actor Keeper {
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func add(_ id: Int) async throws {
        try await realm.asyncWrite { _ = realm.create(Person.self, value: ["id": id]) }
    }

    func count() async -> Int {
        await realm.asyncRefresh()
        return realm.objects(Person.self).count
    }
}

/// Writes all the time, so that others have to wait for their turn.
private final class Rival: Sendable {
    private let ends = Mutex(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ configuration: Realm.Configuration) {
        Thread.detachNewThread { [self] in
            let realm = try? Realm(configuration: configuration)
            while !ends.withLock({ $0 }) {
                try? realm?.write { _ = realm?.create(Dog.self) }
            }
            ended.signal()
        }
    }

    func end() {
        ends.withLock { $0 = true }
        ended.wait()
    }
}

private struct WrongCount: Error {}

/// Cancels a body at each moment that it has, and tells how often it returned.
private func cancelEverywhere(_ body: @escaping @Sendable (Int) async throws -> Void) async throws -> Set<Int> {
    var number = 0, returned: Set<Int> = []
    for isBehind in [false, true] {
        for job in 0..<1000 {
            let moment = Moment(job: job, isBehind: isBehind), current = number
            let (result, came) = await Stepper(moment).run { try await body(current) }
            switch result {
            case .success: returned.insert(current)
            case .failure(let error): #expect(error is CancellationError, "\(moment): \(error)")
            }
            if job == 0, !isBehind { #expect(!returned.contains(current), "it was cancelled before it began") }
            number += 1
            if !came { break }
            try #require(job < 999, "it never ends")
        }
    }
    return returned
}

@Suite(.timeLimit(.minutes(20))) struct CancellationTests {
    /// A write that returned is in the file, one that threw is not, and the next one gets its turn.
    @Test(arguments: [false, true])
    func `S164: writes of an actor and of a store are cancelled at every suspension point`(hasRival: Bool) async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let store = try await RealmStore(configuration: configuration), keeper = try await Keeper(configuration)
        let rival = hasRival ? Rival(configuration) : nil
        defer { rival?.end() }
        let ofActor = try await cancelEverywhere { try await keeper.add($0) }
        let ofStore = try await cancelEverywhere { number in
            try await store.write { realm in _ = realm.create(Person.self, value: ["id": 10_000 + number]) }
        }
        #expect(!ofActor.isEmpty && !ofStore.isEmpty)
        let ids = try await store.read { Set($0.objects(Person.self).map(\.id)) }
        #expect(ids == ofActor.union(ofStore.map { 10_000 + $0 }))
        #expect(await keeper.count() == ids.count)
        try await keeper.add(20_000)
    }

    @Test func `reads of a store are cancelled at every suspension point`() async throws {
        let temporary = try TemporaryRealm()
        let store = try await RealmStore(configuration: temporary.configuration)
        try await store.write { realm in
            for id in 0..<100 { realm.create(Person.self, value: ["id": id]) }
        }
        for _ in 0..<20 {
            let plain = try await cancelEverywhere { _ in
                let count = try await store.read { $0.objects(Person.self).count }
                if count != 100 { throw WrongCount() }
            }
            let limited = try await cancelEverywhere { _ in
                let count = try await store.read(within: 60) { $0.objects(Person.self).where { $0.id >= 0 }.count }
                if count != 100 { throw WrongCount() }
            }
            #expect(!plain.isEmpty && !limited.isEmpty)
        }
        #expect(try await store.read { $0.objects(Person.self).count } == 100)
    }

    /// Opening does not look at cancellation: a realm that somebody waits for is opened, or the file cannot be.
    @Test func `realms and stores that are opened by cancelled tasks can be used`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        for job in 0..<8 {
            for isBehind in [false, true] {
                let (opened, _) = await Stepper(Moment(job: job, isBehind: isBehind)).run {
                    try await (RealmStore(configuration: configuration), Keeper(configuration))
                }
                let (store, keeper) = try opened.get()
                #expect(try await store.read { $0.isEmpty })
                #expect(await keeper.count() == 0)
            }
        }
    }
}
