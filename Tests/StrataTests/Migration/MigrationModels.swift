// SPDX-License-Identifier: MIT
// MigrationModels.swift -- classes as three versions of one program know them.

import Foundation
import Strata

enum Version1 {
    final class Pet: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var age: Int
        @Persisted var note: String?
        @Persisted var owner: Human?
        @Persisted var tags: List<String>
        @Persisted var scores: Map<String, Int>
        @Persisted var friends: List<Pet>

        override class func _realmObjectName() -> String? { "Pet" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Human: Object {
        @Persisted var firstName: String
        @Persisted var lastName: String
        @Persisted var home: Address?

        override class func _realmObjectName() -> String? { "Human" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Address: Object {
        @Persisted var street: String

        override class func _realmObjectName() -> String? { "Address" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Pet.self, Human.self, Address.self]

    static func open(_ url: URL) throws -> Realm {
        try Realm(configuration: Realm.Configuration(fileURL: url, schemaVersion: 1, objectTypes: types))
    }

    /// Two humans with addresses, and so many pets.
    static func fill(_ url: URL, pets: Int = 10) throws {
        try autoreleasepool {
            let realm = try open(url)
            try realm.write {
                let humans = ["Ann Ash", "Ben Oak"].map { name in
                    let words = name.split(separator: " ").map(String.init)
                    let home = ["street": "\(words[1]) street"]
                    return realm.create(Human.self, value: ["firstName": words[0], "lastName": words[1], "home": home])
                }
                for id in 0..<pets {
                    let pet = realm.create(Pet.self, value: ["id": id, "name": "pet \(id)", "age": id % 5] as [String: Any])
                    pet.owner = humans[id % 2]
                    pet.tags.append(objectsIn: ["a", "b\(id)"])
                    pet.scores["x"] = id
                    if id % 3 == 0 { pet.note = "note" }
                    if let first = realm.object(ofType: Pet.self, forPrimaryKey: 0) { pet.friends.append(first) }
                }
            }
        }
    }
}

/// Keys are text, names another word, ages decimal, humans have one name, and addresses are embedded.
enum Version2 {
    final class Pet: Object {
        @Persisted(primaryKey: true) var id: String
        @Persisted(indexed: true) var title: String
        @Persisted var age: Double?
        @Persisted var note: String
        @Persisted var owner: Human?
        @Persisted var tags: MutableSet<String>
        @Persisted var scores: Map<String, Int>
        @Persisted var friends: List<Pet>
        @Persisted var weight = 7

        override class func _realmObjectName() -> String? { "Pet" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Human: Object {
        @Persisted var fullName: String
        @Persisted var home: Address?
        @Persisted(originProperty: "owner") var pets: LinkingObjects<Pet>

        override class func _realmObjectName() -> String? { "Human" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Address: EmbeddedObject {
        @Persisted var street: String

        override class func _realmObjectName() -> String? { "Address" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Pet.self, Human.self, Address.self]

    static let block: MigrationBlock = { migration, version in
        if version >= 2 { return }
        migration.enumerateObjects(ofType: "Pet") { old, new in
            new?["id"] = "pet-\(old?["id"] ?? "")"
            new?["age"] = (old?["age"] as? Int).map { Double($0) + 0.5 }
            new?["note"] = old?["note"] ?? "none"
            if let old = old?["tags"] as? List<String>, let new = new?["tags"] as? MutableSet<String> {
                new.insert(objectsIn: old)
            }
        }
        migration.enumerateObjects(ofType: "Human") { old, new in
            new?["fullName"] = "\(old?.firstName ?? "") \(old?.lastName ?? "")"
        }
        migration.renameProperty(onType: "Pet", from: "name", to: "title")
    }

    static func configuration(_ url: URL, _ block: MigrationBlock? = block) -> Realm.Configuration {
        Realm.Configuration(fileURL: url, schemaVersion: 2, migrationBlock: block, objectTypes: types)
    }
}

/// Only what changes nothing: a class, a property, an index, an Optional, and an index less.
enum Additive {
    final class Pet: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var name: String
        @Persisted var age: Int?
        @Persisted var note: String?
        @Persisted var owner: Human?
        @Persisted var tags: List<String>
        @Persisted var scores: Map<String, Int>
        @Persisted var friends: List<Pet>
        @Persisted var isOld = true
        @Persisted var when: Date

        override class func _realmObjectName() -> String? { "Pet" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Human: Object {
        @Persisted var firstName: String
        @Persisted var lastName: String
        @Persisted var home: Version1.Address?
        @Persisted var toy: Toy?

        override class func _realmObjectName() -> String? { "Human" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Toy: Object {
        @Persisted var name: String

        override class func _realmObjectName() -> String? { "Toy" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Pet.self, Human.self, Version1.Address.self, Toy.self]

    /// From either of the versions before it.
    static let block: MigrationBlock = { migration, version in
        guard version == 2 else { return }  // version 1 needs nothing
        migration.renameProperty(onType: "Pet", from: "title", to: "name")
        migration.enumerateObjects(ofType: "Pet") { old, new in
            new?["id"] = (old?["id"] as? String).flatMap { Int($0.dropFirst(4)) }
            new?["age"] = (old?["age"] as? Double).map { Int($0) }
            new?["note"] = old?["note"] as? String == "none" ? nil : old?["note"]
            if let old = old?["tags"] as? MutableSet<String>, let new = new?["tags"] as? List<String> {
                new.append(objectsIn: old.sorted())
            }
        }
        migration.enumerateObjects(ofType: "Human") { old, new in
            let words = (old?["fullName"] as? String ?? "").split(separator: " ").map(String.init)
            new?["firstName"] = words.first ?? ""
            new?["lastName"] = words.last ?? ""
        }
    }

    static func configuration(_ url: URL) -> Realm.Configuration {
        Realm.Configuration(fileURL: url, schemaVersion: 3, migrationBlock: block, objectTypes: types)
    }
}

/// Fewer classes, with fewer properties.
enum Smaller {
    final class Pet: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var age: Int

        override class func _realmObjectName() -> String? { "Pet" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static func configuration(_ url: URL, _ block: MigrationBlock? = nil) -> Realm.Configuration {
        Realm.Configuration(fileURL: url, schemaVersion: 2, migrationBlock: block, objectTypes: [Pet.self])
    }
}

/// Values that are required, and collections of them.
enum Full {
    final class Bag: Object {
        @Persisted var numbers: List<Int>
        @Persisted var words: MutableSet<String>
        @Persisted var scores: Map<String, Double>
        @Persisted var flags: List<Bool>
        @Persisted var count: Int

        override class func _realmObjectName() -> String? { "Bag" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// The same, and each may be nil.
enum Holed {
    final class Bag: Object {
        @Persisted var numbers: List<Int?>
        @Persisted var words: MutableSet<String?>
        @Persisted var scores: Map<String, Double?>
        @Persisted var flags: List<Bool?>
        @Persisted var count: Int?

        override class func _realmObjectName() -> String? { "Bag" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// The same under other names.
enum HoledAgain {
    final class Bag: Object {
        @Persisted var numbers2: List<Int?>
        @Persisted var words2: MutableSet<String?>
        @Persisted var scores2: Map<String, Double?>
        @Persisted var flags2: List<Bool?>
        @Persisted var count2: Int?

        override class func _realmObjectName() -> String? { "Bag" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum Real {
    final class Sample: Object {
        @Persisted var value: Double
        @Persisted var count: Int

        override class func _realmObjectName() -> String? { "Sample" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// What has less room than in version 1: ages are keys, notes are required, humans are embedded.
enum Narrow {
    final class Pet: Object {
        @Persisted var id: Int
        @Persisted(primaryKey: true) var age: String
        @Persisted var note: String
        @Persisted var owner: Human?
        @Persisted var friends: List<Pet>

        override class func _realmObjectName() -> String? { "Pet" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Human: EmbeddedObject {
        @Persisted var firstName: String
        @Persisted var lastName: String
        @Persisted var home: Address?

        override class func _realmObjectName() -> String? { "Human" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Address: Object {
        @Persisted var street: String

        override class func _realmObjectName() -> String? { "Address" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Sample: Object {
        @Persisted var value: Int
        @Persisted var count: Double

        override class func _realmObjectName() -> String? { "Sample" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
