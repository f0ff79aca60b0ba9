// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

enum OldKind: Int, RealmEnum { case small = 0, large = 1 }

/// The older style of declarations, as far as it works without Objective-C.
class OldPerson: Object {
    let age = RealmProperty<Int?>()
    let score = RealmOptional<Double>()
    let kind = RealmProperty<OldKind?>()
    let anything = RealmProperty<AnyRealmValue>()
    let dogs = List<OldDog>()
    let numbers = List<Int>()
    var note = "not stored"
    let skipped = List<Int>()

    override class func ignoredProperties() -> [String] { ["skipped", "nothing"] }
}

class OldDog: Object {
    @Persisted var name: String
    @Persisted var tag: Int
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<OldPerson>
    let ignored = List<Int>()

    override class func primaryKey() -> String? { "tag" }
    override class func indexedProperties() -> [String] { ["name"] }
    override class func ignoredProperties() -> [String] { ["ignored"] }
}

class OldCat: Object {
    @Persisted var name: String
    @Persisted var tag: Int

    override class func primaryKey() -> String? { "tag" }
}

/// Another style than its superclass.
class OldPuppy: OldCat {
    let parents = List<OldDog>()
    let friends = LinkingObjects(fromType: OldPuppy.self, property: "likes")
    let likes = List<OldPuppy>()
}

class OldShelf: Object {
    let tags = MutableSet<String>()
    let sizes = Map<String, Int>()
    let dogs = Map<String, OldDog?>()
    let owners = MutableSet<OldPerson>()
}

@Suite struct UnmarkedPropertyTests {
    static let types: [ObjectBase.Type] = [OldPerson.self, OldDog.self, OldPuppy.self]

    @Test func `S5 S13: unmarked properties are stored in classes that mark none`() throws {
        try withRealm(Self.types) { realm in
            let person = try #require(realm.schema["OldPerson"]), dog = try #require(realm.schema["OldDog"])
            #expect(person.properties.map(\.name) == ["age", "score", "kind", "anything", "dogs", "numbers"])
            #expect(person["age"]?.isOptional == true && person["kind"]?.type == .int && person["anything"]?.type == .any)
            #expect(dog.properties.map(\.name) == ["name", "tag"] && dog.computedProperties.map(\.name) == ["owners"])
            #expect(dog.primaryKeyProperty?.name == "tag" && dog["name"]?.isIndexed == true)
            let puppy = try #require(realm.schema["OldPuppy"])
            #expect(puppy.properties.map(\.name) == ["name", "tag", "parents", "likes"])
            #expect(puppy.computedProperties.map(\.name) == ["friends"])
        }
    }

    @Test func `unmarked properties work unmanaged, when added and when fetched`() throws {
        try withRealm(Self.types) { realm in
            let person = OldPerson()
            #expect(person.age.value == nil && person.score.value == nil && person.dogs.isEmpty)
            person.age.value = 36
            person.kind.value = .large
            person.anything.value = "any"
            person.dogs.append(OldDog(value: ["Rex", 1]))
            person.numbers.append(objectsIn: [1, 2])
            let dogs = person.dogs
            try realm.write { realm.add(person) }
            #expect(person.age.value == 36 && person.kind.value == .large && person.anything.value == "any")
            #expect(dogs.count == 1 && person.numbers.last == 2 && dogs[0].owners.count == 1)
            try realm.write {
                person.age.value = nil
                person.score.value = 1.5
                person.dogs.append(OldDog(value: ["Max", 2]))
            }
            let all = realm.objects(OldPerson.self)
            let fetched = try #require(all.first)
            #expect(fetched.age.value == nil && fetched.score.value == 1.5 && fetched.dogs.map(\.name) == ["Rex", "Max"])
            #expect(fetched.note == "not stored" && fetched.skipped.isEmpty)
            try realm.write { realm.create(OldPerson.self, value: ["age": 3, "kind": 0, "numbers": [7]]) }
            var ages: [Int?] = []
            for person in all { ages.append(person.age.value) }
            #expect(ages == [nil, 3] && all[1].kind.value == .small && Array(all[1].numbers) == [7])
        }
    }

    @Test func `S5: unmarked sets and maps are stored`() throws {
        try withRealm(Self.types + [OldShelf.self]) { realm in
            let schema = try #require(realm.schema["OldShelf"])
            #expect(schema.properties.map(\.name) == ["tags", "sizes", "dogs", "owners"])
            #expect(schema["tags"]?.isSet == true && schema["sizes"]?.isMap == true && schema["dogs"]?.type == .object)
            let shelf = OldShelf(), tags = shelf.tags
            tags.insert("a")
            shelf.sizes["x"] = 1
            shelf.dogs["rex"] = OldDog(value: ["Rex", 1])
            shelf.owners.insert(OldPerson())
            try realm.write { realm.add(shelf) }
            try realm.write {
                tags.insert("b")
                shelf.sizes["y"] = 2
            }
            let fetched = try #require(realm.objects(OldShelf.self).first)
            #expect(Array(fetched.tags) == ["a", "b"] && fetched.sizes.keys == ["x", "y"] && fetched.owners.count == 1)
            #expect(fetched.dogs["rex"]??.name == "Rex" && tags == fetched.tags && shelf.sizes == fetched.sizes)
            let made = try realm.write { realm.create(OldShelf.self, value: ["tags": ["z"], "sizes": ["k": 3]]) }
            #expect(Array(made.tags) == ["z"] && made.sizes["k"] == 3 && OldShelf(value: made).tags.contains("z"))
        }
    }

    @Test func `S107: key paths lead through boxes and to unmarked collections`() throws {
        try withRealm(Self.types) { realm in
            try realm.write {
                for age in [3, 1, 2] { realm.create(OldPerson.self, value: ["age": age, "dogs": [["Rex", age]]]) }
            }
            let sorted = realm.objects(OldPerson.self).sorted(by: \.age.value)
            #expect(sorted.map(\.age.value) == [1, 2, 3])
            #expect(realm.objects(OldPerson.self).where { $0.dogs.tag == 2 }.count == 1)
        }
    }

    @Test func `unmarked linking objects follow links backwards`() throws {
        try withRealm(Self.types) { realm in
            let one = OldPuppy(value: ["name": "one", "tag": 1]), two = OldPuppy(value: ["name": "two", "tag": 2])
            one.likes.append(two)
            #expect(two.friends.isEmpty)
            try realm.write { realm.add(one) }
            #expect(two.friends.map(\.name) == ["one"] && one.friends.isEmpty)
            #expect(realm.object(ofType: OldPuppy.self, forPrimaryKey: 2)?.friends.first?.tag == 1)
        }
    }

    @Test func `S63: an unmarked property changed outside of a write traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(UnmarkedPropertyTests.types) { realm in
                let person = try realm.write { realm.create(OldPerson.self) }
                person.age.value = 3
            }
        }
        expect(result, says: "OldPerson.age cannot be set outside of a write transaction")
    }
}
