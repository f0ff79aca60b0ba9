// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Has the same property names as Person, and others.
class PersonLike: Object {
    @Persisted var name = "alike"
    @Persisted var age = 9
    @Persisted var id = 5
    @Persisted var nothing: Data
}

@Suite struct UpsertDetailTests {
    @Test func `S52: upsert with an object sets all properties, nil and collections too`() throws {
        try withRealm { realm in
            let old = try realm.write {
                realm.create(
                    Person.self, value: ["id": 1, "name": "Ada", "email": "a@b", "dog": ["Rex"], "dogs": [["Max"]]])
            }
            try realm.write { realm.add(Person(1), update: .modified) }
            #expect(old.name == "" && old.email == nil && old.dog == nil && old.dogs.isEmpty)
            #expect(realm.objects(Dog.self).count == 2 && realm.objects(Person.self).count == 1)
        }
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func `S56: a list is replaced by what is supplied`(policy: Realm.UpdatePolicy) throws {
        try withRealm { realm in
            let dogs = try realm.write { (0..<4).map { realm.create(Dog.self, value: ["\($0)"]) } }
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": dogs]) }
            let list = person.dogs
            try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": [dogs[3], dogs[1]]], update: policy) }
            #expect(list.map(\.name) == ["3", "1"] && realm.objects(Dog.self).count == 4)
            try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": NSNull()], update: policy) }
            #expect(list.isEmpty)
        }
    }

    @Test func `S53: with .modified nothing is written that is there already`() throws {
        let temporary = try TemporaryRealm(), realm = try temporary.open()
        func size() throws -> Int {
            try #require(FileManager.default.attributesOfItem(atPath: temporary.url.path)[.size] as? Int)
        }
        /// By how much the file grows when 2,000 objects are upserted. Pages that change are copied.
        let text = String(repeating: "same ", count: 100)
        func growth(_ policy: Realm.UpdatePolicy, name: String) throws -> Int {
            let before = try size()
            try realm.write {
                for id in 0..<2000 {
                    let dogs: [Any] = id == 7 ? [["Rex"]] : []
                    realm.create(
                        Person.self, value: ["id": id, "name": id == 1500 ? name : text, "age": 3, "dogs": dogs],
                        update: policy)
                }
            }
            return try size() - before
        }
        #expect(try growth(.modified, name: text) > 100_000)
        #expect(try growth(.modified, name: text) < 50_000, "the dog in a list is another one")
        #expect(try growth(.modified, name: "other") < 50_000)
        #expect(try growth(.all, name: "other") > 50_000)
        #expect(realm.object(ofType: Person.self, forPrimaryKey: 1500)?.name == "other")
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func `S56: with .modified the elements that are equal stay, with .all the list is filled anew`(
        policy: Realm.UpdatePolicy
    ) throws {
        try withRealm(NestedCollectionTests.types) { realm in
            let holder = try realm.write {
                realm.create(
                    AnyHolder.self,
                    value: ["id": 1, "list": [[1], 2, [3], 4], "map": ["a": [1], "b": 2, "c": [3]]] as [String: Any])
            }
            let first = try #require(holder.list[0].listValue), third = try #require(holder.list[2].listValue)
            let a = try #require(holder.map["a"]?.listValue), c = try #require(holder.map["c"]?.listValue)
            try realm.write {
                realm.create(
                    AnyHolder.self, value: ["id": 1, "list": [[1], 5, "x"], "map": ["a": [1], "b": 7]] as [String: Any],
                    update: policy)
            }
            #expect(holder.list.count == 3 && holder.list[0].listValue?.first == 1 && holder.list[2] == "x")
            #expect(holder.map.keys == ["a", "b"] && holder.map["b"] == 7 && holder.map["a"]?.listValue?.first == 1)
            #expect(first.isInvalidated == (policy == .all) && a.isInvalidated == (policy == .all))
            #expect(third.isInvalidated && c.isInvalidated)
        }
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func `S56: keys of maps are told apart by their bytes`(policy: Realm.UpdatePolicy) throws {
        try withRealm(NestedCollectionTests.types) { realm in
            let holder = try realm.write {
                realm.create(AnyHolder.self, value: ["id": 1, "map": ["\u{e9}": 1, "b": 2]] as [String: Any])
            }
            try realm.write {
                let value: [String: Any] = ["id": 1, "map": ["e\u{301}": 3, "b": 2]]
                realm.create(AnyHolder.self, value: value, update: policy)
            }
            #expect(holder.map.count == 2 && holder.map["e\u{301}"] == 3 && holder.map["\u{e9}"] == nil)
        }
    }

    @Test func `S54: nested objects without a primary key are made anew each time`() throws {
        try withRealm { realm in
            for _ in 0..<3 {
                try realm.write { realm.create(Person.self, value: ["id": 1, "dog": ["Rex"]], update: .modified) }
            }
            #expect(realm.objects(Person.self).count == 1 && realm.objects(Dog.self).count == 3)
        }
    }

    @Test func `S40: an object of another class gives the properties of the same names`() throws {
        try withRealm([Person.self, Dog.self, PersonLike.self]) { realm in
            let person = try realm.write { realm.create(Person.self, value: PersonLike()) }
            #expect(person.id == 5 && person.name == "alike" && person.age == 9 && person.email == nil)
        }
    }

    @Test func `S45 S48: an object of another class is no link`() throws {
        try withRealm { realm in
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(Person.self, value: ["id": 1, "dog": Person(2)]) }
            }
            #expect(error?.message.contains("Person.dog holds Dog, and an object of class Person is none") == true)
        }
    }

    @Test func `S43: two creates without a primary key clash`() throws {
        try withRealm { realm in
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write {
                    realm.create(Person.self)
                    realm.create(Person.self)
                }
            }
        }
    }

    @Test func `S44: a list of another element type is refused`() throws {
        try withRealm([ListOfInt.self]) { realm in
            let optional = List<Int?>()
            optional.append(1)
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write { realm.create(ListOfInt.self, value: ["numbers": optional]) }
            }
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write { realm.create(ListOfInt.self, value: ["numbers": 3]) }
            }
            let made = try realm.write { realm.create(ListOfInt.self, value: ["numbers": Set([3])]) }
            #expect(Array(made.numbers) == [3])
        }
    }

    @Test func `S59: values for linking objects are ignored`() throws {
        try withRealm { realm in
            let dog = try realm.write { realm.create(Dog.self, value: ["name": "Rex", "packs": [1, 2]]) }
            #expect(dog.packs.isEmpty && dog.name == "Rex")
        }
    }

    @Test func `S62: observers run for assignments and not for create`() throws {
        final class Watched: Object {
            nonisolated(unsafe) static var seen: [Int] = []
            @Persisted var value: Int { didSet { Watched.seen.append(value) } }
        }
        try withRealm([Watched.self]) { realm in
            let object = Watched()
            object.value = 1
            try realm.write {
                realm.add(object)
                object.value = 2
                realm.create(Watched.self, value: ["value": 3])
            }
            #expect(Watched.seen == [1, 2])
        }
    }
}

class ListOfInt: Object {
    @Persisted var numbers: List<Int>
}
