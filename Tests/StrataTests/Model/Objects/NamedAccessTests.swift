// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

class Mapped: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var next: Mapped?
    @Persisted var many: List<Mapped>

    override class func propertiesMapping() -> [String: String] { ["id": "_id", "name": "full_name", "many": "all"] }
    override class func _realmObjectName() -> String? { "stored_as" }
}

/// What the file calls `full_name` is gone, or renamed.
private final class MappedLater: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted var next: MappedLater?
    @Persisted var many: List<MappedLater>

    override class func propertiesMapping() -> [String: String] { ["id": "_id", "title": "head_line", "many": "all"] }
    override class func _realmObjectName() -> String? { "stored_as" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct NamedAccessTests {
    @Test func `S214: copies of an object with a raw value without a case have nil`() throws {
        try withRealm([Reading.self, StoredPlace.self, Everything.self]) { realm in
            let everything = try realm.write { realm.create(Everything.self) }
            try realm.write { everything["rankOrNil"] = 77 }
            let detached = Everything(value: everything)
            #expect(detached.rankOrNil == nil && detached["rankOrNil"] == nil)
            let copy = try realm.write { realm.create(Everything.self, value: everything) }
            #expect(copy.rankOrNil == nil && everything["rankOrNil"] as? Int == 77)
        }
    }

    @Test func `many values by their names`() throws {
        try onBoth(Person.self) { person in
            person.setValuesForKeys(["name": "Ada", "age": 36, "email": NSNull()])
            #expect(person.name == "Ada" && person.age == 36 && person.email == nil)
            let values = person.dictionaryWithValues(forKeys: ["name", "age", "email", "name"])
            #expect(values.count == 3 && values["name"] as? String == "Ada" && values["age"] as? Int == 36)
            #expect(values["email"] is NSNull)
            #expect(person.isKind(of: Person.self) && person.isKind(of: Object.self) && !person.isKind(of: Dog.self))
        }
    }

    @Test func `S40: values inside of AnyHashable fit`() throws {
        try withRealm([Everything.self]) { realm in
            try realm.write {
                let rank = AnyHashable(Rank.high)
                let values = ["string": "a", "int": 5, "rank": rank, "date": Date(timeIntervalSince1970: 3)]
                    as [String: AnyHashable]
                let everything = realm.create(Everything.self, value: values)
                #expect(everything.string == "a" && everything.int == 5 && everything.rank == .high)
                #expect(everything.date == Date(timeIntervalSince1970: 3))
            }
        }
    }

    @Test func `S213, S214: a raw value without a case is stored by its name, and reads as nil`() throws {
        try withRealm([Reading.self, StoredPlace.self, Everything.self]) { realm in
            let everything = try realm.write { realm.create(Everything.self) }
            let reading = try realm.write { realm.create(Reading.self, value: ["serial": 1]) }
            try realm.write {
                everything.setValue(77, forKey: "rankOrNil")
                reading["code"] = "too long"
                reading["exact"] = 0.7
            }
            #expect(everything.rankOrNil == nil && everything["rankOrNil"] as? Int == 77)
            #expect(reading.code == nil && reading["code"] as? String == "too long")
            #expect(reading.exact == nil && reading.value(forKey: "exact") as? Double == 0.7)
            #expect(realm.objects(Everything.self).filter("rankOrNil == 77").count == 1)
            try realm.write { everything.rankOrNil = .some(Rank.allCases[0]) }
            #expect(everything["rankOrNil"] as? Int == Rank.allCases[0].rawValue)
        }
    }

    @Test func `S15: public names in programs, stored names in the file`() throws {
        let temporary = try TemporaryRealm([Mapped.self])
        func store() throws {
            let realm = try temporary.open()
            #expect(realm.schema["stored_as"]?["name"]?.columnName == "full_name")
            #expect(realm.schema["stored_as"]?["full_name"] == nil)
            try realm.write {
                let one = realm.create(Mapped.self, value: ["id": 1, "name": "one"])
                realm.create(Mapped.self, value: ["id": 2, "name": "two", "next": one, "many": [one]])
                realm.create(Mapped.self, value: ["id": 1, "name": "uno"], update: .modified)
            }
            let all = realm.objects(Mapped.self)
            #expect(all.where { $0.name == "two" && $0.next.name == "uno" && $0.many.name == "uno" }.count == 1)
            #expect(all.sorted(byKeyPath: "name", ascending: false).first?.id == 1)
            #expect(all[1]["name"] as? String == "two" && all[1].value(forKeyPath: "next.name") as? String == "uno")
        }
        try store()
        let realm = try Realm(configuration: .init(fileURL: temporary.url, objectTypes: [Person.self, Dog.self]))
        let raw = realm.dynamicObjects("stored_as")
        #expect(raw.count == 2 && raw.first?["full_name"] as? String == "uno" && raw.first?._id as? Int == 1)
    }

    @Test func `S15: observers ask for public names and are told those`() throws {
        try withQueueRealm([Mapped.self]) { queue in
            try queue.run { realm in
                let one = try realm.write { realm.create(Mapped.self, value: ["id": 1, "name": "one"]) }
                let all = realm.objects(Mapped.self)
                queue.tokens = [
                    one.observe { [unowned queue] (change: ObjectChange<Mapped>) in queue.log.append(text(change)) },
                    one.observe(keyPaths: ["name"]) { [unowned queue] (change: ObjectChange<Mapped>) in
                        queue.log.append("by name: " + text(change))
                    },
                    all.observe(keyPaths: ["many.name"]) { [unowned queue] change in
                        if case .update = change { queue.log.append("all " + text(change)) }
                    },
                ]
            }
            #expect(queue.told() == [])
            try queue.run { realm in try realm.write { realm.objects(Mapped.self)[0].name = "uno" } }
            #expect(queue.told() == ["name: nil -> uno", "by name: name: nil -> uno"])
            try queue.elsewhere { realm in realm.objects(Mapped.self)[0].next = realm.objects(Mapped.self)[0] }
            queue.run { _ = $0.refresh() }
            #expect(queue.told().map { $0.prefix(5) } == ["next:"])
            try queue.run { realm in
                try realm.write { realm.objects(Mapped.self)[0].many.append(realm.objects(Mapped.self)[0]) }
            }
            #expect(queue.told().map { $0.prefix(5) } == ["many:", "all 1"])
        }
    }

    @Test(arguments: [true, false])
    func `S15: a migration has stored names of what was, and public names of what will be`(renames: Bool) throws {
        let temporary = try TemporaryRealm([Mapped.self])
        try autoreleasepool {
            let realm = try temporary.open()
            try realm.write {
                let one = realm.create(Mapped.self, value: ["id": 1, "name": "one"])
                one.many.append(one)
            }
        }
        var later = Realm.Configuration(fileURL: temporary.url, schemaVersion: 1, objectTypes: [MappedLater.self])
        later.migrationBlock = { migration, _ in
            #expect(migration.oldSchema["stored_as"]?["full_name"] != nil)
            #expect(migration.oldSchema["stored_as"]?["name"] == nil)
            if renames { return migration.renameProperty(onType: "stored_as", from: "full_name", to: "title") }
            migration.enumerateObjects(ofType: "stored_as") { old, new in
                #expect(old?["_id"] as? Int == 1 && new?["id"] as? Int == 1)
                #expect((old?["all"] as? List<DynamicObject>)?.count == 1)
                new?["title"] = old?["full_name"]
            }
        }
        let realm = try Realm(configuration: later), object = try #require(realm.objects(MappedLater.self).first)
        #expect(object.title == "one" && object.id == 1 && object.many.first == object)
        #expect(realm.schema["stored_as"]?["title"]?.columnName == "head_line")
        try realm.verify()
    }

    @Test func `S213: enums give raw values by name, and both are accepted`() throws {
        let object = Everything()
        object["mood"] = Mood.merry
        object["rank"] = 9
        #expect(object["mood"] as? String == "merry" && object["rank"] as? Int == 9)
        object.setValue(nil, forKey: "moodOrNil")
        #expect(object.value(forKey: "moodOrNil") == nil)
    }

    @Test func `values by key path, through links and lists`() throws {
        let person = Person(1, "Ada")
        person.dog = Dog("Rex", age: 3)
        person.dogs.append(Dog("Max"))
        #expect(person.value(forKeyPath: "dog.name") as? String == "Rex")
        #expect(person.value(forKeyPath: "dogs.name") as? [String] == ["Max"])
        #expect(person.value(forKeyPath: "friend.name") == nil)
        person.setValue(4, forKeyPath: "dog.age")
        #expect(person.dog?.age == 4)
        person.setValue(5, forKeyPath: "dogs.age")
        #expect(person.dogs[0].age == 5)
    }

    @Test func `D6: a property of all elements is set by key and by key path`() throws {
        try withRealm { realm in
            try realm.write {
                for id in 1...3 {
                    realm.create(
                        Person.self, value: ["id": id, "dog": ["name": "d\(id)"], "dogs": [["name": "x"], ["name": "y"]]])
                }
                let people = realm.objects(Person.self)
                people.setValue("all", forKey: "name")
                people.where { $0.id > 1 }.setValue(7, forKey: "dog.age")
                people.where { $0.id > 2 }.setValue(8, forKey: "dogs.age")
                people[1].friend = people[2]
                people[2].friend = people[1]
                people[1].setValue("twice", forKeyPath: "friend.friend.dogs.name")
                people[2].dogs[0].setValue("owner", forKeyPath: "packs.friend.name")
                people[0].dogs.setValue(9, forKey: "age")
            }
            let people = realm.objects(Person.self)
            #expect(people.map(\.name) == ["all", "owner", "all"] && people[1].dogs.map(\.name) == ["twice", "twice"])
            #expect(people.map { $0.dog?.age } == [0, 7, 7])
            #expect(people.map { $0.dogs.map(\.age) } == [[9, 9], [0, 0], [8, 8]])
        }
    }

    @Test func `D6: a key path through a link that is nil traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let people = List<Person>()
            people.append(Person(1))
            people.setValue(7, forKey: "dog.age")
        }
        expect(result, says: "Person.dog is nil or no object, so nothing can be set in it")
    }

    @Test func `S219: an unknown name traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Dog()["colour"]
        }
        expect(result, says: "Dog has no persisted property \"colour\"; it has")
    }

    @Test func `S219: a value of the wrong type traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Dog()["age"] = "three"
        }
        expect(result, says: "Dog.age holds Int, and \"three\" of type String is no number")
    }
}

@Suite struct DynamicObjectTests {
    @Test func `S219: dynamic objects are read and changed by name`() throws {
        try withRealm { realm in
            try realm.write {
                realm.create(Person.self, value: ["id": 1, "name": "Ada", "dog": ["Rex"], "dogs": [["Max"], ["Bo"]]])
            }
            let person = try #require(realm.dynamicObjects("Person").first)
            #expect(person.name as? String == "Ada" && person["id"] as? Int == 1 && person.email == nil)
            #expect((person.dog as? Dog)?.name == "Rex" && (person.dog as? Object)?["name"] as? String == "Rex")
            try realm.write {
                person["name"] = "Eva"
                person.age = 3
                person["dog"] = nil
            }
            let typed = realm.object(ofType: Person.self, forPrimaryKey: 1)
            #expect(typed?.name == "Eva" && typed?.age == 3 && typed?.dog == nil)
            #expect(person.objectSchema.className == "Person" && person.description.hasPrefix("Person {\n\tid = 1;"))
        }
    }

    @Test func `S219: a link leads to an object of the class, where the program has it`() throws {
        let temporary = try TemporaryRealm(houseTypes)
        try withExtendedLifetime(try temporary.open()) { realm in
            try realm.write {
                let dog = realm.create(Dog.self, value: ["Rex"])
                let hall = ["name": "hall", "closet": ["label": "c", "dog": dog]] as [String: Any]
                realm.create(House.self, value: ["id": 1, "hall": hall, "rooms": [hall], "named": ["h": hall]])
                realm.create(House.self, value: ["id": 2])
            }
            let house = try #require(realm.dynamicObject(ofType: "House", forPrimaryKey: 1))
            let hall = try #require(house.hall as? Room)
            #expect(hall.name == "hall" && hall.closet?.dog?.name == "Rex" && hall.realm == realm)
            #expect(realm.dynamicObject(ofType: "House", forPrimaryKey: 2)?.hall == nil)
            #expect(house.value(forKeyPath: "hall.closet.dog.name") as? String == "Rex")
            let room = try #require(house.dynamicList("rooms").first)
            #expect((room.closet as? Closet)?.label == "c")
            try realm.write {
                hall.name = "lobby"
                house["hall"] = ["name": "new"]
            }
            #expect((house.hall as? Room)?.name == "new" && hall.isInvalidated)
            try realm.write { house["hall"] = nil }
            #expect(house.hall == nil && realm.objects(House.self).first?.hall == nil)
        }
        let other = try Realm(configuration: .init(fileURL: temporary.url, objectTypes: [Dog.self, Person.self]))
        let closet = try #require(other.dynamicObjects("Closet").first)
        #expect((closet.dog as? Dog)?.name == "Rex", "the program has one class of two")
        #expect(other.dynamicObjects("Room").first?.closet is DynamicObject)
        let partial = other.dynamicObjects("Person")
        try other.write {
            let dog = other.create(Dog.self, value: ["Bo"])
            let person = other.dynamicCreate("Person", value: ["id": 1, "dog": dog])
            #expect((person["dog"] as? Dog)?.isSameObject(as: dog) == true)
            person["dog"] = other.dynamicObjects("Dog").first
            person["friend"] = person
        }
        let person = try #require(partial.first)
        #expect((person.dog as? Dog)?.name == "Rex" && (person.friend as? Person)?.id == 1)
        #expect(partial.filter("dog.name == 'Rex'").sorted(byKeyPath: "friend.id").count == 1)
        try other.verify()
    }

    @Test func `S220: dynamic lists hold dynamic objects, and links lead back`() throws {
        try withRealm { realm in
            try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": [["Max"], ["Bo"]]]) }
            let person = try #require(realm.dynamicObject(ofType: "Person", forPrimaryKey: 1))
            #expect(person.dynamicList("dogs").map { $0.name as? String } == ["Max", "Bo"])
            #expect(realm.objects(Person.self)[0].dynamicList("dogs").count == 2)
            let owners = person.dynamicList("dogs")[0]["packs"] as? LinkingObjects<DynamicObject>
            #expect(owners?.first?["id"] as? Int == 1)
            #expect(realm.dynamicObject(ofType: "Person", forPrimaryKey: 2) == nil)
        }
    }

    @Test func `S220: dynamic sets and maps hold dynamic objects`() async throws {
        try withRealm(collectionTypes) { realm in
            try realm.write {
                let one = Target("one")
                realm.create(Origin.self, value: ["set": [one], "map": ["k": one, "none": NSNull()]] as [String: Any])
            }
            let origin = try #require(realm.dynamicObjects("Origin").first)
            let set = origin.dynamicMutableSet("set"), map: Map<String, DynamicObject?> = origin.dynamicMap("map")
            #expect(set.map { $0.name as? String } == ["one"] && map.keys == ["k", "none"])
            #expect(map["k"]??.name as? String == "one" && map["none"] == .some(nil) && map["x"] == nil)
            try realm.write {
                set.insert(realm.dynamicCreate("Target", value: ["two"]))
                map["two"] = set.first { $0.name as? String == "two" }
            }
            let typed = try #require(realm.objects(Origin.self).first)
            #expect(typed.set.count == 2 && typed.map["two"]??.name == "two")
            #expect(typed.dynamicMutableSet("set") == set)
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Origin().dynamicMutableSet("list")
        }
        expect(result, says: "Origin.list is no set of objects")
    }

    @Test func `S40: a dynamic object is a value for create`() throws {
        try withRealm { realm in
            let made = try realm.write { realm.dynamicCreate("Dog", value: ["name": "Rex", "age": 3]) }
            let copy = try realm.write { realm.create(Dog.self, value: made) }
            #expect(copy.name == "Rex" && copy.age == 3 && realm.objects(Dog.self).count == 2)
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": [made]]) }
            #expect(person.dogs.count == 1)
        }
    }

    @Test func `S220: a dynamic list of something else traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Person(1).dynamicList("name")
        }
        expect(result, says: "Person.name is no list of objects")
    }

    @Test func `S219: an unknown class traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in _ = realm.dynamicObjects("Cat") }
        }
        expect(result, says: "there is no class \"Cat\" in this realm; it has")
    }
}
