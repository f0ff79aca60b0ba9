// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Writes that do not get their turn in time.
@Suite struct BusyTests {
    private func expectBusy(_ body: () throws -> Void) {
        do {
            try body()
            Issue.record("the write began")
        } catch let error as Realm.Error {
            #expect(error.code == .busy)
            #expect(error.message.contains("another thread of this process has been writing to it for"))
        } catch {
            Issue.record(error)
        }
    }

    @Test func `write(within:) gives up in time`() throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        let realm = try temporary.open()
        realm.beginWrite()
        realm.add(Person(1))
        try onAnotherThread {
            let other = try Realm(configuration: configuration)
            expectBusy { try other.write(within: 0) { other.add(Person(2)) } }
            expectBusy { try other.write(within: 0.01) { other.add(Person(2)) } }
            #expect(!other.isInWriteTransaction)
            #expect(other.objects(Person.self).isEmpty)
        }
        try realm.commitWrite()
        try realm.write(within: 0) { realm.add(Person(3)) }
        #expect(realm.objects(Person.self).count == 2)
        try realm.verify()
    }

    @Test("""
        Differs from Realm: a write that does not get its turn within `busyTimeout`, a minute, throws; Realm waits for \
        ever. A program that was stopped in its write would stop all others.
        """)
    func waitsNoLongerThanConfigured() throws {
        let temporary = try TemporaryRealm()
        let configuration = {
            var configuration = temporary.configuration
            configuration.busyTimeout = 0.01
            return configuration
        }()
        let realm = try Realm(configuration: configuration)
        realm.beginWrite()
        try onAnotherThread {
            let other = try Realm(configuration: configuration)
            expectBusy { try other.write { other.add(Person(2)) } }
            other.beginWrite()
            other.add(Person(2))
            other.create(Dog.self).name = "Rex"
            other.create(Person.self, value: ["id": "two"]).age = 3
            expectBusy { try other.commitWrite() }
        }
        realm.cancelWrite()
        #expect(realm.objects(Person.self).isEmpty)
    }
}
