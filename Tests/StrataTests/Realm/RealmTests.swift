// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct RealmTests {
    struct Stop: Error {}

    @Test func `S145: write returns the value of the closure and rolls back what it throws from`() throws {
        try withRealm { realm in
            let five = try realm.write { 5 }
            #expect(five == 5)
            #expect(throws: Stop.self) {
                try realm.write {
                    realm.add(Person(1))
                    throw Stop()
                }
            }
            #expect(realm.isEmpty && !realm.isInWriteTransaction)
        }
    }

    @Test func `S146: the closure may end the transaction itself`() throws {
        try withRealm { realm in
            try realm.write {
                realm.add(Person(1))
                realm.cancelWrite()
            }
            #expect(realm.isEmpty)
            try realm.write {
                realm.add(Person(1))
                try realm.commitWrite()
            }
            #expect(realm.objects(Person.self).count == 1)
        }
    }

    @Test func `S144 S148: nested and missing transactions trap`() async {
        let nested = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in try realm.write { try realm.write {} } }
        }
        expect(nested, says: "begun inside of another")
        let begun = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in try realm.write { realm.beginWrite() } }
        }
        expect(begun, says: "begun inside of another")
        let missing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in try realm.commitWrite() }
        }
        expect(missing, says: "commitWrite() outside of a write transaction")
        let cancelled = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in realm.cancelWrite() }
        }
        expect(cancelled, says: "cancelWrite() outside of a write transaction")
    }

    @Test func `S147: beginWrite moves to the newest version`() throws {
        let temporary = try TemporaryRealm()
        let realm = try temporary.open(), configuration = temporary.configuration
        #expect(realm.isEmpty)  // from here on it shows one version
        try onAnotherThread {
            let other = try Realm(configuration: configuration)
            try other.write { other.add(Person(1)) }
        }
        #expect(realm.isEmpty)
        realm.beginWrite()
        #expect(realm.objects(Person.self).count == 1)
        realm.cancelWrite()
    }

    @Test func `S151: the same configuration on the same thread is the same realm`() throws {
        let temporary = try TemporaryRealm()
        let realm = try temporary.open()
        #expect(try temporary.open() == realm)
        let configuration = temporary.configuration
        nonisolated(unsafe) let first = realm
        #expect(try onAnotherThread { try Realm(configuration: configuration) != first })
    }

    @Test("""
        Differs from Realm: opening a file that is open on the same thread with another schema version, or in another \
        mode, throws; Realm raises an exception of Objective-C, which Swift cannot catch.
        """)
    func otherOptionsOnTheSameThread() throws {  // S185
        let temporary = try TemporaryRealm()
        let realm = try temporary.open()
        var other = temporary.configuration
        other.schemaVersion = 3
        #expect(throws: Realm.Error(.alreadyOpen, "")) { try Realm(configuration: other) }
        other.objectTypes = [Everything.self]
        #expect(throws: Realm.Error(.alreadyOpen, "")) { try Realm(configuration: other) }
        other.schemaVersion = temporary.configuration.schemaVersion
        #expect(try Realm(configuration: other) != realm)
    }

    @Test func `S185 S186: files that cannot be used`() throws {
        let temporary = try TemporaryRealm()
        var configuration = temporary.configuration
        configuration.readOnly = true
        do {
            _ = try Realm(configuration: configuration)
            Issue.record("a missing file was opened")
        } catch Realm.Error.fileNotFound {
        }
        try Data("This is not a realm at all. ".utf8).write(to: temporary.url)
        #expect(throws: Realm.Error(.invalidDatabase, "")) { try temporary.open() }
        #expect(throws: Realm.Error(.fileOperationFailed, "")) {
            try Realm(fileURL: temporary.url.appendingPathComponent("below"))
        }
        let error = #expect(throws: Realm.Error.self) {
            try Realm(fileURL: temporary.directory.appendingPathComponent("no/such/directory.realm"))
        }
        #expect(error?.code == .fileNotFound && error?.message.contains("no/such") == true)
    }

    @Test func `S187: realms in memory share by name and vanish`() throws {
        let name = UUID().uuidString
        let configuration = Realm.Configuration(inMemoryIdentifier: name, objectTypes: [Person.self, Dog.self])
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Person(1)) }
            #expect(try onAnotherThread { try Realm(configuration: configuration).objects(Person.self).count } == 1)
        }
        #expect(try Realm(configuration: configuration).isEmpty)
    }

    @Test func `S187: a file and a name in memory exclude each other`() {
        var configuration = Realm.Configuration()
        #expect(configuration.fileURL?.lastPathComponent == "default.realm")
        configuration.inMemoryIdentifier = "x"
        #expect(configuration.fileURL == nil && configuration.inMemoryIdentifier == "x")
        configuration.fileURL = URL(fileURLWithPath: "/tmp/x.realm")
        #expect(configuration.inMemoryIdentifier == nil)
    }

    @Test func `S148: writing to a read-only realm traps, reading works`() async throws {
        let temporary = try TemporaryRealm()
        do {
            let realm = try temporary.open()
            try realm.write { realm.add(Person(1)) }
        }
        var configuration = temporary.configuration
        configuration.readOnly = true
        let readOnly = configuration
        #expect(try onAnotherThread { try Realm(configuration: readOnly).objects(Person.self).count } == 1)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm()
            _ = try onAnotherThread { [configuration = temporary.configuration] in
                try Realm(configuration: configuration).isEmpty
            }
            var configuration = temporary.configuration
            configuration.readOnly = true
            try Realm(configuration: configuration).beginWrite()
        }
        expect(result, says: "the realm is open for reading only")
    }

    @Test func `durability is one for all realms of a file, and means nothing without one`() throws {
        let temporary = try TemporaryRealm()
        var relaxed = temporary.configuration
        relaxed.durability = .relaxed
        #expect(temporary.configuration.durability == .full)
        do {
            let realm = try Realm(configuration: relaxed)
            try realm.write { realm.add(Person(1)) }
            try realm.flush()
            #expect(try Realm(configuration: relaxed) == realm)
            let here = #expect(throws: Realm.Error.self) { try temporary.open() }
            #expect(here?.code == .alreadyOpen && here?.message.contains("durability: .relaxed") == true)
            let there = #expect(throws: Realm.Error.self) {
                try onAnotherThread { [configuration = temporary.configuration] in
                    _ = try Realm(configuration: configuration)
                }
            }
            #expect(there?.code == .alreadyOpen && there?.message.contains("relaxed durability") == true)
            let count = try onAnotherThread { [relaxed] in
                try Realm(configuration: relaxed).objects(Person.self).count
            }
            #expect(count == 1)
        }
        #expect(try temporary.open().objects(Person.self).count == 1)

        var readOnly = temporary.configuration, otherwise = relaxed
        readOnly.readOnly = true
        otherwise.readOnly = true
        let reading = try Realm(configuration: readOnly)
        #expect(try Realm(configuration: otherwise) == reading)
        #expect(throws: Realm.Error(.fileAccess, "")) { try reading.flush() }

        readOnly.inMemoryIdentifier = UUID().uuidString
        readOnly.readOnly = false
        otherwise = readOnly
        otherwise.durability = .relaxed
        let inMemory = try Realm(configuration: readOnly)
        #expect(try Realm(configuration: otherwise) == inMemory)
        try inMemory.flush()
    }

    @Test func `S20 S195: tables of unknown classes are kept`() throws {
        let temporary = try TemporaryRealm()
        do {
            let realm = try temporary.open()
            try realm.write { realm.add(Person(1)) }
        }
        do {
            let part = try Realm(
                configuration: Realm.Configuration(fileURL: temporary.url, objectTypes: [Everything.self]))
            #expect(!part.isEmpty && part.schema["Person"] == nil)
        }
        #expect(try temporary.open().objects(Person.self).count == 1)
    }

    @Test func `S20: classes may come in another order than the file has them`() throws {
        let temporary = try TemporaryRealm()
        try autoreleasepool {
            let realm = try temporary.open()
            try realm.write {
                realm.create(Everything.self, value: ["string": "all"])
                realm.create(Person.self, value: ["id": 1, "name": "Ada", "dog": ["Rex"], "dogs": [["Bo"], ["Al"]]])
            }
        }
        for types in [temporary.types.reversed(), [Dog.self, Everything.self, Person.self]] as [[ObjectBase.Type]] {
            let realm = try Realm(configuration: .init(fileURL: temporary.url, objectTypes: types))
            let person = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
            #expect(realm.objects(Person.self).count == 1 && person.name == "Ada" && person.dog?.name == "Rex")
            #expect(person.dogs.map(\.name) == ["Bo", "Al"] && realm.objects(Dog.self).count == 3)
            #expect(person.dogs[0].packs.first == person && realm.objects(Everything.self).map(\.string) == ["all"])
        }
    }

    @Test func `objects stay after closing and reopening`() throws {
        let temporary = try TemporaryRealm()
        for round in 0..<5 {
            let realm = try temporary.open()
            #expect(realm.objects(Person.self).count == round * 100)
            try realm.write { for id in 0..<100 { realm.add(Person(round * 100 + id)) } }
            try realm.verify()
        }
    }

    @Test func `S149: writers of several threads take turns`() throws {
        let temporary = try TemporaryRealm()
        let realm = try temporary.open()
        try realm.write { realm.add(Person(0)) }
        let configuration = temporary.configuration
        let group = DispatchGroup()
        for _ in 0..<4 {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                for _ in 0..<50 {
                    guard let other = try? Realm(configuration: configuration) else { return }
                    try? other.write { other.object(ofType: Person.self, forPrimaryKey: 0)?.age += 1 }
                }
            }
        }
        group.wait()
        realm.refresh()
        #expect(realm.objects(Person.self).first?.age == 200)
    }
}
