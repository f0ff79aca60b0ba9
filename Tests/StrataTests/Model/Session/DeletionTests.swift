// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct DeletionTests {
    @Test func `S71: deleting a target clears links and lists`() throws {
        try withRealm { realm in
            let person = Person(1)
            let rex = Dog("Rex"), bo = Dog("Bo")
            person.dog = rex
            person.dogs.append(objectsIn: [rex, bo, rex])
            try realm.write { realm.add(person) }
            try realm.write { realm.delete(rex) }
            #expect(person.dog == nil && person.dogs.map(\.name) == ["Bo"] && rex.isInvalidated)
        }
    }

    @Test func `S72 S73: deleting a parent or emptying a list leaves the targets; delete(list) deletes them`() throws {
        try withRealm { realm in
            let one = Person(1), two = Person(2)
            one.dogs.append(objectsIn: [Dog("Rex"), Dog("Bo")])
            two.dogs.append(Dog("Al"))
            try realm.write {
                realm.add([one, two])
                realm.delete(two)
            }
            #expect(realm.objects(Dog.self).count == 3)
            try realm.write { realm.delete(one.dogs) }
            #expect(one.dogs.isEmpty && realm.objects(Dog.self).map(\.name) == ["Al"])
        }
    }

    @Test func `S69: deleting misused traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in try realm.write { realm.delete(Person(1)) } }
        }
        expect(result, says: "Person is not managed, so it cannot be deleted")
        let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let person = try realm.write { realm.create(Person.self) }
                try realm.write {
                    realm.delete(person)
                    realm.delete(person)
                }
            }
        }
        expect(twice, says: "Person is deleted twice")
        let foreign = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { one in
                let person = try one.write { one.create(Person.self, value: ["id": 4]) }
                try withRealm { other in try other.write { other.delete(person) } }
            }
        }
        expect(foreign, says: "Person with id 4 belongs to another realm; delete it in a write of that one")
        let outside = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in realm.delete(try realm.write { realm.create(Person.self) }) }
        }
        expect(outside, says: "Person cannot be deleted outside of a write transaction")
    }

    @Test func `S69: deleting through a second instance does nothing`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self) }
            let same = try #require(realm.objects(Person.self).first)
            try realm.write {
                realm.delete(person)
                realm.delete(same)
            }
            #expect(realm.objects(Person.self).isEmpty)
        }
    }

    @Test func `S74: deleteAll leaves classes outside of the schema alone`() throws {
        let temporary = try TemporaryRealm()
        let realm = try temporary.open()
        try realm.write {
            realm.create(Everything.self)
            realm.create(Person.self, value: ["id": 1, "dog": ["name": "Rex"], "dogs": [["Bo"]]])
        }
        let part = try Realm(
            configuration: Realm.Configuration(fileURL: temporary.url, objectTypes: [Everything.self]))
        try part.write { part.deleteAll() }
        #expect(part.objects(Everything.self).isEmpty && !part.isEmpty)
        realm.refresh()
        #expect(realm.objects(Person.self).count == 1)
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty)
        try realm.verify()
    }

    @Test func `S71: an object that a hundred thousand others link to is deleted in one write`() throws {
        try withRealm(collectionTypes) { realm in
            let target = Target("gone"), other = Target("stays")
            try realm.write {
                realm.add([target, other])
                for index in 0..<100_000 {
                    let origin = Origin()
                    origin.one = index % 10 == 9 ? other : target
                    realm.add(origin)
                }
                let many = realm.create(Origin.self)
                many.list.append(objectsIn: (0..<100_000).map { $0 % 100 == 7 ? other : target })
                many.set.insert(objectsIn: [target, other])
                for key in 0..<1000 { many.map["\(key)"] = target }
            }
            let linked = realm.objects(Origin.self).where { $0.one != nil }
            #expect(linked.count == 100_000 && target.inLists.count == 99_000 && target.inMaps.count == 1000)
            try realm.write { realm.delete(target) }
            #expect(linked.count == 10_000 && realm.objects(Origin.self).count == 100_001)
            let many = try #require(realm.objects(Origin.self).last)
            #expect(many.list.count == 1000 && many.list.allSatisfy { $0.name == "stays" })
            #expect(many.set.count == 1 && many.map.count == 1000 && many.map.values.allSatisfy { $0 == nil })
            #expect(realm.objects(Target.self).count == 1 && other.inLists.count == 1000)
        }
    }

    @Test func `delete of results`() throws {
        try withRealm { realm in
            try realm.write { for id in 0..<1000 { realm.add(Person(id, age: id % 10)) } }
            try realm.write { realm.delete(realm.objects(Person.self).where { $0.age == 3 }) }
            #expect(realm.objects(Person.self).count == 900)
        }
    }
}
