// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Opening, moving on, and deleting files.
@Suite struct LifecycleTests {
    private static func addElsewhere(_ id: Int, _ configuration: Realm.Configuration) throws {
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Person(id)) }
        }
    }

    @Test(arguments: ["XDG_DATA_HOME", "HOME"])
    func `L3: Realm() makes the default file in a folder of the program`(variable: String) async throws {
        let temporary = try TemporaryRealm()
        await #expect(processExitsWith: .success) { [variable, path = temporary.directory.path as String] in
            unsetenv("XDG_DATA_HOME")
            setenv(variable, path, 1)
            let data = URL(fileURLWithPath: path).appendingPathComponent(variable == "HOME" ? ".local/share" : "")
            let program = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent
            let file = data.appendingPathComponent("\(program)/default.realm").standardizedFileURL
            #expect(Realm.Configuration.defaultConfiguration.fileURL?.path == file.path)
            #expect(!FileManager.default.fileExists(atPath: file.path))
            try autoreleasepool {
                let realm = try Realm()
                try realm.write { realm.add(Person(1)) }
                #expect(realm.configuration.fileURL?.path == file.path)
            }
            #expect(FileManager.default.fileExists(atPath: file.path))
            #expect(try onAnotherThread { try Realm().objects(Person.self).count } == 1)
            let part = Realm.Configuration(fileURL: file, objectTypes: [Dog.self, Person.self])
            Realm.Configuration.defaultConfiguration = part
            #expect(Realm.Configuration.defaultConfiguration == part)
            #expect(try Realm().schema.objectSchema.count == 2 && Realm().objects(Person.self).count == 1)
        }
        let made = FileManager.default.enumerator(atPath: temporary.directory.path)?.compactMap { $0 as? String } ?? []
        #expect(made.contains { $0.hasSuffix("/default.realm") })
    }

    @Test func `S152: refresh() tells whether the realm moved on`() throws {
        let temporary = try TemporaryRealm(), realm = try temporary.open()
        #expect(!realm.refresh())
        try Self.addElsewhere(1, temporary.configuration)
        #expect(realm.isEmpty)
        #expect(realm.refresh() && !realm.isEmpty && !realm.refresh())
        try Self.addElsewhere(2, temporary.configuration)
        realm.beginWrite()
        #expect(!realm.refresh() && realm.objects(Person.self).count == 2)
        realm.cancelWrite()
    }

    @Test func `S153: without a run loop, refresh(), a write and opening again move on`() throws {
        let temporary = try TemporaryRealm(), realm = try temporary.open(), people = realm.objects(Person.self)
        #expect(realm.autorefresh)
        try Self.addElsewhere(1, temporary.configuration)
        #expect(people.count == 0)
        #expect(try temporary.open() == realm && people.count == 1)
        try Self.addElsewhere(2, temporary.configuration)
        #expect(people.count == 1)
        try realm.write {}
        #expect(people.count == 2)
    }

    @Test func `S185: a file that is open for writing is not opened for reading on the same thread`() throws {
        let temporary = try TemporaryRealm(), realm = try temporary.open()
        var other = temporary.configuration
        other.readOnly = true
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: other) }
        #expect(error?.code == .alreadyOpen && error?.message.contains("readOnly: false") == true)
        withExtendedLifetime(realm) {}
    }

    @Test func `S190: deleteFiles removes the file and its lock, unless a thread has it open`() throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        #expect(try !Realm.deleteFiles(for: configuration))
        do {
            let realm = try temporary.open()
            try realm.write { realm.add(Person(1)) }
            let people = realm.objects(Person.self)
            #expect(throws: Realm.Error(.alreadyOpen, "")) { try Realm.deleteFiles(for: configuration) }
            #expect(throws: Realm.Error(.alreadyOpen, "")) {
                try onAnotherThread { _ = try Realm.deleteFiles(for: configuration) }
            }
            #expect(people.count == 1)
        }
        #expect(Realm.fileExists(for: configuration))
        #expect(try Realm.deleteFiles(for: configuration))
        #expect(!Realm.fileExists(for: configuration))
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.directory.path).isEmpty)
        #expect(try temporary.open().isEmpty)
        let memory = Realm.Configuration(inMemoryIdentifier: "a")
        #expect(try !Realm.deleteFiles(for: memory) && !Realm.fileExists(for: memory))
    }

    @Test func `S194: configurations are equal if file or name, key, version and mode are`() throws {
        let file = Realm.Configuration(fileURL: URL(fileURLWithPath: "/tmp/a.realm"))
        #expect(file.schemaVersion == 0 && !file.readOnly && file.objectTypes == nil && file == file)
        #expect(Realm.Configuration.defaultConfiguration.schemaVersion == 0)
        var other = file
        other.objectTypes = [Dog.self]
        other.busyTimeout = 1
        other.maximumNumberOfActiveVersions = 2
        #expect(other == file)
        other.encryptionKey = Data(count: 64)
        #expect(other != file)
        other = file
        other.schemaVersion = 1
        #expect(other != file)
        other = file
        other.readOnly = true
        #expect(other != file)
        other = file
        other.inMemoryIdentifier = "a"
        #expect(other != file)
        other.fileURL = URL(fileURLWithPath: "/tmp/a.realm")
        #expect(other == file)
    }

    @Test func `S196: isEmpty looks at the classes that the realm does not know, too`() throws {
        let temporary = try TemporaryRealm()
        let some = Realm.Configuration(fileURL: temporary.url, objectTypes: [Everything.self])
        #expect(try temporary.open().isEmpty && Realm(configuration: some).isEmpty)
        let realm = try temporary.open()
        try realm.write { realm.add(Person(1)) }
        #expect(try !Realm(configuration: some).isEmpty)
        try realm.write { realm.deleteAll() }
        #expect(try Realm(configuration: some).isEmpty)
    }

    @Test func `S197: a code catches its errors only, and errors of one code are equal`() throws {
        let missing = Realm.Configuration(fileURL: URL(fileURLWithPath: "/no/such/folder/a.realm"))
        do {
            _ = try Realm(configuration: missing)
            Issue.record("a file in no folder was opened")
        } catch Realm.Error.filePermissionDenied {
            Issue.record("the wrong code caught it")
        } catch Realm.Error.fileNotFound {
        }
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: missing) }
        #expect(error?.fileURL?.path == "/no/such/folder/a.realm" && error == Realm.Error(.fileNotFound, "else"))
        #expect(error != Realm.Error(.fileAccess, error?.message ?? ""))
    }
}
