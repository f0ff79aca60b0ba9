// SPDX-License-Identifier: MIT
// ObjectSnapshotTests.swift -- copies of objects for every thread.

import Foundation
import Strata
import Testing

@Suite struct ObjectSnapshotTests {
    private func withPeople(_ body: (Realm) throws -> Void) throws {
        try withRealm { realm in
            try realm.write {
                let dogs = ["Rex", "Ivy"].map { Dog($0, age: 4) }
                let friend = Person(2, "Eve")
                friend.dogs.append(dogs[1])
                let ann = Person(1, "Ann", age: 30)
                ann.dogs.append(objectsIn: dogs)
                (ann.dog, ann.friend) = (dogs[0], friend)
                friend.friend = ann
                realm.add(ann)
            }
            try body(realm)
        }
    }

    @Test func `a snapshot is read by every thread, and stays as it was`() throws {
        try withPeople { realm in
            let ann = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
            let copy = ann.snapshot(including: \.dog, \.dogs, \.friend)
            try realm.write {
                ann.name = "changed"
                realm.delete(ann.dogs)
            }
            let seen = try onAnotherThread {
                "\(copy.id) \(copy.name) \(copy.age) \(copy.email ?? "none") \(copy.dog?.name ?? "")"
                    + " \(copy.dogs.map(\.name)) \(copy.friend?.name ?? "") \(copy.score)"
            }
            #expect(seen == "1 Ann 30 none Rex [\"Rex\", \"Ivy\"] Eve 0.0")
            let again = ann.snapshot(including: \.dog, \.dogs)
            #expect(again.dog == nil && again.dogs.isEmpty && again.name == "changed")
        }
    }

    @Test func `links behind links are named, and circles end`() throws {
        try withPeople { realm in
            let ann = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
            let copy = ann.snapshot(including: ["friend.dogs", "friend.friend", "dogs.packs"])
            #expect(copy.friend?.dogs.map(\.name) == ["Ivy"])
            #expect(copy.friend?.friend?.name == "Ann")
            #expect(copy.dogs[1].packs.map(\.name).sorted() == ["Ann", "Eve"])
            #expect(ann.snapshot(including: \.friend?.dog).friend?.dog == nil)
            #expect(ann.snapshot() == ann.snapshot() && ann.snapshot() != ann.snapshot(including: \.dog))
            #expect(ann.snapshot(including: ["friend.friend.friend.friend"]).friend?.friend?.friend?.friend?.id == 1)
        }
    }

    @Test func `what was left out stops the program with the fix`() async {
        await #expect(processExitsWith: .failure) { _ = Person(1).snapshot().dog }
        let result1 = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let ann = try realm.write { realm.create(Person.self, value: ["id": 1]) }
                _ = ann.snapshot(including: \.dog).dogs
            }
        }
        expect(
            result1,
            says: "this snapshot of Person was made without 'dogs'; ask for the link: snapshot(including: \\.dogs)")
        let result2 = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Person(1).snapshot(including: ["dosg"])
        }
        expect(result2, says: "Person has no property 'dosg' that a snapshot could include; did you mean \"dog\"?")
        let result3 = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Person(1).snapshot(including: ["name.dogs"])
        }
        expect(result3, says: "Person.name is no link, so that a snapshot cannot include what is behind it")
        let result4 = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let ann = try realm.write { realm.create(Person.self, value: ["id": 1]) }
                try realm.write { realm.delete(ann) }
                _ = ann.snapshot()
            }
        }
        expect(result4, says: "was deleted, so that it has no values for a snapshot")
    }

    @Test func `all types have their values`() throws {
        try withRealm(collectionTypes) { realm in
            let date = Date(timeIntervalSince1970: 7), uuid = UUID()
            try realm.write {
                let lists = realm.create(Lists.self, value: [
                    "ints": [1, 2], "strings": ["a"], "dates": [date], "uuids": [uuid], "moods": [Mood.allCases[1]],
                    "intsOrNil": [nil, 3] as [Int?], "dogs": [Dog("Rex")],
                ])
                let sets = realm.create(Sets.self, value: ["ints": [2, 1], "stringsOrNil": ["b", nil]])
                let maps = realm.create(Maps.self, value: ["ints": ["a": 1], "intsOrNil": ["n": nil] as [String: Int?]])
                maps.dogs["rex"] = lists.dogs[0]
                let list = lists.snapshot(including: \.dogs), set = sets.snapshot()
                let map = maps.snapshot(including: \.dogs)
                #expect(list.ints == [1, 2] && list.strings == ["a"] && list.dates == [date] && list.uuids == [uuid])
                #expect(list.moods == [Mood.allCases[1]] && list.intsOrNil == [nil, 3] && list.bools.isEmpty)
                #expect(list.dogs.map(\.name) == ["Rex"])
                #expect(Set(set.ints) == [1, 2] && Set(set.stringsOrNil) == ["b", nil])
                #expect(map.ints == ["a": 1] && map.intsOrNil == ["n": Int?.none] && map.dogs["rex"]?.name == "Rex")
                // And back.
                #expect(Array(list.unmanaged().ints) == [1, 2] && list.unmanaged().dogs[0].name == "Rex")
                #expect(map.unmanaged().dogs["rex"]??.name == "Rex" && map.unmanaged().realm == nil)
            }
        }
        try withRealm(customTypes) { realm in
            try realm.write {
                let reading = realm.create(
                    Reading.self, value: ["serial": 7, "celsius": 21.5, "code": "abc", "width": 3.5])
                reading.place = Place(x: 1, y: 2)
                reading.history.append(Celsius(1))
                let copy = reading.snapshot()
                #expect(copy.serial.number == 7 && copy.celsius.degrees == 21.5 && copy.code?.text == "abc")
                #expect(copy.place.x == 1 && copy.place.y == 2 && copy.far == nil && copy.width == 3.5)
                #expect(copy.history.map(\.degrees) == [1] && copy.before == nil && copy.exact == nil)
            }
        }
    }

    @Test func `embedded objects and values of any type are copied`() throws {
        try withShelves { realm in
            let box = try realm.write {
                let inner = realm.create(ShelfBox.self, value: ["size": 1])
                let box = realm.create(ShelfBox.self, value: ["size": 2, "inner": inner])
                let shelf = realm.create(Shelf.self, value: ["id": 1])
                shelf.any = .fromDictionary(["list": .fromArray([.int(1), .string("a"), .none]), "box": .object(inner)])
                shelf.anys.append(objectsIn: [.int(3), .none, .string("x")])
                return box
            }
            let shelf = try #require(realm.objects(Shelf.self).first)
            let any = shelf.snapshot(including: ["any"]).any as? [String: (any Sendable)?]
            #expect((any?["list"] as? [(any Sendable)?])?.count == 3)
            let inner = any?["box"] as? ObjectSnapshot<Object>
            #expect(inner?.of(ShelfBox.self)?.size == 1 && inner?.of(Shelf.self) == nil)
            #expect(box.snapshot(including: \.inner).inner?.size == 1)
        }
    }

    @Test func `embedded objects are part of the copy`() throws {
        try withRealm(houseTypes) { realm in
            let house = try realm.write {
                let room = { (name: String) in ["name": name, "closets": [["label": "c" + name]]] as [String: Any] }
                return realm.create(House.self, value: [
                    "id": 1, "hall": room("hall"), "rooms": [room("a"), room("b")], "named": ["x": room("x")],
                ] as [String: Any])
            }
            let copy = house.snapshot(including: ["rooms.closets.dog"])
            #expect(copy.hall?.name == "hall" && copy.hall?.closets.map(\.label) == ["chall"])
            #expect(copy.rooms.map(\.name) == ["a", "b"] && copy.named["x"]?.closets[0].label == "cx")
            #expect(copy.rooms[0].closets[0].dog == nil && copy.hall?.closet == nil)
            #expect(copy.unmanaged().rooms[1].closets[0].label == "cb")
        }
    }

    @Test func `snapshots are encoded by the names of their properties`() throws {
        try withPeople { realm in
            let ann = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let text = String(decoding: try encoder.encode(ann.snapshot(including: \.dogs)), as: UTF8.self)
            #expect(text == #"{"age":30,"dogs":[{"age":4,"name":"Rex"},{"age":4,"name":"Ivy"}],"email":null,"id":1,"#
                + #""name":"Ann","score":0}"#)
            let plain = "\(ann.snapshot())"
            #expect(plain.contains("name = \"Ann\";\n") && plain.contains("dogs = (left out)"))
        }
    }

    @Test func `a snapshot becomes an object again`() throws {
        try withPeople { realm in
            let copy = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1)).snapshot(including: \.dogs)
            let object = copy.unmanaged()
            object.name = "Bob"
            #expect(object.realm == nil && object.dog == nil && object.dogs.map(\.name) == ["Rex", "Ivy"])
            #expect(copy.name == "Ann" && copy.unmanaged().name == "Ann")
            try withRealm { other in
                try other.write { other.add(object) }
                #expect(other.objects(Dog.self).count == 2)
            }
            #expect(Person(5, "unmanaged").snapshot().name == "unmanaged")
        }
    }
}
