// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct CreateTests {
    @Test func `S38: create copies and never promotes`() throws {
        try withRealm { realm in
            let person = Person(1, "Ada"), dog = Dog("Rex")
            person.dog = dog
            let made = try realm.write { realm.create(Person.self, value: person) }
            #expect(person.realm == nil && dog.realm == nil && made.realm == realm && made !== person)
            #expect(made.dog?.name == "Rex" && made.dog !== dog)
        }
    }

    @Test func `S39 S45: managed objects are linked to as they are`() throws {
        try withRealm { realm in
            try realm.write {
                let dog = realm.create(Dog.self, value: ["Rex"])
                let person = realm.create(Person.self, value: ["id": 1, "dog": dog, "dogs": [dog, dog]])
                #expect(realm.create(Person.self, value: person, update: .modified) === person)
            }
            #expect(realm.objects(Dog.self).count == 1 && realm.objects(Person.self).first?.dogs.count == 2)
        }
    }

    @Test func `S45: an object of another realm is copied`() throws {
        try withRealm { one in
            let dog = try one.write { one.create(Dog.self, value: ["Rex"]) }
            try withRealm { other in
                try other.write { other.create(Person.self, value: ["id": 1, "dog": dog]) }
                #expect(other.objects(Dog.self).count == 1 && one.objects(Dog.self).count == 1)
            }
        }
    }

    @Test func `S41 S42 S43: names that are no properties are ignored, what is missing gets defaults`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "nothing": 3]) }
            #expect(person.name == "" && person.email == nil)
            let other = try realm.write { realm.create(Person.self, value: [2, "Bea"]) }
            #expect(other.id == 2 && other.name == "Bea" && other.age == 0)
            try realm.write {
                realm.create(Person.self, value: ["id": 2, "age": 9], update: .modified)
            }
            #expect(other.name == "Bea" && other.age == 9)
        }
    }

    static let wrong: [(String, any Sendable, String)] = [
        ("int", 1.5, "property int holds int, not 1.5 of type Double"),
        ("int", true, "property int holds int, not true of type Bool"),
        ("int8", 300, "property int8 holds int, not 300 of type Int"),
        ("bool", 2, "property bool holds bool, not 2 of type Int"),
        ("string", 3, "property string holds string, not 3 of type Int"),
        ("data", "text", "property data holds data, not text of type String"),
        ("date", "text", "property date holds date, not text of type String"),
        ("uuid", "text", "property uuid holds uuid, not text of type String"),
        ("objectId", "0123456789abcdef01234567", "property objectId holds object id"),
        ("mood", "sad", "property mood holds string, not sad of type String"),
        ("rank", 2, "property rank holds int, not 2 of type Int"),
        ("double", true, "property double holds double, not true of type Bool"),
        ("string", Int?.none as any Sendable, "property string holds string, not nil"),
    ]

    // S46 S47 S48 S49
    @Test(
        """
        Differs from Realm: a value that does not fit its property makes `write` throw and roll back; Realm \
        raises an exception of Objective-C, which Swift cannot catch. Data that comes from outside must not \
        end a program.
        """,
        arguments: wrong.indices)
    func unfitValuesFailTheWrite(index: Int) throws {
        let (name, value, message) = Self.wrong[index]
        try withRealm { realm in
            let error = #expect(throws: Realm.Error.self) {
                try realm.write {
                    let object = realm.create(Everything.self, value: [name: value])
                    #expect(object.realm == nil)
                }
            }
            #expect(error?.code == .invalidInput && error?.message.contains(message) == true, "\(error?.message ?? "")")
            #expect(realm.isEmpty)
        }
    }

    @Test func `S42: an array that is too long, and a value that is no object, fail the write`() throws {
        try withRealm { realm in
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write { realm.create(Dog.self, value: ["Rex", 3, 4]) }
            }
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write { realm.create(Dog.self, value: 3) }
            }
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write { realm.create(Person.self, value: ["id": 1, "dog": Person(2)]) }
            }
        }
    }
}

@Suite struct CyclicValueTests {
    // S60
    @Test(
        """
        Differs from Realm: `create` copies objects that link to each other in a circle; Realm calls itself \
        until the stack is full.
        """)
    func createCopiesCycles() throws {
        try withRealm { realm in
            let one = Person(1), two = Person(2), dog = Dog("Rex")
            (one.friend, two.friend, one.dog) = (two, one, dog)
            let made = try realm.write { realm.create(Person.self, value: one) }
            #expect(made.friend?.id == 2 && made.friend?.friend == made && made.dog?.name == "Rex")
            #expect(one.realm == nil && two.realm == nil && realm.objects(Person.self).count == 2)
            let own = Person(3)
            own.friend = own
            let copy = Person(value: try realm.write { realm.create(Person.self, value: own) })
            #expect(copy.friend?.id == 3)
            try realm.write { realm.create(Person.self, value: one, update: .modified) }
            #expect(realm.objects(Person.self).count == 3)
        }
    }

    // S61
    @Test(
        """
        Differs from Realm: a `create` that fails makes its `write` fail, which leaves nothing behind; Realm \
        keeps what was made so far until the write is cancelled.
        """)
    func failedCreateLeavesNothing() throws {
        try withRealm { realm in
            try realm.write { realm.create(Person.self, value: ["id": 7]) }
            var kept: Person?
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write {
                    kept = realm.create(Person.self, value: ["id": 1, "dog": ["Rex"], "friend": ["id": 7]])
                    realm.create(Person.self, value: ["id": 2])
                }
            }
            #expect(realm.objects(Person.self).map(\.id) == [7] && realm.objects(Dog.self).isEmpty)
            #expect(kept?.realm == nil || kept?.isInvalidated == true)
            try realm.verify()
        }
    }
}

@Suite struct UpsertTests {
    @Test func `S53 S54: nested objects with a primary key take the same policy`() throws {
        try withRealm { realm in
            try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ada", "friend": [2, "Bea", 30]]) }
            for policy in [Realm.UpdatePolicy.modified, .all] {
                try realm.write {
                    realm.create(
                        Person.self, value: ["id": 1, "friend": ["id": 2, "name": "Bo"], "dogs": [["x"]]], update: policy)
                }
            }
            let one = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
            #expect(realm.objects(Person.self).count == 2 && one.name == "Ada")
            #expect(one.friend?.name == "Bo" && one.friend?.age == 30)
            #expect(one.dogs.map(\.name) == ["x"] && realm.objects(Dog.self).count == 2)
        }
    }

    @Test func `S52: upsert with a dictionary sets what it mentions, nil too`() throws {
        try withRealm { realm in
            let person = try realm.write {
                realm.create(Person.self, value: ["id": 1, "email": "a@b", "dog": ["Rex"], "dogs": [["x"]], "age": 4])
            }
            try realm.write {
                realm.create(Person.self, value: ["id": 1, "email": NSNull(), "dog": NSNull()], update: .modified)
            }
            #expect(person.email == nil && person.dog == nil && person.dogs.count == 1 && person.age == 4)
        }
    }

    @Test func `S40: values from an object of another class`() throws {
        class Stranger: Object {
            @Persisted var name = "Stranger"
            @Persisted var age = 44
            @Persisted var unknown = 1
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        try withRealm { realm in
            let dog = try realm.write { realm.create(Dog.self, value: Stranger()) }
            #expect(dog.name == "Stranger" && dog.age == 44)
        }
    }

    @Test func `S44: nil, sequences and lists as values of a list`() throws {
        try withRealm { realm in
            try realm.write {
                let one = realm.create(Person.self, value: ["id": 1, "dogs": NSNull()])
                #expect(one.dogs.isEmpty)
                let two = realm.create(Person.self, value: ["id": 2, "dogs": [Dog("a"), Dog("b")]])
                let three = realm.create(Person.self, value: ["id": 3, "dogs": two.dogs])
                #expect(three.dogs.map(\.name) == ["a", "b"])
                let four = realm.create(Person.self, value: ["id": 4, "dogs": realm.objects(Dog.self)])
                #expect(four.dogs.count == 2)
            }
            #expect(realm.objects(Dog.self).count == 2)
            #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(Person.self, value: ["id": 5, "dogs": "text"]) }
            }
        }
    }
}
