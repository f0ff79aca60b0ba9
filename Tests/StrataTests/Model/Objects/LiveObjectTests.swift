// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct LiveObjectTests {
    @Test func `every type of property is stored and read back, nil too`() throws {
        let temporary = try TemporaryRealm()
        let id = ObjectId.generate(), uuid = UUID(), date = Date(timeIntervalSince1970: 1_234_567.25)
        func values(_ suffix: String) -> [String: Any] {
            [
                "bool": true, "int": -5, "int8": Int8.min, "int16": Int16.max, "int32": Int32.min,
                "int64": Int64.max, "float": Float(1.5), "double": -2.25, "string": "grüße 🐕",
                "data": Data([0, 1, 255]), "date": date, "uuid": uuid, "objectId": id, "mood": Mood.merry,
                "rank": Rank.middle,
            ].reduce(into: [:]) { $0[$1.key + suffix] = $1.value }
        }
        func check(_ realm: Realm) throws {
            let all = realm.objects(Everything.self)
            try #require(all.count == 3)
            let full = all[0], empty = all[1], changed = all[2]
            for object in [full, changed] {
                #expect(object.bool && object.int == -5 && object.int8 == .min && object.int16 == .max)
                #expect(object.int32 == .min && object.int64 == .max && object.float == 1.5 && object.double == -2.25)
                #expect(object.string == "grüße 🐕" && object.data == Data([0, 1, 255]) && object.date == date)
                #expect(object.uuid == uuid && object.objectId == id && object.mood == .merry && object.rank == .middle)
            }
            #expect(full.boolOrNil == true && full.intOrNil == -5 && full.int8OrNil == .min)
            #expect(full.int16OrNil == .max && full.int32OrNil == .min && full.int64OrNil == .max)
            #expect(full.floatOrNil == 1.5 && full.doubleOrNil == -2.25 && full.stringOrNil == "grüße 🐕")
            #expect(full.dataOrNil == Data([0, 1, 255]) && full.dateOrNil == date && full.uuidOrNil == uuid)
            #expect(full.objectIdOrNil == id && full.moodOrNil == .merry && full.rankOrNil == .middle)
            for object in [empty, changed] {
                #expect(object.boolOrNil == nil && object.intOrNil == nil && object.int8OrNil == nil)
                #expect(object.floatOrNil == nil && object.doubleOrNil == nil && object.stringOrNil == nil)
                #expect(object.dataOrNil == nil && object.dateOrNil == nil && object.uuidOrNil == nil)
                #expect(object.objectIdOrNil == nil && object.moodOrNil == nil && object.rankOrNil == nil)
            }
        }
        do {
            let realm = try temporary.open()
            try realm.write {
                realm.create(
                    Everything.self, value: values("").merging(values("OrNil")) { first, _ in first })
                realm.create(Everything.self)
                let object = realm.create(Everything.self, value: values("OrNil"))
                for (name, value) in values("") { object[name] = value }
                for name in values("OrNil").keys { object[name] = nil }
            }
            try check(realm)
            try realm.verify()
        }
        try check(temporary.open())
    }

    @Test func `strings and data of all sizes, from inline to chunks`() throws {
        try withRealm { realm in
            let sizes = [0, 1, 15, 16, 100, 1000, 1023, 1024, 1025, 4096, 70_000, 1_000_000]
            for size in sizes {
                let string = String(repeating: "ä", count: size / 2), data = Data(repeating: 7, count: size)
                let object = try realm.write {
                    realm.create(Everything.self, value: ["string": string, "data": data, "dataOrNil": data])
                }
                #expect(object.string == string && object.data == data && object.dataOrNil == data)
                try realm.write { object.string = "short" }
                #expect(object.string == "short" && object.data == data)
            }
        }
    }

    @Test func `S63: setting a property outside of a write traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
                person.age = 3
            }
        }
        expect(result, says: "Person.age cannot be set outside of a write transaction; wrap it in realm.write { }")
    }

    private static let keyChanges: [@Sendable (Person) -> Void] = [
        { $0.id = 3 },
        { $0.id = $0.id },
        { $0["id"] = 3 },
        { $0["id"] = 1 },
        { $0.setValue(1, forKey: "id") },
        { $0.setValue(3, forKeyPath: "friend.id") },
        { $0.setValuesForKeys(["name": "Ada", "id": 1]) },
        { $0.realm?.objects(Person.self).setValue(1, forKey: "id") },
        { $0.realm?.objects(Person.self).where { $0.id == 1 }.setValue(3, forKey: "id") },
        { $0.realm?.dynamicObjects("Person").first?["id"] = 1 },
    ]

    @Test(arguments: keyChanges.indices)
    func `S64: assigning a primary key traps, however it is done, even to the same`(index: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index] in
            try withRealm { realm in
                try realm.write {
                    let person = realm.create(Person.self, value: ["id": 1])
                    person.friend = person
                    LiveObjectTests.keyChanges[index](person)
                }
            }
        }
        expect(result, says: "Person.id is the primary key and never changes")
    }

    @Test func `S70: reading a deleted object traps, its description does not`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
                let same = realm.object(ofType: Person.self, forPrimaryKey: 1)!
                try realm.write { realm.delete(person) }
                guard person.isInvalidated, same.isInvalidated, person.realm == nil else { return }
                guard "\(person)\(same)" == "[invalid object][invalid object]" else { return }
                _ = same.name
            }
        }
        expect(result, says: "Person.name is used, but object 1 was deleted")
    }

    @Test func `S150: using an object on another thread traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                nonisolated(unsafe) let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
                _ = try onAnotherThread { person.name }
            }
        }
        expect(result, says: "Person (object 1) belongs to another thread")
        let results = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                nonisolated(unsafe) let people = realm.objects(Person.self)
                _ = try onAnotherThread { people.count }
            }
        }
        expect(results, says: "belongs to another thread; open a realm of its own on this thread")
        let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                nonisolated(unsafe) let dogs = try realm.write { realm.create(Person.self, value: ["id": 1]).dogs }
                _ = try onAnotherThread { dogs.count }
            }
        }
        expect(list, says: "belongs to another thread; open a realm of its own on this thread")
    }

    @Test func `S29 S30: equality of live objects`() throws {
        try withRealm { realm in
            let (person, dog) = try realm.write {
                (realm.create(Person.self, value: ["id": 1]), realm.create(Dog.self, value: ["Rex"]))
            }
            let same = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
            #expect(person !== same && person == same && person.isSameObject(as: same))
            #expect(Set([person, same]).count == 1)
            let sameDog = try #require(realm.objects(Dog.self).first)
            #expect(dog != sameDog && dog.isSameObject(as: sameDog))
            #expect(Person(1) != person)
        }
    }

    @Test func `S75: invalidate makes objects invalid and rolls back`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
            realm.beginWrite()
            person.age = 9
            realm.invalidate()
            #expect(person.isInvalidated && !realm.isInWriteTransaction)
            #expect(realm.objects(Person.self).first?.age == 0)
        }
    }

    @Test func `S78: what a rolled back write created is invalid for ever`() throws {
        try withRealm { realm in
            realm.beginWrite()
            let lost = realm.create(Person.self, value: ["id": 1])
            realm.cancelWrite()
            #expect(lost.isInvalidated && realm.objects(Person.self).isEmpty)
            let next = try realm.write { realm.create(Person.self, value: ["id": 2]) }
            #expect(lost.isInvalidated && !next.isInvalidated && next.id == 2)
        }
    }

    private static let deletions: [(name: String, delete: @Sendable (Realm, Person) -> Void)] = [
        ("object", { $0.delete($1) }),
        ("sequence", { $0.delete([$1]) }),
        ("results", { realm, _ in realm.delete(realm.objects(Person.self)) }),
        ("all", { realm, _ in realm.deleteAll() }),
    ]

    @Test(arguments: deletions.indices)
    func `S78: what a rolled back write deleted is there again, and an instance that was deleted stays invalid`(
        index: Int
    ) throws {
        try withRealm { realm in
            let value: [String: Any] = ["id": 1, "name": "Ada", "dog": ["Rex"], "dogs": [["Bo"], ["Al"]]]
            let person = try realm.write { realm.create(Person.self, value: value) }
            realm.beginWrite()
            Self.deletions[index].delete(realm, person)
            #expect(person.isInvalidated && realm.objects(Person.self).isEmpty)
            realm.cancelWrite()
            if index < 2 { #expect(person.isInvalidated && person.realm == nil, "it was passed to delete") }
            let again = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
            #expect(again.name == "Ada" && again.dog?.name == "Rex" && again.dogs.map(\.name) == ["Bo", "Al"])
            try realm.write { again.name = "Bea" }
            #expect(realm.objects(Person.self).map(\.name) == ["Bea"] && realm.objects(Dog.self).count == 3)
        }
    }

    private static let observers: [@Sendable (Realm) -> NotificationToken] = [
        { $0.observe { _, _ in } }, { $0.objects(Person.self).observe { _ in } },
    ]

    @Test(arguments: observers.indices) func `S79: a token keeps its realm open`(index: Int) throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let queue = DispatchQueue(label: "token")
        nonisolated(unsafe) var token: NotificationToken?
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            token = Self.observers[index](realm)
        }
        for _ in 0..<5 { queue.sync {} }  // the jobs of the realm hold it, too
        #expect(throws: Realm.Error(.alreadyOpen, "")) { try Realm.deleteFiles(for: configuration) }
        queue.sync { withExtendedLifetime(token) { token = nil } }
        for _ in 0..<5 { queue.sync {} }
        #expect(try Realm.deleteFiles(for: configuration))
    }

    @Test func `S79: objects keep their realm open`() throws {
        let temporary = try TemporaryRealm()
        var person: Person?
        do {
            let realm = try temporary.open()
            person = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ada"]) }
        }
        #expect(person?.name == "Ada" && person?.realm != nil)
        #expect(throws: Realm.Error(.alreadyOpen, "")) { try Realm.deleteFiles(for: temporary.configuration) }
        person = nil
        #expect(try Realm.deleteFiles(for: temporary.configuration))
        #expect(try !Realm.deleteFiles(for: temporary.configuration))
    }

    @Test func `an object shows what another thread committed after a refresh`() throws {
        let temporary = try TemporaryRealm()
        let realm = try temporary.open()
        let person = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ada"]) }
        let configuration = temporary.configuration
        try onAnotherThread {
            let other = try Realm(configuration: configuration)
            try other.write { other.object(ofType: Person.self, forPrimaryKey: 1)?.name = "Bea" }
        }
        #expect(person.name == "Ada")
        #expect(realm.refresh() && person.name == "Bea" && !realm.refresh())
    }

    @Test func `didSet runs on assignment`() throws {
        class Counting: Object {
            @Persisted var value: Int { didSet { sets += 1 } }
            var sets = 0
        }
        try withRealm([Counting.self]) { realm in
            let object = Counting()
            object.value = 1
            try realm.write {
                realm.add(object)
                object.value = 2
            }
            #expect(object.sets == 2 && object.value == 2)
        }
    }
}

final class IdentifiedByRow: Object, ObjectKeyIdentifiable {
    @Persisted var name: String
}

final class IdentifiedByProperty: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var id: Int
}

@Suite struct ObjectKeyIdentifiableTests {
    @Test func `two instances of one row have one identity`() throws {
        let realm = try Realm(configuration: .init(inMemoryIdentifier: "identifiable-\(UUID())"))
        try realm.write {
            realm.create(IdentifiedByRow.self)
            realm.create(IdentifiedByRow.self)
            realm.create(IdentifiedByProperty.self, value: [7])
        }
        let rows = realm.objects(IdentifiedByRow.self)
        #expect(rows[0].id == rows.first?.id)
        #expect(rows[0].id != rows[1].id)
        let one = IdentifiedByRow(), other = IdentifiedByRow()
        #expect(one.id != other.id)
        #expect(realm.objects(IdentifiedByProperty.self).first?.id == 7)
    }

    @Test func `an address that is no file is refused`() throws {
        let elsewhere = try #require(URL(string: "https://example.org/x.realm"))
        #expect { try Realm(fileURL: elsewhere) } throws: { "\($0)".contains("no file URL") }
    }
}
