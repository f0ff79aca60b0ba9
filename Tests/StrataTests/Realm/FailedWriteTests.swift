// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Bad data fails the write: later changes do nothing, all is rolled back, and the first failure is thrown.
@Suite struct FailedWriteTests {
    @Test func `changes after a failed one do nothing`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ada", "dogs": [["a"]]]) }
            let error = #expect(throws: Realm.Error.self) {
                try realm.write {
                    person.age = 5
                    realm.create(Person.self, value: ["id": 1])
                    person.name = "Bea"
                    person.dog = Dog("Rex")
                    person.dogs.append(Dog("b"))
                    person.dogs.removeAll()
                    realm.create(Person.self, value: ["id": "second failure"])
                    realm.delete(person)
                    realm.deleteAll()
                }
            }
            #expect(error?.message.contains("primary key id = 1") == true)
            #expect(person.age == 0 && person.name == "Ada" && person.dog == nil && person.dogs.map(\.name) == ["a"])
            #expect(realm.objects(Person.self).count == 1 && !person.isInvalidated)
            try realm.write { person.name = "Cy" }
            #expect(person.name == "Cy")
        }
    }

    @Test func `code that goes on with an object that could not be created is not stopped`() throws {
        try withRealm { realm in
            try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ada", "dogs": [["a"]]]) }
            let unfit: [[String: Any]] = [["id": 1], ["id": 2, "age": "old"], ["dogs": 3], ["id": NSNull(), "name": 4]]
            func fail(_ goOn: (Person) -> Void) {
                for value in unfit {
                    #expect(throws: Realm.Error(.invalidInput, "")) {
                        try realm.write { goOn(realm.create(Person.self, value: value)) }
                    }
                }
            }
            fail { #expect($0.realm == realm && !$0.isInvalidated && !$0.isFrozen) }
            fail { person in
                person.name = "Bea"
                person.dog = realm.create(Dog.self, value: ["Rex"])
                #expect(person.dog == nil)
            }
            fail { realm.delete($0) }
            fail { realm.delete([$0, $0]) }
            fail { realm.delete($0.dogs) }
            fail { #expect(realm.resolve(ThreadSafeReference(to: $0))?.isSameObject(as: $0) == true) }
            fail { _ = $0.dogs.where { $0.name == "a" }.count + $0.dogs.sorted(by: \.name).count }
            fail { _ = $0.dogs.filter("age > 1").count + $0.dogs.distinct(by: ["age"]).count }
            fail { _ = $0.dogs.sectioned(by: \.name).count }
            fail { person in _ = realm.objects(Person.self).where { $0.friend == person }.count }
            fail { $0.friend = realm.create(Person.self, value: ["id": 9]) }
            fail { realm.add($0, update: .modified) }
            fail { realm.create(Person.self, value: $0, update: .all) }
            fail { $0.setValue("never", forKey: "age") }
            fail { _ in for person in realm.objects(Person.self) { realm.create(Person.self, value: [person.id]) } }
            fail { realm.dynamicCreate("Dog", value: ["age": $0.name])["name"] = "Rex" }
            #expect(realm.objects(Person.self).map(\.name) == ["Ada"] && realm.objects(Dog.self).count == 1)
        }
    }

    @Test func `an object that could not be created goes with its write`() throws {
        try withRealm([Dog.self, Person.self]) { realm in
            var made: [Object] = []
            for _ in 0..<2 {
                #expect(throws: Realm.Error.self) {
                    try realm.write {
                        for _ in 0..<3 { made.append(realm.create(Dog.self, value: ["age": "old"])) }
                        made.append(realm.create(Person.self, value: ["id": "one"]))
                        #expect(realm.objects(Dog.self).count == 1)
                    }
                }
                #expect(realm.isEmpty && made.allSatisfy(\.isInvalidated))
            }
            try realm.write { realm.create(Dog.self, value: ["Rex"]) }
            #expect(made.allSatisfy(\.isInvalidated) && realm.objects(Dog.self).map(\.name) == ["Rex"])
        }
    }

    @Test("""
        Differs from Realm: a value that does not fit and is set by the name of a property makes `write` throw and roll \
        back; Realm raises an exception of Objective-C, which Swift cannot catch. Data that comes from outside must not \
        end a program.
        """)
    func unfitValuesByName() throws {
        try withRealm(collectionTypes) { realm in
            let maps = try realm.write { realm.create(Maps.self) }
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": [["a"]]]) }
            let changes: [() -> Void] = [
                { person["age"] = "old" }, { person.setValue([1], forKey: "name") },
                { person.setValuesForKeys(["name": "x", "dog": 7]) }, { person.dogs.setValue("old", forKey: "age") },
                { realm.objects(Person.self).setValue(NSNull(), forKey: "age") },
                { realm.dynamicObjects("Person")[0]["age"] = "old" },
                { maps.ints.setValue("x", forKey: "a") }, { maps.setValue("x", forKeyPath: "ints.a") },
            ]
            for change in changes {
                #expect(throws: Realm.Error(.invalidInput, "")) { try realm.write(change) }
            }
            #expect(person.age == 0 && person.name.isEmpty && person.dogs[0].age == 0)
        }
    }

    @Test func `commitWrite throws the failure and ends the write`() throws {
        try withRealm { realm in
            realm.beginWrite()
            realm.create(Dog.self, value: ["age": "old"])
            #expect(realm.isInWriteTransaction)
            #expect(throws: Realm.Error(.invalidInput, "")) { try realm.commitWrite() }
            #expect(!realm.isInWriteTransaction && realm.isEmpty)
        }
    }

    @Test func `cancelWrite forgets the failure`() throws {
        try withRealm { realm in
            try realm.write {
                realm.create(Dog.self, value: ["age": "old"])
                realm.cancelWrite()
            }
            try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
            #expect(realm.objects(Dog.self).count == 1)
        }
    }

    @Test func `objects added by a write that fails are invalid afterwards`() throws {
        try withRealm { realm in
            let one = Person(1), clash = Person(1)
            let list = one.dogs
            one.friend = clash
            one.dogs.append(Dog("Rex"))
            #expect(throws: Realm.Error.self) { try realm.write { realm.add(one) } }
            #expect(one.isInvalidated && list.isInvalidated && realm.isEmpty)
            try realm.write { realm.create(Person.self, value: ["id": 5, "dogs": [["Bo"], ["Al"]]]) }
            #expect(one.isInvalidated && list.isInvalidated && list.isEmpty)
        }
    }

    @Test func `objects of many cancelled writes are invalid, and those of the others are not`() throws {
        try withRealm { realm in
            var objects: [(Person, isCancelled: Bool)] = []
            for id in 0..<600 {
                let isCancelled = id % 7 < 3
                realm.beginWrite()
                objects.append((realm.create(Person.self, value: ["id": id]), isCancelled))
                if isCancelled { realm.cancelWrite() } else { try realm.commitWrite() }
            }
            #expect(objects.allSatisfy { $0.isInvalidated == $1 })
            #expect(realm.objects(Person.self).count == objects.filter { !$0.isCancelled }.count)
        }
    }

    @Test func `S65: a duplicate key through a link or a list fails the write`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
            #expect(throws: Realm.Error(.invalidInput, "")) { try realm.write { person.friend = Person(1) } }
            #expect(person.friend == nil)
        }
    }

    @Test func `a string that is too large fails the write with the object's name`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 9]) }
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { person.name = String(repeating: "x", count: 16 * 1024 * 1024 + 1) }
            }
            #expect(error?.message.contains("Person with id 9") == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("Person.name") == true && person.name == "")
            try realm.write { person.name = String(repeating: "x", count: 16 * 1024 * 1024) }
            #expect(person.name.utf8.count == 16 * 1024 * 1024)
        }
    }

    @Test func `the error of the closure goes before the failure`() throws {
        struct Stop: Error {}
        try withRealm { realm in
            #expect(throws: Stop.self) {
                try realm.write {
                    realm.create(Dog.self, value: 3)
                    throw Stop()
                }
            }
            #expect(realm.isEmpty)
        }
    }
}
