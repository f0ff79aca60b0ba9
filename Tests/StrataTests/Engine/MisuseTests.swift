// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

extension Realm {
    /// A function of the program, though its type is not.
    @inline(never)
    fileprivate func renameTheFirstDog() { objects(Dog.self).first?.name = "Bo" }
}

extension Array {
    @inline(never)
    fileprivate func renameAll() { for case let dog as Dog in self { dog.name = "Bo" } }
}

/// What a program prints and how it ends when it misuses the library.
@Suite struct MisuseTests {
    /// A function of the program, which the message must name.
    @inline(never)
    static func renameOutsideOfAWrite() throws {
        try withRealm { realm in
            let dog = try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
            dog.name = "Bo"
        }
    }

    @Test func `the first line says what was done, the next ones where`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MisuseTests.renameOutsideOfAWrite()
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        let message = try #require(lines.firstIndex { $0.hasPrefix("Strata: ") })
        #expect(lines[message].hasPrefix("Strata: Dog.name cannot be set outside of a write transaction; wrap it in"))
        #expect(!lines.contains { $0.contains("Misuse.swift") && $0.contains("Fatal error") })
        let callers = lines[(message + 1)...].prefix { $0.hasPrefix("    in ") }
        #expect(callers.contains { $0.contains("renameOutsideOfAWrite") }, "\(callers)")
        #expect(!callers.contains { $0.contains("in Strata.") }, "\(callers)")
    }

    @Test func `extensions of types of others are the program's`() async {
        let realm = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                try realm.write { _ = realm.create(Dog.self) }
                realm.renameTheFirstDog()
            }
        }
        expect(realm, says: "    in (extension in StrataTests):Strata.Realm.")
        expect(realm, says: "renameTheFirstDog")
        let array = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let dog = try realm.write { realm.create(Dog.self) }
                [dog].renameAll()
            }
        }
        expect(array, says: "    in (extension in StrataTests):Swift.Array.")
        expect(array, says: "renameAll")
    }

    @Test func `the process ends with the signal of fatalError`() async {
        let ours = await #expect(processExitsWith: .failure) { try MisuseTests.renameOutsideOfAWrite() }
        let theirs = await #expect(processExitsWith: .failure) { fatalError("as Swift does") }
        #expect(ours?.exitStatus == theirs?.exitStatus)
    }

    @Test func `messages of several threads are not mixed`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            for _ in 0..<4 {
                Thread.detachNewThread { try? MisuseTests.renameOutsideOfAWrite() }
            }
            try await Task.sleep(for: .seconds(600))
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        let said = lines.filter { $0.contains("Strata: ") }
        let wanted = "Strata: Dog.name cannot be set outside of a write transaction; wrap it in realm.write { }"
        #expect(!said.isEmpty && said.allSatisfy { $0 == wanted }, "\(said)")
    }
}
