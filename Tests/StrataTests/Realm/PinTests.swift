// SPDX-License-Identifier: MIT
// PinTests.swift -- who keeps versions of the file, what that costs, and what is said about it.

import Dispatch
import Foundation
import Strata
import Synchronization
import Testing

/// A thread that does what it is told, and waits otherwise, as one that forgot its realm does.
private final class Sleeper: Sendable {
    private let jobs = Mutex<[(@Sendable () -> Void)?]>([])
    private let wanted = DispatchSemaphore(value: 0)

    init() {
        Thread.detachNewThread { [self] in
            while true {
                wanted.wait()
                guard let job = jobs.withLock({ $0.removeFirst() }) else { return }
                job()
            }
        }
    }

    func run(_ body: @escaping @Sendable () throws -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Result<Void, any Error>>(.success(()))
        jobs.withLock {
            $0.append {
                let outcome = Result { try body() }
                result.withLock { $0 = outcome }
                done.signal()
            }
        }
        wanted.signal()
        done.wait()
        try result.withLock { try $0.get() }
    }

    func end() {
        jobs.withLock { $0.append(nil) }
        wanted.signal()
    }
}

/// What a thread keeps, and only that thread uses.
private final class Held: @unchecked Sendable {
    var realm: Realm?
    var people: Results<Person>?
}

private actor Owner {
    private var realm: Realm?
    private var people: Results<Person>?

    func open(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func read() { people = realm?.objects(Person.self); _ = people?.count }
    func invalidate() { realm?.invalidate() }
    func close() { (realm, people) = (nil, nil) }
}

private func pins(_ configuration: Realm.Configuration) throws -> [Realm.Pin] {
    try onAnotherThread { try Realm(configuration: configuration).pins() }
}

private func size(_ configuration: Realm.Configuration) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: configuration.fileURL!.path)
    return try #require(attributes[.size] as? Int)
}

private func fill(_ configuration: Realm.Configuration, _ count: Int) throws {
    try onAnotherThread {
        let realm = try Realm(configuration: configuration)
        let name = String(repeating: "some text that takes room, ", count: 12)
        try realm.write {
            for id in 0..<count { realm.create(Person.self, value: ["id": id, "name": "\(name) \(id)"]) }
        }
    }
}

/// Writes that change one object each, on a thread of their own.
private func commit(_ configuration: Realm.Configuration, _ commits: Int, _ objects: Int) throws {
    try onAnotherThread {
        let realm = try Realm(configuration: configuration)
        for commit in 0..<commits {
            try realm.write {
                realm.object(ofType: Person.self, forPrimaryKey: commit * 7919 % objects)?.name = "number \(commit)"
            }
        }
    }
}

/// The same; realms that move on by themselves get the time to do so.
private func commitSlowly(_ configuration: Realm.Configuration, _ commits: Int, _ objects: Int) async throws {
    for _ in 0..<commits / 50 {
        try await Task.detached { try commit(configuration, 50, objects) }.value
        while try pins(configuration).contains(where: { $0.versionsBehind > 0 }) {
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

@Suite(.timeLimit(.minutes(20))) struct PinTests {
    @Test func `a realm holds no version until something is read`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let kept = Held(), sleeper = Sleeper(), owner = Owner(), queue = DispatchQueue(label: "of.the.queue")
        let onQueue = Held()
        try sleeper.run { kept.realm = try Realm(configuration: configuration) }
        try queue.sync { onQueue.realm = try Realm(configuration: configuration, queue: queue) }
        try await owner.open(configuration)
        #expect(try pins(configuration).isEmpty)

        try sleeper.run { _ = kept.realm?.objects(Person.self).count }
        #expect(try pins(configuration).map { $0.label.prefix(7) } == ["thread "])
        try sleeper.run { kept.realm?.invalidate() }
        #expect(try pins(configuration).isEmpty)
        queue.sync { _ = onQueue.realm?.isEmpty }
        await owner.read()
        #expect(try Set(pins(configuration).map(\.label)) == ["of.the.queue", "the actor Owner"])
        await owner.invalidate()
        #expect(try pins(configuration).map(\.label) == ["of.the.queue"])
        queue.sync { onQueue.realm = nil }

        try sleeper.run {
            kept.realm?.setLabel("a name")
            #expect(try kept.realm?.pins().isEmpty == true)
            _ = kept.realm?.isEmpty
            #expect(try kept.realm?.pins().map(\.label) == ["a name"])
            try kept.realm?.write {}
            #expect(try kept.realm?.pins().map(\.label) == ["a name"])
            kept.realm = nil
        }
        #expect(try pins(configuration).isEmpty)
        sleeper.end()
        await owner.close()
    }

    @Test func `S75: after invalidate() the next access starts at the newest version`() throws {
        try withRealm { realm in
            try realm.write { realm.add(Person(1)) }
            let person = try #require(realm.objects(Person.self).first)
            realm.invalidate()
            let configuration = realm.configuration
            try onAnotherThread {
                let other = try Realm(configuration: configuration)
                try other.write { other.add(Person(2)) }
            }
            #expect(realm.objects(Person.self).count == 2)
            #expect(person.isInvalidated)
            realm.invalidate()
            realm.invalidate()
            #expect(realm.refresh() == false)
            #expect(realm.objects(Person.self).count == 2)
        }
    }

    @Test func `what was committed between opening and the first read is read, and refresh() tells of it`() throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let first = try temporary.open()
        try commitOne(configuration, 1)
        #expect(first.objects(Person.self).count == 1)
        try commitOne(configuration, 2)
        #expect(first.objects(Person.self).count == 1, "it shows one version until it is refreshed")
        first.invalidate()
        try commitOne(configuration, 3)
        #expect(first.refresh() && !first.refresh())
        #expect(first.objects(Person.self).count == 3)
        first.invalidate()
        try first.write { first.add(Person(4)) }
        #expect(first.objects(Person.self).count == 4)
        first.invalidate()
        let frozen = first.freeze()
        #expect(frozen.objects(Person.self).count == 4)
        try first.verify()
    }

    private func commitOne(_ configuration: Realm.Configuration, _ id: Int) throws {
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Person(id)) }
        }
    }

    @Test func `a write that cannot begin leaves a realm that holds no version as it was`() throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let holder = Held(), sleeper = Sleeper(), realm = try temporary.open()
        try sleeper.run {
            holder.realm = try Realm(configuration: configuration)
            holder.realm?.beginWrite()
        }
        #expect(throws: Realm.Error.self) { try realm.write(within: 0) { realm.add(Person(1)) } }
        #expect(try pins(configuration).isEmpty)
        #expect(realm.objects(Person.self).isEmpty)
        try sleeper.run {
            holder.realm?.cancelWrite()
            holder.realm = nil
        }
        sleeper.end()
        try realm.write { realm.add(Person(1)) }
        #expect(realm.objects(Person.self).count == 1)
    }

    @Test func `growth beside forgotten realms of every kind`() async throws {
        let objects = 20_000, temporary = try TemporaryRealm([Person.self, Dog.self])
        var relaxed = temporary.configuration
        relaxed.durability = .relaxed
        let configuration = relaxed
        try fill(configuration, objects)
        try commit(configuration, 200, objects)
        let steady = try size(configuration)
        #expect(steady > 6 << 20)

        // Opened, and never read.
        let thread = Held(), sleeper = Sleeper(), queue = DispatchQueue(label: "never read"), onQueue = Held()
        let actor = Owner(), onMain = Held()
        try sleeper.run { thread.realm = try Realm(configuration: configuration) }
        try queue.sync { onQueue.realm = try Realm(configuration: configuration, queue: queue) }
        try await actor.open(configuration)
        try await MainActor.run { onMain.realm = try Realm(configuration: configuration) }
        // Read, and idle since; invalidated; read by a store; frozen and let go.
        let readQueue = DispatchQueue(label: "read"), onReadQueue = Held(), readActor = Owner()
        let invalidated = Held(), second = Sleeper(), store = try await RealmStore(configuration: configuration)
        try readQueue.sync {
            onReadQueue.realm = try Realm(configuration: configuration, queue: readQueue)
            onReadQueue.people = onReadQueue.realm?.objects(Person.self)
            #expect(onReadQueue.people?.freeze().count == objects)
        }
        try await readActor.open(configuration)
        await readActor.read()
        try second.run {
            invalidated.realm = try Realm(configuration: configuration)
            invalidated.people = invalidated.realm?.objects(Person.self)
            #expect(invalidated.people?.first != nil)
            invalidated.realm?.invalidate()
        }
        #expect(try await store.read { realm in realm.objects(Person.self).count } == objects)

        try await commitSlowly(configuration, 300, objects)
        let beside = try size(configuration)
        #expect(beside < steady + (3 << 20), "a version that is held would cost about 20 KB with each commit")

        // One that a thread reads and forgets is named, and its space comes back.
        try sleeper.run { _ = thread.realm?.objects(Person.self).count }
        try commit(configuration, 300, objects)
        let grown = try size(configuration)
        #expect(grown > beside + (4 << 20))
        let oldest = try #require(try pins(configuration).first)
        #expect(oldest.versionsBehind == 300 && oldest.label.hasPrefix("thread "))
        try sleeper.run { thread.realm?.invalidate() }
        try await commitSlowly(configuration, 300, objects)
        #expect(try size(configuration) < grown + (3 << 20))

        try sleeper.run { thread.realm = nil }
        try second.run { (invalidated.realm, invalidated.people) = (nil, nil) }
        queue.sync { onQueue.realm = nil }
        readQueue.sync { (onReadQueue.realm, onReadQueue.people) = (nil, nil) }
        await MainActor.run { onMain.realm = nil }
        await actor.close()
        await readActor.close()
        sleeper.end()
        second.end()
        _ = try onAnotherThread { try Realm(configuration: configuration).verify() }
    }

    @Test func `who makes the file grow is warned about once, on the standard error`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm([Person.self, Dog.self])
            try PinTests.letGrow(temporary.configuration, until: { false })
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let lines = said.split(separator: "\n").filter { $0.hasPrefix("Strata: ") }
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        #expect(line.contains("/test.realm' has grown to "))
        #expect(line.contains(" MiB of it cannot be used again, because version "))
        #expect(line.contains(", is kept by \"forgotten\" of this process "))
        #expect(line.contains("; let that refresh, or let go of what it reads: by refresh() or invalidate() where"))
        #expect(line.contains("an autoreleasepool around its use, or by reading in an actor or a RealmStore; what"))
    }

    @Test func `warnings go where a program wants them to go`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let warnings = Mutex<[String]>([])
            let temporary = try TemporaryRealm([Person.self, Dog.self])
            Realm.warningHandler = { line in warnings.withLock { $0.append(line) } }
            try PinTests.letGrow(temporary.configuration, until: { warnings.withLock { !$0.isEmpty } })
            precondition(warnings.withLock { $0.count == 1 && $0[0].contains("is kept by \"forgotten\"") })
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!said.contains("Strata: "))
    }

    /// Commits beside a thread that has read and forgotten, until the file has grown by much, and the realm is old.
    static func letGrow(_ configuration: Realm.Configuration, until isTold: () -> Bool) throws {
        var configuration = configuration
        configuration.durability = .relaxed
        let kept = Held(), sleeper = Sleeper(), shared = configuration
        try fill(shared, 5000)
        try sleeper.run {
            kept.realm = try Realm(configuration: shared)
            kept.realm?.setLabel("forgotten")
            _ = kept.realm?.objects(Person.self).count
        }
        func grow(to bytes: Int) throws {
            while try size(shared) < bytes && !isTold() { try commit(shared, 50, 5000) }
        }
        try grow(to: 24 << 20)
        while try (pins(shared).first?.age ?? 0) < 3 { Thread.sleep(forTimeInterval: 0.1) }
        try grow(to: 40 << 20)
    }
}
