// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Has a property of every type that JSON has values for.
class Document: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var flag: Bool
    @Persisted var tiny: Int8
    @Persisted var small: Int16
    @Persisted var medium: Int32
    @Persisted var large: Int64
    @Persisted var single: Float
    @Persisted var real: Double
    @Persisted var text: String
    @Persisted var uuid: UUID
    @Persisted var price: Decimal128
    @Persisted var mood: Mood
    @Persisted var rank: Rank
    @Persisted var half: Half
    @Persisted var celsius: Celsius
    @Persisted var serial: Serial
    @Persisted var place: Place
    @Persisted var width: CGFloat
    @Persisted var anything: AnyRealmValue

    @Persisted var flagOrNil: Bool?
    @Persisted var tinyOrNil: Int8?
    @Persisted var largeOrNil: Int?
    @Persisted var singleOrNil: Float?
    @Persisted var realOrNil: Double?
    @Persisted var textOrNil: String?
    @Persisted var uuidOrNil: UUID?
    @Persisted var priceOrNil: Decimal128?
    @Persisted var moodOrNil: Mood?
    @Persisted var rankOrNil: Rank?
    @Persisted var celsiusOrNil: Celsius?
    @Persisted var code: Code?
    @Persisted var far: Place?
    @Persisted var date: Date?
    @Persisted var data: Data?

    @Persisted var child: Document?
    @Persisted var room: Room?
    @Persisted var flags: List<Bool>
    @Persisted var numbers: List<Int>
    @Persisted var reals: List<Double?>
    @Persisted var ranks: List<Rank>
    @Persisted var degrees: List<Celsius>
    @Persisted var places: List<Place>
    @Persisted var rooms: List<Room>
    @Persisted var mixed: List<AnyRealmValue>
    @Persisted var words: MutableSet<String>
    @Persisted var rankSet: MutableSet<Rank>
    @Persisted var counts: Map<String, Int>
    @Persisted var moods: Map<String, Mood?>
    @Persisted var dogs: Map<String, Dog?>
}

/// Values as Foundation has them, which are not those of Swift.
@Suite struct ForeignValuesTests {
    private static let types: [ObjectBase.Type] =
        houseTypes + [Document.self, StoredPlace.self, Everything.self, Lists.self]

    private static let text = """
        {"id": 1, "flag": true, "tiny": -5, "small": 300, "medium": 70000, "large": 9007199254740993, "single": 1.5,
         "real": 3, "text": "straße", "uuid": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "price": 1.25, "mood": "cross",
         "rank": 5, "half": 0.5, "celsius": 21.5, "serial": 77, "place": {"x": 1, "y": 2.5}, "width": 4,
         "anything": {"a": [1, 1.5, true, false, null, "x"], "one": 1, "zero": 0},
         "flagOrNil": false, "tinyOrNil": 1, "largeOrNil": 0, "singleOrNil": 2, "realOrNil": 0.1, "textOrNil": "",
         "uuidOrNil": null, "priceOrNil": "19.90", "moodOrNil": "merry", "rankOrNil": 9, "celsiusOrNil": 1,
         "code": "abc", "far": [3, 4], "date": null, "data": null,
         "child": {"id": 2, "child": {"id": 3, "text": "deep"}}, "room": {"name": "hall", "closet": {"label": "c"}},
         "flags": [true, false, 1, 0], "numbers": [0, 1, 2], "reals": [0, null, 1.5], "ranks": [1, 9],
         "degrees": [1, 0.5], "places": [{"x": 1, "y": 1}, [2, 2]], "rooms": [{"name": "one"}, ["two", 2]],
         "mixed": [1, "a", [true], {"k": null}],
         "words": ["b", "a", "b"], "rankSet": [9, 1, 9], "counts": {"a": 1, "b": 0}, "moods": {"x": "calm", "y": null},
         "dogs": {"rex": {"name": "Rex", "age": 3}, "none": null}, "unknown": [1, {"x": null}]}
        """

    private static func decode(_ text: String) throws -> Any { try JSONSerialization.jsonObject(with: Data(text.utf8)) }

    private func check(_ made: Document) throws {
        #expect(made.id == 1 && made.flag && made.tiny == -5 && made.small == 300 && made.medium == 70_000)
        #expect(made.large == 9_007_199_254_740_993 && made.single == 1.5 && made.real == 3 && made.text == "straße")
        #expect(made.uuid.uuidString == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F" && made.price == 1.25)
        #expect(made.mood == .cross && made.rank == .middle && made.half == .half && made.celsius.degrees == 21.5)
        #expect(made.serial.number == 77 && made.place.x == 1 && made.place.y == 2.5 && made.width == 4)
        let values = try #require(made.anything.dictionaryValue)
        #expect(values["a"]?.listValue.map(Array.init) == [1, 1.5, true, false, .none, "x"])
        #expect(values["one"]?.intValue == 1 && values["zero"]?.intValue == 0, "numbers are no truth values")
        #expect(values["a"]?.listValue?[2].boolValue == true, "truth values are no numbers")
        #expect(made.flagOrNil == false && made.tinyOrNil == 1 && made.largeOrNil == 0 && made.singleOrNil == 2)
        #expect(made.realOrNil == 0.1 && made.textOrNil == "" && made.uuidOrNil == nil && made.priceOrNil == 19.9)
        #expect(made.moodOrNil == .merry && made.rankOrNil == .high && made.celsiusOrNil?.degrees == 1)
        #expect(made.code?.text == "abc" && made.far?.y == 4 && made.date == nil && made.data == nil)
        #expect(made.child?.child?.text == "deep" && made.room?.closet?.label == "c")
        #expect(Array(made.flags) == [true, false, true, false] && Array(made.numbers) == [0, 1, 2])
        #expect(Array(made.reals) == [0, nil, 1.5] && Array(made.ranks) == [.low, .high])
        #expect(made.degrees.map(\.degrees) == [1, 0.5] && made.places.map(\.x) == [1, 2])
        #expect(made.rooms.map(\.name) == ["one", "two"] && made.mixed.count == 4)
        #expect(made.mixed[2].listValue?[0] == true)
        #expect(Set(made.words) == ["a", "b"] && Set(made.rankSet) == [.low, .high])
        #expect(made.counts["a"] == 1 && made.counts["b"] == 0)
        #expect(made.moods["x"] == .calm && made.moods["y"] == .some(nil))
        #expect(made.dogs["rex"]??.age == 3 && made.dogs["none"] == .some(nil))
    }

    @Test func `S40 S46 S47 S48 S49: objects are created from decoded JSON, with every type of property`() throws {
        try check(Document(value: try Self.decode(Self.text)))
        try withRealm(Self.types) { realm in
            let value = try Self.decode(Self.text)
            let made = try realm.write { realm.create(Document.self, value: value) }
            try check(made)
            try realm.write { realm.create(Document.self, value: value, update: .modified) }
            try check(made)
            try realm.write { realm.create(Document.self, value: value, update: .all) }
            try check(made)
            #expect(realm.objects(Document.self).count == 3)
        }
    }

    @Test func `S40: a decoded array has the values in the order of the properties`() throws {
        try withRealm { realm in
            let value = try Self.decode("[7, \"Ada\", 36, 1.5, null, [\"Rex\", 3], [{\"name\": \"Bo\"}]]")
            let made = try realm.write { realm.create(Person.self, value: value) }
            #expect(made.id == 7 && made.name == "Ada" && made.age == 36 && made.score == 1.5 && made.email == nil)
            #expect(made.dog?.age == 3 && made.dogs.first?.name == "Bo")
        }
    }

    /// The properties that accept nil. A place is stored as an object, which can be nil, and cannot be nil itself.
    private static func namesOfNullable(_ object: Document) -> [String] {
        var names: [String] = []
        for property in object.objectSchema.properties {
            let accepts = property.isOptional || property.isArray || property.isSet || property.isMap
            if (accepts && property.name != "place") || property.type == .any { names.append(property.name) }
        }
        return names
    }

    @Test func `S45: NSNull is nil for everything that can be nil, and an empty collection`() throws {
        try withRealm(Self.types) { realm in
            let made = try realm.write { realm.create(Document.self, value: try Self.decode(Self.text)) }
            var value: [String: Any] = ["id": 1]
            for name in Self.namesOfNullable(made) { value[name] = NSNull() }
            try realm.write { realm.create(Document.self, value: value, update: .modified) }
            #expect(made.flagOrNil == nil && made.moodOrNil == nil && made.celsiusOrNil == nil && made.far == nil)
            #expect(made.child == nil && made.room == nil && made.anything == .none && made.place.x == 1)
            #expect(made.flags.isEmpty && made.words.isEmpty && made.counts.isEmpty && made.rooms.isEmpty)
        }
    }

    static let wrong: [(String, String)] = [
        ("{\"flag\": 2}", "Document.flag holds Bool, and 2 of type NSNumber is a number other than 0 and 1"),
        ("{\"tiny\": 300}", "Document.tiny holds Int8, and 300 of type NSNumber is not between -128 and 127"),
        ("{\"id\": 1.5}", "Document.id holds Int, and 1.5 of type NSNumber is no whole number"),
        ("{\"id\": \"1\"}", "Document.id holds Int, and \"1\" of type String is no number"),
        ("{\"real\": true}", "Document.real holds Double, and true of type Bool is no number"),
        ("{\"text\": 3}", "Document.text holds String, and 3 of type NSNumber is none"),
        ("{\"text\": null}", "Document.text holds String, which cannot be nil"),
        ("{\"rank\": 2}", "Document.rank holds Rank, and 2 of type NSNumber is the raw value of no case; they are"),
        ("{\"mood\": 2}", "Document.mood holds Mood, and 2 of type NSNumber is none"),
        ("{\"mood\": null}", "Document.mood holds Mood, which cannot be nil"),
        ("{\"celsius\": \"hot\"}", "Document.celsius holds Celsius, and \"hot\" of type String is no number"),
        ("{\"place\": null}", "Document.place holds Place, which cannot be nil"),
        ("{\"child\": {\"numbers\": [1, \"x\"]}}", "Document.child.numbers[1] holds Int, and \"x\" of type String"),
        ("{\"counts\": {\"k\": 1.5}}", "Document.counts[\"k\"] holds Int, and 1.5 of type NSNumber is no whole number"),
        ("{\"uuid\": \"x\"}", "Document.uuid holds UUID, and \"x\" of type String is not the text of a UUID"),
        ("{\"date\": \"2026-01-01\"}", "Document.date holds Date?, and \"2026-01-01\" of type String is none"),
        ("3", "Document is made of a dictionary, an array or an object, not of 3 of type NSNumber"),
        ("null", "Document is made of a dictionary, an array or an object, not of nil"),
    ]

    @Test(arguments: wrong)
    func `S42 S46 S47 S48 S49: decoded JSON that does not fit fails the write`(text: String, message: String) throws {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        try withRealm(Self.types) { realm in
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(Document.self, value: value) }
            }
            #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
            #expect(realm.isEmpty)
        }
    }

    @Test func `S47: numbers of Foundation fit where their values do`() throws {
        let numbers: [(NSNumber, Int?, Double?)] = [
            (NSNumber(value: 5 as Int8), 5, 5), (NSNumber(value: 1 as Int8), 1, 1), (NSNumber(value: 5 as UInt8), 5, 5),
            (NSNumber(value: -5 as Int16), -5, -5), (NSNumber(value: 5 as Int32), 5, 5),
            (NSNumber(value: 5 as UInt32), 5, 5), (NSNumber(value: 5 as Int64), 5, 5),
            (NSNumber(value: 5 as UInt64), 5, 5), (NSNumber(value: 5 as Float), 5, 5), (NSNumber(value: 5.5), nil, 5.5),
            (NSNumber(value: 1.5 as Float), nil, 1.5), (NSNumber(value: UInt64.max), nil, 18_446_744_073_709_551_616),
            (NSDecimalNumber(string: "7"), 7, 7), (NSDecimalNumber(string: "7.5"), nil, 7.5),
            (NSNumber(value: 1e300), nil, 1e300), (NSNumber(value: true), 1, nil),
        ]
        for (number, int, double) in numbers {
            try withRealm { realm in
                for (name, fits) in [("int", int != nil), ("double", double != nil), ("intOrNil", int != nil)] {
                    realm.beginWrite()
                    let made = realm.create(Everything.self, value: [name: number])
                    if fits, name == "int" { #expect(made.int == int) }
                    if fits, name == "double" { #expect(made.double == double) }
                    if fits, name == "intOrNil" { #expect(made.intOrNil == int) }
                    let isKept = (try? realm.commitWrite()) != nil
                    #expect(isKept == fits, "\(name) \(number)")
                }
            }
        }
    }

    @Test func `S40 S48: texts, dates, data, identifiers and collections of Foundation`() throws {
        let uuid = UUID(), date = Date(timeIntervalSince1970: 5), data = Data([1, 2])
        let value = NSDictionary(dictionary: [
            "string": NSString(string: "text"), "date": NSDate(timeIntervalSince1970: 5), "data": NSData(data: data),
            "uuid": NSUUID(uuidString: uuid.uuidString)!, "mood": NSString(string: "merry"), "rank": NSNumber(value: 9),
            "stringOrNil": NSNull(), "bool": NSNumber(value: true),
        ])
        try withRealm(Self.types) { realm in
            let made = try realm.write { realm.create(Everything.self, value: value) }
            #expect(made.string == "text" && made.date == date && made.data == data && made.uuid == uuid)
            #expect(made.mood == .merry && made.rank == .high && made.stringOrNil == nil && made.bool)
            let lists = try realm.write {
                realm.create(
                    Lists.self,
                    value: [
                        "ints": NSArray(array: [1, 2]), "strings": NSSet(array: ["x"]), "ranks": NSArray(array: [1, 9]),
                    ])
            }
            #expect(Array(lists.ints) == [1, 2] && Array(lists.strings) == ["x"] && Array(lists.ranks) == [.low, .high])
            try realm.write { made["int"] = NSNumber(value: 12) }
            #expect(made.int == 12)
        }
    }

    @Test func `primary keys of Foundation find objects`() throws {
        try withRealm(customTypes) { realm in
            try realm.write { realm.create(Reading.self, value: ["serial": 7]) }
            #expect(realm.object(ofType: Reading.self, forPrimaryKey: NSNumber(value: 7))?.serial.number == 7)
        }
    }
}
