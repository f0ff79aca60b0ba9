// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct UnmanagedObjectTests {
    @Test func `S21 S22: defaults are by type, generated ones are kept`() {
        let object = Everything()
        #expect(object.bool == false && object.int == 0 && object.double == 0 && object.string == "")
        #expect(object.data.isEmpty && object.mood == .calm && object.rank == .low)
        #expect(object.intOrNil == nil && object.stringOrNil == nil && object.moodOrNil == nil)
        #expect(object.objectId == object.objectId && object.uuid == object.uuid && object.date == object.date)
        #expect(object.objectId != Everything().objectId && object.uuid != Everything().uuid)
        #expect(abs(object.date.timeIntervalSinceNow) < 10)
    }

    @Test func `S22: a generated default is made when it is first read, and then kept`() throws {
        let object = Everything(), made = Date()
        #expect(object.date >= made && object.date == object.date)
        let id = object.objectId, list = Person()
        #expect(Person().dogs !== Person().dogs && list.dogs === list.dogs)
        try withRealm { realm in
            let person = Person(), unread = Everything()
            let dogs = person.dogs
            try realm.write { realm.add([object, unread, person] as [Object]) }
            #expect(object.objectId == id && object.date >= made && dogs.realm == realm)
            #expect(unread.objectId == unread.objectId && unread.objectId != ObjectId() && unread.date >= object.date)
            #expect(realm.objects(Everything.self).last?.uuid == unread.uuid)
        }
    }

    @Test func `S22: a generated primary key that was never read is the same everywhere`() throws {
        class Generated: Object {
            @Persisted(primaryKey: true) var id: ObjectId
            @Persisted var name: String
        }
        try withRealm([Generated.self]) { realm in
            let one = Generated(value: ["name": "one"]), other = Generated()
            try realm.write {
                realm.add(one)
                realm.add(other, update: .modified)
            }
            #expect(one.id != other.id && realm.objects(Generated.self).count == 2)
            #expect(realm.object(ofType: Generated.self, forPrimaryKey: one.id)?.name == "one")
        }
    }

    @Test func `S23: ObjectId() as a default is all zero`() {
        class WithZeroId: Object { @Persisted var id = ObjectId() }
        #expect(WithZeroId().id == ObjectId())
    }

    @Test func `S24: a default is evaluated for each object, and for each create without a value`() throws {
        class WithFreshDefault: Object { @Persisted var text = UUID().uuidString }
        #expect(WithFreshDefault().text != WithFreshDefault().text)
        try withRealm([WithFreshDefault.self]) { realm in
            try realm.write { for _ in 0..<3 { realm.create(WithFreshDefault.self) } }
            let texts = Set(realm.objects(WithFreshDefault.self).map(\.text))
            #expect(texts.count == 3 && texts.allSatisfy { UUID(uuidString: $0) != nil })
        }
    }

    @Test func `S26: assigning a list copies its contents and keeps the instance`() {
        let person = Person(), other = Person()
        let list = person.dogs
        person.dogs.append(Dog("Rex"))
        person.dogs = person.dogs
        #expect(person.dogs.count == 1)
        other.dogs.append(objectsIn: [Dog("Ada"), Dog("Bo")])
        person.dogs = other.dogs
        #expect(person.dogs === list && person.dogs.map(\.name) == ["Ada", "Bo"])
        other.dogs.removeAll()
        #expect(person.dogs.count == 2)
    }

    @Test func `S28: an unmanaged object has no realm and nothing links to it`() {
        let dog = Dog("Rex")
        #expect(dog.realm == nil && !dog.isInvalidated && !dog.isFrozen)
        #expect(dog.owners.isEmpty && dog.packs.count == 0 && dog.owners.first == nil)
    }

    @Test func `S29 S30 S31: unmanaged objects are equal only to themselves`() {
        let one = Person(1), other = Person(1)
        #expect(one == one && one != other && one.isSameObject(as: one) && !one.isSameObject(as: other))
    }

    @Test func `S33 S46 S47 S48 S49: init(value:) takes dictionaries, arrays and objects`() {
        let person = Person(value: ["id": 7, "name": "Ada", "dog": ["name": "Rex"], "dogs": [["Bo", 3], Dog("Al")]])
        #expect(person.id == 7 && person.dog?.name == "Rex" && person.dogs.map(\.name) == ["Bo", "Al"])
        #expect(person.dogs[0].age == 3)
        let copy = Person(value: person)
        #expect(copy !== person && copy.name == "Ada" && copy.dog === person.dog && copy.dogs.count == 2)
        let array = Person(value: [3, "Bo", 44])
        #expect(array.id == 3 && array.name == "Bo" && array.age == 44)
        let everything = Everything(value: ["bool": 1, "int": 3.0, "float": 2, "mood": "cross", "rank": Rank.high])
        #expect(everything.bool && everything.int == 3 && everything.float == 2)
        #expect(everything.mood == .cross && everything.rank == .high)
    }

    @Test func `S34: an object as text`() {
        let text = Person(value: ["id": 7, "name": "Ada", "dog": ["name": "Rex"]]).description
        #expect(text.hasPrefix("Person {\n\tid = 7;\n\tname = Ada;\n"))
        #expect(text.contains("\tdog = Dog {\n\t\tname = Rex;\n"))
    }

    @Test func `S41 S42: a value that does not fit stops init(value:) with its name`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Person(value: ["age": "old"])
        }
        expect(result, says: "Person(value:) failed: Person.age holds Int, and \"old\" of type String is no number")
    }

    @Test func `a property by its name`() {
        let everything = Everything()
        everything["int"] = 5
        everything["mood"] = "merry"
        #expect(everything.int == 5 && everything["mood"] as? String == "merry" && everything["intOrNil"] == nil)
    }
}
