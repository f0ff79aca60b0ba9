// SPDX-License-Identifier: MIT
// FreezeTests.swift -- realms, objects and collections that never change and are read by every thread.

import Foundation
import Strata
import Synchronization
import Testing

/// Runs a body on several threads at once and waits for all.
private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let done = DispatchGroup()
    for number in 0..<count {
        done.enter()
        Thread.detachNewThread {
            body(number)
            done.leave()
        }
    }
    done.wait()
}

@Suite struct FreezeTests {
    private func withPeople(_ body: (Realm, Person) throws -> Void) throws {
        try withRealm { realm in
            try realm.write {
                for id in 1...9 { realm.add(Person(id, "p\(id)", age: id % 3)) }
                let person = realm.objects(Person.self)[0]
                person.dogs.append(objectsIn: ["a", "b", "c"].map { Dog($0, age: 4) })
                person.dog = person.dogs[1]
                person.email = String(repeating: "x", count: 20_000)
            }
            try body(realm, try #require(realm.object(ofType: Person.self, forPrimaryKey: 1)))
        }
    }

    @Test func `S157 X3: a frozen object never changes, and thaws to the live one`() throws {
        try withPeople { realm, person in
            let frozen = person.freeze()
            #expect(frozen.isFrozen && !person.isFrozen && frozen.realm?.isFrozen == true)
            #expect(frozen.freeze() === frozen && person.thaw() === person)
            #expect(frozen.dog?.isFrozen == true && frozen.dogs.isFrozen && frozen.dogs[0].isFrozen)
            try realm.write {
                person.name = "changed"
                person.email = nil
                person.dogs.removeAll()
            }
            #expect(frozen.name == "p1" && frozen.email?.count == 20_000 && frozen.dogs.count == 3)
            #expect(frozen.dogs.map(\.name) == ["a", "b", "c"] && frozen.dog?.packs.count == 1)
            let thawed = try #require(frozen.thaw())
            #expect(thawed.isSameObject(as: person) && thawed.name == "changed")
            try realm.write { realm.delete(person) }
            #expect(frozen.thaw() == nil && frozen.name == "p1" && !frozen.isInvalidated)
            #expect(realm.freeze(frozen) === frozen && realm.thaw(frozen) == nil)
        }
    }

    @Test func `S157: inside a write older objects freeze with the values at its start`() throws {
        try withPeople { realm, person in
            try realm.write {
                person.name = "changed"
                let frozen = person.freeze()
                #expect(frozen.name == "p1" && person.name == "changed")
                #expect(realm.freeze().objects(Person.self).count == 9 && realm.freeze() == frozen.realm)
            }
            #expect(person.freeze().name == "changed")
        }
    }

    @Test func `S157: freezing what is unmanaged, gone or new, and changing what is frozen, is misuse`() async {
        let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Person(1).freeze()
        }
        expect(unmanaged, says: "an unmanaged Person cannot be frozen; add it to a realm first")
        let gone = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let person = try realm.write { realm.create(Person.self) }
                try realm.write { realm.delete(realm.objects(Person.self)) }
                _ = person.freeze()
            }
        }
        expect(gone, says: "a Person that is gone cannot be frozen; check isInvalidated first")
        let new = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                try realm.write { _ = realm.create(Person.self).freeze() }
            }
        }
        expect(
            new,
            says: "a Person that was made, or moved inside of a value of any type, by the write that is open cannot be "
                + "frozen; freeze it after the commit")
        let changed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let person = try realm.write { realm.create(Person.self) }
                person.freeze().name = "changed"
            }
        }
        expect(
            changed,
            says: "Person.name cannot be set in a frozen realm, which never changes; change what thaw() gives")
        let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let person = try realm.write { realm.create(Person.self) }
                person.freeze().dogs.append(Dog("a"))
            }
        }
        expect(list, says: "in a frozen realm, which never changes; change what thaw() gives")
        let write = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in try realm.freeze().write {} }
        }
        expect(
            write,
            says: "a write transaction is begun on a frozen realm, which never changes; use what thaw() gives")
        let thaw = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Person(1).thaw()
        }
        expect(thaw, says: "an unmanaged Person cannot be thawed; add it to a realm first")
    }

    @Test func `S158: what is found through a frozen collection is frozen, and stays`() throws {
        try withPeople { realm, person in
            let all = realm.objects(Person.self).sorted(by: \.age).freeze()
            let old = all.where { $0.age > 0 }, dogs = person.dogs.freeze(), packs = person.dogs[0].packs.freeze()
            let names = person.dogs.map(\.name)
            let sections = realm.objects(Person.self).sectioned(by: \.age, ascending: true).freeze()
            let any = AnyRealmCollection(realm.objects(Dog.self)).freeze()
            try realm.write { realm.deleteAll() }
            #expect(all.isFrozen && old.isFrozen && old.count == 6 && all.count == 9)
            #expect(old.map(\.age) == [1, 1, 1, 2, 2, 2] && all.first?.isFrozen == true && all[3].age == 1)
            #expect(dogs.isFrozen && dogs.map(\.name) == names && dogs.where { $0.name == "b" }.count == 1)
            #expect(dogs.sorted(by: \.name, ascending: false).first?.name == "c")
            #expect(packs.isFrozen && packs.count == 1 && packs.first?.name == "p1")
            #expect(sections.isFrozen && sections.allKeys == [0, 1, 2] && sections[1].count == 3)
            #expect(sections[2].isFrozen && sections[2].freeze().map(\.age) == [2, 2, 2])
            #expect(any.isFrozen && any.count == 3)
            #expect(all.thaw()?.count == 0 && dogs.thaw() == nil && packs.thaw() == nil)
            #expect(sections.thaw()?.count == 0 && any.thaw()?.count == 0)
            #expect(all.realm == old.realm && all.realm?.thaw() == realm)
            #expect(all.realm?.refresh() == false && all.realm?.autorefresh == false)
        }
    }

    @Test func `S158: sets and maps freeze`() throws {
        try withRealm([Sets.self, Maps.self, Dog.self, Person.self]) { realm in
            let (sets, maps) = try realm.write { (realm.create(Sets.self), realm.create(Maps.self)) }
            try realm.write {
                sets.ints.insert(objectsIn: [3, 1, 2])
                maps.strings["a"] = "b"
            }
            let ints = sets.ints.freeze(), strings = maps.strings.freeze(), values = sets.ints.sorted().freeze()
            try realm.write { realm.deleteAll() }
            #expect(ints.isFrozen && Set(ints) == [1, 2, 3] && ints.contains(2))
            #expect(strings.isFrozen && strings["a"] == "b" && strings.keys == ["a"])
            #expect(values.isFrozen && Array(values) == [1, 2, 3])
            #expect(ints.thaw() == nil && strings.thaw() == nil && values.thaw() == nil)
        }
    }

    @Test func `S157: frozen things of one version are equal, and are passed by references`() throws {
        try withPeople { realm, person in
            let one = realm.freeze()
            #expect(one == realm.freeze() && one != realm && person.freeze().isSameObject(as: person.freeze()))
            #expect(person.freeze() == person.freeze())
            let frozen = person.freeze()
            let reference = ThreadSafeReference(to: frozen), configuration = realm.configuration
            let isLive = try onAnotherThread {
                let realm = try Realm(configuration: configuration)
                return realm.resolve(reference).map { !$0.isFrozen && $0.name == "p1" }
            }
            #expect(isLive == true)
            try realm.write { person.name = "changed" }
            #expect(one != realm.freeze() && !frozen.isSameObject(as: person.freeze()))
        }
    }

    @Test func `S157: eight threads read frozen objects at once while another writes`() throws {
        try withPeople { realm, person in
            try realm.write { realm.create(Everything.self, value: ["string": "s", "int": 7]) }
            nonisolated(unsafe) let frozen = person.freeze(), all = realm.objects(Person.self).freeze()
            nonisolated(unsafe) let everything = try #require(realm.objects(Everything.self).first).freeze()
            nonisolated(unsafe) let sorted = all.sorted(by: \.name, ascending: false)
            nonisolated(unsafe) let dogs = frozen.dogs
            let text = "\(everything)", wrong = Atomic(0), over = Atomic(false)
            let configuration = realm.configuration, writer = DispatchGroup()
            writer.enter()
            Thread.detachNewThread {
                let realm = try? Realm(configuration: configuration)
                var count = 0
                while !over.load(ordering: .relaxed) {
                    try? realm?.write {
                        for person in realm!.objects(Person.self) { person.name = "w\(count)" }
                        realm!.objects(Everything.self).first?.string = "w\(count)"
                        realm!.objects(Dog.self).first?.age = count
                    }
                    count += 1
                }
                writer.leave()
            }
            onThreads(8) { number in
                for round in 0..<100 {
                    let right = frozen.name == "p1" && frozen.email?.count == 20_000 && frozen.dog?.age == 4
                        && all.count == 9 && all[round % 9].id == round % 9 + 1 && sorted[0].name == "p9"
                        && dogs.count == 3 && dogs.map(\.name) == ["a", "b", "c"]
                        && all.where { $0.age == 1 }.count == 3 && frozen.dog?.packs.first?.id == 1
                        && everything.int == 7 && (round % 10 > 0 || "\(everything)" == text)
                    if !right { wrong.add(1, ordering: .relaxed) }
                }
            }
            over.store(true, ordering: .relaxed)
            writer.wait()
            #expect(wrong.load(ordering: .relaxed) == 0)
        }
    }

    @Test func `S159: a write that would make too many versions active fails and says who holds them`() throws {
        let temporary = try TemporaryRealm()
        var configuration = temporary.configuration
        configuration.maximumNumberOfActiveVersions = 3
        let realm = try Realm(configuration: configuration)
        var kept: [Realm] = []
        try realm.write { realm.add(Person(1)) }
        kept.append(realm.freeze())
        try realm.write { realm.add(Person(2)) }
        kept.append(realm.freeze())
        try realm.write { realm.add(Person(3)) }
        do {
            try realm.write { realm.add(Person(4)) }
            Issue.record("the write succeeded")
        } catch Realm.Error.tooManyVersions {
        }
        do { try realm.write {} } catch let error as Realm.Error {
            #expect(error.message.contains("a write would make 4 versions of "))
            #expect(error.message.contains("maximumNumberOfActiveVersions is 3; held are: \"frozen\" of process "))
            #expect(error.message.contains("let go of frozen objects"))
        }
        #expect(realm.objects(Person.self).count == 3)
        kept = []
        try realm.write { realm.add(Person(4)) }
        try realm.verify()
    }

    @Test func `pins are listed with label, process, age and how far behind they are`() throws {
        try withPeople { realm, person in
            realm.setLabel("tests")
            var frozen: Person? = person.freeze()
            try realm.write { person.name = "changed" }
            let pins = try realm.pins()
            #expect(pins.map(\.label) == ["frozen", "tests"] && pins.map(\.versionsBehind) == [1, 0])
            let process = Int(ProcessInfo.processInfo.processIdentifier)
            #expect(pins.allSatisfy { $0.process == process && $0.age ?? -1 >= 0 })
            nonisolated(unsafe) let shared = frozen!
            onThreads(4) { _ in _ = shared.dogs.count }
            #expect(try realm.pins().count == 2)
            withExtendedLifetime(frozen) {}
            frozen = nil
        }
        try withPeople { realm, person in
            do { _ = person.freeze().dogs.count }
            try realm.write { person.name = "changed" }
            #expect(try realm.pins().count == 1)
        }
    }
}
