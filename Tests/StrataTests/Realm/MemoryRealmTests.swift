// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// How long a realm in memory stays when nobody holds it.
@Suite struct MemoryRealmTests {
    private static func configuration(_ name: String = UUID().uuidString) -> Realm.Configuration {
        Realm.Configuration(inMemoryIdentifier: name, objectTypes: [Person.self, Dog.self])
    }

    /// What the `setUp` of many test suites does.
    private static func setUp(_ name: String) {
        Realm.Configuration.defaultConfiguration = configuration()
        Realm.Configuration.defaultConfiguration.inMemoryIdentifier = name
    }

    private static func addPerson(_ id: Int) throws { try Realm().write { try Realm().add(Person(id)) } }

    private static func count() throws -> Int { try Realm().objects(Person.self).count }

    /// Statements 79 and 187.
    @Test(
        """
        Differs from Realm: a default realm in memory that nobody holds stays until the default configuration is set \
        again; Realm keeps it until the autorelease pool around its use is drained. Linux has no such pools.
        """)
    func defaultRealmStays() async {
        await #expect(processExitsWith: .success) {
            for name in ["one", "two", "two", "one"] {
                MemoryRealmTests.setUp(name)
                #expect(try MemoryRealmTests.count() == 0, "what an earlier test wrote is still there")
                try MemoryRealmTests.addPerson(1)
                try MemoryRealmTests.addPerson(2)
                #expect(try MemoryRealmTests.count() == 2)
                #expect(try onAnotherThread { try MemoryRealmTests.count() } == 2)
                try Realm().beginWrite()
                try Realm().delete(Realm().objects(Person.self).where { $0.id == 1 })
                try Realm().commitWrite()
                #expect(try MemoryRealmTests.count() == 1)
            }
        }
    }

    @Test func `S79: a default realm that somebody holds outlives its time as the default`() async {
        await #expect(processExitsWith: .success) {
            MemoryRealmTests.setUp("held")
            try MemoryRealmTests.addPerson(1)
            let realm = try Realm(), person = try #require(realm.objects(Person.self).first)
            MemoryRealmTests.setUp("other")
            #expect(try MemoryRealmTests.count() == 0)
            #expect(person.id == 1 && realm.objects(Person.self).count == 1)
            MemoryRealmTests.setUp("held")
            #expect(try MemoryRealmTests.count() == 1)
        }
    }

    @Test func `a realm that was open before it became the default stays, too`() async {
        await #expect(processExitsWith: .success) {
            var first: Realm? = try Realm(configuration: MemoryRealmTests.configuration("early"))
            MemoryRealmTests.setUp("early")
            try MemoryRealmTests.addPerson(1)
            first = nil
            #expect(first == nil)
            #expect(try MemoryRealmTests.count() == 1)
        }
    }

    @Test func `S187: in a pool a realm in memory stays, and is gone at its end`() throws {
        let configuration = Self.configuration()
        func add(_ id: Int) throws {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Person(id)) }
        }
        func count() throws -> Int { try Realm(configuration: configuration).objects(Person.self).count }
        try autoreleasepool {
            try add(1)
            #expect(try count() == 1)
            try autoreleasepool {
                try add(2)
                #expect(try count() == 2)
            }
            #expect(try count() == 2)
        }
        #expect(try count() == 0)
        try add(3)
        #expect(try count() == 0, "nobody holds the realm, and there is no pool")
    }

    @Test func `a pool gives what its body returns, and throws what it throws`() throws {
        struct Stop: Error {}
        let five = autoreleasepool { 5 }
        #expect(five == 5)
        let configuration = Self.configuration()
        #expect(throws: Stop.self) {
            try autoreleasepool {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.add(Person(1)) }
                throw Stop()
            }
        }
        #expect(try Realm(configuration: configuration).isEmpty)
    }

    /// The store of a realm in memory is a file without a name.
    @Test func `a server that opens one realm in memory after the other keeps none`() throws {
        func openFiles() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
                return target?.contains("/strata-") == true && target?.hasSuffix("(deleted)") == true
            }.count
        }
        let before = try openFiles()
        for _ in 0..<200 {
            let realm = try Realm(configuration: Self.configuration())
            try realm.write { realm.add(Person(1)) }
        }
        // Other tests run meanwhile, but they do not open hundreds of realms at once.
        #expect(try openFiles() < before + 100)
    }
}
