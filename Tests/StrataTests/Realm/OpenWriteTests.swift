// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Synchronization
import Testing

/// A write that was begun on a realm that the program does not keep.
@Suite struct OpenWriteTests {
    @Test func `S79 S146: an open write keeps its realm until it ends`() throws {
        let temporary = try TemporaryRealm()
        try temporary.open().beginWrite()
        #expect(try temporary.open().isInWriteTransaction)
        try temporary.open().add(Person(1))
        try temporary.open().commitWrite()
        #expect(try temporary.open().objects(Person.self).count == 1)
        #expect(try !temporary.open().isInWriteTransaction)

        try temporary.open().beginWrite()
        try temporary.open().deleteAll()
        try temporary.open().cancelWrite()
        #expect(try temporary.open().objects(Person.self).count == 1)
    }

    @Test func `a realm whose write has ended is closed with its last reference`() throws {
        let temporary = try TemporaryRealm()
        try temporary.open().beginWrite()
        #expect(throws: Realm.Error(.alreadyOpen, "")) { try Realm.deleteFiles(for: temporary.configuration) }
        try temporary.open().commitWrite()
        #expect(try Realm.deleteFiles(for: temporary.configuration))

        try temporary.open().beginWrite()
        try temporary.open().invalidate()
        #expect(try Realm.deleteFiles(for: temporary.configuration))

        try temporary.open().beginWrite()
        try temporary.open().create(Dog.self, value: 5)
        #expect(throws: Realm.Error.self) { try temporary.open().commitWrite() }
        #expect(try Realm.deleteFiles(for: temporary.configuration))
    }

    @Test func `S149: a thread that ends while it writes gives way to the other writers`() throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        for round in 0..<20 {
            try onAnotherThread {
                try Realm(configuration: configuration).beginWrite()
                try Realm(configuration: configuration).add(Person(1000 + round))
            }
            try onAnotherThread {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.add(Person(round)) }
            }
        }
        let realm = try temporary.open()
        #expect(realm.objects(Person.self).sorted(byKeyPath: "id").map(\.id) == Array(0..<20))
        try realm.verify()
    }

    @Test func `the realm of a thread that ended while it wrote is closed`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        try onAnotherThread { try Realm(configuration: configuration).beginWrite() }
        // The thread may still be on its way out.
        for _ in 0..<1000 where Realm.fileExists(for: configuration) {
            if (try? Realm.deleteFiles(for: configuration)) == nil { try await Task.sleep(nanoseconds: 10_000_000) }
        }
        #expect(!Realm.fileExists(for: configuration))
    }

    @Test func `the end of a pool drops the writes that nobody holds`() throws {
        let temporary = try TemporaryRealm()
        try autoreleasepool {
            try temporary.open().beginWrite()
            try temporary.open().add(Person(1))
            #expect(try temporary.open().isInWriteTransaction)
        }
        #expect(try !temporary.open().isInWriteTransaction && temporary.open().isEmpty)

        let held = try temporary.open()
        autoreleasepool { held.beginWrite() }
        held.add(Person(2))
        try held.commitWrite()
        #expect(held.objects(Person.self).count == 1)

        // A write that was begun outside may end inside.
        try temporary.open().beginWrite()
        try autoreleasepool {
            try autoreleasepool { try temporary.open().add(Person(3)) }
            try temporary.open().commitWrite()
        }
        #expect(held.objects(Person.self).count == 2)
    }

    @Test func `write(withoutNotifying:) and commitWrite(withoutNotifying:) write`() throws {
        try withRealm { realm in
            try realm.write(withoutNotifying: []) { realm.add(Person(1)) }
            let none: [NotificationToken] = []
            realm.beginWrite()
            realm.add(Person(2))
            try realm.commitWrite(withoutNotifying: none)
            #expect(realm.objects(Person.self).count == 2)
        }
    }
}
