// SPDX-License-Identifier: MIT
// RandomDeliveriesTests.swift -- closures that write, observe, end observations and invalidate while others are told.

import Foundation
import Strata
import Testing

/// One who observes, and what its program shows: it makes in an array what it is told of.
private final class Watcher {
    let results: Results<Person>
    var token: NotificationToken?
    /// The ids that it shows; nil before it was told what there is.
    var shown: [Int]?
    var isOver = false

    init(_ results: Results<Person>) { self.results = results }

    var there: [Int] { results.map(\.id) }

    func take(_ change: RealmCollectionChange<Results<Person>>) {
        #expect(!isOver, "told after its end")
        switch change {
        case .initial:
            #expect(shown == nil, "told twice what there is")
            shown = there
        case .update(_, let deletions, let insertions, let modifications):
            guard var shown else {
                Issue.record("told of an update before what there is")
                return
            }
            #expect(modifications.allSatisfy(shown.indices.contains))
            for place in deletions.reversed() { shown.remove(at: place) }
            let there = self.there
            for place in insertions { shown.insert(there[place], at: place) }
            #expect(shown == there)
            self.shown = shown
        case .error(let error): Issue.record(error)
        }
    }
}

/// One who observes an object, and what its program shows of it.
private final class ObjectWatcher {
    let id: Int
    /// The object itself, which the program may delete in writes that it takes back.
    let person: Person
    var token: NotificationToken?
    var age: Int?

    init(_ person: Person) { (id, age, self.person) = (person.id, person.age, person) }

    func take(_ change: ObjectChange<Person>) {
        #expect(age != nil, "told after it was gone")
        switch change {
        case .change(let person, let properties):
            #expect(person.id == id)
            if let new = properties.first(where: { $0.name == "age" })?.newValue { age = new as? Int }
        case .deleted: age = nil
        case .error(let error): Issue.record(error)
        }
    }
}

/// Used on the queue of its realm.
private final class RandomDeliveries: @unchecked Sendable {
    private let queue: QueueRealm
    private var random: SeededGenerator
    private var watchers: [Watcher] = []
    private var objectWatchers: [ObjectWatcher] = []
    private var depth = 0
    private(set) var deliveries = 0

    init(_ queue: QueueRealm, _ seed: UInt64) {
        self.queue = queue
        random = SeededGenerator(state: seed)
    }

    private func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    // MARK: What happens

    private static func change(_ realm: Realm, _ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1..<4, using: &random) {
            let id = Int.random(in: 0..<30, using: &random), age = Int.random(in: 0..<100, using: &random)
            let person = realm.object(ofType: Person.self, forPrimaryKey: id)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: if let person { realm.delete(person) }
            case 1: person?.name = "p\(age % 4)"
            default: realm.create(Person.self, value: ["id": id, "age": age, "name": "p\(age % 4)"], update: .modified)
            }
        }
    }

    private func write(_ realm: Realm) throws {
        if realm.isInWriteTransaction { return Self.change(realm, &random) }
        realm.beginWrite()  // which may tell others, who write in turn
        if !realm.isInWriteTransaction { return }
        Self.change(realm, &random)
        if let person = objectWatchers.randomElement(using: &random)?.person, !person.isInvalidated, below(3) == 0 {
            realm.delete(person)
        }
        if !realm.isInWriteTransaction { return }
        if below(5) == 0 { realm.cancelWrite() } else { try realm.commitWrite() }
    }

    private func writeElsewhere() throws {
        let seed = random.next()
        try queue.elsewhere { realm in
            var random = SeededGenerator(state: seed)
            Self.change(realm, &random)
        }
    }

    private func observe(_ realm: Realm) {
        let all = realm.objects(Person.self)
        let results =
            switch below(4) {
            case 0: all
            case 1: all.where { $0.age > 50 }
            case 2: all.sorted(by: \.age)
            default: all.where { $0.age < 80 }.sorted(by: \.name, ascending: false)
            }
        let watcher = Watcher(results)
        let paths = [nil, [], ["name"]][below(3)]
        watchers.append(watcher)
        watcher.token = results.observe(keyPaths: paths) { [unowned self, unowned watcher] change in
            deliveries += 1
            watcher.take(change)
            do { try act(realm) } catch { Issue.record(error) }
        }
    }

    private func observeObject(_ realm: Realm) {
        guard let person = realm.object(ofType: Person.self, forPrimaryKey: below(30)) else { return }
        let watcher = ObjectWatcher(person)
        objectWatchers.append(watcher)
        watcher.token = person.observe { [unowned self, unowned watcher] (change: ObjectChange<Person>) in
            deliveries += 1
            watcher.take(change)
            do { try act(realm) } catch { Issue.record(error) }
        }
    }

    private func end() {
        guard watchers.count > 3 else { return }
        let watcher = watchers.remove(at: below(watchers.count))
        ended.append(watcher)
        watcher.isOver = true
        if below(2) == 0 { watcher.token?.invalidate() }
        watcher.token = nil
    }

    /// Kept, so that it is known if they are told.
    private var ended: [Watcher] = []

    /// Nobody is told any more.
    private func invalidate(_ realm: Realm) {
        realm.invalidate()
        for watcher in watchers { watcher.isOver = true }
        ended += watchers
        watchers = []
        for watcher in objectWatchers { watcher.token = nil }
        objectWatchers = []
    }

    /// What a closure does.
    private func act(_ realm: Realm) throws {
        guard depth < 4 else { return }
        depth += 1
        defer { depth -= 1 }
        switch below(30) {
        case 0, 1: try write(realm)
        case 2: if !realm.isInWriteTransaction { try writeElsewhere() }
        case 3:
            if !realm.isInWriteTransaction {
                try writeElsewhere()
                try write(realm)
            }
        case 4: if !realm.isInWriteTransaction, watchers.count < 12 { observe(realm) }
        case 5: end()
        case 6: realm.refresh()
        case 7: if below(4) == 0 { invalidate(realm) }
        default: break
        }
    }

    // MARK: Running

    func run(_ steps: Int) throws {
        for _ in 0..<steps {
            try queue.run { realm in
                while watchers.count < 4 { observe(realm) }
                if objectWatchers.count > 6 { objectWatchers.removeFirst().token = nil }
                observeObject(realm)
                switch below(4) {
                case 0:
                    try writeElsewhere()
                    realm.refresh()
                case 1:
                    try writeElsewhere()
                    try write(realm)
                default: try write(realm)
                }
            }
            queue.settle()
        }
        for _ in 0..<10 {
            queue.run { realm in depth = 9; realm.refresh() }  // closures do nothing more
            queue.settle()
        }
        queue.run { realm in
            for watcher in watchers { #expect(watcher.shown == watcher.there) }
            for watcher in objectWatchers {
                let there = realm.object(ofType: Person.self, forPrimaryKey: watcher.id)?.age
                #expect(watcher.age == nil || watcher.age == there)
                watcher.token = nil
            }
            for watcher in ended + watchers { watcher.token = nil }
        }
    }
}

@Suite(.timeLimit(.minutes(20))) struct RandomDeliveriesTests {
    @Test(arguments: 0..<8)
    func `what is told leads to what is there, whatever closures do`(_ number: UInt64) throws {
        let seed = testSeed("random deliveries") &+ number
        try withQueueRealm { queue in
            let deliveries = RandomDeliveries(queue, seed)
            try deliveries.run(250)
            #expect(deliveries.deliveries > 250)
        }
    }

    @Test func `S167: an update is not told before what there is, when another closure writes`() throws {
        try withQueueRealm { queue in
            nonisolated(unsafe) var isFirst = true
            try queue.run { realm in
                try realm.write { for id in 0..<3 { realm.add(Person(id)) } }
                let writing = realm.objects(Person.self).observe { change in
                    guard case .update = change, isFirst else { return }
                    isFirst = false
                    do {
                        try queue.elsewhere { $0.add(Person(9)) }
                        try realm.write {}
                    } catch {
                        Issue.record(error)
                    }
                }
                queue.tokens.append(writing)
            }
            queue.settle()
            try queue.run { realm in
                try realm.write { realm.objects(Person.self)[0].age = 5 }
                queue.tokens.append(realm.objects(Person.self).observe { queue.log.append(text($0)) })
            }
            #expect(queue.told() == ["initial 4"])
        }
    }

    @Test(arguments: [1, 3])
    func `S75: a closure that invalidates the realm is the last to be told`(_ count: Int) throws {
        try withQueueRealm { queue in
            let person = try queue.run { realm in
                let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
                for number in 0..<count {
                    queue.tokens.append(
                        realm.objects(Person.self).observe { change in
                            queue.log.append("\(number) \(text(change))")
                            if case .update = change { realm.invalidate() }
                        })
                    queue.tokens.append(
                        person.observe { _ in
                            queue.log.append("\(number) object")
                            realm.invalidate()
                        })
                }
                return person
            }
            _ = queue.told()
            try queue.run { realm in try realm.write { person.age = 7 } }
            #expect(queue.told() == ["0 1: -[] +[] ~[0]"])
            try queue.run { realm in
                #expect(realm.objects(Person.self).first?.age == 7)
                queue.tokens = [realm.objects(Person.self).observe { queue.log.append(text($0)) }]
                try realm.write { realm.add(Person(2)) }
            }
            #expect(queue.told() == ["initial 2"])
        }
    }
}
