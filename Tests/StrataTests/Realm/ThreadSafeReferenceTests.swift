// SPDX-License-Identifier: MIT
// ThreadSafeReferenceTests.swift -- objects, collections and results that are passed to other threads.

import Foundation
import Strata
import Testing

/// Passes something to another thread, and returns what a body makes of it there.
private func passing<Confined: ThreadConfined & SendableMetatype, R: Sendable>(
    _ confined: Confined, _ configuration: Realm.Configuration,
    _ body: @escaping @Sendable (Realm, Confined?) throws -> R
) throws -> R {
    let reference = ThreadSafeReference(to: confined)
    return try onAnotherThread {
        let realm = try Realm(configuration: configuration)
        let resolved = realm.resolve(reference)
        #expect(reference.isInvalidated)
        return try body(realm, resolved)
    }
}

@Suite struct ThreadSafeReferenceTests {
    private func withPeople(_ body: (Realm, Realm.Configuration) throws -> Void) throws {
        let temporary = try TemporaryRealm(), realm = try temporary.open()
        try realm.write {
            for id in 1...9 { realm.add(Person(id, "p\(id)", age: id % 3)) }
            let dogs = ["a", "b", "c"].map { Dog($0, age: 4) }
            for person in realm.objects(Person.self) where person.id < 4 {
                person.dogs.append(objectsIn: dogs.prefix(person.id))
            }
        }
        try body(realm, temporary.configuration)
        try realm.verify()
    }

    @Test func `S154 X1: objects are passed, changed elsewhere, and nil if they were deleted`() throws {
        try withPeople { realm, configuration in
            let person = try #require(realm.object(ofType: Person.self, forPrimaryKey: 2))
            try passing(person, configuration) { realm, person in
                #expect(person?.realm == realm)
                try realm.write { person?.name = "changed" }
            }
            realm.refresh()
            #expect(person.name == "changed")

            let reference = ThreadSafeReference(to: person)
            try realm.write { realm.delete(person) }
            #expect(!reference.isInvalidated)
            let found = try onAnotherThread { try Realm(configuration: configuration).resolve(reference) == nil }
            #expect(found)
        }
    }

    @Test("""
        Differs from Realm: a `ThreadSafeReference` holds no version of the file, so that an object that is deleted \
        before it is resolved is nil; Realm opens the version of the reference, in which it is still there. A \
        reference that is forgotten would let the file grow.
        """)
    func referencesHoldNoVersion() throws {
        try withPeople { realm, configuration in
            let person = try #require(realm.object(ofType: Person.self, forPrimaryKey: 2))
            let reference = ThreadSafeReference(to: person)
            #expect(try realm.pins().count == 1)
            try realm.write { realm.delete(person) }
            #expect(try onAnotherThread { try Realm(configuration: configuration).resolve(reference) == nil })
        }
    }

    @Test func `S155: a realm that is older goes on to the version of the reference`() throws {
        try withPeople { realm, configuration in
            let (begun, made) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            nonisolated(unsafe) var reference: ThreadSafeReference<Person>?
            nonisolated(unsafe) var seen: Int?, done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let older = try? Realm(configuration: configuration)
                older?.autorefresh = false
                let known = older?.objects(Person.self).count
                begun.signal()
                made.wait()
                let still = older?.objects(Person.self).count
                seen = reference.flatMap { older?.resolve($0) }.flatMap { known == still ? $0.id : nil }
                done.signal()
            }
            begun.wait()
            try realm.write { reference = ThreadSafeReference(to: realm.create(Person.self, value: ["id": 77])) }
            made.signal()
            done.wait()
            #expect(seen == 77)
        }
    }

    @Test func `X1: lists, sets, maps, links and results are passed`() throws {
        try withPeople { realm, configuration in
            let third = try #require(realm.object(ofType: Person.self, forPrimaryKey: 3))
            #expect(try passing(third.dogs, configuration) { $1.map { Array($0.map(\.name)) } } == ["a", "b", "c"])
            let dog = third.dogs[0]
            #expect(try passing(dog.packs, configuration) { $1.map { $0.map(\.id) } } == [1, 2, 3])
            let some = realm.objects(Person.self).where { $0.age == 1 }.sorted(by: \.id, ascending: false)
            #expect(try passing(some, configuration) { $1.map { $0.map(\.id) } } == [7, 4, 1])
            let linked = third.dogs.where { $0.name != "b" }.sorted(by: \.name, ascending: false)
            #expect(try passing(linked, configuration) { $1.map { $0.map(\.name) } } == ["c", "a"])
            let distinct = realm.objects(Person.self).distinct(by: ["age"]).filter("id > 0")
            #expect(try passing(distinct, configuration) { $1?.count } == 3)
            let chained = third.dogs.results.where { $0.age == 4 }
            let gone = ThreadSafeReference(to: chained), list = ThreadSafeReference(to: third.dogs)
            try realm.write { realm.delete(third) }
            let isGone = try onAnotherThread {
                let realm = try Realm(configuration: configuration)
                return realm.resolve(gone) == nil && realm.resolve(list) == nil
            }
            #expect(isGone)
        }
    }

    @Test func `X1: collections of values, and their results, are passed`() throws {
        let temporary = try TemporaryRealm([Lists.self, Sets.self, Maps.self, Dog.self, Person.self])
        let realm = try temporary.open(), configuration = temporary.configuration
        let (lists, sets, maps) = try realm.write {
            (realm.create(Lists.self, value: ["id": 1, "ints": [3, 1, 3, 2]]),
             realm.create(Sets.self, value: ["id": 1, "ints": [5, 6]]),
             realm.create(Maps.self, value: ["id": 1, "ints": ["a": 1, "b": 2]]))
        }
        #expect(try passing(lists.ints, configuration) { $1.map(Array.init) } == [3, 1, 3, 2])
        let some = lists.ints.sorted().distinct().where { $0 > 1 }
        #expect(try passing(some, configuration) { $1.map(Array.init) } == [2, 3])
        #expect(try passing(sets.ints, configuration) { $1?.contains(6) } == true)
        #expect(try passing(maps.ints, configuration) { $1?["b"] } == 2)
    }

    @Test func `S154: a realm of another file resolves nothing`() throws {
        try withPeople { realm, _ in
            let other = try TemporaryRealm().open()
            let person = try #require(realm.objects(Person.self).first)
            #expect(other.resolve(ThreadSafeReference(to: person)) == nil)
        }
    }

    @Test func `S154: references to what is unmanaged or gone cannot be made, nor resolved twice`() async {
        let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ThreadSafeReference(to: Person(1))
        }
        expect(unmanaged, says: "a ThreadSafeReference to an unmanaged Person cannot be made; add it to a realm first")
        let gone = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let person = try realm.write { realm.create(Person.self) }
                let same = try #require(realm.objects(Person.self).first)
                try realm.write { realm.delete(person) }
                _ = ThreadSafeReference(to: same)
            }
        }
        expect(gone, says: "a ThreadSafeReference to a Person that is gone cannot be made; check isInvalidated first")
        let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let reference = ThreadSafeReference(to: try realm.write { realm.create(Person.self) })
                guard realm.resolve(reference) != nil else { return }
                _ = realm.resolve(reference)
            }
        }
        expect(twice, says: "a ThreadSafeReference to a Person is resolved twice; make one for each use")
    }

    @Test func `S156: a @ThreadSafe variable holds nothing unmanaged`() async {
        let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            @ThreadSafe var person: Person? = Person(1)
            _ = person
        }
        expect(unmanaged, says: "a @ThreadSafe variable is set to an unmanaged Person; add it to a realm first")
    }

    @Test func `S156 X2: a @ThreadSafe variable is read and set on every thread`() throws {
        try withPeople { realm, configuration in
            @ThreadSafe var person = realm.object(ofType: Person.self, forPrimaryKey: 5)
            @ThreadSafe var nobody: Person?
            #expect(nobody == nil)
            let wrapper = _person
            for _ in 0..<3 { #expect(try onAnotherThread { wrapper.wrappedValue?.name } == "p5") }
            try onAnotherThread {
                let realm = try Realm(configuration: configuration)
                wrapper.wrappedValue = realm.object(ofType: Person.self, forPrimaryKey: 6)
            }
            #expect(person?.name == "p6" && person?.realm == realm)
            try realm.write { realm.delete(realm.objects(Person.self)) }
            #expect(person == nil)
            #expect(try onAnotherThread { wrapper.wrappedValue == nil })

            let other = try TemporaryRealm(), elsewhere = try other.open()
            try elsewhere.write { person = elsewhere.create(Person.self, value: ["id": 1, "name": "of another file"]) }
            #expect(try onAnotherThread { wrapper.wrappedValue?.name } == "of another file")
        }
    }
}
