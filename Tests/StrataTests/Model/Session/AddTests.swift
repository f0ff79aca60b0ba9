// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct AddTests {
    @Test func `S35: adding outside a write traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in realm.add(Person(1)) }
        }
        expect(result, says: "Person cannot be added outside of a write transaction")
    }

    @Test func `S35: adding an object of another realm traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { one in
                let person = try one.write { one.create(Person.self, value: ["id": 4]) }
                try withRealm { other in try other.write { other.add(person) } }
            }
        }
        expect(result, says: "Person with id 4 belongs to another realm")
    }

    @Test func `S35: adding twice does nothing, adding a deleted object traps`() async throws {
        try withRealm { realm in
            let person = Person(1)
            try realm.write {
                realm.add(person)
                realm.add(person)
            }
            #expect(realm.objects(Person.self).count == 1)
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let person = Person(1)
                try realm.write {
                    realm.add(person)
                    realm.delete(person)
                    realm.add(person)
                }
            }
        }
        expect(result, says: "Person was deleted and cannot be added again")
    }

    @Test func `S65: linking a new object to a deleted one traps`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let dog = Dog("Rex")
                try realm.write {
                    realm.add(dog)
                    realm.delete(realm.objects(Dog.self).first!)
                    let person = Person(1)
                    person.dog = dog
                    realm.add(person)
                }
            }
        }
        expect(result, says: "Person.dog cannot link to object 1 of Dog: there is no such object")
    }

    @Test func `S65: assigning an object of another realm, or one that is gone, to a live link traps`() async {
        let foreign = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { one in
                let dog = try one.write { one.create(Dog.self, value: ["Rex"]) }
                try withRealm { other in try other.write { other.create(Person.self, value: ["id": 1]).dog = dog } }
            }
        }
        expect(foreign, says: "Dog (object 1) belongs to another realm")
        let deleted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                try realm.write {
                    let dog = realm.create(Dog.self, value: ["Rex"])
                    realm.delete(dog)
                    realm.create(Person.self, value: ["id": 1]).dog = dog
                }
            }
        }
        expect(deleted, says: "Dog was deleted and cannot be added again")
        let gone = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                try realm.write {
                    let dog = realm.create(Dog.self, value: ["Rex"])
                    realm.delete(realm.objects(Dog.self))
                    realm.create(Person.self, value: ["id": 1]).dog = dog
                }
            }
        }
        expect(gone, says: "Dog (object 1) was deleted and cannot be used again")
    }

    @Test func `S70: changing an object that another instance deleted traps`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let dog = Dog("Rex")
                try realm.write {
                    realm.add(dog)
                    realm.delete(realm.objects(Dog.self).first!)
                    dog.name = "Bo"
                }
            }
        }
        expect(result, says: "Dog.name is used, but object 1 was deleted")
    }

    @Test func `S36 S37: adding promotes the object, all it reaches, and its lists`() throws {
        try withRealm { realm in
            let one = Person(1, "Ada"), two = Person(2, "Bea"), dog = Dog("Rex")
            let list = one.dogs
            one.friend = two
            two.friend = one
            one.dog = dog
            one.dogs.append(objectsIn: [dog, Dog("Bo"), dog])
            try realm.write { realm.add(one) }
            #expect(one.realm == realm && two.realm == realm && dog.realm == realm)
            #expect(one.friend?.friend?.isSameObject(as: one) == true && two.friend?.name == "Ada")
            #expect(list.realm == realm && list == one.dogs && list.map(\.name) == ["Rex", "Bo", "Rex"])
            #expect(realm.objects(Dog.self).count == 2)
            try realm.write { list.append(Dog("Al")) }
            #expect(one.dogs.count == 4)
        }
    }

    @Test func `S36: an object that links to itself, and a chain of a hundred thousand`() throws {
        try withRealm { realm in
            let own = Person(0)
            own.friend = own
            var last = own
            for id in 1..<100_000 {
                let next = Person(id)
                next.friend = last
                last = next
            }
            try realm.write { realm.add(last) }
            #expect(realm.objects(Person.self).count == 100_000 && own.friend == own)
        }
    }

    // S51
    @Test(
        """
        Differs from Realm: a primary key that exists makes `write` throw and roll back; Realm raises an \
        exception of Objective-C, which Swift cannot catch.
        """)
    func duplicateKeysFailTheWrite() throws {
        try withRealm { realm in
            try realm.write { realm.add(Person(7, "Ada")) }
            let error = #expect(throws: Realm.Error.self) {
                try realm.write {
                    realm.add(Person(8))
                    realm.add(Person(7, "Bea"))
                    realm.add(Person(9))
                    realm.deleteAll()
                }
            }
            #expect(error?.code == .invalidInput)
            #expect(error?.message.contains("another object has the primary key id = 7") == true)
            #expect(realm.objects(Person.self).count == 1 && realm.objects(Person.self).first?.name == "Ada")
        }
    }

    private static let upsertsWithoutKey: [(className: String, upsert: @Sendable (Realm) -> Void)] = [
        ("Dog", { $0.add(Dog("Rex"), update: .modified) }),
        ("Dog", { $0.add(Dog("Rex"), update: .all) }),
        ("Dog", { $0.add([Dog("Rex"), Dog("Bo")], update: .modified) }),
        ("Dog", { $0.create(Dog.self, value: ["Rex"], update: .modified) }),
        ("Dog", { $0.create(Dog.self, value: ["Rex"], update: .all) }),
        ("Garden", { $0.create(Garden.self, value: ["planter": [String: Any]()], update: .modified) }),
        ("Garden", { $0.add(Garden(value: ["planter": [String: Any]()]), update: .all) }),
    ]

    @Test(arguments: upsertsWithoutKey.indices)
    func `S50: update for a class without primary key traps, also if it has embedded objects`(index: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index] in
            try withRealm([Dog.self, Person.self, Garden.self, Planter.self, Weed.self]) { realm in
                try realm.write { AddTests.upsertsWithoutKey[index].upsert(realm) }
            }
        }
        expect(result, says: "\(Self.upsertsWithoutKey[index].className) has no primary key")
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func `S52: upsert with an object sets everything, nil and lists too`(policy: Realm.UpdatePolicy) throws {
        try withRealm { realm in
            let first = Person(value: ["id": 1, "name": "Ada", "email": "a@b", "dog": ["name": "Rex"], "dogs": [["Bo"]]])
            try realm.write { realm.add(first) }
            let second = Person(value: ["id": 1, "name": "Bea", "dogs": [["Al"], ["Cy"]]])
            try realm.write { realm.add(second, update: policy) }
            #expect(realm.objects(Person.self).count == 1)
            #expect(first.name == "Bea" && first.email == nil && first.dog == nil)
            #expect(first.dogs.map(\.name) == ["Al", "Cy"] && second == first)
        }
    }

    @Test func `S57: a null primary key is found and updated, and there is one`() throws {
        func check<Value: _Persistable & ExpressibleByNilLiteral>(_: Value.Type) throws
        where Value.PersistedType: _PrimaryKey {
            try withRealm([Keyed<Value>.self]) { realm in
                try realm.write {
                    realm.create(Keyed<Value>.self, value: ["number": 1])
                    realm.create(Keyed<Value>.self, value: ["key": NSNull(), "number": 2], update: .modified)
                }
                for value in [["number": 3], ["key": NSNull(), "number": 3]] {
                    #expect(throws: Realm.Error(.invalidInput, "")) {
                        try realm.write { realm.create(Keyed<Value>.self, value: value) }
                    }
                }
                #expect(realm.objects(Keyed<Value>.self).count == 1)
                #expect(realm.object(ofType: Keyed<Value>.self, forPrimaryKey: nil as Value)?.number == 2)
            }
        }
        try check(String?.self)
        try check(Int?.self)
        try check(UUID?.self)
    }

    @Test func `S65: assigning an unmanaged object to a link adds it`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
            let dog = Dog("Rex")
            try realm.write { person.dog = dog }
            #expect(dog.realm == realm && person.dog?.name == "Rex")
            try realm.write { person.dog = nil }
            #expect(person.dog == nil && realm.objects(Dog.self).count == 1)
        }
    }

    @Test func `S66: appending an unmanaged object to a list adds it, the instance itself`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
            let one = Dog("one"), two = Dog("two"), three = Dog("three")
            try realm.write {
                person.dogs.append(one)
                person.dogs.insert(two, at: 0)
                person.dogs.append(objectsIn: [three, one])
            }
            #expect([one, two, three].allSatisfy { $0.realm == realm } && realm.objects(Dog.self).count == 3)
            #expect(person.dogs.map(\.name) == ["two", "one", "three", "one"])
            try realm.write { one.name = "uno" }
            #expect(person.dogs[1].name == "uno" && person.dogs[3].isSameObject(as: one))
        }
    }

    @Test func `a value over 16 MiB fails the write with its name`() throws {
        try withRealm { realm in
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { realm.add(Person(1, String(repeating: "x", count: 16 * 1024 * 1024 + 1))) }
            }
            #expect(error?.message.contains("Person.name") == true && error?.message.contains("16 MiB") == true)
            #expect(realm.isEmpty)
        }
    }
}
