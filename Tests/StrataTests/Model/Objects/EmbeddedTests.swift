// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct EmbeddedTests {
    private func counts(_ realm: Realm) -> [Int] {
        ["House", "Room", "Closet", "Dog"].map { realm.dynamicObjects($0).count }
    }

    private let full: [String: Any] = [
        "id": 1, "hall": ["name": "hall", "size": 3, "closet": ["label": "a", "dog": ["Rex"]], "closets": [["b"], ["c"]]],
        "rooms": [["name": "one", "closet": ["d"]], ["two", 2]],
        "named": ["big": ["name": "big", "closets": [["e"]]], "none": NSNull()],
    ]

    @Test func `S10: an embedded class with a primary key is refused`() {
        final class Keyed: EmbeddedObject {
            @Persisted(primaryKey: true) var id: Int
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        let error = #expect(throws: Realm.Error.self) {
            _ = try Realm(configuration: .init(inMemoryIdentifier: "keyed", objectTypes: [Keyed.self]))
        }
        #expect(error?.message.contains("class Keyed is embedded and cannot have a primary key") == true)
    }

    @Test func `embedded objects are stored, read back and found by queries`() throws {
        try withRealm(houseTypes) { realm in
            let house = try realm.write { realm.create(House.self, value: full) }
            #expect(house.hall?.name == "hall" && house.hall?.closet?.label == "a" && house.hall?.closet?.dog?.name == "Rex")
            #expect(house.hall?.closets.map(\.label) == ["b", "c"] && house.rooms.map(\.name) == ["one", "two"])
            #expect(house.rooms[0].closet?.label == "d" && house.named["big"]??.closets.first?.label == "e")
            #expect(counts(realm) == [1, 4, 5, 1])
            #expect(realm.objects(House.self).where { $0.hall.size == 3 }.count == 1)
            #expect(realm.objects(House.self).where { $0.rooms.name == "two" }.count == 1)
        }
    }

    @Test func `S36: adding an object adds its parts`() throws {
        try withRealm(houseTypes) { realm in
            let house = House(value: full), hall = house.hall, room = house.rooms[0]
            try realm.write { realm.add(house) }
            #expect(hall?.realm == realm && room.realm == realm && house.hall?.isSameObject(as: hall) == true)
            #expect(counts(realm) == [1, 4, 5, 1])
        }
    }

    @Test func `S72: deleting the owner deletes its parts to any depth, and what they link to stays`() throws {
        try withRealm(houseTypes) { realm in
            let house = try realm.write { realm.create(House.self, value: full) }
            let closet = house.hall?.closet
            try realm.write { realm.delete(house) }
            #expect(counts(realm) == [0, 0, 0, 1] && closet?.isInvalidated == true)
        }
    }

    @Test func `S68: assigning another embedded object, or nil, deletes the one before`() throws {
        try withRealm(houseTypes) { realm in
            let house = try realm.write { realm.create(House.self, value: full) }
            let hall = try #require(house.hall)
            try realm.write { house.hall = Room(value: ["new"]) }
            #expect(hall.isInvalidated && house.hall?.name == "new" && counts(realm) == [1, 4, 2, 1])
            let new = house.hall
            try realm.write { house.hall = house.hall }
            #expect(new?.isInvalidated == false)
            try realm.write { house.hall = nil }
            #expect(new?.isInvalidated == true && counts(realm) == [1, 3, 2, 1])
            let one = house.rooms[0]
            try realm.write { house.rooms[0] = Room(value: ["other"]) }
            #expect(one.isInvalidated && house.rooms.map(\.name) == ["other", "two"] && counts(realm) == [1, 3, 1, 1])
        }
    }

    @Test func `S73: leaving a list or a map deletes an embedded object`() throws {
        try withRealm(houseTypes) { realm in
            let house = try realm.write { realm.create(House.self, value: full) }
            try realm.write { house.rooms.remove(at: 0) }
            #expect(house.rooms.count == 1 && counts(realm) == [1, 3, 4, 1])
            try realm.write { house.rooms.removeAll() }
            #expect(counts(realm) == [1, 2, 4, 1])
            try realm.write { house.named["big"] = nil }
            #expect(counts(realm) == [1, 1, 3, 1])
        }
    }

    @Test func `S73: an embedded element that leaves is invalid, one that moves stays`() throws {
        try withRealm(houseTypes) { realm in
            let house = try realm.write {
                realm.create(House.self, value: ["id": 1, "rooms": [["a"], ["b"], ["c"], ["d"]], "named": ["n": ["e"]]])
            }
            let rooms = Array(house.rooms), named = house.named["n"] ?? nil
            try realm.write {
                house.rooms.move(from: 0, to: 3)
                house.rooms.swapAt(0, 1)
            }
            #expect(house.rooms.map(\.name) == ["c", "b", "d", "a"] && rooms.allSatisfy { !$0.isInvalidated })
            try realm.write {
                house.rooms.removeLast()
                house.rooms.replaceSubrange(0..<1, with: [Room(value: ["x"]), Room(value: ["y"])])
            }
            #expect(house.rooms.map(\.name) == ["x", "y", "b", "d"])
            #expect(rooms.map(\.isInvalidated) == [true, false, true, false])
            try realm.write {
                house.rooms.removeAll()
                house.named["n"] = Room(value: ["other"])
            }
            #expect(rooms.allSatisfy(\.isInvalidated) && named?.isInvalidated == true && counts(realm) == [1, 1, 0, 0])
            try realm.write { house.named.removeAll() }
            #expect(counts(realm) == [1, 0, 0, 0])
        }
    }

    @Test func `S67: an embedded object has one owner`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(houseTypes) { realm in
                try realm.write {
                    let house = realm.create(House.self, value: ["id": 1, "hall": ["hall"]])
                    house.rooms.append(house.hall!)
                }
            }
        }
        expect(result, says: "is embedded and has an owner already; give a copy, Room(value:), to the other one")
    }

    @Test func `S67: a copy of an embedded object goes to another owner`() throws {
        try withRealm(houseTypes) { realm in
            let house = try realm.write { realm.create(House.self, value: full) }
            let other = try realm.write {
                let other = realm.create(House.self, value: ["id": 2])
                other.hall = Room(value: house.hall!)
                return other
            }
            #expect(other.hall?.name == "hall" && other.hall?.closets.count == 2 && house.hall?.closets.count == 2)
            #expect(counts(realm) == [2, 5, 8, 1])
        }
    }

    @Test func `S55: an upsert with .all makes new parts, with .modified changes them in place`() throws {
        try withRealm(houseTypes) { realm in
            let house = try realm.write { realm.create(House.self, value: full) }
            let hall = try #require(house.hall), one = house.rooms[0]
            try realm.write {
                realm.create(
                    House.self,
                    value: ["id": 1, "hall": ["name": "changed"], "rooms": [["name": "uno"]]], update: .modified)
            }
            #expect(!hall.isInvalidated && hall.name == "changed" && hall.size == 3 && hall.closets.count == 2)
            #expect(!one.isInvalidated && one.name == "uno" && house.rooms.count == 1)
            try realm.write {
                realm.create(
                    House.self, value: ["id": 1, "hall": ["name": "newer"], "rooms": [["name": "I"], ["II"]]], update: .all)
            }
            #expect(hall.isInvalidated && house.hall?.name == "newer" && house.hall?.size == 0)
            #expect(one.isInvalidated && house.rooms.map(\.name) == ["I", "II"])
            #expect(counts(realm) == [1, 4, 1, 1])
        }
    }

    @Test func `S58: an embedded object cannot be created by itself`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(houseTypes) { realm in
                try realm.write { _ = realm.dynamicCreate("Room", value: ["one"]) }
            }
        }
        expect(result, says: "Room is embedded and cannot be created by itself; assign it to a property")
    }

    @Test func `a chain of parts of any depth is deleted`() throws {
        final class Link: EmbeddedObject { @Persisted var next: Link? }
        final class Chain: Object { @Persisted var first: Link? }
        try withRealm([Chain.self, Link.self]) { realm in
            let chain = Chain()
            chain.first = Link()
            var last = chain.first
            for _ in 0..<2000 {
                last?.next = Link()
                last = last?.next
            }
            try realm.write { realm.add(chain) }
            #expect(realm.dynamicObjects("Link").count == 2001)
            try realm.write { realm.delete(chain) }
            #expect(realm.dynamicObjects("Link").count == 0)
        }
    }
}
