// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Statement 186, and feature E1: how each code comes about. Those that are missing here are not used.
@Suite struct ErrorCodeTests {
    private let temporary: TemporaryRealm

    init() throws { temporary = try TemporaryRealm([Person.self, Dog.self]) }

    private func code(_ body: () throws -> Void) -> Realm.Error.Code? {
        do {
            try body()
        } catch {
            return (error as? Realm.Error)?.code
        }
        return nil
    }

    private func code(opening url: URL) -> Realm.Error.Code? {
        code { try autoreleasepool { _ = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: [])) } }
    }

    private func url(_ name: String) -> URL { temporary.directory.appendingPathComponent(name) }

    @Test func `S186: codes of files`() throws {
        let files = FileManager.default
        try autoreleasepool { _ = try temporary.open() }
        #expect(code(opening: url("no/where")) == .fileNotFound)
        #expect(code(opening: temporary.url.appendingPathComponent("below")) == .fileOperationFailed)
        #expect(code(opening: temporary.directory) == .fileOperationFailed)
        try Data("text".utf8).write(to: url("text"))
        #expect(code(opening: url("text")) == .invalidDatabase)
        try files.linkItem(at: temporary.url, to: url("link"))
        #expect(code(opening: temporary.url) == .fileAccess)
        try files.removeItem(at: url("link"))

        // The format stands behind the name in the header record.
        var bytes = try Data(contentsOf: temporary.url)
        let name = Data("StrataDB".utf8)
        var found = 0, from = bytes.startIndex
        while let range = bytes.range(of: name, in: from..<bytes.endIndex) {
            bytes[range.upperBound] = 99
            (found, from) = (found + 1, range.upperBound)
        }
        #expect(found > 0)
        try bytes.write(to: url("newer"))
        #expect(code(opening: url("newer")) == .unsupportedFileFormatVersion)

        let realm = try temporary.open()
        #expect(code { try realm.writeCopy(toFile: url("text")) } == .fileExists)
        #expect(code { try Realm.deleteFiles(for: temporary.configuration) } == .alreadyOpen)
        #expect(code { try realm.write { realm.add([Person(1), Person(1)]) } } == .invalidInput)
        #expect(code { try realm.read(within: 0) { _ = realm.objects(Person.self).filter("age > 3").count } }
            == .interrupted)
    }

    @Test func `errors that a program makes`() {
        #expect(Realm.Error(.fail).message == "fail" && Realm.Error(.fail) != Realm.Error(.fileExists))
        #expect(Realm.Error(.fail, userInfo: [NSLocalizedDescriptionKey: "full"]).localizedDescription == "full")
    }

    @Test func `E2: an error as an NSError`() {
        let error = Realm.Error(.fileNotFound, "gone", fileURL: URL(fileURLWithPath: "/tmp/a.realm"))._nsError
        #expect(error.domain == "io.realm" && error.code == 5 && error.localizedDescription == "gone")
        #expect(error.userInfo[NSFilePathErrorKey] as? String == "/tmp/a.realm")
        #expect(Realm.Error(.fail)._nsError.userInfo[NSFilePathErrorKey] == nil)
    }

    @Test func `S186: files of others are not opened for writing, nor deleted, but read`() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryRealm([Person.self, Dog.self])
            try autoreleasepool {
                let realm = try temporary.open()
                try realm.write { realm.add(Person(1)) }
            }
            var configuration = temporary.configuration
            chmod(temporary.url.path, 0o444)
            chmod(temporary.directory.path, 0o555)
            if getuid() == 0 { seteuid(65534) }
            let denied = Realm.Error(.filePermissionDenied, "")
            let error = #expect(throws: denied) { try Realm(configuration: configuration) }
            #expect(error?.message.contains("needs to read and write the file, FILE-lock and the directory") == true)
            #expect(throws: denied) { try Realm.deleteFiles(for: configuration) }
            #expect(throws: denied) { try Realm.compact(configuration) }
            configuration.readOnly = true
            let count = try autoreleasepool { try Realm(configuration: configuration).objects(Person.self).count }
            #expect(count == 1)
            if getuid() == 0 { seteuid(0) }
            chmod(temporary.url.path, 0)
            if getuid() == 0 { seteuid(65534) }
            #expect(throws: denied) { try Realm(configuration: configuration) }
            if getuid() == 0 { seteuid(0) }
            chmod(temporary.directory.path, 0o755)
        }
    }

    @Test func `codes of versions and schemas`() throws {
        var configuration = temporary.configuration
        configuration.schemaVersion = 3
        try autoreleasepool { _ = try Realm(configuration: configuration) }
        configuration.schemaVersion = 2
        #expect(code { _ = try Realm(configuration: configuration) } == .fail)
        configuration.schemaVersion = 3
        configuration.objectTypes = [EarlierHouse.self]
        try autoreleasepool { _ = try Realm(configuration: configuration) }
        configuration.objectTypes = [LaterHouse.self]
        #expect(code { _ = try Realm(configuration: configuration) } == .schemaMismatch)
        var limited = temporary.configuration
        limited.schemaVersion = 3
        limited.maximumNumberOfActiveVersions = 1
        let realm = try Realm(configuration: limited)
        let frozen = realm.freeze()
        #expect(code { try realm.write { realm.add(Person(1)) } } == .tooManyVersions)
        _ = frozen
    }

    @Test func `codes of limits`() async {
        await #expect(processExitsWith: .success) {
            // The map is as large as the file can become.
            setenv("STRATA_MAP_SIZE", "4194304", 1)
            let temporary = try TemporaryRealm([Person.self, Dog.self]), realm = try temporary.open()
            let text = String(repeating: "x", count: 1 << 20)
            let error = #expect(throws: Realm.Error.self) {
                for id in 1...100 { try realm.write { realm.create(Person.self, value: ["id": id, "name": text]) } }
            }
            #expect(error?.code == .addressSpaceExhausted)
        }
        await #expect(processExitsWith: .success) {
            // What a full disk does to a file, a limit does for one process.
            signal(SIGXFSZ, SIG_IGN)
            let temporary = try TemporaryRealm([Person.self, Dog.self]), realm = try temporary.open()
            var limit = rlimit(rlim_cur: 4 << 20, rlim_max: 4 << 20)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let text = String(repeating: "x", count: 1 << 20)
            let error = #expect(throws: Realm.Error.self) {
                for id in 1...100 { try realm.write { realm.create(Person.self, value: ["id": id, "name": text]) } }
            }
            #expect(error?.code == .outOfDiskSpace)
        }
    }
}
