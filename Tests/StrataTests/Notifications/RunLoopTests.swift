// SPDX-License-Identifier: MIT
// RunLoopTests.swift -- realms of threads that run a run loop.

import Foundation
import Strata
import Synchronization
import Testing

/// Shows all persons by their ages, as it is told of them. Used on its thread only.
private final class Board: @unchecked Sendable {
    let realm: Realm
    var token: NotificationToken?
    var shown: [Int]?
    var told = 0

    init(_ configuration: Realm.Configuration) throws { realm = try Realm(configuration: configuration) }

    var all: Results<Person> { realm.objects(Person.self).sorted(by: \.age) }

    func observe() {
        token = all.observe { [unowned self] change in
            told += 1
            shown.follow(change)
        }
    }
}

/// Statements 153, 163, 166 and 171 on threads.
@Suite struct RunLoopTests {
    private let temporary: TemporaryRealm

    init() throws { temporary = try TemporaryRealm() }

    /// Waits until something holds.
    private func wait(_ thread: LoopThread, until holds: @escaping () -> Bool) throws {
        for _ in 0..<60_000 {
            if try thread.run(holds) { return }
            usleep(2_000)
        }
        Issue.record("it never held")
    }

    private static func change(_ configuration: Realm.Configuration, _ seed: UInt64) throws {
        let realm = try Realm(configuration: configuration)
        var random = SeededGenerator(state: seed)
        for _ in 0..<40 {
            try realm.write {
                let id = Int.random(in: 0..<20, using: &random)
                if let person = realm.object(ofType: Person.self, forPrimaryKey: id), Bool.random(using: &random) {
                    realm.delete(person)
                } else {
                    realm.create(Person.self, value: ["id": id, "age": Int(random.next() % 100)], update: .modified)
                }
            }
        }
    }

    @Test func `S153 S166 S171: a thread that runs its run loop is told of what others and it commit`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let configuration = temporary.configuration, threads = (0..<3).map { _ in LoopThread() }
        let boards = try threads.map { thread in try thread.run { try Board(configuration) } }
        for (thread, board) in zip(threads, boards) { try thread.run { board.observe() } }
        for (thread, board) in zip(threads, boards) { try wait(thread) { board.shown == [] } }

        let writers = DispatchQueue(label: "writers", attributes: .concurrent), group = DispatchGroup()
        for writer in 0..<2 {
            writers.async(group: group) {
                #expect(throws: Never.self) { try Self.change(configuration, seed &+ UInt64(writer)) }
            }
        }
        try threads[0].run { try Self.change(configuration, seed &+ 2) }
        group.wait()
        for (thread, board) in zip(threads, boards) {
            try wait(thread) { board.realm.refresh() == false && board.shown == board.all.map(\.id) }
            #expect(try thread.run { board.told } > 1, "seed \(seed)")
        }
        for (thread, board) in zip(threads, boards) {
            try thread.run { board.token = nil }
            thread.end()
        }
    }

    @Test func `S163: a thread that runs its run loop writes in the background`() throws {
        let configuration = temporary.configuration, thread = LoopThread()
        nonisolated(unsafe) var log: [String] = []
        let board = try thread.run { try Board(configuration) }
        try thread.run {
            let number = board.realm.writeAsync {
                board.realm.create(Person.self, value: ["id": 1])
                log.append("written")
            } onComplete: { error in
                log.append("complete: \(error == nil)")
            }
            try board.realm.cancelAsyncWrite(number &+ 7)
            #expect(log.isEmpty)
        }
        try wait(thread) { log == ["written", "complete: true"] }
        #expect(try thread.run { board.all.count } == 1)
        thread.end()
    }

    @Test func `a block whose transaction comes while another one is open waits for that`() throws {
        let configuration = temporary.configuration, thread = LoopThread()
        nonisolated(unsafe) var log: [String] = []
        let board = try thread.run { try Board(configuration) }
        try thread.run {
            for id in 1...3 {
                board.realm.writeAsync {
                    board.realm.create(Person.self, value: ["id": id])
                } onComplete: { error in
                    log.append("\(id): \(error == nil)")
                }
            }
            usleep(5_000)
            board.realm.beginWrite()
            board.realm.create(Person.self, value: ["id": 4])
        }
        usleep(50_000)
        try thread.run {
            #expect(log.isEmpty && board.realm.isInWriteTransaction)
            try board.realm.commitWrite()
        }
        try wait(thread) { log == ["1: true", "2: true", "3: true"] }
        #expect(try thread.run { board.all.count } == 4)
        thread.end()
    }

    @Test func `an observer that writes whenever it is told lets the run loop do other things`() throws {
        let configuration = temporary.configuration, thread = LoopThread()
        let board = try thread.run { try Board(configuration) }
        nonisolated(unsafe) var told = 0
        try thread.run {
            board.token = board.all.observe { [unowned board] _ in
                told += 1
                #expect(throws: Never.self) {
                    try board.realm.write {
                        board.realm.create(Person.self, value: ["id": 1, "age": told], update: .modified)
                    }
                }
            }
        }
        // Each of these needs a turn of the loop.
        try wait(thread) { told >= 20 }
        try thread.run { board.token = nil }
        thread.end()
    }

    @Test func `on a queue that its thread waits for, what is passed on belongs to the queue`() throws {
        let configuration = temporary.configuration, thread = LoopThread(), queue = DispatchQueue(label: "other")
        let board = try thread.run { try Board(configuration) }
        nonisolated(unsafe) var ofQueue: Realm?, person: Person?
        try thread.run {
            try board.realm.write { board.realm.create(Person.self, value: ["id": 1, "age": 3]) }
            board.observe()
            let passed = ThreadSafe(wrappedValue: board.all.first)
            try queue.sync {
                ofQueue = try Realm(configuration: configuration, queue: queue)
                person = passed.wrappedValue
            }
        }
        queue.sync {
            #expect(person?.age == 3 && ofQueue?.isFrozen == false)
            (person, ofQueue) = (nil, nil)
        }
        try thread.run { board.token = nil }
        thread.end()
    }

    /// Whose last holder is the engine's thread, which ends the session of an earlier round.
    @Test func `a realm that nobody keeps while it writes in the background is told, and so is the next one`() throws {
        let configuration = temporary.configuration, thread = LoopThread()
        nonisolated(unsafe) var completed = 0
        for round in 1...1_500 {
            try thread.run {
                _ = try Realm(configuration: configuration).writeAsync {} onComplete: { _ in completed += 1 }
            }
            if round % 100 == 0 { try wait(thread) { completed == round } }
        }
        thread.end()
    }

    @Test func `a thread that ends in an open write takes it back, and the next one gets another realm`() throws {
        let configuration = temporary.configuration
        let tokens = Mutex<[NotificationToken]>([])
        for round in 0..<20 {
            let thread = LoopThread()
            try thread.run {
                let realm = try Realm(configuration: configuration)
                #expect(!realm.isInWriteTransaction && !realm.isPerformingAsynchronousWriteOperations)
                #expect(realm.isEmpty)
                tokens.withLock { $0.append(realm.objects(Person.self).observe { _ in }) }
                realm.beginWrite()
                realm.create(Person.self, value: ["id": round])
                realm.writeAsync { Issue.record("its thread has ended") }
            }
            thread.end()
        }
        let realm = try Realm(configuration: configuration)
        try realm.write { #expect(realm.isEmpty) }
        tokens.withLock { $0 = [] }
    }

    @Test func `the run loop goes on as long as somebody observes`() throws {
        let configuration = temporary.configuration
        let begun = DispatchSemaphore(value: 0), ended = DispatchSemaphore(value: 0)
        let kept = Mutex<NotificationToken?>(nil)
        Thread.detachNewThread {
            RunLoop.current.perform {
                do {
                    let realm = try Realm(configuration: configuration)
                    kept.withLock { $0 = realm.objects(Person.self).observe { _ in } }
                } catch {
                    Issue.record(error)
                }
                begun.signal()
            }
            // A run loop in which nothing waits ends at once, and without having run anything.
            RunLoop.current.add(Timer(timeInterval: 0.01, repeats: false) { _ in }, forMode: .default)
            RunLoop.current.run()
            ended.signal()
        }
        begun.wait()
        #expect(ended.wait(timeout: .now() + 0.2) == .timedOut)
        kept.withLock { $0 = nil }
        #expect(ended.wait(timeout: .now() + 600) == .success)
    }

    @Test func `a thread that ends lets go of what it observed, and of writes that wait`() throws {
        let configuration = temporary.configuration
        let tokens = Mutex<[NotificationToken]>([])
        let told = Mutex(0), completed = Mutex(0)
        for round in 0..<60 {
            let thread = LoopThread()
            try thread.run {
                let realm = try Realm(configuration: configuration)
                let token = realm.objects(Person.self).observe { _ in told.withLock { $0 += 1 } }
                tokens.withLock { $0.append(token) }
                for _ in 0..<3 {
                    realm.writeAsync {
                        realm.create(Person.self, value: ["id": round], update: .modified)
                    } onComplete: { _ in
                        completed.withLock { $0 += 1 }
                    }
                }
            }
            if round % 2 == 0 { try Self.change(configuration, UInt64(round)) }
            thread.end()
            try Self.change(configuration, UInt64(round))
        }
        let before = told.withLock { $0 }
        try Self.change(configuration, 1)
        for token in tokens.withLock({ $0 }) { token.invalidate() }
        tokens.withLock { $0 = [] }
        #expect(told.withLock { $0 } == before)

        // Nobody holds a version of the file any more.
        let realm = try Realm(configuration: configuration)
        try realm.verify()
    }
}
