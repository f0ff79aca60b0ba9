// SPDX-License-Identifier: MIT
// Models.swift -- the model classes that tests share.

import Foundation
import Strata

class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted(indexed: true) var age: Int
    @Persisted var score: Double
    @Persisted var email: String?
    @Persisted var dog: Dog?
    @Persisted var dogs: List<Dog>
    @Persisted var friend: Person?

    convenience init(_ id: Int, _ name: String = "", age: Int = 0) {
        self.init()
        self.id = id
        self.name = name
        self.age = age
    }
}

class Dog: Object {
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted(originProperty: "dogs") var packs: LinkingObjects<Person>
    @Persisted(originProperty: "dog") var owners: LinkingObjects<Person>

    convenience init(_ name: String, age: Int = 0) {
        self.init()
        self.name = name
        self.age = age
    }
}

enum Mood: String, PersistableEnum { case calm, cross, merry }
enum Rank: Int, PersistableEnum { case low = 1, middle = 5, high = 9 }

/// Every type of property, and its Optional.
class Everything: Object {
    @Persisted var bool: Bool
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var objectId: ObjectId
    @Persisted var mood: Mood
    @Persisted var rank: Rank

    @Persisted var boolOrNil: Bool?
    @Persisted var intOrNil: Int?
    @Persisted var int8OrNil: Int8?
    @Persisted var int16OrNil: Int16?
    @Persisted var int32OrNil: Int32?
    @Persisted var int64OrNil: Int64?
    @Persisted var floatOrNil: Float?
    @Persisted var doubleOrNil: Double?
    @Persisted var stringOrNil: String?
    @Persisted var dataOrNil: Data?
    @Persisted var dateOrNil: Date?
    @Persisted var uuidOrNil: UUID?
    @Persisted var objectIdOrNil: ObjectId?
    @Persisted var moodOrNil: Mood?
    @Persisted var rankOrNil: Rank?
}

class Animal: Object {
    @Persisted var name: String
    @Persisted var age: Int
}

/// Inherits properties, has one that is not stored and one that is computed.
class Puppy: Animal {
    @Persisted var weeks: Int
    var note = "not stored"
    var months: Int { weeks / 4 }
}
