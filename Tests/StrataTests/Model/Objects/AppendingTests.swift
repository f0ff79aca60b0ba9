// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct AppendingTests {
    @Test func `parts of live and unmanaged objects are changed as those of plain values`() throws {
        var random = SeededGenerator(state: testSeed("appending"))
        try withRealm { realm in
            let live = try realm.write { realm.create(Everything.self) }, plain = Everything()
            var data = Data(), text = ""
            for _ in 0..<60 {
                try realm.write {
                    for _ in 0..<5 {
                        let size = [0, 1, 99, 1024, 5000].randomElement(using: &random)!
                        let piece = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
                        let character = ["a", "ä", "€", "😀"].randomElement(using: &random)!
                        let line = String(repeating: character, count: size / 4)
                        let offset = Int.random(in: 0...data.count, using: &random)
                        for object in [live, plain] {
                            object.append(piece, to: \.data)
                            object.append(piece, to: \.dataOrNil)
                            object.write(piece, to: \.dataOrNil, at: offset)
                            object.append(line, to: \.string)
                            object.append(line, to: \.stringOrNil)
                        }
                        data += piece
                        text += line
                        #expect(live.data == data && live.dataOrNil == plain.dataOrNil)
                    }
                }
                for object in [live, plain] {
                    #expect(object.data == data && object.string == text && object.stringOrNil == text)
                }
                #expect(live.dataOrNil == plain.dataOrNil)
            }
        }
    }

    @Test func `2,000 appends in one write store the value once`() throws {
        let temporary = try TemporaryRealm(), line = String(repeating: "x", count: 100)
        let realm = try temporary.open()
        let object = try realm.write { realm.create(Everything.self) }
        func size() throws -> Int {
            try #require(FileManager.default.attributesOfItem(atPath: temporary.url.path)[.size] as? Int)
        }
        let before = try size()
        try realm.write {
            for _ in 0..<2000 {
                object.append(line, to: \.string)
                object.append(Data(line.utf8), to: \.dataOrNil)
            }
        }
        let grown = try size() - before
        #expect(grown < 3 * 2 * 2000 * 100)  // a file grows ahead; whole values would be 400 MB
        #expect(object.string.utf8.count == 200_000 && object.dataOrNil?.count == 200_000)
        try realm.verify()
    }

    @Test func `a write that is rolled back leaves the value, and one that is too large fails`() throws {
        try withRealm { realm in
            let object = try realm.write { realm.create(Everything.self, value: ["string": "abc"]) }
            realm.beginWrite()
            object.append("def", to: \.string)
            #expect(object.string == "abcdef")
            realm.cancelWrite()
            #expect(object.string == "abc")
            let most = Data(count: 1 << 24)
            do {
                try realm.write {
                    object.append(most, to: \.data)
                    object.append(Data(count: 1), to: \.data)
                    object.append("ignored", to: \.string)
                }
                Issue.record("too many bytes were stored")
            } catch let error as Realm.Error {
                #expect(error.code == .invalidInput)
                #expect(error.message.contains("Everything.data") && error.message.contains("16777217"))
            }
            #expect(object.data.isEmpty && object.string == "abc")
        }
    }

    @Test func `results notice an append`() throws {
        try withRealm { realm in
            let object = try realm.write { realm.create(Everything.self, value: ["string": "abc"]) }
            let found = realm.objects(Everything.self).where { $0.string == "abcd" }
            #expect(found.isEmpty)
            try realm.write {
                object.append("d", to: \.string)
                #expect(found.count == 1)
            }
            #expect(found.first?.string == "abcd")
        }
    }

    @Test func `appending outside of a write traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm()
            let realm = try temporary.open()
            let object = try realm.write { realm.create(Everything.self) }
            object.append("x", to: \.string)
        }
        expect(result, says: "Everything.string cannot be set outside of a write transaction")
    }

    @Test func `appending to a number, to an indexed property, or behind the end traps`() async {
        var result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Everything().append("x", toPropertyNamed: "int")
        }
        expect(result, says: "Everything.int is no string, so no part of it can be changed")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm([IndexedLog.self])
            let realm = try temporary.open()
            try realm.write { realm.create(IndexedLog.self).append("x", to: \.name) }
        }
        expect(result, says: "IndexedLog.name")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm()
            let realm = try temporary.open()
            try realm.write { realm.create(Everything.self).write(Data([1]), to: \.data, at: 1) }
        }
        expect(result, says: "Everything.data")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Everything().write(Data([1]), to: \.data, at: 1)
        }
        expect(result, says: "Everything.data has 0 bytes, so nothing begins at 1")
    }
}

class IndexedLog: Object {
    @Persisted(indexed: true) var name: String
}
