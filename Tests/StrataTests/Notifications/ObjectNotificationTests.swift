// SPDX-License-Identifier: MIT
// ObjectNotificationTests.swift -- what observers of objects and of realms are told, and where.

import Foundation
import Strata
import Synchronization
import Testing

private final class PersonCard: Projection<Person> {
    @Projected(\Person.age) var years
}

private final class EarlyCard: Object {
    @Persisted var number: Int
    @Persisted(originProperty: "next") var before: LinkingObjects<EarlyCard>
    @Persisted var next: EarlyCard?

    override class func _realmObjectName() -> String? { "ObservedCard" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class LateCard: Object {
    @Persisted var number: Int
    @Persisted var next: LateCard?
    @Persisted var added: Int

    override class func _realmObjectName() -> String? { "ObservedCard" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite(.timeLimit(.minutes(20))) struct ObjectNotificationTests {
    @Test func `S167 S173: properties that were assigned, even to the same value; nothing at first`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                let person = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "a", "age": 3]) }
                queue.tokens.append(person.observe { [unowned queue] (change: ObjectChange<Person>) in
                    queue.log.append(text(change))
                })
            }
            #expect(queue.told() == [])
            try queue.run { realm in
                try realm.write {
                    realm.objects(Person.self)[0].name = "b"
                    realm.objects(Person.self)[0].age = 3
                }
            }
            #expect(queue.told() == ["name: nil -> b, age: nil -> 3"])
            // What others commit tells what was there before.
            try queue.elsewhere { realm in
                realm.objects(Person.self)[0].name = "c"
                realm.objects(Person.self)[0].dogs.append(Dog("d"))
            }
            queue.run { _ = $0.refresh() }
            let told = queue.told()
            #expect(told.count == 1 && told[0].hasPrefix("name: b -> c, dogs: nil -> List<Dog>"))
        }
    }

    @Test func `S173: an own write has no old values, whoever writes while others are told`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                let person = try realm.write { realm.create(Person.self, value: ["id": 1, "age": 3]) }
                for writes in [true, false] {
                    queue.tokens.append(
                        person.observe { (change: ObjectChange<Person>) in
                            queue.log.append(text(change))
                            if writes { #expect(throws: Never.self) { try realm.write {} } }
                        })
                }
                try realm.write { person.age = 5 }
            }
            #expect(queue.told() == ["age: nil -> 5", "age: nil -> 5"])
        }
    }

    @Test func `of properties that another program has added nothing is told`() throws {
        try withQueueRealm([EarlyCard.self]) { queue in
            try queue.run { realm in
                let card = try realm.write { realm.create(EarlyCard.self, value: ["number": 1]) }
                queue.tokens.append(card.observe { [unowned queue] (change: ObjectChange<EarlyCard>) in
                    queue.log.append(text(change))
                })
            }
            var configuration = queue.configuration
            configuration.objectTypes = [LateCard.self]
            configuration.schemaVersion = 1
            let late = try Realm(configuration: configuration)
            queue.run { _ = $0.refresh() }
            _ = queue.told()  // with another schema anything may have changed
            for (text, told) in [(nil, []), ("x", ["number: 1 -> 2"])] {
                try late.write {
                    late.objects(LateCard.self).first?.added += 1
                    if text != nil { late.objects(LateCard.self).first?.number = 2 }
                }
                queue.run { _ = $0.refresh() }
                #expect(queue.told() == told)
            }
        }
    }

    @Test func `an object that was deleted in a write that is taken back is told of`() throws {
        struct TakenBack: Error {}
        try withQueueRealm { queue in
            try queue.run { realm in
                let person = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "a", "age": 3]) }
                let projection = PersonCard(projecting: person)
                queue.tokens = [
                    person.observe { (change: ObjectChange<Person>) in
                        queue.log.append(text(change))
                        if case .change(let told, _) = change { #expect(!told.isInvalidated && told.id == 1) }
                    },
                    projection.observe { (change: ObjectChange<PersonCard>) in
                        queue.log.append("card " + text(change))
                        if case .change(let told, _) = change { #expect(!told.isInvalidated && told.years > 3) }
                    },
                ]
                #expect(throws: TakenBack.self) {
                    try realm.write {
                        realm.delete(person)
                        throw TakenBack()
                    }
                }
                #expect(person.isInvalidated)
                try realm.write { realm.objects(Person.self)[0].age = 4 }
            }
            #expect(queue.told() == ["age: nil -> 4", "card years: nil -> 4"])
            try queue.elsewhere { $0.objects(Person.self)[0].age = 5 }
            queue.run { _ = $0.refresh() }
            #expect(queue.told() == ["age: 4 -> 5", "card years: 4 -> 5"])
            try queue.run { realm in try realm.write { realm.delete(realm.objects(Person.self)) } }
            #expect(queue.told() == ["deleted", "card deleted"])
        }
    }

    @Test func `S174 S175: objects are shallow, unless a key path leads on`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                let person = try realm.write {
                    realm.create(Person.self, value: ["id": 1, "dog": ["name": "d"], "dogs": [["name": "e"]]])
                }
                func observe(_ name: String, _ paths: [String]?) {
                    queue.tokens.append(person.observe(keyPaths: paths) { [unowned queue] (change: ObjectChange<Person>) in
                        if case .change(_, let properties) = change {
                            queue.log.append("\(name) \(properties.map(\.name))")
                        }
                    })
                }
                observe("all", nil)
                observe("dog", ["dog.name"])
                observe("dogs", ["dogs"])
                observe("names", ["dogs.name", "name"])
                queue.tokens.append(person.dog!.observe(keyPaths: ["owners.name"]) { [unowned queue] (change: ObjectChange<Dog>) in
                    queue.log.append("owners \(text(change).prefix(6))")
                })
                queue.tokens.append(person.observe(keyPaths: [\Person.age]) { [unowned queue] _ in queue.log.append("typed") })
            }
            func told(_ change: (Person) -> Void) throws -> [String] {
                try queue.run { realm in try realm.write { change(realm.objects(Person.self)[0]) } }
                return queue.told()
            }
            #expect(try told { $0.dog!.name = "x" } == ["dog [\"dog\"]"])
            #expect(try told { $0.dog!.age = 1 } == [])
            #expect(try told { $0.dogs[0].name = "y" } == ["names [\"dogs\"]"])
            #expect(try told { $0.dogs.append(Dog("z")) } == ["all [\"dogs\"]", "dogs [\"dogs\"]", "names [\"dogs\"]"])
            #expect(try told { $0.dogs.removeLast() } == ["all [\"dogs\"]", "dogs [\"dogs\"]", "names [\"dogs\"]"])
            #expect(try told { $0.name = "n" } == ["all [\"name\"]", "names [\"name\"]", "owners owners"])
            #expect(try told { $0.age = 4 } == ["all [\"age\"]", "typed"])
            #expect(try told { $0.dog = nil } == ["all [\"dog\"]", "dog [\"dog\"]", "owners owners"])
        }
    }

    @Test func `S177: a deletion is told once, and the last`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
                queue.tokens.append(person.observe { [unowned queue] (change: ObjectChange<Person>) in
                    queue.log.append(text(change))
                })
            }
            try queue.run { realm in try realm.write { realm.delete(realm.objects(Person.self)) } }
            #expect(queue.told() == ["deleted"])
            try queue.run { realm in try realm.write { realm.add(Person(1)) } }
            #expect(queue.told() == [])
        }
    }

    @Test func `S171 S180: observers of the realm are told at once; without autorefresh they are told to refresh`() throws {
        try withQueueRealm { queue in
            queue.run { realm in
                realm.autorefresh = false
                queue.tokens.append(realm.observe { [unowned queue] what, realm in
                    queue.log.append("\(what) \(realm.objects(Person.self).count)")
                })
            }
            try queue.run { realm in
                try realm.write { realm.add(Person(1)) }
                #expect(queue.log == ["didChange 1"])
                queue.log = []
            }
            try queue.elsewhere { $0.add(Person(2)) }
            while queue.run({ _ in queue.log.isEmpty }) { Thread.sleep(forTimeInterval: 0.001) }
            #expect(Set(queue.told()) == ["refreshRequired 1"])  // of one commit it may be told more than once
            queue.run { realm in
                realm.refresh()
                #expect(queue.log.last == "didChange 2")
            }
        }
    }

    @Test func `S181: a write in a callback is told in turn; callbacks come in the order in which they were added`() throws {
        try withQueueRealm { queue in
            queue.run { realm in
                let people = realm.objects(Person.self)
                for name in ["first", "second", "third"] {
                    queue.tokens.append(people.observe { [unowned queue] change in
                        guard case .update(let all, _, let insertions, _) = change else { return }
                        queue.log.append("\(name) \(insertions)")
                        if name == "second" && all.count < 3 {
                            let realm = all.realm!
                            try! realm.write { realm.add(Person(all.count + 1)) }
                        }
                    })
                }
            }
            _ = queue.told()
            try queue.run { realm in try realm.write { realm.add(Person(1)) } }
            // The write in the callback of the second one begins by telling the third one of the first write.
            #expect(queue.told() == [
                "first [0]", "second [0]", "third [0]", "first [1]", "second [1]", "third [1]", "first [2]", "second [2]",
                "third [2]",
            ])
        }
    }

    @Test func `S181: who is told at the beginning of a write in a callback cannot write again`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withQueueRealm { queue in
                queue.run { realm in
                    for _ in 0..<2 {
                        queue.tokens.append(realm.objects(Person.self).observe { change in
                            guard case .update(let all, _, _, _) = change, all.count < 3 else { return }
                            try! all.realm!.write { all.realm!.add(Person(all.count + 1)) }
                        })
                    }
                }
                queue.settle()
                try queue.run { realm in try realm.write { realm.add(Person(1)) } }
                queue.settle()
            }
        }
        expect(result, says: "a write transaction is begun inside of another; end that one first")
    }

    @Test func `S181 S182: observers that come and go in a callback`() throws {
        try withQueueRealm { queue in
            queue.run { realm in
                let people = realm.objects(Person.self)
                queue.tokens.append(people.observe { [unowned queue] change in
                    queue.log.append("first \(text(change))")
                    guard case .update(let all, _, _, _) = change, queue.tokens.count == 2 else { return }
                    queue.tokens[1].invalidate()
                    queue.tokens.append(all.observe { [unowned queue] in queue.log.append("new \(text($0))") })
                })
                queue.tokens.append(people.observe { [unowned queue] in queue.log.append("second \(text($0))") })
            }
            #expect(queue.told() == ["first initial 0", "second initial 0"])
            try queue.run { realm in try realm.write { realm.add(Person(1)) } }
            #expect(queue.told() == ["first 1: -[] +[0] ~[]", "new initial 1"])
            try queue.run { realm in try realm.write { realm.add(Person(2)) } }
            #expect(queue.told() == ["first 2: -[] +[1] ~[]", "new 2: -[] +[1] ~[]"])
        }
    }

    // MARK: Elsewhere

    @Test func `S179: on a queue the closure and its object belong to the queue`() throws {
        let temporary = try TemporaryRealm(), queue = DispatchQueue(label: "somewhere else")
        let realm = try temporary.open(), log = Mutex<[String]>([])
        let person = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "a"]) }
        let gone = try realm.write { realm.create(Person.self, value: ["id": 2]) }
        let blocker = DispatchSemaphore(value: 0)
        queue.async { blocker.wait() }
        let token = person.observe(on: queue) { (change: ObjectChange<Person>) in
            dispatchPrecondition(condition: .onQueue(queue))
            if case .change(let person, _) = change { log.withLock { $0.append(person.name) } }
        }
        let other = gone.observe(on: queue) { (change: ObjectChange<Person>) in log.withLock { $0.append(text(change)) } }
        let results = realm.objects(Person.self).observe(on: queue) { change in log.withLock { $0.append(text(change)) } }
        let forgotten: NotificationToken? = person.observe(on: queue) { (_: ObjectChange<Person>) in
            log.withLock { $0.append("forgotten") }
        }
        forgotten?.invalidate()
        try realm.write { realm.delete(gone) }
        blocker.signal()
        for _ in 0..<5 { queue.sync {} }
        #expect(log.withLock { $0 } == ["deleted", "initial 1"])
        try realm.write { person.name = "b" }
        while log.withLock({ $0.count }) < 4 { Thread.sleep(forTimeInterval: 0.001) }
        #expect(log.withLock { $0 } == ["deleted", "initial 1", "b", "1: -[] +[] ~[0]"])
        for token in [token, other, results] { token.invalidate() }
        queue.sync {}
    }

    @Test func `S179: on an actor; it has begun when the call returns, and a cancelled task observes nothing`() async throws {
        let temporary = try TemporaryRealm(), watcher = Watcher()
        let configuration = temporary.configuration
        let tokens = try await watcher.observe(configuration)
        #expect(tokens.count == 4)
        try await Task.detached { try await Watcher.write(configuration) }.value
        while watcher.log.count < 6 { try await Task.sleep(for: .milliseconds(1)) }
        let log = watcher.log
        #expect(log.prefix(2) == ["list initial 0", "people initial 1"])
        #expect(Set(log.dropFirst(2)) == [
            "person name", "people 1: -[] +[] ~[0]", "list 1: -[] +[0] ~[]", "other actor name",
        ])
        let inert = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await watcher.observe(configuration)
        }
        inert.cancel()
        let cancelled = try await inert.value
        #expect(cancelled.count == 4 && cancelled.allSatisfy { !$0.invalidate() })
        for token in tokens { token.invalidate() }
    }

    @Test func `N5 N6 S179: sections on an actor`() async throws {
        let temporary = try TemporaryRealm(), watcher = Watcher(), configuration = temporary.configuration
        let tokens = try await watcher.observeSections(configuration)
        while watcher.log.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(Set(watcher.log) == ["all initial", "one initial"])
        for (id, age) in [(4, 20), (5, 30)] {
            try await Task.detached {
                try onAnotherThread {
                    let realm = try Realm(configuration: configuration)
                    try realm.write { realm.add(Person(id, age: age)) }
                }
            }.value
            while watcher.log.count < (id == 4 ? 4 : 5) { try await Task.sleep(for: .milliseconds(1)) }
        }
        let added = "-[] +[[1, 1]] ~[] sections +[] -[]"
        #expect(Set(watcher.log.dropFirst(2).prefix(2)) == ["all " + added, "one " + added])
        #expect(watcher.log.last == "all -[] +[[2, 0]] ~[] sections +[2] -[]")
        for token in tokens { token.invalidate() }
    }

    @Test func `N6 S179: sets and maps on an actor`() async throws {
        let temporary = try TemporaryRealm(collectionTypes), watcher = Watcher()
        let configuration = temporary.configuration
        let tokens = try await watcher.observeSetsAndMaps(configuration)
        while watcher.log.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(Set(watcher.log) == ["set initial 2", "map initial 2", "other actor initial 1"])
        try await Task.detached { try await Watcher.changeSetsAndMaps(configuration) }.value
        while watcher.log.count < 6 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(Set(watcher.log.dropFirst(3)) == [
            "set 2: -[0] +[1] ~[]", "map 2: -[\"a\"] +[\"c\"] ~[\"b\"]", "other actor 1: -[] +[] ~[\"x\"]",
        ])
        for token in tokens { token.invalidate() }
    }

    @Test func `S173: the object tells of writes that were queued as of its own`() async throws {
        let temporary = try TemporaryRealm(), watcher = Watcher()
        let told = try await watcher.observeAndWrite(temporary.configuration)
        #expect(told == ["name: nil -> b"])
    }

    // MARK: Misuse

    @Test func `S166: a thread whose run loop does not run cannot observe`() async {
        let thread = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try onAnotherThread { try withRealm { realm in _ = realm.observe { _, _ in } } }
        }
        expect(
            thread,
            says: "the realm is observed on a thread of its own, where nobody can be told; observe on the main actor, in an "
                + "actor, on a dispatch queue that the realm was opened for, with `on:`, or in what the run loop of the "
                + "thread runs")
    }

    // Statement 166.
    @Test(
        """
        Differs from Realm: observing inside of `asyncWrite` and the like stops the program; Realm allows it before the \
        first change. Here such writes may share one transaction, and what one of them finds at its beginning is no \
        version of the file.
        """)
    func observingInQueuedWrites() async {
        let queued = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm()
            try await Watcher().observeInAWrite(temporary.configuration)
        }
        expect(
            queued,
            says: "a Results<Person> is observed inside of asyncWrite and the like, which may share a transaction with "
                + "other writes; observe before the write, or after it")
    }

    @Test func `S166: what cannot be observed is misuse`() async {
        let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Person(1).observe { (_: ObjectChange<Person>) in }
        }
        expect(unmanaged, says: "Person is unmanaged; add it to a realm to observe it")
        let deleted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withQueueRealm { queue in
                try queue.run { realm in
                    let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
                    try realm.write { realm.delete(person) }
                    _ = person.observe { (_: ObjectChange<Person>) in }
                }
            }
        }
        expect(deleted, says: "is gone and cannot be observed")
        let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Person(1).dogs.observe { _ in }
        }
        expect(list, says: "a List<Dog> is unmanaged; add its object to a realm to observe it")
        let frozen = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withQueueRealm { queue in queue.run { _ = $0.objects(Person.self).freeze().observe { _ in } } }
        }
        expect(frozen, says: "a Results<Person> is frozen and never changes; observe what thaw() gives")
        let changed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withQueueRealm { queue in
                try queue.run { realm in
                    try realm.write {
                        realm.add(Person(1))
                        _ = realm.objects(Person.self).observe { _ in }
                    }
                }
            }
        }
        expect(
            changed,
            says: "a Results<Person> is observed in a write that has changed something; observe before the write, or "
                + "after it")
        let readOnly = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm()
            _ = try temporary.open()
            var configuration = temporary.configuration
            configuration.readOnly = true
            let queue = DispatchQueue(label: "reads")
            try queue.sync { _ = try Realm(configuration: configuration, queue: queue).observe { _, _ in } }
        }
        expect(readOnly, says: "the realm is in a realm that is open for reading only, which is not told of changes")
    }

    @Test func `S166: in a write that has changed nothing, observing begins`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                try realm.write {
                    queue.tokens.append(realm.objects(Person.self).observe { [unowned queue] in queue.log.append(text($0)) })
                    realm.add(Person(1))
                }
            }
            #expect(queue.told() == ["initial 1"])
        }
    }

    @Test func `S175: a key path that names no property is misuse`() async {
        let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withQueueRealm { queue in
                queue.run { _ = $0.objects(Person.self).observe(keyPaths: ["dog.nmae"]) { _ in } }
            }
        }
        expect(unknown, says: "Dog has no persisted property \"nmae\", which the key path \"dog.nmae\" names; it has")
        let beyond = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withQueueRealm { queue in
                queue.run { _ = $0.objects(Person.self).observe(keyPaths: ["name.length"]) { _ in } }
            }
        }
        expect(beyond, says: "Person.name is no link, so that \"length\" cannot follow it in the key path \"name.length\"")
        let ofObject = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withQueueRealm { queue in
                try queue.run { realm in
                    let person = try realm.write { realm.create(Person.self) }
                    _ = person.observe(keyPaths: ["dogs.nmae"]) { (_: ObjectChange<Person>) in }
                }
            }
        }
        expect(ofObject, says: "Dog has no persisted property \"nmae\", which the key path \"dogs.nmae\" names; it has")
    }

    @Test func `S172: a token of another realm is misuse`() async {
        let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let one = try QueueRealm(), other = try QueueRealm()
            one.run { realm in one.tokens.append(realm.observe { _, _ in }) }
            try other.run { realm in try realm.write(withoutNotifying: one.tokens) { realm.add(Person(1)) } }
        }
        expect(
            other,
            says: "withoutNotifying was given a token of another realm, or of another thread, queue or actor; give it "
                + "those of what this realm observes")
    }
}

private actor Other {}

private actor Watcher {
    private nonisolated let lines = Mutex<[String]>([])
    private var realm: Realm?
    private let other = Other()

    func observe(_ configuration: Realm.Configuration) async throws -> [NotificationToken] {
        let realm = try await Realm(configuration: configuration, actor: self)
        self.realm = realm
        let person = try realm.object(ofType: Person.self, forPrimaryKey: 1)
            ?? realm.write { realm.create(Person.self, value: ["id": 1]) }
        var tokens: [NotificationToken] = []
        tokens.append(await person.dogs.observe(on: self) { watcher, change in watcher.add("list " + text(change)) })
        tokens.append(await realm.objects(Person.self).observe(on: self) { watcher, change in
            watcher.add("people " + text(change))
        })
        tokens.append(await person.observe(on: self) { (watcher, change: ObjectChange<Person>) in
            if case .change(_, let properties) = change, properties.contains(where: { $0.name == "name" }) {
                watcher.add("person name")
            }
        })
        tokens.append(await person.observe(keyPaths: ["name"], on: other) { (other, change: ObjectChange<Person>) in
            if case .change(_, let properties) = change { self.add("other actor \(properties[0].name)") }
        })
        return tokens
    }

    func observeSetsAndMaps(_ configuration: Realm.Configuration) async throws -> [NotificationToken] {
        let realm = try await Realm(configuration: configuration, actor: self)
        self.realm = realm
        let (ints, maps) = try realm.write {
            let values: [String: Any] = ["ints": ["a": 1, "b": 2], "dogs": ["x": ["name": "d"]]]
            return (realm.create(Sets.self, value: ["ints": [1, 5]]).ints, realm.create(Maps.self, value: values))
        }
        return [
            await ints.observe(on: self) { watcher, change in watcher.add("set " + text(change)) },
            await maps.ints.observe(on: self) { watcher, change in watcher.add("map " + text(change)) },
            await maps.dogs.observe(keyPaths: ["age"], on: other) { _, change in
                self.add("other actor " + text(change))
            },
        ]
    }

    static func changeSetsAndMaps(_ configuration: Realm.Configuration) async throws {
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                let ints = realm.objects(Sets.self)[0].ints, maps = realm.objects(Maps.self)[0]
                ints.remove(1)
                ints.insert(7)
                maps.ints["a"] = nil
                maps.ints["b"] = 3
                maps.ints["c"] = 4
                maps.dogs["x"]??.age = 3
            }
        }
    }

    func observeSections(_ configuration: Realm.Configuration) async throws -> [NotificationToken] {
        let realm = try await Realm(configuration: configuration, actor: self)
        self.realm = realm
        try realm.write { for (id, age) in [(1, 10), (2, 10), (3, 20)] { realm.add(Person(id, age: age)) } }
        let sections = realm.objects(Person.self).sectioned(by: \.age)
        return [
            await sections.observe(on: self) { watcher, change in watcher.add("all " + text(change)) },
            await sections[1].observe(keyPaths: ["age"], on: other) { _, change in self.add("one " + text(change)) },
        ]
    }

    func observeAndWrite(_ configuration: Realm.Configuration) async throws -> [String] {
        let realm = try await Realm(configuration: configuration, actor: self)
        let person = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "a"]) }
        let token = await person.observe(on: self) { (watcher, change: ObjectChange<Person>) in
            watcher.add(text(change))
        }
        try await realm.asyncWrite { person.name = "b" }
        token.invalidate()
        return log
    }

    func observeInAWrite(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm(configuration: configuration, actor: self)
        try await realm.asyncWrite { _ = realm.objects(Person.self).observe { _ in } }
    }

    nonisolated func add(_ text: String) { lines.withLock { $0.append(text) } }

    nonisolated var log: [String] { lines.withLock { $0 } }

    static func write(_ configuration: Realm.Configuration) async throws {
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                let person = realm.objects(Person.self)[0]
                person.name = "n"
                person.dogs.append(Dog("d"))
            }
        }
    }
}
