// SPDX-License-Identifier: MIT

import CAllocationCount
import Foundation
import Strata
import Testing

class Letter: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var subject: String
    @Persisted var sent: Date?
    @Persisted var stamps: List<Int>
    @Persisted var answers: Letter?
    @Persisted var address: LetterAddress?
    @Persisted(originProperty: "answers") var answeredBy: LinkingObjects<Letter>

    convenience init(_ id: Int, _ subject: String) {
        self.init()
        (self.id, self.subject) = (id, subject)
    }
}

class LetterAddress: EmbeddedObject {
    @Persisted var town: String?
}

private let letterTypes: [ObjectBase.Type] = [Letter.self, LetterAddress.self]

private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

private func withLetters(_ body: (Realm, Results<Letter>) throws -> Void) throws {
    try withRealm(letterTypes) { realm in
        try realm.write {
            let first = Letter(1, "a \"quoted\" line\n")
            first.sent = Date(timeIntervalSinceReferenceDate: 0)
            first.stamps.append(objectsIn: [5, -7])
            let second = Letter(2, "Grüße")
            second.answers = first
            second.address = LetterAddress()
            second.address?.town = "Łódź"
            realm.add([first, second])
        }
        try body(realm, realm.objects(Letter.self))
    }
}

/// Objects as JSON, written by the engine.
@Suite struct ResultsJSONTests {
    @Test func `all stored properties, in the order of the result`() throws {
        try withLetters { _, letters in
            #expect(
                text(letters.sorted(by: \.id, ascending: false).jsonData()) == """
                    [{"id":2,"subject":"Grüße","sent":null,"stamps":[],"answers":1,"address":{"town":"Łódź"}},\
                    {"id":1,"subject":"a \\"quoted\\" line\\n","sent":"2001-01-01T00:00:00Z","stamps":[5,-7],\
                    "answers":null,"address":null}]
                    """)
        }
    }

    @Test func `some properties, in their order`() throws {
        try withLetters { _, letters in
            let expected = #"[{"subject":"a \"quoted\" line\n","id":1},{"subject":"Grüße","id":2}]"#
            #expect(text(letters.jsonData(of: \.subject, \.id)) == expected)
            #expect(text(letters.where { $0.id > 2 }.jsonData(of: \.id)) == "[]")
        }
    }

    @Test func `one object is an object`() throws {
        try withLetters { _, letters in
            #expect(text(letters[0].jsonData(of: \.id, \.stamps)) == #"{"id":1,"stamps":[5,-7]}"#)
            let whole = try JSONSerialization.jsonObject(with: letters[1].jsonData()) as? [String: Any]
            #expect(whole?.count == 6 && whole?["subject"] as? String == "Grüße")
            #expect(letters[1].jsonData().startIndex == 0)
        }
    }

    @Test func `lists, linking objects and frozen results`() throws {
        try withLetters { realm, letters in
            #expect(text(letters[0].answeredBy.jsonData(of: \.id)) == #"[{"id":2}]"#)
            let frozen = Frozen(letters)
            try realm.write { letters[0].subject = "other" }
            let then = try onAnotherThread { text(frozen.value.jsonData(of: \.subject)) }
            #expect(then == #"[{"subject":"a \"quoted\" line\n"},{"subject":"Grüße"}]"#)
        }
        try withRealm { realm in
            try realm.write {
                let person = realm.create(Person.self, value: ["id": 1, "dogs": [["name": "Rex", "age": 3]]])
                #expect(text(person.dogs.jsonData(of: \.name, \.age)) == #"[{"name":"Rex","age":3}]"#)  // in a write
            }
        }
    }

    @Test func `every type of property`() throws {
        try withRealm { realm in
            try realm.write { realm.create(Everything.self, value: ["int": 7, "double": 0.1, "stringOrNil": "x"]) }
            let decoded = try JSONSerialization.jsonObject(with: realm.objects(Everything.self).jsonData())
            let values = try #require((decoded as? [[String: Any]])?.first)
            #expect(values.count == 30 && values["double"] as? Double == 0.1 && values["intOrNil"] is NSNull)
        }
    }

    @Test func `a thousand objects make no objects`() throws {
        try withRealm { realm in
            try realm.write { for id in 0..<1000 { realm.add(Person(id, "a name that is longer than fifteen bytes")) } }
            let people = realm.objects(Person.self).where { $0.age == 0 }
            _ = people.jsonData()
            let before = allocation_count()
            let written = people.jsonData(of: \.id, \.name)
            #expect(allocation_count() - before < 200)
            #expect(written.count > 50_000)
        }
    }

    @Test func `objects that are in no realm`() async throws {
        let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Letter(1, "").jsonData()
        }
        expect(
            unmanaged,
            says: "Letter cannot be written as JSON: it is in no realm; add it, or encode it with JSONEncoder")
        let deleted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withLetters { realm, letters in
                let letter = letters[0]
                try realm.write { realm.delete(letter) }
                _ = letter.jsonData()
            }
        }
        expect(deleted, says: "cannot be written as JSON: it was deleted")
    }

    @Test func `paths through links and computed inverses`() async throws {
        let inverse = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withLetters { _, letters in _ = letters.jsonData(of: \.answeredBy) }
        }
        expect(inverse, says: "Letter.answeredBy is not stored in Letter, so that it cannot be written as JSON")
        let path = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withLetters { _, letters in _ = letters.jsonData(of: \.answers?.subject) }
        }
        expect(path, says: "Letter.answers.subject is not stored in Letter")
    }
}
