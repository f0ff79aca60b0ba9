// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Which collections `invalidate()`, deletions and rollbacks leave valid.
@Suite struct InvalidationTests {
    private static func fill(_ realm: Realm) throws -> Person {
        try realm.write {
            realm.create(Person.self, value: ["id": 1, "name": "Ada", "dogs": [["Rex", 3], ["Bo", 4]]])
        }
    }

    /// Statements 75 and 76.
    @Test(
        """
        Differs from Realm: results from before `invalidate()` are invalid and empty; Realm raises an exception when \
        they are read. Lists of deleted objects are empty, too.
        """)
    func resultsOfClass() throws {
        try withRealm { realm in
            _ = try Self.fill(realm)
            let dogs = realm.objects(Dog.self)
            let all: [Results<Dog>] = [
                dogs, dogs.where { $0.age > 2 }, dogs.sorted(byKeyPath: "name"), dogs.distinct(by: ["age"]),
                dogs.filter("age > 2").sorted(byKeyPath: "age").filter("age < 9"), AnyRealmCollection(dogs).results,
            ]
            let sections = dogs.sectioned(by: \.age), section = sections[0], erased = AnyRealmCollection(dogs)
            #expect(all.allSatisfy { !$0.isInvalidated && $0.count == 2 })
            #expect(!sections.isInvalidated && !section.isInvalidated && !erased.isInvalidated)
            #expect(all.allSatisfy { $0.first != nil })
            realm.invalidate()
            #expect(all.allSatisfy { $0.isInvalidated && $0.isEmpty && $0.first == nil && $0.last == nil })
            #expect(all.allSatisfy { Array($0).isEmpty && $0.max(of: \.age) == nil && $0.sum(of: \.age) == 0 })
            #expect(sections.isInvalidated && sections.isEmpty && section.isInvalidated && section.isEmpty)
            #expect(erased.isInvalidated && erased.isEmpty)
            let late = all[0].where { $0.age == 3 }
            #expect(late.isInvalidated && late.isEmpty && all[2].sorted(byKeyPath: "age").isInvalidated)
            let anew = realm.objects(Dog.self)
            #expect(!anew.isInvalidated && anew.count == 2 && !anew.where { $0.age > 3 }.isInvalidated)
        }
    }

    @Test func `S75: invalidate() invalidates collections, and the results of their elements and values`() throws {
        try withRealm([Lists.self, Sets.self, Maps.self, Dog.self, Person.self]) { realm in
            let (lists, sets, maps) = try realm.write {
                let dogs: [Any] = [["name": "Rex", "age": 3]]
                let map: [String: Any] = ["ints": ["a": 1], "dogs": ["x": ["name": "Bo"]]]
                return (
                    realm.create(Lists.self, value: ["ints": [3, 1], "dogs": dogs] as [String: Any]),
                    realm.create(Sets.self, value: ["ints": [5, 6], "dogs": dogs] as [String: Any]),
                    realm.create(Maps.self, value: map)
                )
            }
            let ints = lists.ints, set = sets.ints, map = maps.ints, dogs = lists.dogs
            let sorted = ints.sorted(), distinct = ints.distinct(), ordered = dogs.sorted(byKeyPath: "name")
            let inSet = sets.dogs.filter("name == 'Rex'"), inMap: Results<Dog> = maps.dogs.results()
            #expect(!ints.isInvalidated && !sorted.isInvalidated && !ordered.isInvalidated)
            #expect(sorted.count == 2 && ordered.count == 1 && inSet.count == 1 && inMap.count == 1)
            realm.invalidate()
            #expect(ints.isInvalidated && set.isInvalidated && map.isInvalidated && dogs.isInvalidated)
            #expect(sorted.isInvalidated && distinct.isInvalidated && ordered.isInvalidated)
            #expect(inSet.isInvalidated && inMap.isInvalidated && AnyRealmCollection(ints).isInvalidated)
            #expect(ints.isEmpty && sorted.isEmpty && ordered.isEmpty && inSet.isEmpty && inMap.isEmpty)
            #expect(realm.objects(Lists.self).first?.ints.isInvalidated == false)
        }
    }

    @Test func `S75: invalidate() invalidates linking objects`() throws {
        try withRealm { realm in
            _ = try Self.fill(realm)
            let owners = try #require(realm.objects(Dog.self).first?.packs)
            let ordered = owners.sorted(byKeyPath: "name")
            #expect(owners.count == 1 && !owners.isInvalidated && ordered.count == 1)
            realm.invalidate()
            #expect(owners.isInvalidated && owners.isEmpty && owners.first == nil && Array(owners).isEmpty)
            #expect(ordered.isInvalidated && ordered.isEmpty)
            let anew = try #require(realm.objects(Dog.self).first?.packs)
            #expect(!anew.isInvalidated && anew.count == 1 && Array(anew).map(\.name) == ["Ada"])
        }
    }

    @Test func `S75: inside of a write invalidate() rolls back`() throws {
        try withRealm { realm in
            realm.beginWrite()
            realm.create(Dog.self, value: ["name": "Rex"])
            let dogs = realm.objects(Dog.self)
            #expect(dogs.count == 1)
            realm.invalidate()
            #expect(dogs.isInvalidated && !realm.isInWriteTransaction && realm.isEmpty)
        }
    }

    @Test func `S78: what reads an object that a rollback took away shows none that has its key later`() throws {
        try withRealm { realm in
            realm.beginWrite()
            let person = realm.create(Person.self, value: ["id": 1, "dogs": [["Rex", 3]]])
            let dog = try #require(person.dogs.first)
            let dogs = person.dogs.filter("age > 0"), owners = dog.packs, ordered = owners.sorted(byKeyPath: "id")
            #expect(dogs.count == 1 && owners.count == 1 && ordered.count == 1)
            realm.cancelWrite()
            try realm.write { _ = realm.create(Person.self, value: ["id": 2, "dogs": [["Bo", 4]]]) }
            #expect(dogs.isInvalidated && dogs.isEmpty && owners.isInvalidated && owners.isEmpty)
            #expect(ordered.isInvalidated && ordered.isEmpty)
        }
    }

    @Test func `S76: results of a deleted object's collections are invalid and empty`() throws {
        try withRealm { realm in
            let person = try Self.fill(realm)
            let dogs = person.dogs.sorted(byKeyPath: "name"), all = realm.objects(Dog.self)
            let owners = try #require(all.first?.packs)
            let ordered = owners.sorted(byKeyPath: "name")
            try realm.write { realm.delete(person) }
            #expect(dogs.isInvalidated && dogs.isEmpty && !owners.isInvalidated && owners.isEmpty)
            try realm.write { realm.deleteAll() }
            #expect(owners.isInvalidated && ordered.isInvalidated && ordered.isEmpty && !all.isInvalidated)
        }
    }
}
