// SPDX-License-Identifier: MIT
// CollectionModels.swift -- classes with every kind of collection.

import Foundation
import Strata

/// Lists of every type of values, and of their Optionals.
class Lists: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var bools: List<Bool>
    @Persisted var ints: List<Int>
    @Persisted var bytes: List<Int8>
    @Persisted var floats: List<Float>
    @Persisted var doubles: List<Double>
    @Persisted var strings: List<String>
    @Persisted var datas: List<Data>
    @Persisted var dates: List<Date>
    @Persisted var uuids: List<UUID>
    @Persisted var objectIds: List<ObjectId>
    @Persisted var decimals: List<Decimal128>
    @Persisted var moods: List<Mood>
    @Persisted var ranks: List<Rank>
    @Persisted var dogs: List<Dog>

    @Persisted var boolsOrNil: List<Bool?>
    @Persisted var intsOrNil: List<Int?>
    @Persisted var doublesOrNil: List<Double?>
    @Persisted var stringsOrNil: List<String?>
    @Persisted var datasOrNil: List<Data?>
    @Persisted var datesOrNil: List<Date?>
    @Persisted var uuidsOrNil: List<UUID?>
    @Persisted var objectIdsOrNil: List<ObjectId?>
    @Persisted var decimalsOrNil: List<Decimal128?>
    @Persisted var moodsOrNil: List<Mood?>
}

/// Sets of values and objects.
class Sets: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var ints: MutableSet<Int>
    @Persisted var doubles: MutableSet<Double>
    @Persisted var strings: MutableSet<String>
    @Persisted var datas: MutableSet<Data>
    @Persisted var uuids: MutableSet<UUID>
    @Persisted var moods: MutableSet<Mood>
    @Persisted var intsOrNil: MutableSet<Int?>
    @Persisted var stringsOrNil: MutableSet<String?>
    @Persisted var dogs: MutableSet<Dog>
}

/// Maps of values and objects.
class Maps: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var ints: Map<String, Int>
    @Persisted var strings: Map<String, String>
    @Persisted var doubles: Map<String, Double>
    @Persisted var moods: Map<String, Mood>
    @Persisted var intsOrNil: Map<String, Int?>
    @Persisted var stringsOrNil: Map<String, String?>
    @Persisted var dogs: Map<String, Dog?>
}

/// The objects at the other ends of lists, sets and maps.
class Target: Object {
    @Persisted var name: String
    @Persisted(originProperty: "list") var inLists: LinkingObjects<Origin>
    @Persisted(originProperty: "set") var inSets: LinkingObjects<Origin>
    @Persisted(originProperty: "map") var inMaps: LinkingObjects<Origin>

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

class Origin: Object {
    @Persisted var list: List<Target>
    @Persisted var set: MutableSet<Target>
    @Persisted var map: Map<String, Target?>
    @Persisted var one: Target?
}

let collectionTypes: [Object.Type] = [Lists.self, Sets.self, Maps.self, Dog.self, Person.self, Target.self, Origin.self]

/// Makes an object twice, unmanaged and managed in a write, and runs a body on both.
func onBoth<Owner: Object>(_ type: Owner.Type, _ body: (Owner) throws -> Void) throws {
    try body(type.init())
    try withRealm(collectionTypes) { realm in
        try realm.write { try body(realm.create(type)) }
    }
}
