// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct IdentityTests {
    @Test func `S28: an unmanaged object has no realm, is not invalid and nothing links to it`() {
        let dog = Dog("Rex")
        #expect(dog.realm == nil && !dog.isInvalidated && !dog.isFrozen && dog.packs.isEmpty)
    }

    @Test func `S29 S30 S31: identity and equality`() throws {
        try withRealm { realm in
            let one = Person(1), two = Person(1)
            #expect(one != two && !one.isSameObject(as: two) && one.isSameObject(as: one) && one == one)
            #expect(!one.isSameObject(as: nil))
            let dog = Dog("Rex")
            one.dog = dog
            try realm.write { realm.add(one) }
            let again = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
            #expect(one == again && one !== again && one.hashValue == again.hashValue && one.isSameObject(as: again))
            #expect(one != two && two != one)
            let other = try #require(realm.objects(Dog.self).first)
            #expect(other != dog && other.isSameObject(as: dog), "without a primary key, instances are compared")
            #expect(Set([one, again]).count == 1)
        }
    }

    @Test func `S33: a copy is unmanaged`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ada", "age": 3]) }
            let copy = Person(value: person)
            #expect(copy.realm == nil && copy.name == "Ada" && copy.age == 3)
            copy.name = "Eva"
            #expect(person.name == "Ada")
            let made = Person(value: ["id": 2, "dog": ["name": "Rex"], "dogs": [["Max", 3], Dog("Bo")] as [Any]])
            #expect(made.dog?.realm == nil && made.dogs.map(\.name) == ["Max", "Bo"] && made.dogs[0].age == 3)
        }
    }

    @Test func `S34: descriptions end at a depth of five, cut data and long lists, and are safe when deleted`() throws {
        let people = (0..<7).map { Person($0) }
        for (one, next) in zip(people, people.dropFirst()) { one.friend = next }
        let text = people[0].description
        #expect(text.hasPrefix("Person {\n\tid = 0;\n\tname = ;\n") && text.contains("\t\t\t\t\tid = 4;"))
        #expect(text.contains("<Maximum depth exceeded>") && !text.contains("id = 5;"))
        let everything = Everything()
        everything.data = Data(repeating: 0xab, count: 30)
        #expect(everything.description.contains("<\(String(repeating: "ab", count: 24))... - 30 total bytes>"))
        #expect(everything.description.contains("\tmood = calm;\n") && everything.description.contains("intOrNil = (null);"))
        people[0].dogs.append(objectsIn: (0..<103).map { Dog("\($0)") })
        #expect(people[0].description.contains("... 3 objects skipped.") && people[0].description.contains("List<Dog> ("))
        try withRealm { realm in
            let dog = try realm.write { realm.create(Dog.self, value: ["Rex"]) }
            try realm.write { realm.delete(dog) }
            #expect(dog.description == "[invalid object]")
        }
    }
}
