// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

class ExactBase: Object {
    @Persisted var n: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class ExactDerived: ExactBase {
    @Persisted var m: Int
}

private final class MaybeKeyed: Object {
    @Persisted(primaryKey: true) var id: String?
    @Persisted var n: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class MoodKeyed: Object {
    @Persisted(primaryKey: true) var mood: Mood
    @Persisted var n: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct ResultsTests {
    private func people(_ realm: Realm, _ count: Int = 100) throws {
        try realm.write { for id in 0..<count { realm.add(Person(id, "p\(id)", age: id % 10)) } }
    }

    @Test func `a loop makes one object unless it is kept`() throws {
        try withRealm { realm in
            try people(realm, 1000)
            for results in [realm.objects(Person.self), realm.objects(Person.self).where { $0.age >= 0 }] {
                var seen = Set<ObjectIdentifier>(), sum = 0
                for person in results {
                    seen.insert(ObjectIdentifier(person))
                    sum += person.id
                }
                #expect(seen.count == 1 && sum == 999 * 1000 / 2)
                let kept = Array(results)
                #expect(Set(kept.map(ObjectIdentifier.init)).count == 1000 && kept.map(\.id) == Array(0..<1000))
            }
        }
    }

    @Test func `a loop makes an object for each if the class has fields of its own`() throws {
        try withRealm([Puppy.self]) { realm in
            try realm.write { for weeks in 0..<10 { realm.create(Puppy.self, value: ["weeks": weeks]) } }
            var seen: [String] = []
            for puppy in realm.objects(Puppy.self) {
                seen.append(puppy.note)
                puppy.note = "seen"
            }
            #expect(seen == Array(repeating: "not stored", count: 10))
        }
    }

    @Test func `S77: deleting while walking`() throws {
        try withRealm { realm in
            try people(realm)
            try realm.write { for person in realm.objects(Person.self) { realm.delete(person) } }
            #expect(realm.objects(Person.self).isEmpty)
        }
    }

    @Test func `S77: a walk goes on after another thread deleted and changed what is ahead`() throws {
        try withRealm { realm in
            try people(realm, 200)
            let configuration = realm.configuration
            for (isWhole, from) in [(true, 0), (false, 100)] {
                let all = realm.objects(Person.self).where { $0.id >= from }
                var seen: [Int] = [], kept: [Person] = [], gone = 0
                for person in isWhole ? realm.objects(Person.self) : all {
                    if person.isInvalidated {
                        gone += 1
                        continue
                    }
                    seen.append(person.id)
                    if person.id % 2 == 1 { kept.append(person) }
                    let id = person.id
                    if id != from + 5 { continue }
                    try onAnotherThread {
                        let other = try Realm(configuration: configuration)
                        try other.write {
                            other.delete(other.objects(Person.self).where { $0.id > id && $0.id < id + 50 })
                            for person in other.objects(Person.self).where({ $0.id >= id + 50 }) { person.age = -id }
                            other.add(Person(1000 + id, "new"))
                        }
                    }
                    #expect(realm.refresh() && person.id == id && kept.last?.id == id)
                }
                let rest = isWhole ? Array(55..<200) : Array(155..<200)
                #expect(seen == Array(from...(from + 5)) + rest && gone == (isWhole ? 0 : 49))
                #expect(kept.map(\.id) == seen.filter { $0 % 2 == 1 })
                #expect(kept.last?.age == -(from + 5))
                try realm.write {
                    realm.deleteAll()
                    for id in 0..<200 { realm.add(Person(id, "p\(id)")) }
                }
            }
        }
    }

    @Test func `a walk that ends early, and one after it by the same iterator`() throws {
        try withRealm { realm in
            try people(realm, 60)
            for results in [realm.objects(Person.self), realm.objects(Person.self).where { $0.age >= 0 }] {
                var iterator = results.makeIterator(), first: Person?, count = 0
                while let person = iterator.next() {
                    first = first ?? person
                    count += 1
                    if count == 7 { break }
                }
                try realm.write { realm.delete(results[7]) }
                #expect(first?.id == results[0].id)
                while iterator.next() != nil { count += 1 }
                #expect(iterator.next() == nil && count >= results.count)
                realm.beginWrite()
                for person in results where person.id > 50 { realm.delete(person) }
                realm.cancelWrite()
                #expect(results.reduce(0) { $0 + ($1.id > 50 ? 1 : 0) } == 9)
            }
        }
    }

    @Test func `S94: results are live, in a write too`() throws {
        try withRealm { realm in
            let old = realm.objects(Person.self).where { $0.age > 5 }
            #expect(old.isEmpty)
            try realm.write {
                let person = realm.create(Person.self, value: ["id": 1, "age": 9])
                #expect(old.count == 1)
                person.age = 3
                #expect(old.isEmpty)
                person.age = 7
                #expect(old.count == 1 && old.first == person)
            }
            #expect(old.count == 1)
        }
    }

    @Test func `S95: results are equal only to themselves`() throws {
        try withRealm { realm in
            let one = realm.objects(Person.self)
            #expect(one == one && one != realm.objects(Person.self))
        }
    }

    @Test func `S97 S98: what links here is known at once, as often as it links`() throws {
        try withRealm { realm in
            try realm.write {
                let dog = realm.create(Dog.self, value: ["Rex"])
                let one = realm.create(Person.self, value: ["id": 1, "dog": dog, "dogs": [dog, dog]])
                #expect(dog.owners.count == 1 && dog.packs.count == 2 && dog.packs.map(\.id) == [1, 1])
                one.dogs.removeLast()
                let two = realm.create(Person.self, value: ["id": 2, "age": 5, "dogs": [dog]])
                #expect(dog.packs.map(\.id) == [1, 2] && dog.packs[1] == two && dog.packs.index(of: two) == 1)
                #expect(dog.packs.where { $0.age == 5 }.count == 1)
                realm.delete(one)
                #expect(dog.owners.isEmpty && dog.packs.first == two)
            }
        }
    }

    @Test func `S102 S103: sorting, again, and by a linked property`() throws {
        try withRealm { realm in
            try people(realm, 30)
            let sorted = realm.objects(Person.self).sorted(byKeyPath: "id", ascending: false).sorted(by: \.age)
            #expect(sorted.map(\.id).prefix(4) == [20, 10, 0, 21])
            #expect(sorted.first?.id == 20 && sorted.last?.id == 9)
            try realm.write {
                for (id, name) in [(3, "c"), (4, "a"), (5, "b")] {
                    realm.object(ofType: Person.self, forPrimaryKey: id)?.dog = Dog(name)
                }
            }
            let byDog = realm.objects(Person.self).where { $0.dog != nil }.sorted(by: \.dog?.name)
            #expect(byDog.map(\.id) == [4, 5, 3])
        }
    }

    @Test func `positions, index(of:), limit and explain`() throws {
        try withRealm { realm in
            try people(realm)
            let results = realm.objects(Person.self).where { $0.age == 4 }
            #expect(results[1].id == 14 && results.index(of: results[3]) == 3 && results.count == 10)
            #expect(results.limit(3).map(\.id) == [4, 14, 24] && results.limit(0).isEmpty)
            let explanation = results.explain()
            #expect(explanation.rowsReturned == 10 && explanation.rowsVisited <= 10)
            #expect(explanation.plan.contains("age"), "\(explanation)")
        }
    }

    @Test func `S221: a query finds objects of exactly its class`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in _ = realm.objects(Object.self) }
        }
        expect(result, says: "is not in the schema of this realm")
        try withRealm([ExactBase.self, ExactDerived.self]) { realm in
            try realm.write {
                realm.create(ExactBase.self, value: ["n": 1])
                realm.create(ExactDerived.self, value: ["n": 2, "m": 3])
            }
            #expect(realm.objects(ExactBase.self).map(\.n) == [1] && realm.objects(ExactDerived.self).map(\.n) == [2])
        }
    }

    @Test func `S222: finding by primary key`() throws {
        try withRealm { realm in
            try people(realm)
            #expect(realm.object(ofType: Person.self, forPrimaryKey: 42)?.name == "p42")
            #expect(realm.object(ofType: Person.self, forPrimaryKey: 100) == nil)
        }
    }

    @Test func `S222: primary keys that are nil, or have raw values`() throws {
        try withRealm([MaybeKeyed.self, MoodKeyed.self]) { realm in
            try realm.write {
                realm.create(MaybeKeyed.self, value: [nil, 1] as [Any?])
                realm.create(MaybeKeyed.self, value: ["a", 2] as [Any?])
                realm.create(MoodKeyed.self, value: [Mood.cross, 3] as [Any])
            }
            #expect(realm.object(ofType: MaybeKeyed.self, forPrimaryKey: nil as String?)?.n == 1)
            #expect(realm.object(ofType: MaybeKeyed.self, forPrimaryKey: "a")?.n == 2)
            #expect(realm.object(ofType: MaybeKeyed.self, forPrimaryKey: "b") == nil)
            #expect(realm.object(ofType: MoodKeyed.self, forPrimaryKey: Mood.cross)?.n == 3)
            #expect(realm.object(ofType: MoodKeyed.self, forPrimaryKey: "cross")?.n == 3)
        }
    }

    @Test func `S222: a class without a primary key, and keys of another type, trap`() async {
        let without = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in _ = realm.object(ofType: Dog.self, forPrimaryKey: 1) }
        }
        expect(without, saysAll: "Dog has no primary key; declare one with @Persisted(primaryKey: true)")
        let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in _ = realm.object(ofType: Person.self, forPrimaryKey: "one") }
        }
        expect(other, saysAll: "Person.id is of type int, so one of type String is no primary key of Person")
        let null = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in _ = realm.object(ofType: Person.self, forPrimaryKey: nil as Int?) }
        }
        expect(null, says: "is no primary key of Person")
    }

    @Test func `S107: an unknown key path traps with its name`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in _ = realm.objects(Person.self).sorted(byKeyPath: "dog.weight") }
        }
        expect(result, says: "Dog has no persisted property \"weight\"")
    }
}

@Suite struct ResultsOfParentsTests {
    @Test func `S76: results of a list whose object was deleted are empty`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": [["a"], ["b"]]]) }
            let results = person.dogs.where { $0.name != "" }, sorted = person.dogs.sorted(by: \.name, ascending: false)
            #expect(results.count == 2 && sorted.first?.name == "b" && !results.isInvalidated)
            try realm.write { realm.delete(person) }
            #expect(results.isInvalidated && results.isEmpty && sorted.isEmpty)
            #expect(realm.objects(Dog.self).count == 2)
        }
    }

    @Test func `S99: the position of an object that is not there is nil`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": [["a"]]]) }
            #expect(person.dogs.index(of: Dog("a")) == nil && realm.objects(Dog.self).index(of: Dog("a")) == nil)
            #expect(person.dogs.index(of: person.dogs[0]) == 0)
        }
    }

    @Test func `S94 S98: objects that link here are found by position, and again after a change`() throws {
        try withRealm { realm in
            let dog = try realm.write {
                let dog = realm.create(Dog.self, value: ["name": "a"])
                for id in 0..<200 { realm.create(Person.self, value: ["id": id, "dog": dog]) }
                return dog
            }
            let owners = dog.owners, copy = owners
            #expect(owners.indices.map { owners[$0].id } == Array(0..<200) && owners.last?.id == 199)
            try realm.write { owners[0].dog = nil }
            #expect(owners.first?.id == 1 && copy.count == 199 && copy.index(of: owners[3]) == 3)
        }
    }
}
