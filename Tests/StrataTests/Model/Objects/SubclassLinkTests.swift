// SPDX-License-Identifier: MIT
// SubclassLinkTests.swift -- a link that holds a class does not hold its subclasses, which have tables of their own.

import Strata
import Testing

private class Mount: Object {
    @Persisted var number: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Pony: Mount {
    @Persisted var height: Int
}

private class Collar: EmbeddedObject {
    @Persisted var number: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Bell: Collar {
    @Persisted var sound: String
}

private final class Paddock: Object {
    @Persisted var one: Mount?
    @Persisted var list: List<Mount>
    @Persisted var set: MutableSet<Mount>
    @Persisted var map: Map<String, Mount?>
    @Persisted var any: AnyRealmValue
    @Persisted var collar: Collar?
    @Persisted var collars: List<Collar>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    /// All ways to let it hold an object of a subclass.
    static let ways: [(name: String, body: @Sendable (Realm, Paddock, Pony) -> Void)] = [
        ("one", { $1.one = $2 }), ("list", { $1.list.append($2) }), ("list", { $1.list.insert($2, at: 0) }),
        ("list", { $1.list.append(objectsIn: [$2]) }), ("list", { $1.list[0] = $2 }), ("set", { $1.set.insert($2) }),
        ("map", { $1.map["x"] = .some($2) }),
        ("one", { (realm, _: Paddock, horse) in
            let stable = Paddock()
            stable.one = horse
            realm.add(stable)
        }),
        ("list", { (realm, _: Paddock, horse) in
            let stable = Paddock()
            stable.list.append(horse)
            realm.add(stable)
        }),
        ("collar", { (_: Realm, stable, _: Pony) in stable.collar = Bell() }),
        ("collars", { (_: Realm, stable, _: Pony) in stable.collars.append(Bell()) }),
    ]
}

private let types: [ObjectBase.Type] = [Mount.self, Pony.self, Paddock.self, Collar.self, Bell.self]

@Suite struct SubclassLinkTests {
    @Test(arguments: Array(Paddock.ways.indices), [false, true])
    func `an object of a subclass is refused, live or not`(_ way: Int, _ isLive: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [way, isLive] in
            try withRealm(types) { realm in
                try realm.write {
                    for number in 0..<10 { realm.create(Mount.self, value: ["number": number]) }
                    let stable = realm.create(Paddock.self, value: ["list": [["number": 100]]])
                    let horse = isLive ? realm.create(Pony.self, value: ["number": 3]) : Pony(value: ["number": 3])
                    Paddock.ways[way].body(realm, stable, horse)
                }
            }
        }
        let name = Paddock.ways[way].name, isCollar = name.hasPrefix("collar")
        let given = isCollar ? "Collar, and an object of class Bell" : "Mount, and an object of class Pony"
        expect(result, says: "Paddock.\(name) holds \(given) is none")
    }

    @Test func `a dynamic object of another class is refused by a dynamic list`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(types) { realm in
                try realm.write {
                    realm.create(Mount.self, value: ["number": 1])
                    realm.create(Pony.self, value: ["number": 2])
                    realm.create(Paddock.self)
                    realm.dynamicObjects("Paddock")[0].dynamicList("list").append(realm.dynamicObjects("Pony")[0])
                }
            }
        }
        expect(result, says: "Paddock.list holds Mount, and an object of class Pony is none")
    }

    @Test func `an object of a subclass stays what it is on its way to elsewhere`() throws {
        try withRealm(types) { realm in
            try realm.write {
                for number in 0..<3 { realm.create(Mount.self, value: ["number": number]) }
                realm.create(Pony.self, value: ["number": 100, "height": 2])
            }
            let animal: Mount = realm.objects(Pony.self)[0]
            let frozen = animal.freeze()
            #expect(frozen.number == 100 && (frozen as? Pony)?.height == 2 && realm.freeze(animal).number == 100)
            #expect((frozen.thaw() as? Pony)?.height == 2)
            #expect((realm.resolve(ThreadSafeReference(to: animal)) as? Pony)?.height == 2)
            let object: Object = animal
            #expect((object.freeze() as? Pony)?.number == 100)
            @ThreadSafe var safe: Mount? = animal
            #expect(safe?.number == 100)
            let dynamic: Object = realm.dynamicObjects("Pony")[0]
            #expect(dynamic.freeze() is DynamicObject && dynamic.freeze()["number"] as? Int == 100)
        }
    }

    @Test func `values of any type and searches tell subclasses apart`() throws {
        try withRealm(types) { realm in
            try realm.write {
                let mounts = (0..<3).map { realm.create(Mount.self, value: ["number": $0]) }
                let pony = realm.create(Pony.self, value: ["number": 7])
                let paddock = realm.create(Paddock.self, value: ["one": mounts[0], "list": mounts])
                paddock.any = .object(pony)
                #expect(paddock.any.object(Pony.self)?.isSameObject(as: pony) == true)
                #expect(paddock.list.index(of: pony) == nil && !paddock.list.contains(pony))
            }
        }
    }
}
