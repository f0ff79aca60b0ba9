// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

// Each class breaks one rule, so none of them is in the default schema.

class TwoKeys: Object {
    @Persisted(primaryKey: true) var one: Int
    @Persisted(primaryKey: true) var two: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class BoolKey: Object {
    @Persisted(primaryKey: true) var flag: Bool
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NothingStored: Object {
    var plain = 1
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DoubleIndex: Object {
    @Persisted var score: Double
    override class func indexedProperties() -> [String] { ["score"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Loner: Object {
    @Persisted var dog: Dog?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class RequiredLink: Object {
    @Persisted var dog: Dog
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NoOrigin: Object {
    @Persisted(originProperty: "missing") var links: LinkingObjects<Person>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class WrongOrigin: Object {
    @Persisted(originProperty: "dogs") var links: LinkingObjects<Person>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ANameOfAClassThatIsJustOneByteLongerThanFiftySevenBytesXXX: Object {
    @Persisted var value: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LongPropertyName: Object {
    @Persisted var aNameOfAPropertyThatIsJustOneByteLongerThanSixtyThreeBytesOfUtf8: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ByOverride: Object {
    @Persisted var key: String
    @Persisted var other: Int
    override class func primaryKey() -> String? { "key" }
    override class func indexedProperties() -> [String] { ["other"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class HidingName: Object {
    @Persisted private var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NameAgain: HidingName {
    @Persisted var name: Int
}

class WrongKeyName: Object {
    @Persisted var key: String
    override class func primaryKey() -> String? { "kye" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OnlyLinkedTo: Object {
    @Persisted(originProperty: "target") var origins: LinkingObjects<LinkingThere>
    var count: Int { origins.count }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LinkingThere: Object {
    @Persisted var target: OnlyLinkedTo?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MarkedLater: Object {
    var key = ""
    @Persisted var other: Int
    override class func primaryKey() -> String? { "key" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class UnorderedLink: Object {
    @Persisted(originProperty: "name") var links: LinkingObjects<Dog>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class WronglyMapped: Object {
    @Persisted var one: Int
    @Persisted var two: Int
    @Persisted var three: Int
    override class func propertiesMapping() -> [String: String] {
        ["one": "two", "three": "", "four": "x", "five": "y"]
    }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Nameless: Object {
    @Persisted var one: Int
    override class func _realmObjectName() -> String? { "" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class WrongIndexes: Object {
    @Persisted var one: Int
    @Persisted var two: Int
    @Persisted var score: Double
    @Persisted var list: List<Int>
    override class func compoundIndexes() -> [[String]] {
        [["one"], ["one", "one"], ["one", "two"], ["one", "two"], ["one", "score"], ["one", "list"], ["one", "nmae"]]
    }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class KeptPart: EmbeddedObject {
    @Persisted(primaryKey: true) var id: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PartsInSet: Object {
    @Persisted var parts: MutableSet<KeptPart>
    @Persisted var keys: List<Int>
    override class func indexedProperties() -> [String] { ["keys", "no property"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Unindexable: Object {
    @Persisted var data: Data
    @Persisted var float: Float?
    @Persisted var decimal: Decimal128
    @Persisted var dog: Dog?
    @Persisted var set: MutableSet<Int>
    @Persisted var map: Map<String, Int>
    override class func indexedProperties() -> [String] { ["data", "float", "decimal", "dog", "set", "map"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class and a property whose names in the file are given.
class LongNames: Object {
    @Persisted var value: Int
    class var names: (ofClass: String, ofProperty: String) {
        (String(repeating: "c", count: 57), String(repeating: "p", count: 63))
    }
    override class func _realmObjectName() -> String? { names.ofClass }
    override class func propertiesMapping() -> [String: String] { ["value": names.ofProperty] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// As many bytes, but fewer letters.
class LongNamesOfTwoBytes: LongNames {
    override class var names: (ofClass: String, ofProperty: String) {
        (String(repeating: "ä", count: 28) + "c", String(repeating: "ß", count: 31) + "p")
    }
}

/// Few letters, and a byte too many.
class TooLongNames: LongNames {
    override class var names: (ofClass: String, ofProperty: String) {
        (String(repeating: "ä", count: 29), String(repeating: "ß", count: 32))
    }
}

class Keyed<Value: _Persistable>: Object where Value.PersistedType: _PrimaryKey {
    @Persisted(primaryKey: true) var key: Value
    @Persisted var number: Int
}

class Indexed<Value: _Persistable>: Object where Value.PersistedType: _Indexable {
    @Persisted(indexed: true) var value: Value
}

@Suite struct SchemaValidationTests {
    static let broken: [(types: [ObjectBase.Type], message: String)] = [
        ([TwoKeys.self], "class TwoKeys has 2 primary keys (one, two)"),
        ([NameAgain.self], "property NameAgain.name is declared twice, by the class and by one it inherits from"),
        ([BoolKey.self], "property BoolKey.flag is of type bool, which cannot be a primary key"),
        ([NothingStored.self], "class NothingStored has no persisted properties"),
        ([DoubleIndex.self], "property DoubleIndex.score is of type double, which cannot be indexed"),
        ([RequiredLink.self, Dog.self, Person.self], "RequiredLink.dog links to one object and must be Optional"),
        ([NoOrigin.self, Dog.self, Person.self], "has the origin Person.missing, which does not exist"),
        ([WrongOrigin.self, Dog.self, Person.self], "which links to Dog instead of WrongOrigin"),
        (
            [UnorderedLink.self, Dog.self, Person.self],
            "UnorderedLink.links has the origin Dog.name, which is of type string instead of UnorderedLink; "
                + "add a link to UnorderedLink to Dog"
        ),
        ([Loner.self], "Loner.dog links to class Dog, which is not in the schema; add Dog.self to objectTypes"),
        ([ANameOfAClassThatIsJustOneByteLongerThanFiftySevenBytesXXX.self], "at most 57 are allowed"),
        ([LongPropertyName.self], "at most 63 are allowed"),
        ([Nameless.self], "class Nameless has an empty name"),
        (
            [WrongKeyName.self],
            "WrongKeyName.primaryKey() returns \"kye\", which is no persisted property of WrongKeyName; "
                + "name one of [\"key\"]"
        ),
        (
            [MarkedLater.self],
            "MarkedLater.primaryKey() returns \"key\", which is no persisted property of MarkedLater; "
                + "mark it with @Persisted"
        ),
        ([KeptPart.self], "class KeptPart is embedded and cannot have a primary key; remove primaryKey from id"),
    ]

    @Test(arguments: broken.indices)
    func `S2 S4 S6 S7 S9 S10 S12 S19 S98: a schema that breaks a rule is refused with its name`(index: Int) {
        let (types, message) = Self.broken[index]
        let configuration = Realm.Configuration(inMemoryIdentifier: "invalid-\(index)", objectTypes: types)
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("\n") == false, "one mistake is told in one line")
    }

    @Test(
        """
        Differs from Realm: mistakes in model classes make opening a realm throw, with all of them in one message; \
        Realm raises an exception for one class or for one mistake at a time. A program can report them, and they are mended \
        in one run.
        """)
    func allMistakesAtOnce() {
        let types: [ObjectBase.Type] = [
            WrongKeyName.self, Person.self, TwoKeys.self, PartsInSet.self, KeptPart.self, WronglyMapped.self,
            WrongIndexes.self,
        ]
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "mistakes", objectTypes: types))
        }
        #expect(error?.code == .invalidInput)
        let missing = "add Dog.self to objectTypes, or let its shouldIncludeInDefaultSchema() return true"
        #expect(
            error?.message == """
                The schema is invalid: 17 mistakes:
                - class KeptPart is embedded and cannot have a primary key; remove primaryKey from id
                - property PartsInSet.parts is a set of embedded objects, which only lists and maps can hold; \
                use List<KeptPart>
                - property PartsInSet.keys is a list, which cannot be indexed; remove `indexed: true`, or its name \
                from indexedProperties()
                - property Person.dog links to class Dog, which is not in the schema; \(missing)
                - property Person.dogs links to class Dog, which is not in the schema; \(missing)
                - class TwoKeys has 2 primary keys (one, two); keep one
                - WrongIndexes.compoundIndexes() has ["one"], but an index is of 2 to 8 properties; one alone is \
                marked `indexed: true`
                - WrongIndexes.compoundIndexes() has a property twice in ["one", "one"]; remove one
                - property WrongIndexes.score is of type double, which cannot be part of a compound index; remove it \
                from compoundIndexes()
                - property WrongIndexes.list is a list, which cannot be part of a compound index; remove it from \
                compoundIndexes()
                - WrongIndexes.compoundIndexes() names "nmae", which is no persisted property of WrongIndexes; name \
                one of ["one", "two", "score", "list"], or mark it with @Persisted
                - WrongIndexes.compoundIndexes() has an index twice; remove one
                - WrongKeyName.primaryKey() returns "kye", which is no persisted property of WrongKeyName; name one of \
                ["key"]
                - WronglyMapped.propertiesMapping() names "five", which is no persisted property of WronglyMapped; \
                name one of ["one", "two", "three"]
                - WronglyMapped.propertiesMapping() names "four", which is no persisted property of WronglyMapped; \
                name one of ["one", "two", "three"]
                - properties WronglyMapped.one and WronglyMapped.two are both stored as "two"; change \
                propertiesMapping()
                - property WronglyMapped.three has an empty name in propertiesMapping(); give it another.
                """)
    }

    @Test func `S6: a class of nothing but linking objects is accepted`() throws {
        try withRealm([OnlyLinkedTo.self, LinkingThere.self]) { realm in
            let origin = LinkingThere(), target = OnlyLinkedTo()
            origin.target = target
            try realm.write { realm.add(origin) }
            #expect(target.realm == realm && target.count == 1 && realm.objects(OnlyLinkedTo.self).count == 1)
        }
    }

    @Test func `S10 S12: keys and indexes of every type that may be one, and of their Optionals`() throws {
        func key<Value: _Persistable>(_: Value.Type, _ type: PropertyType) throws
        where Value.PersistedType: _PrimaryKey {
            let schema = try #require(Keyed<Value>.sharedSchema())
            #expect(schema.primaryKeyProperty?.type == type && schema["key"]?.isIndexed == true)
            try withRealm([Keyed<Value>.self]) { realm in #expect(realm.schema.objectSchema == [schema]) }
        }
        func index<Value: _Persistable>(_: Value.Type, _ type: PropertyType) throws
        where Value.PersistedType: _Indexable {
            try withRealm([Indexed<Value>.self]) { realm in
                let property = try #require(realm.schema.objectSchema.first?["value"])
                #expect(property.isIndexed && !property.isPrimaryKey && property.type == type)
            }
        }
        try key(Int.self, .int)
        try key(Int8?.self, .int)
        try key(Int16.self, .int)
        try key(Int32.self, .int)
        try key(Int64?.self, .int)
        try key(String.self, .string)
        try key(String?.self, .string)
        try key(UUID.self, .UUID)
        try key(UUID?.self, .UUID)
        try key(ObjectId.self, .objectId)
        try key(ObjectId?.self, .objectId)
        try key(Mood?.self, .string)
        try key(Serial?.self, .int)
        try index(Bool?.self, .bool)
        try index(Date.self, .date)
        try index(Date?.self, .date)
        try index(Int16?.self, .int)
        try index(String?.self, .string)
        try index(UUID?.self, .UUID)
        try index(ObjectId?.self, .objectId)
        try index(AnyRealmValue.self, .any)
        try index(Rank?.self, .int)
        try index(Serial.self, .int)
    }

    @Test func `S10: objects are found by keys of every type, and each key is there once`() throws {
        func find<Value: _Persistable>(_ keys: [Value], not missing: Value) throws
        where Value.PersistedType: _PrimaryKey {
            try withRealm([Keyed<Value>.self]) { realm in
                func create(_ number: Int, _ key: Value) {
                    realm.create(Keyed<Value>.self, value: ["key": key, "number": number] as [String: Any])
                }
                try realm.write { for (number, key) in keys.enumerated() { create(number, key) } }
                for (number, key) in keys.enumerated() {
                    #expect(realm.object(ofType: Keyed<Value>.self, forPrimaryKey: key)?.number == number, "\(key)")
                    #expect(throws: Realm.Error(.invalidInput, "")) { try realm.write { create(0, key) } }
                }
                #expect(realm.object(ofType: Keyed<Value>.self, forPrimaryKey: missing) == nil)
            }
        }
        try find([Int.min, 0, .max], not: 1)
        try find([Int?.none, 0, .max], not: 1)
        try find([Int8.min, 0, .max], not: 1)
        try find([Int8?.none, 0, .min], not: 1)
        try find([Int16.min, 0, .max], not: 1)
        try find([Int32.min, 0, .max], not: 1)
        try find([Int64.min, 0, .max], not: 1)
        try find([Int64?.none, 0, .max], not: 1)
        try find(["", "a", "ä"], not: "A")
        try find([String?.none, "", "a"], not: "b")
        try find([UUID(), UUID()], not: UUID())
        try find([UUID?.none, UUID()], not: UUID())
        try find([ObjectId(), .generate()], not: .generate())
        try find([ObjectId?.none, .generate()], not: .generate())
        try find([Mood.calm, .merry], not: .cross)
        try find([Rank?.none, .high], not: .low)
        try find([Serial(persistedValue: 3), Serial(persistedValue: 4)], not: Serial(persistedValue: 5))
    }

    @Test func `S12 S13: indexedProperties() with types that cannot be indexed is refused when the realm is opened`() {
        let types = [Unindexable.self, Dog.self, Person.self]
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: .init(inMemoryIdentifier: "unindexable", objectTypes: types))
        }
        #expect(error?.code == .invalidInput)
        let refused = [
            ("data", "of type data"), ("float", "of type float"), ("decimal", "of type decimal128"),
            ("dog", "of type object"), ("set", "a set"), ("map", "a map"),
        ]
        for (name, kind) in refused {
            let text = "property Unindexable.\(name) is \(kind), which cannot be indexed"
            #expect(error?.message.contains(text) == true, "\(text) in \(error?.message ?? "")")
        }
    }

    @Test(arguments: [LongNames.self, LongNamesOfTwoBytes.self])
    func `S19: names may have 57 bytes and 63 bytes`(type: LongNames.Type) throws {
        let temporary = try TemporaryRealm([type]), names = type.names
        #expect(names.ofClass.utf8.count == 57 && names.ofProperty.utf8.count == 63)
        try autoreleasepool {
            let realm = try temporary.open()
            try realm.write { realm.create(type, value: ["value": 7]) }
        }
        let realm = try temporary.open(), object = try #require(realm.objects(type).where { $0.value == 7 }.first)
        #expect(object.objectSchema.className == names.ofClass)
        #expect(object.objectSchema["value"]?.columnName == names.ofProperty && object.value == 7)
    }

    @Test func `S19: names are measured in bytes, not in letters`() {
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: .init(inMemoryIdentifier: "too long", objectTypes: [TooLongNames.self]))
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("is 58 bytes long; at most 57 are allowed") == true)
        #expect(error?.message.contains("is 64 bytes long; at most 63 are allowed") == true)
    }

    @Test func `S3: inherited properties come first, in the order of declaration`() {
        #expect(Puppy().objectSchema.properties.map(\.name) == ["name", "age", "weeks"])
    }

    @Test func `S11 S15 S18: what the schema says of properties`() {
        let schema = Person().objectSchema
        #expect(schema.className == "Person")
        #expect(schema.primaryKeyProperty?.name == "id")
        #expect(schema["id"]?.isIndexed == true)
        #expect(schema["age"]?.isIndexed == true)
        #expect(schema["name"]?.isIndexed == false)
        #expect(schema["email"]?.isOptional == true)
        #expect(schema["dog"]?.objectClassName == "Dog")
        #expect(schema["dogs"]?.isArray == true)
        #expect(schema["unknown"] == nil)
        #expect(Everything().objectSchema["mood"]?.type == .string)
        #expect(Everything().objectSchema["rank"]?.type == .int)
        #expect(Dog().objectSchema["owners"]?.linkOriginPropertyName == "dog")
        #expect(Dog().objectSchema["owners"]?.type == .linkingObjects)
    }

    @Test func `S9: primaryKey() and indexedProperties() may be overridden instead`() {
        #expect(ByOverride().objectSchema.primaryKeyProperty?.name == "key")
        #expect(ByOverride().objectSchema["other"]?.isIndexed == true)
    }
}

private enum One {
    class Twin: Object {
        @Persisted var value: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Other {
    class Twin: Object {
        @Persisted var value: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

@Suite struct ClassNameTests {
    @Test func `two classes of the same name are refused, both are named`() {
        let configuration = Realm.Configuration(inMemoryIdentifier: "twins", objectTypes: [One.Twin.self, Other.Twin.self])
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.message.contains("One") == true && error?.message.contains("Other") == true)
    }

    @Test func `S14: names of all scripts`() throws {
        class Größe: Object {
            @Persisted(indexed: true) var größe名: Int
            @Persisted var друг: Größe?
        }
        try withRealm([Größe.self]) { realm in
            try realm.write { realm.create(Größe.self, value: ["größe名": 3, "друг": ["größe名": 4]]) }
            #expect(realm.objects(Größe.self).where { $0.größe名 == 4 }.count == 1)
            #expect(realm.objects(Größe.self).where { $0.друг.größe名 == 4 }.first?.größe名 == 3)
            #expect(realm.objects(Größe.self).sorted(byKeyPath: "größe名", ascending: false).first?.größe名 == 4)
        }
    }
}
