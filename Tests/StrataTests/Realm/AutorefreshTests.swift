// SPDX-License-Identifier: MIT
// AutorefreshTests.swift -- realms of queues and actors that move on by themselves.

import Dispatch
import Foundation
import Strata
import Testing

private actor Watcher {
    private var realm: Realm!
    private var people: Results<Person>!

    init(_ configuration: Realm.Configuration, autorefresh: Bool = true) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
        realm.autorefresh = autorefresh
        people = realm.objects(Person.self)
    }

    var count: Int { people.count }
    var name: String? { people.first?.name }

    /// Waits until the realm shows so many people, and never asks it to.
    func wait(for count: Int) async throws {
        while people.count != count { try await Task.sleep(nanoseconds: 1_000_000) }
    }

    func refresh() async -> Bool { await realm.asyncRefresh() }

    func write(_ id: Int) throws { try realm.write { realm.add(Person(id)) } }
}

@Suite(.timeLimit(.minutes(20))) struct AutorefreshTests {
    @Test func `S153 S165 L8: realms of actors move on by themselves, unless they are told not to`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let watcher = try await Watcher(configuration), still = try await Watcher(configuration, autorefresh: false)
        for id in 1...5 {
            try await Task.detached {
                try onAnotherThread {
                    let realm = try Realm(configuration: configuration)
                    try realm.write { realm.add(Person(id)) }
                }
            }.value
            try await watcher.wait(for: id)
        }
        #expect(await still.count == 0)
        #expect(await still.refresh())
        #expect(await still.count == 5)
        #expect(await still.refresh() == false)
    }

    @Test func `a realm for which the system starts no thread moves on when it starts one again`() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryRealm(), configuration = temporary.configuration
            let store = try await RealmStore(configuration: configuration)
            alarm(60)  // instead of waiting for ever
            let watcher = try await withoutThreads { try await Watcher(configuration) }
            try await store.write { $0.add(Person(1)) }
            try await watcher.wait(for: 1)
        }
    }

    @Test func `S147: a write shows the newest version, even without autorefresh`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let still = try await Watcher(configuration, autorefresh: false), writer = try await Watcher(configuration)
        try await writer.write(1)
        #expect(await still.count == 0)
        try await still.write(2)
        #expect(await still.count == 2)
    }

    @Test func `S153: realms of queues move on by themselves`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let queue = DispatchQueue(label: "watching")
        nonisolated(unsafe) var kept: Results<Person>?
        try queue.sync { kept = try Realm(configuration: configuration, queue: queue).objects(Person.self) }
        try await Task.detached {
            try onAnotherThread {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.add(Person(1)) }
            }
        }.value
        while queue.sync(execute: { kept?.count }) != 1 { try await Task.sleep(nanoseconds: 1_000_000) }
        queue.sync { kept = nil }
    }

    @Test func `a realm that an actor forgets does not let the file grow`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let forgetful = try await Watcher(configuration)
        for round in 0..<15 {
            let text = String(repeating: "\(round % 10)", count: 4000)
            try await Task.detached {
                try onAnotherThread {
                    let realm = try Realm(configuration: configuration)
                    for _ in 0..<50 {
                        try realm.write { realm.create(Person.self, value: ["id": 1, "name": text], update: .all) }
                    }
                }
            }.value
            while await forgetful.name != text { try await Task.sleep(for: .milliseconds(1)) }  // it moves on by itself
        }
        let size = try FileManager.default.attributesOfItem(atPath: configuration.fileURL!.path)[.size] as? Int
        // Each version of the text takes a page and those that lead to it: 3,000 of them would be more than 30 MB.
        #expect(try #require(size) < 4 << 20)
    }
}
