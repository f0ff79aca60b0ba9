// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Linked to by embedded objects, one by one and through lists and maps, and by one of its own kind.
class Plant: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "plant") var pots: LinkingObjects<Pot>
    @Persisted(originProperty: "neighbours") var near: LinkingObjects<Pot>

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

class Pot: EmbeddedObject {
    @Persisted var size: Int
    @Persisted var plant: Plant?
    @Persisted var neighbours: List<Plant>
    @Persisted(originProperty: "pots") var shelves: LinkingObjects<Cupboard>
}

class Cupboard: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var pots: List<Pot>
    @Persisted var best: Pot?
}

/// Marks none of its properties.
class Weed: Object {
    let pots = LinkingObjects(fromType: Planter.self, property: "weed")
    let notes = List<String>()
}

class Planter: EmbeddedObject { @Persisted var weed: Weed? }
class Garden: Object { @Persisted var planter: Planter? }

@Suite struct EmbeddedLinksTests {
    private func withShelves(_ body: (Realm, Plant) throws -> Void) throws {
        try withRealm([Plant.self, Pot.self, Cupboard.self]) { realm in
            let fern = Plant("fern"), moss = Plant("moss")
            try realm.write {
                realm.add([fern, moss])
                let pots: [[String: Any]] = [
                    ["size": 3, "plant": fern], ["size": 1, "plant": moss, "neighbours": [fern, fern]],
                ]
                let best: [String: Any] = ["size": 2, "plant": fern]
                realm.create(Cupboard.self, value: ["id": 1, "pots": pots, "best": best] as [String: Any])
            }
            try body(realm, fern)
        }
    }

    @Test func `C6: embedded objects that link to an object are found`() throws {
        #expect(Plant("x").pots.isEmpty && Plant("x").pots.first == nil)
        try withShelves { realm, fern in
            #expect(fern.pots.count == 2 && fern.pots.map(\.size).sorted() == [2, 3])
            #expect(fern.pots.first?.plant == fern && fern.pots.last?.plant == fern && fern.pots[1].plant == fern)
            #expect(fern.pots.index(of: fern.pots[1]) == 1 && fern.pots.contains { $0.size == 2 })
            #expect(fern.near.map(\.size) == [1, 1] && fern.near.count == 2)
            #expect(fern.pots.where { $0.size > 2 }.count == 1 && fern.pots.sorted(by: \.size).map(\.size) == [2, 3])
            #expect(fern.pots.max(of: \.size) == 3 && fern.pots.value(forKey: "size") as? [Int] != nil)
            #expect(fern.pots.sorted(by: \.size)[1].shelves.first?.id == 1)
            #expect(realm.objects(Plant.self).where { $0.pots.size == 2 }.map(\.name) == ["fern"])
            #expect(realm.objects(Plant.self).where { $0.near.count == 2 }.map(\.name) == ["fern"])
            #expect(realm.objects(Plant.self).filter("ANY pots.size == 1").map(\.name) == ["moss"])
            #expect(AnyRealmCollection(fern.pots).map(\.size) == Array(fern.pots).map(\.size))
        }
    }

    @Test func `S98: links from embedded objects change at once`() throws {
        try withShelves { realm, fern in
            let shelf = try #require(realm.object(ofType: Cupboard.self, forPrimaryKey: 1))
            try realm.write {
                shelf.best = nil
                #expect(fern.pots.map(\.size) == [3])
                shelf.pots[1].plant = fern
                #expect(fern.pots.map(\.size).sorted() == [1, 3])
                realm.delete(shelf)
                #expect(fern.pots.isEmpty && fern.near.isEmpty)
            }
        }
        try withShelves { realm, fern in
            let shelf = try #require(realm.object(ofType: Cupboard.self, forPrimaryKey: 1))
            try realm.write { realm.delete(fern) }
            #expect(shelf.best?.plant == nil && shelf.pots[0].plant == nil && shelf.pots[1].neighbours.isEmpty)
        }
    }

    @Test func `C6: dynamic objects have the links from embedded objects, too`() throws {
        try withShelves { realm, _ in
            let fern = try #require(realm.dynamicObject(ofType: "Plant", forPrimaryKey: "fern"))
            let pots = try #require(fern["pots"] as? LinkingObjects<DynamicObject>)
            #expect(Set(pots.compactMap { $0["size"] as? Int }) == [2, 3])
            #expect(realm.schema["Plant"]?["pots"]?.objectClassName == "Pot")
        }
    }

    @Test func `dynamic embedded objects are copied, as typed ones are`() throws {
        try withShelves { realm, fern in
            let shelf = try #require(realm.dynamicObject(ofType: "Cupboard", forPrimaryKey: 1))
            let best = try #require(realm.dynamicObjects("Cupboard").first?["best"] as? ObjectBase)
            try realm.write {
                let copy = realm.create(
                    Cupboard.self, value: ["id": 2, "pots": shelf.dynamicList("pots"), "best": best] as [String: Any])
                #expect(copy.pots.map(\.size) == [3, 1] && copy.best?.size == 2)
                #expect(copy.pots[0].plant == fern && copy.pots[1].neighbours.count == 2)
                copy.pots[0].size = 9
            }
            #expect(shelf.dynamicList("pots").compactMap { $0["size"] as? Int } == [3, 1])
            let unmanaged = Cupboard(value: ["id": 3, "pots": shelf.dynamicList("pots")] as [String: Any])
            #expect(unmanaged.pots.map(\.size) == [3, 1] && unmanaged.pots[0].realm == nil)
            try realm.write { realm.add(unmanaged) }
            #expect(unmanaged.pots[1].neighbours.first == fern && fern.pots.count == 5)
        }
    }

    @Test func `a class without marks follows links from embedded objects`() throws {
        try withRealm([Weed.self, Planter.self, Garden.self]) { realm in
            let weed = Weed()
            try realm.write {
                realm.add(weed)
                realm.create(Garden.self, value: ["planter": ["weed": weed]])
            }
            #expect(weed.pots.count == 1 && weed.pots.first?.weed?.isSameObject(as: weed) == true)
        }
    }
}
