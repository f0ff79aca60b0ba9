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

    @Test func `S53: observers are told what differs with .modified, and all that is supplied with .all`() throws {
        try withQueueRealm { queue in
            let old: [String: Any] = try queue.run { realm in
                let dog = try realm.write { realm.create(Dog.self, value: ["Rex"]) }
                let old = ["id": 1, "name": "Ada", "age": 3, "email": "a@b", "dogs": [dog]] as [String: Any]
                let person = try realm.write { realm.create(Person.self, value: old) }
                queue.tokens.append(person.observe { [unowned queue] (change: ObjectChange<Person>) in
                    if case .change(_, let properties) = change { queue.log += properties.map(\.name).sorted() }
                })
                return old
            }
            func told(_ upsert: (Realm) -> Void) throws -> [String] {
                try queue.run { realm in try realm.write { upsert(realm) } }
                return queue.told()
            }
            func told(_ name: String, _ policy: Realm.UpdatePolicy) throws -> [String] {
                try told { $0.create(Person.self, value: old.merging(["name": name]) { $1 }, update: policy) }
            }
            #expect(try told("Ada", .modified) == [])
            #expect(try told("Bea", .modified) == ["name"])
            #expect(try told("Bea", .all) == ["age", "dogs", "email", "name"])
            #expect(try told { $0.add(Person(1, "Cy", age: 3), update: .modified) } == ["dogs", "email", "name"])
            let other = Person(1, "Cy", age: 3)
            other.dogs.append(Dog("Bo"))
            let every = ["age", "dog", "dogs", "email", "friend", "name", "score"]
            #expect(try told { $0.add(other, update: .all) } == every)
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

    @Test func `S43: a missing primary key is 0, "", the first case or nil, of which there is one, or random`() throws {
        /// The keys of what two creates without a key make.
        func keys<Value: _Persistable>(_: Value.Type) throws -> [Value] where Value.PersistedType: _PrimaryKey {
            var keys: [Value] = []
            try withRealm([Keyed<Value>.self]) { realm in
                try realm.write { realm.create(Keyed<Value>.self) }
                do {
                    try realm.write { realm.create(Keyed<Value>.self) }
                } catch Realm.Error.invalidInput {
                }
                keys = realm.objects(Keyed<Value>.self).map(\.key)
            }
            return keys
        }
        #expect(try keys(Int.self) == [0] && keys(Int8.self) == [0] && keys(String.self) == [""])
        #expect(try keys(Mood.self) == [.calm])
        #expect(try keys(Int?.self) == [nil] && keys(String?.self) == [nil] && keys(UUID?.self) == [nil])
        #expect(try Set(keys(ObjectId.self)).subtracting([ObjectId()]).count == 2)
        #expect(try Set(keys(UUID.self)).count == 2)
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

@Suite struct SilentChangeTests {
    private final class Kept: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var value: Int {
            willSet { seen.append("will be \(newValue)") }
            didSet { seen.append("was \(oldValue)") }
        }
        var seen: [String] = []

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    @Test func `S62: observers of a held object run for its assignments, not for an upsert or a refresh`() throws {
        let temporary = try TemporaryRealm([Kept.self]), configuration = temporary.configuration
        let realm = try temporary.open(), object = Kept()
        try realm.write {
            realm.add(object)
            object.value = 1
        }
        #expect(object.seen == ["will be 1", "was 0"])
        for (value, policy) in [(2, Realm.UpdatePolicy.modified), (3, .all)] {
            try realm.write { realm.create(Kept.self, value: ["id": 0, "value": value], update: policy) }
            #expect(object.value == value)
            try realm.write { realm.add(Kept(value: ["id": 0, "value": value + 10]), update: policy) }
            #expect(object.value == value + 10)
        }
        try onAnotherThread {
            let other = try Realm(configuration: configuration)
            try other.write { other.objects(Kept.self).first?.value = 7 }
        }
        #expect(realm.refresh() && object.value == 7 && object.seen == ["will be 1", "was 0"])
    }
}

class ListOfInt: Object {
    @Persisted var numbers: List<Int>
}
