// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Plain values, and the same as another version of the class reads them.
private final class PlainWords: Object {
    @Persisted var mood: String
    @Persisted var rank: Int
    @Persisted var code: String

    override class func _realmObjectName() -> String? { "Words" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Words: Object {
    @Persisted var mood: Mood
    @Persisted var rank: Rank
    @Persisted var code: Code

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct CustomTypeTests {
    @Test func `S18: the schema shows the type that is stored`() throws {
        try withRealm(customTypes) { realm in
            let schema = try #require(realm.schema["Reading"])
            #expect(schema["serial"]?.type == .int && schema["celsius"]?.type == .double)
            #expect(schema["before"]?.isOptional == true && schema["code"]?.type == .string)
            #expect(schema["rank"]?.type == .int && schema["rank"]?.isIndexed == true)
            #expect(schema["tiny"]?.type == .int && schema["half"]?.type == .float && schema["exact"]?.type == .double)
            #expect(schema["width"]?.type == .double && schema["history"]?.isArray == true)
            #expect(schema["place"]?.type == .object && schema["place"]?.isOptional == true)
            #expect(schema.primaryKeyProperty?.name == "serial")
        }
    }

    @Test func `S21: defaults come from those of the stored type`() {
        let reading = Reading()
        #expect(reading.celsius.degrees == 0 && reading.before == nil && reading.code == nil && reading.width == 0)
        #expect(reading.tiny == .one && reading.half == .half && reading.exact == nil && reading.place.x == 0)
    }

    @Test func `S25: a default that no value can be made of traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Bad: Object { @Persisted var code: Code }
            _ = Bad().code
        }
        expect(result, says: "Code cannot be made of , the default of String")
    }

    @Test func `S49: custom values and what they are stored as are both accepted, and read back`() throws {
        try withRealm(customTypes) { realm in
            let reading = Reading()
            reading.serial = Serial(persistedValue: 1)
            reading.celsius = Celsius(20)
            reading.before = Celsius(19)
            reading.place = Place(x: 1, y: 2)
            reading.history.append(Celsius(18))
            try realm.write {
                realm.add(reading)
                realm.create(
                    Reading.self,
                    value: [
                        "serial": 2, "celsius": Celsius(21), "before": 20.5, "code": "abc", "rank": 5, "other": 7,
                        "place": Place(x: 3, y: 4), "far": ["x": 5, "y": 6], "width": 2.5, "tiny": 2, "half": Half.whole,
                        "exact": 0.2, "history": [1.5, Celsius(2.5)] as [Any],
                    ])
            }
            #expect(reading.celsius == Celsius(20) && reading.before == Celsius(19) && reading.place.y == 2)
            #expect(reading.far == nil && reading.history.first == Celsius(18))
            let other = try #require(realm.object(ofType: Reading.self, forPrimaryKey: Serial(persistedValue: 2)))
            #expect(other.celsius.degrees == 21 && other.before?.degrees == 20.5 && other.code?.text == "abc")
            #expect(other.rank == .middle && other.other?.number == 7 && other.place.x == 3 && other.far?.y == 6)
            #expect(other.width == 2.5 && other.tiny == .two && other.half == .whole && other.exact == .fifth)
            #expect(Array(other.history) == [Celsius(1.5), Celsius(2.5)])
            #expect(realm.object(ofType: Reading.self, forPrimaryKey: 1)?.serial.number == 1)
            try realm.write {
                other.celsius = Celsius(-1)
                other.before = nil
                other.place = Place(x: 9, y: 9)
                other.far = nil
                other["exact"] = 0.1
                other["code"] = nil
                other.tiny = .one
            }
            #expect(other.celsius.degrees == -1 && other.before == nil && other.place.x == 9 && other.far == nil)
            #expect(other.exact == .tenth && other.code == nil && other.tiny == .one)
            #expect(other["celsius"] as? Double == -1 && other["tiny"] as? Int8 == 1)
            #expect(realm.dynamicObjects("StoredPlace").count == 2)
        }
    }

    @Test func `S49: a stored value that no custom value can be made of fails the write`() throws {
        try withRealm(customTypes) { realm in
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write { realm.create(Reading.self, value: ["serial": 1, "code": "too long"]) }
            }
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write { realm.create(Reading.self, value: ["serial": 1, "half": 0.25]) }
            }
            #expect(realm.isEmpty)
        }
    }

    @Test func `S117: queries compare custom values`() throws {
        try withRealm(customTypes) { realm in
            try realm.write {
                for number in 0..<10 {
                    realm.create(
                        Reading.self,
                        value: ["serial": number, "celsius": Double(number), "rank": number < 5 ? 1 : 9, "other": number])
                }
            }
            let all = realm.objects(Reading.self)
            #expect(all.where { $0.celsius == Celsius(3) }.count == 1)
            #expect(all.where { $0.celsius > Celsius(3) && $0.celsius <= Celsius(5) }.count == 2)
            #expect(all.where { $0.rank == .high }.count == 5)
            #expect(all.where { $0.other.in([Serial(persistedValue: 1), Serial(persistedValue: 2), nil]) }.count == 2)
            #expect(all.where { $0.before == nil }.count == 10)
            #expect(all.where { $0.celsius.persistableValue < 2 }.count == 2)
        }
    }

    @Test func `S214: a stored value without a case reads as nil where it can`() throws {
        final class Texts: Object {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var code: String?
            override class func _realmObjectName() -> String? { "Coded" }
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        final class Codes: Object {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var code: Code?
            override class func _realmObjectName() -> String? { "Coded" }
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        let temporary = try TemporaryRealm([Texts.self])
        try autoreleased {
            let realm = try temporary.open()
            try realm.write { realm.create(Texts.self, value: ["id": 1, "code": "abcd"]) }
        }
        let realm = try Realm(configuration: Realm.Configuration(fileURL: temporary.url, objectTypes: [Codes.self]))
        #expect(realm.objects(Codes.self).first?.code == nil)
        #expect(realm.objects(Codes.self).first?.id == 1)
        #expect(realm.objects(Codes.self).first?["code"] as? String == "abcd")
    }

    @Test(
        arguments: [
            ("mood", "holds angry, which is no case of Mood; add the case, or make the property Optional"),
            ("rank", "holds 2, which is no case of Rank; add the case, or make the property Optional"),
            ("code", "holds abcd, which no Code can be made of; make the property Optional, or accept the value in"),
        ])
    func `S214: a stored value without a case stops the program where it cannot be nil`(
        property: (name: String, message: String)
    ) async {
        let name = property.name
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [name = name as String] in
            let temporary = try TemporaryRealm([PlainWords.self])
            try autoreleasepool {
                let realm = try temporary.open()
                try realm.write { realm.create(PlainWords.self, value: ["angry", 2, "abcd"]) }
            }
            let realm = try Realm(configuration: .init(fileURL: temporary.url, objectTypes: [Words.self]))
            let words = realm.objects(Words.self)[0]
            // By its name it can be read.
            guard words["mood"] as? String == "angry", words["rank"] as? Int == 2 else { return }
            switch name {
            case "mood": print(words.mood)
            case "rank": print(words.rank)
            default: print(words.code)
            }
        }
        expect(result, says: "Words.\(name) \(property.message)")
    }

    @Test func `S213: by its name, a custom value and what is stored for it are both set`() throws {
        try withRealm(customTypes) { realm in
            let stored: [String: Any] = ["celsius": 4.5, "before": 3, "code": "abc", "rank": 9, "place": [1, 2]]
            let values: [String: Any] = [
                "celsius": Celsius(4.5), "before": Celsius(3), "code": Code(persistedValue: "abc") as Any,
                "rank": Rank.high, "place": Place(x: 1, y: 2),
            ]
            let managed = try realm.write { realm.create(Reading.self) }
            for reading in [Reading(), managed] {
                for new in [stored, values] {
                    try realm.write {
                        (reading.celsius, reading.before, reading.code) = (Celsius(0), nil, nil)
                        (reading.rank, reading.place) = (.low, Place(x: 0, y: 0))
                        for (name, value) in new { reading[name] = value }
                    }
                    #expect(reading.celsius == Celsius(4.5) && reading.before == Celsius(3) && reading.rank == .high)
                    #expect(reading.code?.text == "abc" && reading.place == Place(x: 1, y: 2))
                }
            }
        }
    }

    @Test func `S213: by its name, a custom value is what is stored for it, and can be changed there`() throws {
        try withRealm(customTypes) { realm in
            let reading = Reading()
            reading.place = Place(x: 1, y: 2)
            try realm.write {
                realm.add(reading)
                (reading["place"] as? StoredPlace)?.x = 7
                reading["celsius"] = 4
            }
            #expect(reading.place == Place(x: 7, y: 2) && reading["far"] == nil && reading["before"] == nil)
            #expect(reading["celsius"] as? Double == 4 && reading["code"] == nil && reading["serial"] as? Int == 0)
            #expect((reading.value(forKey: "place") as? StoredPlace)?.realm == realm)
            #expect(reading.value(forKeyPath: "place.y") as? Double == 2)
            #expect(realm.dynamicObjects("Reading").first?.value(forKeyPath: "place.x") as? Double == 7)
        }
    }

    @Test func `S213: dynamic objects accept custom values, too`() throws {
        try withRealm(customTypes) { realm in
            let reading = try realm.write { realm.create(Reading.self) }
            let dynamic = try #require(realm.dynamicObjects("Reading").first)
            try realm.write {
                dynamic["celsius"] = Celsius(4)
                dynamic["before"] = Celsius(5)
                dynamic["history"] = [Celsius(6), Celsius(7)]
                dynamic["place"] = Place(x: 8, y: 9)
                dynamic["rank"] = Rank.high
            }
            #expect(reading.celsius == Celsius(4) && reading.before == Celsius(5) && reading.place == Place(x: 8, y: 9))
            #expect(Array(reading.history) == [Celsius(6), Celsius(7)] && dynamic["rank"] as? Int == 9)
            #expect(throws: Realm.Error(.invalidInput, "")) { try realm.write { dynamic["celsius"] = Mood.calm } }
        }
    }

    private func autoreleased(_ body: () throws -> Void) rethrows { try body() }
}
