// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct ObjectIdTests {
    @Test func `text and back`() throws {
        let id = try ObjectId(string: "0123456789abcdefFEDCBA98")
        #expect(id.stringValue == "0123456789abcdeffedcba98")
        #expect(try ObjectId(string: id.stringValue) == id)
        #expect(ObjectId().stringValue == String(repeating: "0", count: 24))
    }

    @Test(arguments: ["", "0123", "0123456789abcdefFEDCBA9", "0123456789abcdefFEDCBA98a", "0123456789abcdefFEDCBA9g"])
    func `text that is no identifier is refused`(text: String) {
        #expect(throws: Realm.Error(.invalidInput, "")) { try ObjectId(string: text) }
    }

    @Test func `generated identifiers differ, ascend and tell the time`() {
        let before = Date()
        let ids = (0..<1000).map { _ in ObjectId.generate() }
        #expect(Set(ids).count == 1000)
        #expect(abs(ids[0].timestamp.timeIntervalSince(before)) < 3)
    }

    @Test func `made of parts, in the order of its bytes`() {
        let early = ObjectId(timestamp: Date(timeIntervalSince1970: 1), machineId: 0xffffff, processId: 0xffff)
        let late = ObjectId(timestamp: Date(timeIntervalSince1970: 2), machineId: 0, processId: 0)
        #expect(early < late)
        #expect(early.stringValue.hasPrefix("00000001ffffffffff"))
        #expect(early.timestamp == Date(timeIntervalSince1970: 1))
    }

    @Test func `coded as its text`() throws {
        let id = ObjectId.generate()
        let data = try JSONEncoder().encode([id])
        #expect(String(decoding: data, as: UTF8.self) == "[\"\(id)\"]")
        #expect(try JSONDecoder().decode([ObjectId].self, from: data) == [id])
    }
}
