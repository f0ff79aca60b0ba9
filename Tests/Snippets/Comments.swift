// SPDX-License-Identifier: MIT
// Comments.swift -- what the examples in doc comments take for granted: a few classes, and a realm with objects of
// them. check-snippets puts it in front of those examples.

import RealmSwift

class Person: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(indexed: true) var age: Int
    @Persisted var city: String
    @Persisted var score: Double
    @Persisted var dog: Dog?
    @Persisted var dogs: List<Dog>
    var firstLetter: String { String(name.prefix(1)) }
}

class Dog: Object {
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var breed: String
}

class Walk: Object {
    @Persisted var minutes: List<Int>
}

class Kennel: Object {
    @Persisted var seats: Map<String, Int>
    @Persisted var dogs: Map<String, Dog?>
}

class Hall: Object {
    @Persisted var seats: Map<String, Int>
}

class Setting: Object {
    @Persisted var value: AnyRealmValue
}

class Picture: Object {
    @Persisted var pixels: Data
}

class Visit: Object {
    @Persisted var country: String
    @Persisted var date: Date
}

class Point: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
}

class Cafe: Object {
    @Persisted var location: Point?
}

// Some examples declare classes of the same names, so the classes of a realm are listed.
Realm.Configuration.defaultConfiguration = Realm.Configuration(
    inMemoryIdentifier: "comments",
    objectTypes: [
        Person.self, Dog.self, Walk.self, Hall.self, Setting.self, Picture.self, Visit.self, Point.self, Cafe.self,
        Kennel.self,
    ])
let realm = try Realm()
try realm.write {
    let rex = realm.create(Dog.self, value: ["Rex", 12, "Poodle"])
    for name in ["Adam", "Jane"] { realm.create(Person.self, value: [name, 42, "Rostock", 1.5, rex, [rex]]) }
    realm.create(Walk.self, value: [[30, 10]])
    realm.create(Kennel.self, value: [["north": 4], ["a": rex]])
    realm.create(Picture.self, value: [Data(count: 9)])
}
let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).realm")
let lastWeek = Date(timeIntervalSinceNow: -7 * 86400)
let (people, dogs, visits) = (realm.objects(Person.self), realm.objects(Dog.self), realm.objects(Visit.self))
let (halls, settings, cafes) = (realm.objects(Hall.self), realm.objects(Setting.self), realm.objects(Cafe.self))
let (walk, picture) = (realm.objects(Walk.self).first!, realm.objects(Picture.self).first!)
let kennel = realm.objects(Kennel.self).first!
