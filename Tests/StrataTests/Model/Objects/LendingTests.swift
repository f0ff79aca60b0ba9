// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite(.serialized) struct LendingTests {
    @Test func `bytes are lent from live and unmanaged objects, of every size, and nil for nil`() throws {
        try withRealm { realm in
            for size in [0, 1, 15, 100, 900, 5000, 100_000] {
                let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) }), text = String(repeating: "ä", count: size)
                let object = Everything()
                object.data = data
                object.stringOrNil = text
                func check() {
                    #expect(object.withBytes(of: \.data) { Data($0) } == data)
                    #expect(object.withBytes(of: \.dataOrNil) { $0 == nil })
                    #expect(object.withUTF8(of: \.stringOrNil) { $0.map { String(decoding: $0, as: UTF8.self) } } == text)
                    #expect(object.withUTF8(of: \.string) { $0.count } == 0)
                    #expect(object.withUTF8(named: "stringOrNil") { $0?.count } == 2 * size)
                }
                check()
                try realm.write {
                    realm.add(object)
                    check()
                }
                check()
            }
        }
    }

    @Test func `lending bytes of a live object copies nothing`() throws {
        try withRealm { realm in
            let object = try realm.write { realm.create(Everything.self, value: ["data": Data(repeating: 7, count: 900)]) }
            var sum = 0
            for _ in 0..<3 { sum += object.withBytes(of: \.data) { Int($0[899]) } }
            let addresses = (0..<3).map { _ in object.withBytes(of: \.data) { $0.baseAddress } }
            #expect(sum == 21 && addresses[0] == addresses[1] && addresses[1] == addresses[2])
        }
    }

    @Test func `lending the bytes of a number traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Everything().withBytes(named: "int") { _ in }
        }
        expect(result, says: "Everything.int is no data, so its bytes cannot be lent")
    }
}
