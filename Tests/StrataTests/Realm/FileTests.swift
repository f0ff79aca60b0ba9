// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Synchronization
import Testing

/// Statements 185 to 196: copies, seeds, compaction, files of others, and what is refused.
@Suite struct FileTests {
    private let temporary: TemporaryRealm
    private var configuration: Realm.Configuration { temporary.configuration }

    init() throws { temporary = try TemporaryRealm([Person.self, Dog.self]) }

    private func url(_ name: String) -> URL { temporary.directory.appendingPathComponent(name) }

    private func fill(_ count: Int = 3) throws {
        try autoreleasepool {
            let realm = try temporary.open()
            try realm.write { for id in 1...count { realm.add(Person(id)) } }
        }
    }

    /// Much that is free, and five objects.
    private func fillAndFree() throws {
        let text = String(repeating: "x", count: 1000)
        try autoreleasepool {
            let realm = try temporary.open()
            try realm.write { for id in 1...3000 { realm.add(Person(id, text)) } }
            try realm.write { realm.delete(realm.objects(Person.self).where { $0.id > 5 }) }
        }
    }

    private func size(_ url: URL) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int)
    }

    private func count(_ url: URL) throws -> Int {
        try autoreleasepool {
            var configuration = configuration
            configuration.fileURL = url
            let realm = try Realm(configuration: configuration)
            try realm.verify()
            return realm.objects(Person.self).count
        }
    }

    @Test func `S188: a copy, also of what is not committed`() throws {
        try fill()
        let realm = try temporary.open()
        try realm.writeCopy(toFile: url("one"))
        #expect(throws: Realm.Error(.fileExists, "")) { try realm.writeCopy(toFile: url("one")) }
        try realm.write {
            realm.add(Person(10))
            try realm.writeCopy(configuration: Realm.Configuration(fileURL: url("two")))
            realm.add(Person(11))
        }
        #expect(throws: Realm.Error(.fileNotFound, "")) { try realm.writeCopy(toFile: url("no/where")) }
        #expect(try count(url("one")) == 3)
        #expect(try count(url("two")) == 4)
        #expect(realm.objects(Person.self).count == 5)
        let frozen = realm.freeze()
        try realm.write { realm.deleteAll() }
        try frozen.writeCopy(toFile: url("three"))
        #expect(try count(url("three")) == 5)
    }

    @Test func `S188: a copy has no free space`() throws {
        try fillAndFree()
        try autoreleasepool { try temporary.open().writeCopy(toFile: url("small")) }
        #expect(try size(url("small")) < size(temporary.url) / 10)
        #expect(try count(url("small")) == 5)
    }

    @Test func `S187: a copy of a realm in memory`() throws {
        let realm = try Realm(configuration: Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Dog.self]))
        try realm.write {
            realm.add(Person(1))
            try realm.writeCopy(toFile: url("memory"))
        }
        #expect(try count(url("memory")) == 1)
    }

    @Test func `S189: a seed is copied if there is no file`() throws {
        try fill()
        var seeded = configuration
        seeded.fileURL = url("new")
        seeded.seedFilePath = temporary.url
        for expected in [3, 4] {
            try autoreleasepool {
                let realm = try Realm(configuration: seeded)
                #expect(realm.objects(Person.self).count == expected)
                try realm.write { realm.add(Person(100 + expected)) }
            }
        }
        #expect(try count(temporary.url) == 3)
        seeded.fileURL = url("other")
        seeded.seedFilePath = url("missing")
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: seeded) }
        #expect(error?.code == .fileNotFound && error?.message.hasPrefix("seedFilePath:") == true)
        #expect(!FileManager.default.fileExists(atPath: url("other").path))
    }

    @Test func `S191: compaction on launch`() throws {
        try fillAndFree()
        let before = try size(temporary.url), asked = Mutex<[(Int, Int)]>([])
        var compacting = configuration
        compacting.shouldCompactOnLaunch = { total, used in
            asked.withLock { $0.append((total, used)) }
            return asked.withLock { $0.count } == 2
        }
        try autoreleasepool {
            let realm = try Realm(configuration: compacting)
            #expect(try size(temporary.url) == before && realm.objects(Person.self).count == 5)
            _ = try Realm(configuration: compacting)
            #expect(asked.withLock { $0.count } == 1, "only when the process opens the file")
        }
        try autoreleasepool {
            let realm = try Realm(configuration: compacting)
            #expect(realm.objects(Person.self).count == 5)
            try realm.verify()
        }
        let after = try size(temporary.url)
        #expect(after < before, "\(after) of \(before)")
        let sizes = asked.withLock { $0 }
        #expect(sizes.count == 2 && sizes.allSatisfy { $0.0 == before && $0.1 < $0.0 && $0.1 > 0 })
        compacting.readOnly = true
        try autoreleasepool { _ = try Realm(configuration: compacting) }
        compacting.readOnly = false
        compacting.inMemoryIdentifier = UUID().uuidString
        try autoreleasepool { _ = try Realm(configuration: compacting) }
        #expect(asked.withLock { $0.count } == 2, "neither for one that is only read nor for one in memory")
    }

    @Test func `compact by itself`() throws {
        #expect(throws: Realm.Error(.fileNotFound, "")) { try Realm.compact(configuration) }
        try fill()
        try autoreleasepool {
            let realm = try temporary.open()
            #expect(throws: Realm.Error(.alreadyOpen, "")) { try Realm.compact(self.configuration) }
            _ = realm
        }
        try Realm.compact(configuration)
        #expect(try count(temporary.url) == 3)
    }

    @Test func `S188 S192: a key is refused, with what to use meanwhile`() throws {
        var encrypted = configuration
        let key = Data(repeating: 1, count: 64)
        encrypted.encryptionKey = key
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: encrypted) }
        #expect(error?.code == .invalidInput && error?.message.contains("encrypted file system or block device") == true)
        #expect(throws: Realm.Error(.invalidInput, "")) {
            try schemaVersionAtURL(temporary.url, encryptionKey: key)
        }
        #expect(!FileManager.default.fileExists(atPath: temporary.url.path))
        try fill()
        #expect(throws: Realm.Error(.invalidInput, "")) {
            try temporary.open().writeCopy(toFile: url("locked"), encryptionKey: key)
        }
        #expect(!FileManager.default.fileExists(atPath: url("locked").path))
    }

    @Test func `S192 S193: what a configuration cannot ask for stops the program`() async {
        let short = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Realm(configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: "/tmp/x"), encryptionKey: Data([1])))
        }
        expect(short, saysAll: "an encryptionKey of 1 bytes; it has 64")
        let both = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Realm(configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: "/tmp/x"), readOnly: true, deleteRealmIfMigrationNeeded: true))
        }
        expect(both, says: "deleteRealmIfMigrationNeeded together with readOnly")
    }

    @Test func `files of others are told apart`() throws {
        func refusal(_ bytes: Data) throws -> String {
            try bytes.write(to: temporary.url)
            let error = #expect(throws: Realm.Error.self) { try temporary.open() }
            #expect(error?.code == .invalidDatabase)
            return error?.message ?? ""
        }
        #expect(try refusal(Data("SQLite format 3\0".utf8) + Data(count: 4096)).contains("an SQLite database"))
        #expect(try refusal(Data(count: 16) + Data("T-DB".utf8) + Data(count: 4096)).contains("a file of Realm"))
        #expect(try refusal(Data("{\"json\": true}".utf8)).contains("some other file"))
    }

    @Test func `S185 S195: a file that is newer is read, if it has what is asked for`() throws {
        try autoreleasepool {
            let realm = try Realm(configuration: Realm.Configuration(
                fileURL: temporary.url, schemaVersion: 7, objectTypes: [WiderHouse.self]))
            try realm.write { realm.create(WiderHouse.self, value: ["id": 1, "floors": 3, "height": 5, "name": "n"] as [String: Any]) }
        }
        try autoreleasepool {
            let realm = try Realm(configuration: Realm.Configuration(
                fileURL: temporary.url, readOnly: true, schemaVersion: 1, objectTypes: [EarlierHouse.self]))
            #expect(realm.objects(EarlierHouse.self).map(\.height) == [5])
        }
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: Realm.Configuration(
                fileURL: self.temporary.url, readOnly: true, schemaVersion: 1, objectTypes: [Version1.Pet.self, Version1.Human.self,
                    Version1.Address.self]))
        }
        #expect(error?.code == .schemaMismatch)
        #expect(throws: Realm.Error(.fail, "")) {
            try Realm(configuration: Realm.Configuration(
                fileURL: self.temporary.url, schemaVersion: 1, objectTypes: [EarlierHouse.self]))
        }
    }

    @Test func `figures about a file`() throws {
        try fill(100)
        let realm = try temporary.open()
        let before = try realm.statistics()
        let size = try FileManager.default.attributesOfItem(atPath: temporary.url.path)[.size] as? Int
        #expect(before.fileSize == size && before.usedSize + before.freeSize <= before.fileSize && before.usedSize > 0)
        #expect(before.mostPins == 8192)
        try realm.write { realm.add(Person(1000)) }
        #expect(realm.objects(Person.self).count == 101)
        let after = try realm.statistics()
        #expect(after.version == before.version + 1 && after.pins == 1)
    }

    @Test(arguments: [Realm.Configuration.Durability.logged, .deferred])
    func `writes to a log are in the file once it is closed`(durability: Realm.Configuration.Durability) throws {
        var logged = configuration
        logged.durability = durability
        let log = URL(fileURLWithPath: temporary.url.path + "-log")
        do {
            let realm = try Realm(configuration: logged)
            for id in 0..<3 { try realm.write { realm.add(Person(id)) } }
            #expect(FileManager.default.fileExists(atPath: log.path))
            let seen = try onAnotherThread { [logged] in try Realm(configuration: logged).objects(Person.self).count }
            #expect(seen == 3)
            try realm.flush()
            let error = #expect(throws: Realm.Error.self) {
                try onAnotherThread { [configuration] in _ = try Realm(configuration: configuration) }
            }
            #expect(error?.code == .alreadyOpen && error?.message.contains("\(durability)") == true)
        }
        try? FileManager.default.removeItem(at: log)
        #expect(try Realm(configuration: configuration).objects(Person.self).count == 3)
    }

    @Test func `S190: deleteFiles removes everything that belongs to a file`() throws {
        try fill()
        try Data().write(to: temporary.url.appendingPathExtension("previous"))
        try Data().write(to: URL(fileURLWithPath: temporary.url.path + "-log"))
        #expect(try Realm.deleteFiles(for: configuration))
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.directory.path).isEmpty)
        #expect(try !Realm.deleteFiles(for: configuration))
    }
}
