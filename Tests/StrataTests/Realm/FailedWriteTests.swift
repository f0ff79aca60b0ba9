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
