// SPDX-License-Identifier: MIT
// MigrationRulesTests.swift -- what becomes of values without a block, and what a block may do.

import Foundation
import Strata
import Synchronization
import Testing

/// The pets of version 1 with other types: what may not be nil, is a collection, or is none any more.
private enum Retyped {
    final class Pet: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: Data
        @Persisted var age: List<Int>
        @Persisted var note: String
        @Persisted var owner: List<Version1.Human>
        @Persisted var tags: String
        @Persisted var scores: Map<String, Int?>
        @Persisted var friends: MutableSet<Pet>

        override class func _realmObjectName() -> String? { "Pet" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static func configuration(_ url: URL, _ version: UInt64 = 2) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: url, schemaVersion: version, objectTypes: [Pet.self, Version1.Human.self, Version1.Address.self])
    }
}

/// The pets of version 1 with another index.
private final class IndexedPet: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int
    @Persisted var note: String?
    @Persisted var owner: Version1.Human?
    @Persisted var tags: List<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var friends: List<IndexedPet>

    override class func _realmObjectName() -> String? { "Pet" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private enum Boxes {
    final class Box: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var pets: Map<String, Version1.Pet?>

        override class func _realmObjectName() -> String? { "Box" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class LaterBox: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var pets: Map<String, Version1.Pet?>
        @Persisted var mood: Mood
        @Persisted var rank: Rank?
        @Persisted var celsius: Celsius
        @Persisted var code: Code?
        @Persisted var serials: List<Serial>
        @Persisted var place: Place?
        @Persisted var names: List<String>

        override class func _realmObjectName() -> String? { "Box" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Box.self] + Version1.types

    static func later(_ url: URL, _ block: @escaping MigrationBlock) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: url, schemaVersion: 1, migrationBlock: block,
            objectTypes: [LaterBox.self, StoredPlace.self] + Version1.types)
    }
}

/// The pets of version 1 with a note that has another name, and may not be nil.
private final class RemarkedPet: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var remark: String

    override class func _realmObjectName() -> String? { "Pet" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The pets of version 1 with a property of every type, whose defaults are not zero.
private final class EquippedPet: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var bool = true
    @Persisted var int8: Int8 = 3
    @Persisted var float: Float = 1.5
    @Persisted var double = 2.5
    @Persisted var string = "text"
    @Persisted var data = Data([1])
    @Persisted var uuid = UUID()
    @Persisted var objectId = ObjectId.generate()
    @Persisted var decimal = Decimal128(7)
    @Persisted var any = AnyRealmValue.int(3)
    @Persisted var mood = Mood.merry
    @Persisted var rank = Rank.high
    @Persisted var celsius = Celsius(20)
    @Persisted(indexed: true) var indexed = "text"
    @Persisted var optional: Int? = 5
    @Persisted var optionalMood: Mood? = .merry

    /// What every property but the key begins as.
    static var zeros: [String: AnyHashable?] {
        [
            "bool": false, "int8": 0, "float": Float(0), "double": 0.0, "string": "", "data": Data(),
            "uuid": UUID(uuidString: "00000000-0000-0000-0000-000000000000"), "objectId": ObjectId(),
            "decimal": Decimal128(0), "any": nil, "mood": "", "rank": 0, "celsius": 0.0, "indexed": "",
            "optional": nil, "optionalMood": nil,
        ]
    }

    override class func _realmObjectName() -> String? { "Pet" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A contact as two programs have it: what it linked to became a name, and its numbers became embedded objects.
private enum Contacts {
    final class Company: Object {
        @Persisted var name: String

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Contact: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var company: Company?
        @Persisted var numbers: String
        @Persisted var rank: Int?

        override class func _realmObjectName() -> String? { "Contact" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Number: EmbeddedObject {
        @Persisted var digits: String

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class LaterContact: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var company: String
        @Persisted var numbers: List<Number>
        @Persisted var byPlace: Map<String, Number?>
        @Persisted var rank: List<Int>

        override class func _realmObjectName() -> String? { "Contact" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static func later(_ url: URL, _ block: MigrationBlock?) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: url, schemaVersion: 1, migrationBlock: block, objectTypes: [LaterContact.self, Number.self])
    }
}

private final class DatedContact: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var since: Date

    override class func _realmObjectName() -> String? { "Contact" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Objects that several others share, and which become embedded.
private enum Sharing {
    final class Place: Object {
        @Persisted var name: String

        override class func _realmObjectName() -> String? { "SharingPlace" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var place: Place?
        @Persisted var places: List<Place>
        @Persisted var any: AnyRealmValue

        override class func _realmObjectName() -> String? { "SharingPerson" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class LaterPlace: EmbeddedObject {
        @Persisted var name: String

        override class func _realmObjectName() -> String? { "SharingPlace" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class LaterPerson: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var place: LaterPlace?
        @Persisted var places: List<LaterPlace>
        @Persisted var any: AnyRealmValue

        override class func _realmObjectName() -> String? { "SharingPerson" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Person.self, Place.self]

    static func later(_ url: URL, _ block: MigrationBlock?) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: url, schemaVersion: 1, migrationBlock: block, objectTypes: [LaterPerson.self, LaterPlace.self])
    }
}

/// Statements 199 to 210.
@Suite struct MigrationRulesTests {
    private let temporary: TemporaryRealm
    private var url: URL { temporary.url }

    init() throws {
        temporary = try TemporaryRealm([])
        try Version1.fill(temporary.url)
    }

    @Test func `S200: an index needs no higher version`() throws {
        let configuration = Realm.Configuration(
            fileURL: url, schemaVersion: 1, objectTypes: [IndexedPet.self, Version1.Human.self, Version1.Address.self])
        let differences = try Realm.schemaDifferences(for: configuration)
        #expect(differences.map(\.kind) == [.indexAdded])
        #expect(differences.allSatisfy { $0.isAccepted && $0.mark == .free })
        try autoreleasepool {
            let realm = try Realm(configuration: configuration)
            #expect(realm.objects(IndexedPet.self).where { $0.name == "pet 3" }.map(\.id) == [3])
            try realm.verify()
        }
        #expect(try schemaVersionAtURL(url) == 1)
    }

    @Test func `S200: no index needs no higher version either`() throws {
        let types: [ObjectBase.Type] = [IndexedPet.self, Version1.Human.self, Version1.Address.self]
        try autoreleasepool { _ = try Realm(configuration: .init(fileURL: url, schemaVersion: 1, objectTypes: types)) }
        let configuration = Realm.Configuration(fileURL: url, schemaVersion: 1, objectTypes: Version1.types)
        #expect(try Realm.storedSchema(for: configuration)["Pet"]?["name"]?.isIndexed == true)
        let differences = try Realm.schemaDifferences(for: configuration)
        #expect(differences.map(\.kind) == [.indexRemoved])
        #expect(differences.allSatisfy { $0.isAccepted && $0.mark == .free })
        try autoreleasepool {
            let realm = try Realm(configuration: configuration)
            #expect(realm.objects(Version1.Pet.self).where { $0.name == "pet 3" }.map(\.id) == [3])
            try realm.write { realm.create(Version1.Pet.self, value: ["id": 10]) }
            try realm.verify()
        }
        #expect(try Realm.storedSchema(for: configuration)["Pet"]?["name"]?.isIndexed == false)
        #expect(try schemaVersionAtURL(url) == 1)
    }

    @Test func `S200: a new class needs no higher version`() throws {
        let configuration = Realm.Configuration(
            fileURL: url, schemaVersion: 1, migrationBlock: { _, _ in Issue.record("the block was called") },
            objectTypes: Version1.types + [Additive.Toy.self])
        let differences = try Realm.schemaDifferences(for: configuration)
        #expect(differences.map(\.kind) == [.classAdded] && differences.map(\.className) == ["Toy"])
        #expect(differences.allSatisfy { $0.isAccepted && $0.mark == .free })
        try autoreleasepool {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(Additive.Toy.self, value: ["name": "ball"]) }
            #expect(realm.objects(Version1.Pet.self).count == 10)
            try realm.verify()
        }
        #expect(try schemaVersionAtURL(url) == 1)
        let count = try autoreleasepool { try Realm(configuration: configuration).objects(Additive.Toy.self).count }
        #expect(count == 1)
    }

    @Test func `S207: new required properties begin as zero, not as the defaults of the class`() throws {
        let names = Set(EquippedPet().objectSchema.properties.map(\.name))
        #expect(names == Set(EquippedPet.zeros.keys).union(["id"]), "every property is looked at")
        let configuration = Realm.Configuration(fileURL: url, schemaVersion: 2, objectTypes: [EquippedPet.self])
        try autoreleasepool {
            let realm = try Realm(configuration: configuration), pets = realm.objects(EquippedPet.self)
            #expect(pets.count == 10)
            for (name, zero) in EquippedPet.zeros {
                for pet in pets { #expect(pet[name] as? AnyHashable == zero, "\(name)") }
            }
            #expect(pets.where { $0.indexed == "" }.count == 10)
            let pet = try realm.write { realm.create(EquippedPet.self, value: ["id": 10]) }
            #expect(pet.string == "text" && pet.mood == .merry && pet.optional == 5 && pet.celsius == Celsius(20))
            try realm.verify()
        }
    }

    @Test func `S201: without a block values of another type are gone, also where nil is no longer allowed`() throws {
        let marks = try Realm.schemaDifferences(for: Retyped.configuration(url))
        #expect(
            marks.filter { $0.kind == .typeChanged && $0.mark == .losesData }.compactMap(\.property)
                == ["name", "age", "note", "owner", "tags", "friends"])
        #expect(marks.first { $0.property == "scores" }?.kind == .becameOptional)
        try autoreleasepool {
            let realm = try Realm(configuration: Retyped.configuration(url))
            let pets = realm.objects(Retyped.Pet.self).sorted(by: \.id)
            #expect(pets.map(\.id) == Array(0..<10))
            #expect(pets.allSatisfy { $0.name.isEmpty && $0.age.isEmpty && $0.owner.isEmpty && $0.friends.isEmpty })
            #expect(pets.allSatisfy { $0.note == "" && $0.tags == "" }, "all rows, not only those that were nil")
            #expect(pets.allSatisfy { $0.scores["x"] == .some($0.id) })
            #expect(realm.objects(Version1.Human.self).count == 2)
            try realm.verify()
        }
    }

    /// A file with so many contacts, each of a company of its own.
    private func fileOfContacts(_ count: Int) throws -> URL {
        let file = temporary.directory.appendingPathComponent("contacts")
        try autoreleasepool {
            let types: [ObjectBase.Type] = [Contacts.Contact.self, Contacts.Company.self]
            let realm = try Realm(configuration: Realm.Configuration(fileURL: file, objectTypes: types))
            try realm.write {
                for id in 0..<count {
                    realm.create(
                        Contacts.Contact.self, value: ["id": id, "company": ["name": "C\(id)"], "numbers": "\(id)1,\(id)2"])
                }
            }
        }
        return file
    }

    @Test func `S201: without a block properties of a class without objects may have other types`() throws {
        let file = try fileOfContacts(0)
        let marks = try Realm.schemaDifferences(for: Contacts.later(file, nil)).filter { $0.kind == .typeChanged }
        #expect(marks.compactMap(\.property) == ["company", "numbers", "rank"] && marks.allSatisfy { $0.mark == .free })
        #expect(try Realm.rehearseMigration(for: Contacts.later(file, nil)).failure == nil)
        try autoreleasepool {
            let realm = try Realm(configuration: Contacts.later(file, nil))
            try realm.write { _ = realm.create(Contacts.LaterContact.self, value: ["id": 1, "company": "C", "rank": [1]]) }
            try realm.verify()
        }
        #expect(try schemaVersionAtURL(file) == 1)
    }

    @Test func `S205: a class is deleted that a property linked to which has another type now`() throws {
        let file = try fileOfContacts(3)
        let configuration = Contacts.later(file) { migration, _ in
            migration.enumerateObjects(ofType: "Contact") { old, new in
                new?["company"] = (old?["company"] as? MigrationObject)?["name"]
            }
            #expect(migration.deleteData(forType: "Company"))
        }
        try autoreleasepool {
            let realm = try Realm(configuration: configuration)
            let names = realm.objects(Contacts.LaterContact.self).sorted(by: \.id).map(\.company)
            #expect(names == ["C0", "C1", "C2"])
            try realm.verify()
        }
        let stored = try Realm.storedSchema(for: Realm.Configuration(fileURL: file)).objectSchema.map(\.className)
        #expect(stored.sorted() == ["Contact", "Number"])
    }

    @Test(
        """
        Differs from Realm: a `Date` that is added by a migration, and not Optional, begins as 2001-01-01, the \
        reference date of Foundation, in the objects that were there; in Realm it begins as 1970-01-01.
        """)
    func addedDatesBeginAtTheReferenceDate() throws {
        let configuration = Realm.Configuration(
            fileURL: try fileOfContacts(2), schemaVersion: 1, objectTypes: [DatedContact.self])
        try autoreleasepool {
            let contacts = try Realm(configuration: configuration).objects(DatedContact.self)
            #expect(contacts.map(\.since.timeIntervalSinceReferenceDate) == [0, 0])
        }
    }

    @Test func `S203: collections of embedded objects are filled by dictionaries`() throws {
        let file = try fileOfContacts(3)
        let configuration = Contacts.later(file) { migration, _ in
            migration.enumerateObjects(ofType: "Contact") { old, new in
                let numbers = (old?["numbers"] as? String ?? "").split(separator: ",").map { ["digits": "\($0)"] }
                new?["numbers"] = numbers
                new?["numbers"] = new?["numbers"]
                new?.byPlace = ["home": numbers[0], "none": nil] as [String: [String: String]?]
                #expect(new?.dynamicList("numbers").first?["digits"] as? String == numbers[0]["digits"])
            }
        }
        try autoreleasepool {
            let realm = try Realm(configuration: configuration)
            let contacts = realm.objects(Contacts.LaterContact.self).sorted(by: \.id)
            #expect(contacts.map { $0.numbers.map(\.digits).joined(separator: ",") } == ["01,02", "11,12", "21,22"])
            #expect(contacts.map { $0.byPlace["home"]??.digits } == ["01", "11", "21"])
            #expect(contacts.allSatisfy { $0.byPlace.count == 2 && $0.byPlace["none"] == .some(nil) })
            #expect(realm.dynamicObjects("Number").count == 9, "those that were replaced are gone")
            try realm.write {
                let contact = try #require(realm.dynamicObjects("Contact").first)
                contact["numbers"] = [Contacts.Number(value: ["digits": "5"]), contacts[1].numbers[0]]
                contact["byPlace"] = [String: Any]()
            }
            #expect(contacts[0].numbers.map(\.digits) == ["5", "11"] && contacts[1].numbers.count == 2)
            #expect(contacts[0].byPlace.isEmpty && realm.dynamicObjects("Number").count == 8)
            try realm.verify()
        }
    }

    /// A migration that waits for another writer migrates what that one has written.
    @Test func `S199: a block is given the objects as they are when the migration begins to write`() async throws {
        let file = try fileOfContacts(2)
        let begun = file.path + ".begun"
        async let other = #expect(processExitsWith: .success) { [path = file.path as String, begun = begun as String] in
            let types: [ObjectBase.Type] = [Contacts.Contact.self, Contacts.Company.self]
            let realm = try Realm(configuration: .init(fileURL: URL(fileURLWithPath: path), objectTypes: types))
            realm.beginWrite()
            try Data().write(to: URL(fileURLWithPath: begun))
            usleep(300_000)
            realm.object(ofType: Contacts.Contact.self, forPrimaryKey: 0)?.numbers = "changed"
            realm.create(Contacts.Contact.self, value: ["id": 7, "numbers": "new"])
            try realm.commitWrite()
        }
        for _ in 0..<20_000 where !FileManager.default.fileExists(atPath: begun) {
            try await Task.sleep(for: .milliseconds(1))
        }
        let configuration = Contacts.later(file) { migration, _ in
            migration.enumerateObjects(ofType: "Contact") { old, new in
                new?["company"] = old?["numbers"]
                new?["numbers"] = [["digits": old?["numbers"] ?? ""]]
            }
        }
        let found = try autoreleasepool {
            try Realm(configuration: configuration).objects(Contacts.LaterContact.self).sorted(by: \.id).map {
                "\($0.id) \($0.company) \($0.numbers.map(\.digits))"
            }
        }
        #expect(found == [#"0 changed ["changed"]"#, #"1 11,12 ["11,12"]"#, #"7 new ["new"]"#])
        _ = await other
    }

    @Test func `S209: objects that become embedded can be copied for each owner, and given to one`() throws {
        let file = temporary.directory.appendingPathComponent("shared")
        try autoreleasepool {
            let realm = try Realm(configuration: .init(fileURL: file, objectTypes: Sharing.types))
            try realm.write {
                let shared = realm.create(Sharing.Place.self, value: ["name": "shared"])
                for id in 0..<5 {
                    realm.create(Sharing.Person.self, value: ["id": id, "place": shared, "places": [shared]])
                }
                realm.create(Sharing.Place.self, value: ["name": "lost"])
                realm.create(Sharing.Place.self, value: ["name": "listed"])
            }
        }
        let configuration = Sharing.later(file) { migration, _ in
            migration.enumerateObjects(ofType: "SharingPerson") { old, new in
                guard let old, let new, let id = old["id"] as? Int else { return }
                let place = old["place"] as? MigrationObject
                if id == 0 { new["places"] = [Any]() }  // keeps the one that was there
                if id == 1 || id == 2 { new["place"] = ["name": "\(place?["name"] ?? "") \(id)"] }
                if id == 1 || id == 2 { new["places"] = [["name": "one"], ["name": "two"]] }
                if id == 3 { (new["place"], new["places"]) = (nil, [Any]()) }
                if id == 4 { migration.delete(new) }
            }
            migration.enumerateObjects(ofType: "SharingPlace") { old, new in
                guard let new else { return }
                if old?["name"] as? String == "lost" {
                    migration.create("SharingPerson", value: ["id": 9])["place"] = new
                }
                if old?["name"] as? String == "listed" {
                    migration.create("SharingPerson", value: ["id": 10]).dynamicList("places").append(new)
                }
            }
        }
        try autoreleasepool {
            let realm = try Realm(configuration: configuration)
            let found = realm.objects(Sharing.LaterPerson.self).sorted(by: \.id).map { person in
                "\(person.id) \(person.place?.name ?? "-") \(person.places.map(\.name).joined(separator: ","))"
            }
            let expected = ["0 shared ", "1 shared 1 one,two", "2 shared 2 one,two", "3 - ", "9 lost ", "10 - listed"]
            #expect(found == expected)
            #expect(realm.dynamicObjects("SharingPlace").count == 9)
            try realm.verify()
        }
    }

    @Test func `S209: a value of any type owns nothing`() throws {
        let file = temporary.directory.appendingPathComponent("loose")
        try autoreleasepool {
            let realm = try Realm(configuration: .init(fileURL: file, objectTypes: Sharing.types))
            try realm.write {
                let place = realm.create(Sharing.Place.self, value: ["name": "loose"])
                realm.create(Sharing.Person.self, value: ["id": 1]).any = .object(place)
            }
        }
        let message = "SharingPlace cannot become embedded: 1 links lead to object 1, and an embedded object has "
            + "exactly one owner, which no value of any type can be"
        let marks = try Realm.schemaDifferences(for: Sharing.later(file, nil))
        #expect(marks.first { $0.kind == .classBecameEmbedded }?.mark == .needsCode)
        for block in [nil, { _, _ in } as MigrationBlock] {
            let error = #expect(throws: Realm.Error.self) { try Realm(configuration: Sharing.later(file, block)) }
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
        try autoreleasepool {
            let realm = try Realm(configuration: Sharing.later(file) { migration, _ in
                migration.enumerateObjects(ofType: "SharingPerson") { old, new in
                    new?["any"] = nil
                    new?["place"] = ["name": (old?["any"] as? MigrationObject)?["name"] ?? ""]
                }
                migration.enumerateObjects(ofType: "SharingPlace") { _, new in if let new { migration.delete(new) } }
            })
            #expect(realm.objects(Sharing.LaterPerson.self).map { $0.place?.name } == ["loose"])
            try realm.verify()
        }
    }

    @Test func `S203: maps of objects, and what an old object does not have`() async throws {
        let file = temporary.directory.appendingPathComponent("boxes")
        try autoreleasepool {
            let realm = try Realm(configuration: Realm.Configuration(fileURL: file, objectTypes: Boxes.types))
            try realm.write {
                let box = realm.create(Boxes.Box.self, value: ["id": 1])
                box.pets["a"] = realm.create(Version1.Pet.self, value: ["id": 7, "name": "Rex"])
                box.pets["none"] = .some(nil)
            }
        }
        let configuration = Boxes.later(file) { migration, _ in
            migration.enumerateObjects(ofType: "Box") { old, new in
                guard let pets = old?["pets"] as? Map<String, DynamicObject?> else { return }
                for (key, pet) in pets.asKeyValueSequence() {
                    (new?["names"] as? List<String>)?.append("\(key) \(pet?["name"] ?? "nil")")
                }
            }
        }
        try autoreleasepool {
            let boxes = try Realm(configuration: configuration).objects(Boxes.LaterBox.self)
            #expect(boxes[0].names.sorted() == ["a Rex", "none nil"])
        }
        let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [path = url.path as String] in
            _ = try Realm(configuration: Version2.configuration(URL(fileURLWithPath: path)) { migration, _ in
                migration.enumerateObjects(ofType: "Pet") { old, _ in _ = old?["title"] }
            })
        }
        expect(unknown, says: "Pet has no persisted property \"title\"; it has [\"id\", \"name\"")
    }

    @Test func `S204: create accepts values of enums and custom types, and what is stored for them`() throws {
        let file = temporary.directory.appendingPathComponent("boxes")
        try autoreleasepool { _ = try Realm(configuration: .init(fileURL: file, objectTypes: Boxes.types)) }
        let configuration = Boxes.later(file) { migration, _ in
            let stored: [String: Any] = [
                "id": 1, "mood": "merry", "rank": 9, "celsius": 20.5, "code": "abc", "serials": [1, 2],
                "place": ["x": 1, "y": 2],
            ]
            let values: [String: Any] = [
                "id": 2, "mood": Mood.merry, "rank": Rank.high, "celsius": Celsius(20.5),
                "code": Code(persistedValue: "abc") as Any, "serials": [1, 2].map(Serial.init(persistedValue:)),
                "place": Place(x: 1, y: 2),
            ]
            for value in [stored, values] {
                let box = migration.create("Box", value: value)
                #expect(box["mood"] as? String == "merry" && box["celsius"] as? Double == 20.5)
            }
        }
        try autoreleasepool {
            let realm = try Realm(configuration: configuration), boxes = realm.objects(Boxes.LaterBox.self)
            #expect(boxes.count == 2 && boxes.allSatisfy { $0.mood == .merry && $0.rank == .high })
            #expect(boxes.allSatisfy { $0.celsius == Celsius(20.5) && $0.code?.text == "abc" })
            #expect(boxes.allSatisfy { $0.serials.map(\.number) == [1, 2] && $0.place == Place(x: 1, y: 2) })
            try realm.verify()
        }
    }

    @Test func `S203: objects as the file had them are neither changed nor linked to`() async throws {
        let changed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [path = url.path as String] in
            _ = try Realm(configuration: Version2.configuration(URL(fileURLWithPath: path)) { migration, _ in
                migration.enumerateObjects(ofType: "Pet") { old, _ in old?["age"] = 3 }
            })
        }
        expect(
            changed,
            saysAll: "Pet.age cannot be set in an object as the file had it; change the new one, the second that the "
                + "block is given")
        let linked = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [path = url.path as String] in
            _ = try Realm(configuration: Version2.configuration(URL(fileURLWithPath: path)) { migration, _ in
                migration.enumerateObjects(ofType: "Pet") { old, new in new?["owner"] = old?["owner"] }
            })
        }
        expect(
            linked,
            saysAll: "a migration links to a Human as the file had it; link to the new one, which enumerateObjects "
                + "gives with it. Links of a property whose name and type stay are there already")
        #expect(try schemaVersionAtURL(url) == 1)
    }

    @Test func `S206: properties that cannot be renamed`() async throws {
        func refusal(_ className: String, _ from: String, _ to: String) async -> ExitTest.Result? {
            let path = url.path
            return await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [path = path as String, className = className as String, from = from as String, to = to as String] in
                _ = try Realm(configuration: Version2.configuration(URL(fileURLWithPath: path)) { migration, _ in
                    migration.renameProperty(onType: className, from: from, to: to)
                })
            }
        }
        expect(
            await refusal("Pet", "name", "weight"),
            saysAll: "renameProperty: Pet.name cannot be renamed to weight: their types differ; copy the values with "
                + "enumerateObjects")
        expect(
            await refusal("Pet", "age", "weight"),
            saysAll: "renameProperty: Pet.age is still a property of the program; to give its values to weight, too, "
                + "copy them with enumerateObjects")
        expect(
            await refusal("Pet", "name", "titel"),
            saysAll: "renameProperty: the program has no property Pet.titel; did you mean \"title\"?")
        expect(
            await refusal("Cat", "name", "title"),
            saysAll: "renameProperty(onType: \"Cat\"): the file has no such class; "
                + "it has [\"Address\", \"Human\", \"Pet\"]")
        try autoreleasepool { _ = try Realm(configuration: Version2.configuration(url)) }
        let names = try Realm.storedSchema(for: Version2.configuration(url))["Pet"]?.properties.map(\.name) ?? []
        #expect(names.contains("title") && !names.contains("name"), "the old name is gone")
    }

    @Test func `S206: what may be nil is not renamed to what may not`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [path = url.path as String] in
            _ = try Realm(configuration: .init(
                fileURL: URL(fileURLWithPath: path), schemaVersion: 2,
                migrationBlock: { migration, _ in
                    migration.renameProperty(onType: "Pet", from: "note", to: "remark")
                }, objectTypes: [RemarkedPet.self]))
        }
        expect(
            result,
            saysAll: "renameProperty: Pet.note cannot be renamed to remark: their types differ; copy the values with "
                + "enumerateObjects")
        #expect(try schemaVersionAtURL(url) == 1)
    }

    @Test func `S208: a failed migration names file, versions, class, property and value, and leaves no copy`() throws {
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: Version2.configuration(url) { migration, _ in
                migration.enumerateObjects(ofType: "Pet") { _, new in new?["id"] = "same" }
            })
        }
        #expect(
            error?.message
                == "\(url.path) cannot be migrated from schema version 1 to 2: Pet.id cannot become the primary key: "
                    + "objects 1 and 2 have the same value, \"same\"; give each object one of its own in the migration")
        #expect(error?.code == .invalidInput && error?.fileURL == url)
        #expect(!FileManager.default.fileExists(atPath: url.path + ".previous"))
        #expect(try !Realm.restorePrevious(for: Version2.configuration(url)))
    }

    @Test func `S210: a file without a schema has no version`() throws {
        let file = temporary.directory.appendingPathComponent("empty")
        // The file is there before its classes are refused.
        let broken = Realm.Configuration(fileURL: file, objectTypes: [Person.self])
        #expect(throws: Realm.Error(.invalidInput, "")) { try Realm(configuration: broken) }
        #expect(FileManager.default.fileExists(atPath: file.path))
        let error = #expect(throws: Realm.Error.self) { try schemaVersionAtURL(file) }
        #expect(error?.code == .fail && error?.message == "\(file.path) has no schema yet: no realm was opened in it")
    }

    @Test func `progress reaches the end, whatever the block does with the last object`() throws {
        let told = Mutex<[MigrationProgress]>([])
        var configuration = Smaller.configuration(url) { migration, _ in
            migration.enumerateObjects(ofType: "Human") { _, _ in }  // the program does not have it
            migration.enumerateObjects(ofType: "Pet") { old, new in
                if old?["id"] as? Int == 9, let new { migration.delete(new) }
            }
            migration.enumerateObjects(ofType: "Pet") { _, _ in }
        }
        configuration.migrationProgress = { progress in told.withLock { $0.append(progress) } }
        try autoreleasepool { _ = try Realm(configuration: configuration) }
        #expect(told.withLock { $0.map(\.className) } == ["Human", "Pet", "Pet"])
        #expect(told.withLock { $0.allSatisfy { $0.done == $0.total } })
    }

    // MARK: Files that are in use, or cannot be migrated

    @Test func `a file is looked at and rehearsed while the process writes it`() throws {
        let copy = temporary.directory.appendingPathComponent("seeded")
        for durability in [Realm.Configuration.Durability.full, .relaxed] {
            try autoreleasepool {
                var configuration = Realm.Configuration(fileURL: url, schemaVersion: 1, objectTypes: Version1.types)
                configuration.durability = durability
                let realm = try Realm(configuration: configuration)
                #expect(try schemaVersionAtURL(url) == 1)
                #expect(try !Realm.schemaDifferences(for: Version2.configuration(url)).isEmpty)
                #expect(try Realm.schemaHistory(for: Version2.configuration(url)).map(\.version) == [1])
                #expect(try Realm.storedSchema(for: Version2.configuration(url)).objectSchema.count == 3)
                let report = try Realm.rehearseMigration(for: Version2.configuration(url))
                #expect(report.failure == nil && report.counts["Pet"]?.changed == 10)
                configuration.fileURL = copy
                configuration.seedFilePath = url
                #expect(try Realm(configuration: configuration).objects(Version1.Pet.self).count == 10)
                try realm.write { realm.delete(realm.objects(Version1.Pet.self).where { $0.id == 100 }) }
            }
            try Realm.deleteFiles(for: Realm.Configuration(fileURL: copy))
        }
    }

    @Test func `a rehearsal that fails names the file, not its copy`() throws {
        let report = try Realm.rehearseMigration(for: Realm.Configuration(fileURL: url, objectTypes: Version1.types))
        #expect(report.failure?.hasPrefix("\(url.path) has schema version 1, written by ") == true, "\(report)")
        #expect(report.failure?.hasSuffix("open the file for reading only") == true)
    }

    @Test func `files in a directory of others are rehearsed`() async throws {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryRealm([])
            try Version1.fill(temporary.url)
            chmod(temporary.url.path, 0o644)
            chmod(temporary.directory.path, 0o755)
            if getuid() == 0 { seteuid(65534) } else { chmod(temporary.directory.path, 0o555) }
            let report = try Realm.rehearseMigration(for: Version2.configuration(temporary.url))
            if getuid() == 0 { seteuid(0) } else { chmod(temporary.directory.path, 0o755) }
            #expect(report.failure == nil && report.counts["Pet"]?.changed == 10)
            let left = try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
            #expect(!left.contains { $0.hasPrefix(".test.realm.") }, "the copy is gone")
        }
    }

    @Test func `a file that is only read tells what it lacks, and what to do`() throws {
        var configuration = Version2.configuration(url, nil)
        configuration.readOnly = true
        let older = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        let text = older?.message ?? ""
        #expect(older?.code == .schemaMismatch)
        #expect(text.hasPrefix("\(url.path) has schema version 1, written by "), "\(text)")
        #expect(text.contains("\n- Pet.note changed from optional string to string\n"), "\(text)")
        #expect(text.contains("\n- Pet.name was removed (string)\n"), "\(text)")
        #expect(!text.contains("Raise schemaVersion") && !text.contains("go with it"), "\(text)")
        #expect(text.hasSuffix("Open it for writing once, with a schemaVersion above 1, or ask only for what it has."))

        try autoreleasepool { _ = try Realm(configuration: Version2.configuration(url)) }
        configuration = Realm.Configuration(fileURL: url, readOnly: true, schemaVersion: 1, objectTypes: Version1.types)
        let newer = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        let lacks = newer?.message ?? ""
        #expect(lacks.contains(" has schema version 2, written by "), "\(lacks)")
        #expect(lacks.contains("\n- Pet.name was added (string)") && !lacks.contains("Pet.title"), "\(lacks)")
        #expect(lacks.hasSuffix("Use a newer version of the program, or ask only for what the file has."), "\(lacks)")
    }

    // MARK: The copy before a migration

    @Test func `the copy stays until the file was opened for writing with its classes`() async throws {
        try autoreleasepool { _ = try Realm(configuration: Version2.configuration(url)) }
        let copy = url.path + ".previous"
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            let url = URL(fileURLWithPath: path), copy = path + ".previous"
            #expect(throws: Realm.Error(.fail, "")) { try Version1.open(url) }
            #expect(FileManager.default.fileExists(atPath: copy), "a program that is too old opened nothing")
            let others = Realm.Configuration(fileURL: url, schemaVersion: 2, objectTypes: Version1.types)
            #expect(throws: Realm.Error(.schemaMismatch, "")) { try Realm(configuration: others) }
            var reading = Version2.configuration(url)
            reading.readOnly = true
            let count = try autoreleasepool { try Realm(configuration: reading).objects(Version2.Pet.self).count }
            #expect(count == 10)
            #expect(FileManager.default.fileExists(atPath: copy), "who only reads deletes nothing")
        }
        #expect(FileManager.default.fileExists(atPath: copy))
        #expect(try Realm.restorePrevious(for: Version2.configuration(url)))
        let count = try autoreleasepool { try Version1.open(url).objects(Version1.Pet.self).count }
        #expect(count == 10)
    }

    @Test func `S190 S193: a file that another process has open is neither deleted nor put back`() async throws {
        try autoreleasepool { _ = try Realm(configuration: Version2.configuration(url)) }
        let store = try await RealmStore(configuration: Version2.configuration(url))
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            var configuration = Version2.configuration(URL(fileURLWithPath: path))
            for body in [Realm.restorePrevious(for:), Realm.deleteFiles(for:)] {
                let error = #expect(throws: Realm.Error.self) { try body(configuration) }
                #expect(error?.code == .alreadyOpen && error?.message.contains("close it everywhere first") == true)
            }
            configuration.schemaVersion = 3
            configuration.deleteRealmIfMigrationNeeded = true
            let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
            #expect(error?.code == .alreadyOpen)
            #expect(error?.message.contains("needs a migration, and is to be deleted instead: ") == true)
            #expect(FileManager.default.fileExists(atPath: path + ".previous"))
            // S191: compaction is for another time.
            configuration = Version2.configuration(URL(fileURLWithPath: path))
            configuration.shouldCompactOnLaunch = { _, _ in true }
            let count = try autoreleasepool {
                try Realm(configuration: configuration).objects(Version2.Pet.self).count
            }
            #expect(count == 10)
        }
        #expect(try await store.read { $0.objects(Version2.Pet.self).count } == 10)
    }
}
