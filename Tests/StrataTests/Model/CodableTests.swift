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

    @Test func `S216: boxes are encoded as their values`() throws {
        let property = RealmProperty<Int?>()
        #expect(String(decoding: try JSONEncoder().encode(property), as: UTF8.self) == "null")
        property.value = 3
        #expect(String(decoding: try JSONEncoder().encode(property), as: UTF8.self) == "3")
        #expect(try JSONDecoder().decode(RealmOptional<Int>.self, from: Data("5".utf8)).value == 5)
    }
}
