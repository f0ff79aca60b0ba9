// SPDX-License-Identifier: MIT
// CustomModels.swift -- model classes with types of the tests, values of any type and embedded objects.

import Foundation
import Strata

struct Celsius: CustomPersistable {
    var degrees: Double
    init(_ degrees: Double) { self.degrees = degrees }
    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
}

struct Code: FailableCustomPersistable, Hashable {
    let text: String
    init?(persistedValue: String) {
        guard persistedValue.count == 3 else { return nil }
        text = persistedValue
    }
    var persistableValue: String { text }
}

struct Serial: CustomPersistable {
    var number: Int
    init(persistedValue: Int) { number = persistedValue }
    var persistableValue: Int { number }
}

struct Place: CustomPersistable {
    var x: Double, y: Double
    init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    init(persistedValue: StoredPlace) { self.init(x: persistedValue.x, y: persistedValue.y) }
    var persistableValue: StoredPlace { StoredPlace(value: [x, y]) }
}

class StoredPlace: EmbeddedObject {
    @Persisted var x: Double
    @Persisted var y: Double
}

enum Tiny: Int8, PersistableEnum { case one = 1, two }
enum Half: Float, PersistableEnum { case half = 0.5, whole = 1 }
enum Exact: Double, PersistableEnum { case tenth = 0.1, fifth = 0.2 }

class Reading: Object {
    @Persisted(primaryKey: true) var serial: Serial
    @Persisted var celsius: Celsius
    @Persisted var before: Celsius?
    @Persisted var code: Code?
    @Persisted(indexed: true) var rank: Rank
    @Persisted(indexed: true) var other: Serial?
    @Persisted var place: Place
    @Persisted var far: Place?
    @Persisted var width: CGFloat
    @Persisted var tiny: Tiny
    @Persisted var half: Half
    @Persisted var exact: Exact?
    @Persisted var history: List<Celsius>
}

class Anything: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var value: AnyRealmValue
    @Persisted(indexed: true) var indexed: AnyRealmValue
    @Persisted var price: Decimal128
    @Persisted var discount: Decimal128?
    @Persisted var values: List<AnyRealmValue>
}

/// Values of any type in every place that can hold nested collections.
class AnyHolder: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var value: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
}

class Room: EmbeddedObject {
    @Persisted var name: String
    @Persisted var size: Int
    @Persisted var closet: Closet?
    @Persisted var closets: List<Closet>
}

class Closet: EmbeddedObject {
    @Persisted var label: String
    @Persisted var dog: Dog?
}

class House: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var hall: Room?
    @Persisted var rooms: List<Room>
    @Persisted var named: Map<String, Room?>
}

let houseTypes: [ObjectBase.Type] = [House.self, Room.self, Closet.self, Dog.self, Person.self]
let customTypes: [ObjectBase.Type] = [Reading.self, StoredPlace.self]
