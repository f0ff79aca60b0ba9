// SPDX-License-Identifier: MIT
// AsyncWritingTests.swift -- writes of actors, queues and stores that wait without holding a thread.

import Dispatch
import Foundation
import Strata
import Testing

private struct Refused: Error {}

private actor Author {
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    var ids: [Int] { realm.objects(Person.self).sorted(by: \.id).map(\.id) }

    /// The number of the object, and whether it is there when the write has returned.
    @discardableResult
    func add(_ id: Int) async throws -> Bool {
        let person = try await realm.asyncWrite { realm.create(Person.self, value: ["id": id, "name": "p\(id)"]) }
        return person.name == "p\(id)" && realm.object(ofType: Person.self, forPrimaryKey: id) != nil
    }

    func addAndThrow(_ id: Int) async throws {
        try await realm.asyncWrite {
            realm.create(Person.self, value: ["id": id])
            throw Refused()
        }
    }

    func addAndCancel(_ id: Int) async throws -> Int {
        try await realm.asyncWrite {
            realm.create(Person.self, value: ["id": id])
            realm.cancelWrite()
            return 7
        }
    }

    func addAndCommit(_ id: Int) async throws {
        try await realm.asyncWrite {
            realm.create(Person.self, value: ["id": id])
            try realm.commitWrite()
        }
    }

    /// A write that blocks the actor while its asynchronous writes wait.
    func addAtOnce(_ id: Int) throws { try realm.write { _ = realm.create(Person.self, value: ["id": id]) } }
}

/// Opens a realm of the thread on which it happens to run.
private actor Visitor {
    private func open(_ configuration: Realm.Configuration) throws -> Realm { try Realm(configuration: configuration) }

    func write(_ configuration: Realm.Configuration) async throws { try await open(configuration).asyncWrite {} }
}

/// A thread that holds the writer until it is told to end.
private final class Holder: Sendable {
    private let end = DispatchSemaphore(value: 0)

    init(_ configuration: Realm.Configuration) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [end] in
                let realm = try? Realm(configuration: configuration)
                realm?.beginWrite()
                continuation.resume()
                end.wait()
                realm?.cancelWrite()
            }
        }
    }

    func letGo() { end.signal() }
}

@Suite(.timeLimit(.minutes(20))) struct AsyncWritingTests {
    @Test func `S160 W4: many actors and tasks write, and each sees its change when the write returns`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        var authors: [Author] = []
        for _ in 0..<4 { authors.append(try await Author(configuration)) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for id in 0..<200 {
                let author = authors[id % 4]
                group.addTask {
                    if id % 10 == 3 {
                        try await author.addAtOnce(id)
                        return true
                    }
                    return try await author.add(id)
                }
            }
            for try await isThere in group { #expect(isThere) }
        }
        let realm = try temporary.open()
        #expect(realm.objects(Person.self).sorted(by: \.id).map(\.id) == Array(0..<200))
        try realm.verify()
    }

    @Test func `S164 W4: errors roll the write back, and the block may end it itself`() async throws {
        let temporary = try TemporaryRealm()
        let author = try await Author(temporary.configuration)
        try await author.add(1)
        await #expect(throws: Refused.self) { try await author.addAndThrow(2) }
        #expect(try await author.addAndCancel(3) == 7)
        try await author.addAndCommit(4)
        await #expect(throws: Realm.Error.self) { try await author.add(4) }  // a duplicate
        try await author.add(5)
        #expect(await author.ids == [1, 4, 5])
    }

    @Test func `S164: a task that is cancelled before its block starts throws CancellationError`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let author = try await Author(configuration), holder = await Holder(configuration)
        let tasks = (0..<20).map { id in Task { try await author.add(id) } }
        for (id, task) in tasks.enumerated() where id % 2 == 0 { task.cancel() }
        for (id, task) in tasks.enumerated() where id % 2 == 0 {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        holder.letGo()
        for (id, task) in tasks.enumerated() where id % 2 == 1 { #expect(try await task.value) }
        #expect(await author.ids == (0..<20).filter { $0 % 2 == 1 })
    }

    @Test func `S160 W3: a queue of writes keeps its order, and completions come when changes are durable`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let queue = DispatchQueue(label: "writing")
        nonisolated(unsafe) var realm: Realm?, order: [Int] = [], completed: [Int] = []
        await withCheckedContinuation { continuation in
            queue.async {
                realm = try? Realm(configuration: configuration, queue: queue)
                for id in 0..<30 {
                    realm?.writeAsync {
                        dispatchPrecondition(condition: .onQueue(queue))
                        #expect(realm?.isInWriteTransaction == true)
                        order.append(id)
                        realm?.create(Person.self, value: ["id": id])
                    } onComplete: { error in
                        #expect(error == nil && realm?.object(ofType: Person.self, forPrimaryKey: id) != nil)
                        completed.append(id)
                        if completed.count == 30 { continuation.resume() }
                    }
                }
                #expect(realm?.isPerformingAsynchronousWriteOperations == true && order.isEmpty)
            }
        }
        queue.sync {
            #expect(order == Array(0..<30) && completed.sorted() == order)
            #expect(realm?.isPerformingAsynchronousWriteOperations == false)
            realm = nil
        }
    }

    @Test func `S160: completions come in the order of their blocks, also when some of these fail or change nothing`()
        async throws
    {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let queue = DispatchQueue(label: "writing")
        nonisolated(unsafe) var realm: Realm?, completed: [String] = []
        await withCheckedContinuation { continuation in
            queue.async {
                realm = try? Realm(configuration: configuration, queue: queue)
                for id in 0..<30 {
                    realm?.writeAsync {
                        if id % 3 != 2 { realm?.create(Person.self, value: ["id": id % 3 == 1 ? id - 1 : id]) }
                    } onComplete: { error in
                        let people = realm?.objects(Person.self).count ?? 0
                        completed.append("\(id) \(error == nil) \(people >= id / 3 + 1)")
                        if completed.count == 30 { continuation.resume() }
                    }
                }
            }
        }
        queue.sync {
            #expect(completed == (0..<30).map { "\($0) \($0 % 3 != 1) true" })
            realm = nil
        }
    }

    @Test func `S161 S162: blocks are dropped, committed and cancelled`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let queue = DispatchQueue(label: "writing")
        nonisolated(unsafe) var realm: Realm?, committed = false
        await withCheckedContinuation { continuation in
            queue.async {
                realm = try? Realm(configuration: configuration, queue: queue)
                guard let realm else { return continuation.resume() }
                realm.beginAsyncWrite { realm.create(Person.self, value: ["id": 1]) }  // dropped
                realm.beginAsyncWrite {
                    realm.create(Person.self, value: ["id": 2])
                    realm.commitAsyncWrite(allowGrouping: true) { committed = $0 == nil }
                }
                realm.beginAsyncWrite {
                    realm.create(Person.self, value: ["id": 3])
                    try? realm.commitWrite()
                }
                let cancelled = realm.writeAsync { realm.create(Person.self, value: ["id": 4]) } onComplete: { _ in
                    Issue.record("a cancelled block completed")
                }
                #expect(throws: Never.self) {
                    try realm.cancelAsyncWrite(cancelled)
                    try realm.cancelAsyncWrite(12345)
                }
                realm.writeAsync {
                    realm.create(Person.self, value: ["id": 2])  // a duplicate
                } onComplete: { error in
                    #expect((error as? Realm.Error)?.code == .invalidInput)
                }
                realm.writeAsync { realm.create(Person.self, value: ["id": 5]) } onComplete: { error in
                    #expect(error == nil)
                    continuation.resume()
                }
            }
        }
        queue.sync {
            #expect(realm?.objects(Person.self).sorted(by: \.id).map(\.id) == [2, 3, 5] && committed)
            realm = nil
        }
    }

    @Test func `a block that has committed may write once more`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let queue = DispatchQueue(label: "writing")
        nonisolated(unsafe) var realm: Realm?, completed = 0
        await withCheckedContinuation { continuation in
            queue.async {
                realm = try? Realm(configuration: configuration, queue: queue)
                guard let realm else { return continuation.resume() }
                for id in 0..<100 {
                    realm.beginAsyncWrite {
                        realm.create(Person.self, value: ["id": id])
                        realm.commitAsyncWrite { error in
                            #expect(error == nil)
                            completed += 1
                        }
                        #expect(throws: Never.self) {
                            try realm.write { realm.create(Person.self, value: ["id": 100 + id]) }
                        }
                    }
                }
                realm.writeAsync {} onComplete: { _ in continuation.resume() }
            }
        }
        queue.sync {
            #expect(realm?.isPerformingAsynchronousWriteOperations == false)
            #expect(completed == 100 && realm?.objects(Person.self).count == 200)
            realm = nil
        }
    }

    @Test func `S162: a commit that is cancelled is kept and its callback dropped; invalidate() drops what waits`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let queue = DispatchQueue(label: "writing")
        nonisolated(unsafe) var realm: Realm?
        await withCheckedContinuation { continuation in
            queue.async {
                realm = try? Realm(configuration: configuration, queue: queue)
                guard let realm else { return continuation.resume() }
                realm.beginAsyncWrite {
                    realm.create(Person.self, value: ["id": 1])
                    let commit = realm.commitAsyncWrite { _ in Issue.record("a cancelled callback was called") }
                    #expect(throws: Never.self) { try realm.cancelAsyncWrite(commit) }
                }
                realm.writeAsync { realm.create(Person.self, value: ["id": 2]) } onComplete: { error in
                    #expect(error == nil)
                    realm.writeAsync { realm.create(Person.self, value: ["id": 3]) } onComplete: { _ in
                        Issue.record("a write was not dropped")
                    }
                    realm.invalidate()
                    #expect(!realm.isPerformingAsynchronousWriteOperations)
                    realm.writeAsync { realm.create(Person.self, value: ["id": 4]) } onComplete: { _ in
                        continuation.resume()
                    }
                }
            }
        }
        queue.sync {
            #expect(realm?.objects(Person.self).sorted(by: \.id).map(\.id) == [1, 2, 4])
            realm = nil
        }
    }

    @Test("""
        Differs from Realm: a write that waits keeps its realm open and takes place; Realm drops it when the last \
        reference to the realm goes. What was accepted is not lost; `invalidate()` drops it here, too.
        """)
    func waitingWritesKeepTheirRealm() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let queue = DispatchQueue(label: "people")
        await withCheckedContinuation { continuation in
            queue.async {
                let realm = try? Realm(configuration: configuration, queue: queue)
                realm?.writeAsync {  // nothing here refers to `realm`
                    let same = try? Realm(configuration: configuration, queue: queue)
                    same?.create(Person.self, value: ["id": 1])
                } onComplete: { error in
                    #expect(error == nil)
                    continuation.resume()
                }
            }
        }
        #expect(try onAnotherThread { try Realm(configuration: configuration).objects(Person.self).count } == 1)
    }

    @Test func `S163: asynchronous writes need a realm that can run jobs`() async {
        let thread = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try onAnotherThread { try withRealm { $0.writeAsync {} } }
        }
        expect(
            thread,
            says: "writeAsync needs a realm of a queue, an actor, the main thread, or a thread whose run loop runs; open it "
                + "with Realm(queue:)")
        let readOnly = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm(), queue = DispatchQueue(label: "reads")
            _ = try temporary.open()
            var configuration = temporary.configuration
            configuration.readOnly = true
            try queue.sync { _ = try Realm(configuration: configuration, queue: queue).beginAsyncWrite {} }
        }
        expect(readOnly, says: "the realm is open for reading only; open it with readOnly = false to write")
        let frozen = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { $0.freeze().writeAsync {} }
        }
        expect(frozen, says: "writeAsync on a frozen realm, which never changes; use what thaw() gives")
    }

    @Test func `S164: asyncWrite needs a realm of an actor`() async {
        let thread = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm()
            try await Visitor().write(temporary.configuration)
        }
        expect(
            thread,
            says: "asyncWrite needs a realm of an actor; open it with Realm(actor:) or Realm.open(), or use write { }")
    }
}

@Suite(.timeLimit(.minutes(20))) struct RealmStoreTests {
    @Test func `every task reads and writes through one store`() async throws {
        let temporary = try TemporaryRealm()
        let store = try await RealmStore(configuration: temporary.configuration)
        await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<300 {
                group.addTask {
                    try await store.write { realm in
                        realm.create(Person.self, value: ["id": id, "age": id % 7])
                        if id % 50 == 7 { throw Refused() }
                    }
                    let age = try await store.read { $0.object(ofType: Person.self, forPrimaryKey: id)?.age }
                    #expect(age == id % 7)
                }
            }
            var refused = 0
            while let result = await group.nextResult() {
                if case .failure(let error) = result {
                    #expect(error is Refused)
                    refused += 1
                }
            }
            #expect(refused == 6)
        }
        #expect(try await store.read { $0.objects(Person.self).count } == 294)
        #expect(try await store.read(within: 60) { $0.objects(Person.self).where { $0.age == 3 }.count } == 42)  // 157 was refused
        try temporary.open().verify()
    }

    @Test func `cancelled tasks and late writes do not run`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let store = try await RealmStore(configuration: configuration)
        let holder = await Holder(configuration)
        do {
            try await store.write(within: 0.02) { realm in _ = realm.create(Person.self) }
            Issue.record("a write got its turn while another one had it")
        } catch Realm.Error.busy {}
        let cancelled = Task { try await store.write { realm in _ = realm.create(Person.self) } }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        holder.letGo()
        #expect(try await store.read { $0.isEmpty })
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.read { $0.isEmpty }
        }
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test func `a file that cannot be opened throws`() async {
        let nowhere = Realm.Configuration(fileURL: URL(fileURLWithPath: "/nowhere/at/all.realm"))
        await #expect(throws: Realm.Error.self) { try await RealmStore(configuration: nowhere) }
    }
}
