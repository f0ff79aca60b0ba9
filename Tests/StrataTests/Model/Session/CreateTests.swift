// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

class Ring: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var next: Ring?
}

@Suite struct CreateTests {
    @Test func `S60: live objects that link to each other in a circle are copied into another realm`() throws {
        try withRealm([Ring.self]) { first in
            let one = try first.write {
                let one = first.create(Ring.self, value: ["id": 1]), two = first.create(Ring.self, value: ["id": 2])
                (one.next, two.next) = (two, one)
                return one
            }
            try withRealm([Ring.self]) { second in
                try second.write { _ = second.create(Ring.self, value: one, update: .all) }
                #expect(second.objects(Ring.self).count == 2)
            }
        }
    }

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
        ("int", 1.5, "holds Int, and 1.5 of type Double is no whole number"),
        ("int", true, "holds Int, and true of type Bool is no number"),
        ("int", "1", "holds Int, and \"1\" of type String is no number"),
        (
            "int", UInt64.max,
            "holds Int, and 18446744073709551615 of type UInt64 is not between -9223372036854775808 and"
        ),
        ("int", Decimal128(2), "holds Int, and 2 of type Decimal128 is a decimal number; convert it"),
        ("int8", 300, "holds Int8, and 300 of type Int is not between -128 and 127"),
        ("int8OrNil", 300, "holds Int8?, and 300 of type Int is not between -128 and 127"),
        ("int16", -40_000, "holds Int16, and -40000 of type Int is not between -32768 and 32767"),
        ("int32", 3e9, "holds Int32, and 3000000000.0 of type Double is not between -2147483648 and 2147483647"),
        ("bool", 2, "holds Bool, and 2 of type Int is a number other than 0 and 1"),
        ("bool", 1.1, "holds Bool, and 1.1 of type Double is a number other than 0 and 1"),
        ("bool", "true", "holds Bool, and \"true\" of type String is no truth value"),
        ("float", true, "holds Float, and true of type Bool is no number"),
        ("float", 1e300, "holds Float, and 1e+300 of type Double is too large for it"),
        ("double", true, "holds Double, and true of type Bool is no number"),
        ("double", "1", "holds Double, and \"1\" of type String is no number"),
        ("string", 3, "holds String, and 3 of type Int is none"),
        ("string", true, "holds String, and true of type Bool is none"),
        ("data", "text", "holds Data, and \"text\" of type String is none"),
        ("date", "text", "holds Date, and \"text\" of type String is none"),
        ("date", 5, "holds Date, and 5 of type Int is none"),
        ("uuid", "text", "holds UUID, and \"text\" of type String is not the text of a UUID"),
        ("objectId", "0123456789abcdef01234567", "is text; convert it with ObjectId(string:)"),
        (
            "mood", "sad",
            "holds Mood, and \"sad\" of type String is the raw value of no case; they are \"calm\", \"cross\","
        ),
        ("mood", 2, "holds Mood, and 2 of type Int is none"),
        ("rank", 2, "holds Rank, and 2 of type Int is the raw value of no case; they are 1, 5, 9"),
        ("rankOrNil", 1.5, "holds Rank?, and 1.5 of type Double is no whole number"),
        ("rank", "low", "holds Rank, and \"low\" of type String is no number"),
        (
            "string", Int?.none as any Sendable,
            "holds String, which cannot be nil; declare it as Optional, or pass a value"
        ),
        ("mood", NSNull(), "holds Mood, which cannot be nil; declare it as Optional, or pass a value"),
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
            let text = error?.message ?? ""
            #expect(error?.code == .invalidInput && text.hasPrefix("Everything.\(name) "), "\(text)")
            #expect(text.contains(message), "\(text)")
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
