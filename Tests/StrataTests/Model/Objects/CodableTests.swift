// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

final class Coded: Object, Codable {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var number: Int
    @Persisted var text = "default"
    @Persisted var maybe: Double?
    @Persisted var price: Decimal128
    @Persisted var list: List<String>
    @Persisted var child: CodedChild?
    @Persisted var mood: Mood2
}

final class CodedChild: EmbeddedObject, Codable {
    @Persisted var name: String
}

enum Mood2: String, PersistableEnum, Codable { case calm, cross }

@Suite struct CodableTests {
    private let json = """
        {"id":"0123456789abcdef01234567","number":3,"text":"x","price":"1.50","list":["a","b"],"child":{"name":"c"},\
        "mood":"cross"}
        """

    @Test func `S216: models are decoded, encoded and stored`() throws {
        let object = try JSONDecoder().decode(Coded.self, from: Data(json.utf8))
        #expect(object.id.stringValue == "0123456789abcdef01234567" && object.number == 3 && object.text == "x")
        #expect(object.maybe == nil && object.price.description == "1.50" && Array(object.list) == ["a", "b"])
        #expect(object.child?.name == "c" && object.mood == .cross)
        let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(object)) as? [String: Any]
        #expect(encoded?["id"] as? String == "0123456789abcdef01234567" && encoded?["price"] as? String == "1.50")
        #expect(encoded?["list"] as? [String] == ["a", "b"])
        try withRealm([Coded.self, CodedChild.self]) { realm in
            try realm.write { realm.add(object) }
            #expect(object.realm == realm && object.child?.name == "c" && object.list.count == 2)
        }
    }

    @Test func `S216: a missing value is an error, whatever the default, unless it is Optional`() {
        let short = json.replacing("\"text\":\"x\",", with: "")
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Coded.self, from: Data(short.utf8)) }
    }

    @Test func `S216: a managed object is not encoded, a copy is`() throws {
        try withRealm([Coded.self, CodedChild.self]) { realm in
            let object = try realm.write { realm.create(Coded.self, value: ["number": 4]) }
            #expect(throws: EncodingError.self) { try JSONEncoder().encode(object) }
            let copy = try JSONEncoder().encode(Coded(value: object))
            #expect(try JSONDecoder().decode(Coded.self, from: copy).number == 4)
        }
    }

    @Test func `S216: dates and data follow the strategies of the coder`() throws {
        final class Dated: Object, Codable {
            @Persisted var date: Date
            @Persisted var maybe: Date?
            @Persisted var data: Data
            @Persisted var dates: List<Date>
            @Persisted var bytes: Map<String, Data>
        }
        let object = Dated(), moment = Date(timeIntervalSince1970: 86_400)
        object.date = moment
        object.maybe = moment
        object.data = Data([1, 2, 255])
        object.dates.append(moment)
        object.bytes["k"] = Data([7])
        let encoder = JSONEncoder(), decoder = JSONDecoder()
        encoder.outputFormatting = .sortedKeys
        for strategy in [0, 1] {
            encoder.dateEncodingStrategy = strategy == 0 ? .iso8601 : .secondsSince1970
            decoder.dateDecodingStrategy = strategy == 0 ? .iso8601 : .secondsSince1970
            encoder.dataEncodingStrategy = strategy == 0 ? .base64 : .deferredToData
            decoder.dataDecodingStrategy = strategy == 0 ? .base64 : .deferredToData
            let text = String(decoding: try encoder.encode(object), as: UTF8.self)
            let (date, data, byte) = strategy == 0
                ? ("\"1970-01-02T00:00:00Z\"", "\"AQL\\/\"", "\"Bw==\"") : ("86400", "[1,2,255]", "[7]")
            #expect(
                text
                    == "{\"bytes\":{\"k\":\(byte)},\"data\":\(data),\"date\":\(date),"
                    + "\"dates\":[\(date)],\"maybe\":\(date)}")
            let back = try decoder.decode(Dated.self, from: Data(text.utf8))
            #expect(back.date == moment && back.maybe == moment && back.data == object.data)
            #expect(Array(back.dates) == [moment] && back.bytes["k"] == Data([7]))
        }
    }

    @Test func `S216: sets are arrays, maps objects, numbers numbers`() throws {
        final class Mixed: Object, Codable {
            @Persisted var set: MutableSet<Int>
            @Persisted var map: Map<String, Int?>
            @Persisted var small: Int8
            @Persisted var rank: Float?
        }
        let json = #"{"map":{"a":1,"b":null},"rank":null,"set":[3],"small":-4}"#
        let object = try JSONDecoder().decode(Mixed.self, from: Data(json.utf8)), encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(object.set.contains(3) && object.map.keys == ["a", "b"] && object.map["b"] == .some(nil))
        #expect(String(decoding: try encoder.encode(object), as: UTF8.self) == json)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Mixed.self, from: Data(json.replacing("-4", with: "400").utf8))
        }
    }

    @Test func `S216: boxes are encoded as their values`() throws {
        let property = RealmProperty<Int?>()
        #expect(String(decoding: try JSONEncoder().encode(property), as: UTF8.self) == "null")
        property.value = 3
        #expect(String(decoding: try JSONEncoder().encode(property), as: UTF8.self) == "3")
        #expect(try JSONDecoder().decode(RealmOptional<Int>.self, from: Data("5".utf8)).value == 5)
    }
}
