// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Synchronization
import Testing

/// Statements 199 to 210: from one version of the classes to another.
@Suite struct MigrationTests {
    private let temporary: TemporaryRealm
    private var url: URL { temporary.url }

    init() throws {
        temporary = try TemporaryRealm([])
        try Version1.fill(temporary.url)
    }

    private func migrate(_ configuration: Realm.Configuration, _ check: (Realm) throws -> Void) throws {
        try autoreleasepool {
            let realm = try Realm(configuration: configuration)
            try check(realm)
            try realm.verify()
        }
    }

    /// How many pets the file has as the first version knows them.
    private func countPets() throws -> Int {
        try autoreleasepool { try Version1.open(url).objects(Version1.Pet.self).count }
    }

    @Test func `S199 S203 S206: a block moves values, once, and others see it when it is done`() throws {
        let calls = Mutex<[UInt64]>([])
        var configuration = Version2.configuration(url)
        configuration.migrationBlock = { migration, version in
            calls.withLock { $0.append(version) }
            Version2.block(migration, version)
        }
        for _ in 0..<2 {
            try migrate(configuration) { realm in
                let pets = realm.objects(Version2.Pet.self).sorted(by: \.title)
                #expect(pets.map(\.id) == (0..<10).map { "pet-\($0)" })
                #expect(pets.map(\.title) == (0..<10).map { "pet \($0)" })
                #expect(pets.map(\.age) == (0..<10).map { Double($0 % 5) + 0.5 })
                #expect(pets.map(\.note) == (0..<10).map { $0 % 3 == 0 ? "note" : "none" })
                #expect(pets.allSatisfy { $0.tags.count == 2 && $0.scores.count == 1 && $0.friends.first?.id == "pet-0" })
                #expect(pets.allSatisfy { $0.weight == 0 }, "zero, not the default of the class")
                #expect(realm.objects(Version2.Human.self).sorted(by: \.fullName).map(\.fullName) == ["Ann Ash", "Ben Oak"])
                #expect(realm.objects(Version2.Human.self).allSatisfy { $0.pets.count == 5 })
                #expect(realm.objects(Version2.Human.self).map { $0.home?.street } == ["Ash street", "Oak street"])
                #expect(realm.object(ofType: Version2.Pet.self, forPrimaryKey: "pet-7")?.title == "pet 7")
                #expect(realm.objects(Version2.Pet.self).where { $0.title == "pet 3" }.count == 1)
            }
        }
        #expect(calls.withLock { $0 } == [1])
        #expect(try schemaVersionAtURL(url) == 2)
    }

    /// Not only neighbours: from each version to each later one.
    @Test(arguments: [[1, 2], [1, 3], [2, 3], [1, 2, 3]])
    func `every pair of versions`(versions: [Int]) throws {
        for version in versions {
            switch version {
            case 1: continue
            case 2:
                try autoreleasepool {
                    let realm = try Realm(configuration: Version2.configuration(url))
                    #expect(realm.objects(Version2.Pet.self).count == 10)
                    try realm.verify()
                }
            default:
                try migrate(Additive.configuration(url)) { realm in
                    let pets = realm.objects(Additive.Pet.self).sorted(by: \.id)
                    #expect(pets.map(\.id) == Array(0..<10) && pets.map(\.name) == (0..<10).map { "pet \($0)" })
                    #expect(pets.map(\.age) == (0..<10).map { $0 % 5 })
                    #expect(pets.map(\.note) == (0..<10).map { $0 % 3 == 0 ? "note" : nil })
                    #expect(pets.map { Array($0.tags) } == (0..<10).map { ["a", "b\($0)"] })
                    #expect(pets.map { $0.owner?.lastName } == (0..<10).map { $0 % 2 == 0 ? "Ash" : "Oak" })
                    #expect(pets.allSatisfy { $0.scores["x"] == $0.id && $0.friends.first?.id == 0 })
                    #expect(realm.object(ofType: Additive.Pet.self, forPrimaryKey: 7)?.name == "pet 7")
                    // S209: from version 2 on, addresses are no longer embedded.
                    #expect(realm.objects(Additive.Human.self).compactMap { $0.home?.street }.sorted() == ["Ash street", "Oak street"])
                }
            }
        }
        #expect(try schemaVersionAtURL(url) == UInt64(versions.last ?? 0))
    }

    /// Files of releases, which are kept for ever: each is what `Version1.fill` wrote with that release.
    @Test func `files of every release can be opened and migrated`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Format").standardized
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("pets-") }
        #expect(names.contains("pets-0.1.0.realm"))
        for name in names {
            for configuration in [Version2.configuration(url), Additive.configuration(url), Smaller.configuration(url)] {
                try Realm.deleteFiles(for: configuration)
                try FileManager.default.copyItem(at: folder.appendingPathComponent(name), to: url)
                #expect(try countPets() == 10)
                try migrate(configuration) { realm in
                    #expect(realm.dynamicObjects("Pet").count == 10, "\(name), \(configuration)")
                }
            }
        }
        let copies = temporary.directory.appendingPathComponent("old")
        try FileManager.default.copyItem(at: folder, to: copies)
        let reports = try Realm.rehearseMigrations(ofFilesIn: copies, for: Version2.configuration(url))
        #expect(names.allSatisfy { reports[$0]?.failure == nil && reports[$0]?.counts["Pet"]?.changed == 10 })
        #expect(reports["example.c"]?.failure?.contains("is not a Strata store") == true)
    }

    @Test func `S199 S200 S201: what needs no block`() throws {
        var configuration = Realm.Configuration(fileURL: url, schemaVersion: 1, objectTypes: Additive.types)
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .schemaMismatch)
        for line in [
            "has schema version 1", "- Pet.isOld was added (bool)", "- Pet.when was added (date)",
            "- Pet.age may be nil from now on", "- Human.toy was added (link to Toy)", "Raise schemaVersion above 1",
        ] {
            #expect(error?.message.contains(line) == true, "\(error?.message ?? "") says nothing of: \(line)")
        }
        #expect(error?.message.contains("Toy is a new class") == false, "S200: new classes are accepted")
        configuration.schemaVersion = 2
        try migrate(configuration) { realm in
            let pets = realm.objects(Additive.Pet.self).sorted(by: \.id)
            #expect(pets.map(\.age) == (0..<10).map { $0 % 5 }, "S201: values stay")
            #expect(pets.allSatisfy { !$0.isOld && $0.tags.count == 2 })
            #expect(realm.objects(Additive.Pet.self).where { $0.name == "pet 4" }.map(\.id) == [4])
            try realm.write { pets[3].age = nil }
            #expect(realm.objects(Additive.Pet.self).where { $0.age == nil }.map(\.id) == [3])
        }
        #expect(throws: Realm.Error(.fail, "")) { try Version1.open(url) }  // S199: the file is newer
        #expect(!FileManager.default.fileExists(atPath: url.path + ".previous"), "nothing could be lost")
    }

    @Test func `S201: without a block, what is gone goes`() throws {
        #expect(throws: Realm.Error.self) { try Realm(configuration: Version2.configuration(url, nil)) }  // S208: keys
        #expect(try schemaVersionAtURL(url) == 1)
        try migrate(Smaller.configuration(url)) { realm in
            #expect(realm.objects(Smaller.Pet.self).sorted(by: \.id).map(\.age) == (0..<10).map { $0 % 5 })
            #expect(realm.dynamicObjects("Human").count == 2, "unknown classes stay")
        }
    }

    @Test func `S202: which objects a block is called with`() throws {
        let log = Mutex<[String]>([])
        try migrate(Smaller.configuration(url) { migration, _ in
            migration.enumerateObjects(ofType: "Nothing") { _, _ in log.withLock { $0.append("never") } }
            migration.enumerateObjects(ofType: "Human") { old, new in
                log.withLock { $0.append("human \(old?["lastName"] ?? "") \(new == nil)") }
            }
            migration.enumerateObjects(ofType: "Pet") { old, new in
                guard let id = old?["id"] as? Int, let new else { return }
                if id == 2 || id == 8 { migration.delete(new) }
                if id == 3 { migration.create("Pet", value: ["id": 100, "age": 1]) }
            }
            var ids: [Int] = []
            migration.enumerateObjects(ofType: "Pet") { old, new in
                ids.append(old?["id"] as? Int ?? -1)
                #expect(new?["id"] as? Int == ids.last)
            }
            log.withLock { [ids] in $0.append("\(ids)") }
        }) { realm in
            #expect(realm.objects(Smaller.Pet.self).sorted(by: \.id).map(\.id) == [0, 1, 3, 4, 5, 6, 7, 9, 100])
        }
        #expect(log.withLock { $0 } == ["human Ash true", "human Oak true", "[0, 1, 3, 4, 5, 6, 7, 9]"])
    }

    @Test func `S202: a class that the file did not have`() throws {
        let created = Mutex<[String]>([])
        var configuration = Realm.Configuration(fileURL: url, schemaVersion: 2, objectTypes: Additive.types)
        configuration.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Toy") { _, _ in created.withLock { $0.append("none yet") } }
            for name in ["ball", "bone"] { migration.create("Toy", value: [name]) }
            migration.enumerateObjects(ofType: "Toy") { old, new in
                created.withLock { $0.append("\(old == nil) \(new?["name"] ?? "")") }
            }
            #expect(migration.oldSchema["Toy"] == nil && migration.newSchema["Toy"]?.properties.count == 1)
            #expect(migration.oldSchema["Pet"]?["age"]?.isOptional == false)
            #expect(migration.newSchema["Pet"]?["age"]?.isOptional == true)
        }
        try migrate(configuration) { realm in #expect(realm.objects(Additive.Toy.self).count == 2) }
        #expect(created.withLock { $0 } == ["true ball", "true bone"])
    }

    @Test func `S203: what the objects of a migration give`() throws {
        try migrate(Version2.configuration(url) { migration, version in
            Version2.block(migration, version)
            migration.enumerateObjects(ofType: "Pet") { old, new in
                guard let old, let new else { return }
                #expect(old["age"] is Int && old["tags"] is List<String> && old["scores"] is Map<String, Int>)
                #expect(old["owner"] is MigrationObject && new["owner"] is MigrationObject)
                #expect(old["friends"] is List<DynamicObject> && new["friends"] is List<DynamicObject>)
                #expect((old["owner"] as? MigrationObject)?["lastName"] is String)
                #expect((new["owner"] as? MigrationObject)?["fullName"] is String)
                #expect(old.dynamicList("friends").first?["id"] as? Int == 0)
            }
        }) { _ in }
    }

    @Test func `S204: what create accepts`() throws {
        try migrate(Version2.configuration(url) { migration, version in
            Version2.block(migration, version)
            migration.create("Pet", value: ["id": "dictionary", "title": "t", "owner": ["fullName": "new"]] as [String: Any])
            migration.create("Pet", value: ["array", "u"])
            let pet = migration.create("Pet", value: [:] as [String: Any])
            #expect(pet["weight"] as? Int == 7, "the default of the class")
            pet["id"] = "empty"
        }) { realm in
            #expect(realm.objects(Version2.Pet.self).where { $0.weight == 7 }.count == 3)
            #expect(realm.objects(Version2.Human.self).count == 3)
            #expect(realm.object(ofType: Version2.Pet.self, forPrimaryKey: "array")?.title == "u")
        }
    }

    @Test func `S205: deleteData`() throws {
        try migrate(Smaller.configuration(url) { migration, _ in
            #expect(!migration.deleteData(forType: "Nothing"))
            #expect(migration.deleteData(forType: "Address"))
            #expect(migration.deleteData(forType: "Human"))
            #expect(migration.deleteData(forType: "Pet"))
        }) { realm in
            #expect(realm.objects(Smaller.Pet.self).isEmpty && realm.isEmpty)
        }
        let names = try Realm.storedSchema(for: Realm.Configuration(fileURL: url)).objectSchema.map(\.className)
        #expect(names == ["Pet"])
    }

    @Test func `S208: keys that are not unique`() throws {
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: Version2.configuration(url) { migration, _ in
                migration.enumerateObjects(ofType: "Pet") { old, new in new?["id"] = "same" }
            })
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("Pet.id cannot become the primary key: objects 1 and 2") == true)
        #expect(try schemaVersionAtURL(url) == 1)
        #expect(try countPets() == 10)
    }

    @Test func `S209: objects that become embedded have one owner each`() throws {
        try autoreleasepool {
            let realm = try Version1.open(url)
            try realm.write { _ = realm.create(Version1.Address.self, value: ["lost"]) }
        }
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: Version2.configuration(url)) }
        #expect(error?.message.contains("Address cannot become embedded: 0 links lead to object 3") == true)
        try migrate(Version2.configuration(url) { migration, version in
            Version2.block(migration, version)
            migration.enumerateObjects(ofType: "Address") { old, new in
                if let new, old?["street"] as? String == "lost" { migration.delete(new) }
            }
        }) { realm in
            try realm.write { realm.delete(realm.objects(Version2.Human.self)) }
            #expect(realm.isEmpty == false && realm.dynamicObjects("Address").isEmpty, "they go with their owners")
        }
    }

    @Test func `S210: what a block ends with leaves the file as it was`() throws {
        struct Stop: Error {}
        let before = try Data(contentsOf: url)
        let failed = #expect(throws: Realm.Error.self) {
            try Realm(configuration: Version2.configuration(url) { migration, version in
                Version2.block(migration, version)
                migration.fail(Stop())
                var calls = 0
                migration.enumerateObjects(ofType: "Pet") { _, _ in calls += 1 }
                #expect(calls == 0)
            })
        }
        #expect(failed?.message.contains("Stop") == true)
        let wrong = #expect(throws: Realm.Error.self) {
            try Realm(configuration: Version2.configuration(url) { migration, version in
                migration.create("Pet", value: ["age": "no number"])
            })
        }
        #expect(wrong?.code == .invalidInput && wrong?.message.contains("Pet.age") == true)
        #expect(try Data(contentsOf: url) == before)
        #expect(try countPets() == 10)
    }

    @Test func `a task that is cancelled leaves the file as it was`() async throws {
        let url = url
        let task = Task.detached {
            try autoreleasepool {
                _ = try Realm(configuration: Version2.configuration(url) { migration, version in
                    withUnsafeCurrentTask { $0?.cancel() }
                    Version2.block(migration, version)
                })
            }
        }
        let error = await #expect(throws: Realm.Error.self) { try await task.value }
        #expect(error?.code == .interrupted)
        #expect(try schemaVersionAtURL(url) == 1)
    }

    @Test(arguments: [0, 1, 2, 3])
    func `whoever opens in the background can cancel a migration`(_ way: Int) async throws {
        let begun = Mutex(false), isCancelled = Mutex(false)
        let configuration = Version2.configuration(url) { migration, version in
            begun.withLock { $0 = true }
            for _ in 0..<600_000 where !isCancelled.withLock({ $0 }) { usleep(1_000) }
            Version2.block(migration, version)
        }
        let opening: Realm.AsyncOpenTask? =
            way == 3 ? Realm.asyncOpen(configuration: configuration) { Issue.record("it was cancelled: \($0)") } : nil
        let task = Task {
            switch way {
            case 0: _ = try await RealmStore(configuration: configuration)
            case 1: _ = try await Self.openOnMain(configuration)
            case 2: _ = try await Realm(configuration: configuration, actor: Somebody())
            default: while !Task.isCancelled { try await Task.sleep(for: .milliseconds(10)) }
            }
        }
        for _ in 0..<40_000 where !begun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
        #expect(begun.withLock { $0 })
        opening?.cancel()
        task.cancel()
        isCancelled.withLock { $0 = true }
        if way == 3 {
            _ = await task.result
        } else {
            let error = await #expect(throws: Realm.Error.self) { try await task.value }
            #expect(error?.code == .interrupted)
        }
        var version = try? schemaVersionAtURL(url)  // which needs the file for itself
        for _ in 0..<400 where version == nil {
            try await Task.sleep(for: .milliseconds(10))
            version = try? schemaVersionAtURL(url)
        }
        #expect(version == 1)
    }

    private actor Somebody {}

    @MainActor private static func openOnMain(_ configuration: Realm.Configuration) async throws {
        _ = try await Realm(configuration: configuration)
    }

    @Test func `a store migrates its file when it is opened`() async throws {
        let store = try await RealmStore(configuration: Version2.configuration(url))
        let titles = try await store.read { realm in realm.objects(Version2.Pet.self).sorted(by: \.title).map(\.title) }
        #expect(titles == (0..<10).map { "pet \($0)" })
    }

    @Test func `progress is told for each class`() throws {
        let told = Mutex<[MigrationProgress]>([])
        var configuration = Version2.configuration(url)
        configuration.migrationProgress = { progress in told.withLock { $0.append(progress) } }
        try migrate(configuration) { _ in }
        #expect(told.withLock { $0.map(\.className) } == ["Pet", "Human"])
        #expect(told.withLock { $0.map(\.done) } == [10, 2] && told.withLock { $0.map(\.total) } == [10, 2])
    }

    @Test func `a rehearsal tells what would happen, and leaves the file alone`() throws {
        let before = try Data(contentsOf: url)
        let report = try Realm.rehearseMigration(for: Version2.configuration(url))
        #expect(report.failure == nil && !report.isSafe, "first and last names go: \(report)")
        #expect(Set(report.losses.filter { $0.filled < $0.values }.map(\.property)) == ["firstName", "lastName"])
        #expect(report.fromVersion == 1 && report.toVersion == 2 && report.seconds > 0 && report.bytesAfter > 0)
        #expect(report.counts["Pet"]?.read == 10 && report.counts["Pet"]?.changed == 10)
        let counted = try Realm.rehearseMigration(for: Smaller.configuration(url) { migration, _ in
            migration.enumerateObjects(ofType: "Pet") { old, new in
                let id = old?["id"] as? Int ?? 0
                if id < 3, let new { migration.delete(new) }
                if id == 5 { migration.create("Pet", value: ["id": 500]) }
            }
        })
        let counts = counted.counts["Pet"]
        #expect(counts?.read == 10 && counts?.created == 1 && counts?.deleted == 3, "\(counted)")
        let without = try Realm.rehearseMigration(for: Version2.configuration(url, nil))
        #expect(without.failure?.contains("Pet.id cannot become the primary key") == true && !without.isSafe)
        let smaller = try Realm.rehearseMigration(for: Smaller.configuration(url))
        let losses = Dictionary(uniqueKeysWithValues: smaller.losses.map { ("\($0.className).\($0.property)", $0.values) })
        #expect(
            losses == ["Pet.name": 10, "Pet.note": 4, "Pet.owner": 10, "Pet.tags": 10, "Pet.scores": 10, "Pet.friends": 10])
        #expect(smaller.failure == nil && !smaller.isSafe)
        #expect("\(smaller)".contains("- Pet.name was removed (string); its values in 10 objects go with it"))
        #expect(try JSONDecoder().decode(MigrationReport.self, from: JSONEncoder().encode(report)) == report)
        #expect(try Data(contentsOf: url) == before)
        let left = try FileManager.default.contentsOfDirectory(atPath: temporary.directory.path)
        #expect(left.sorted() == ["test.realm", "test.realm-lock"])
    }

    private func shows(_ example: MigrationReport.Example?, _ object: String, _ old: String?, _ new: String?) -> Bool {
        example?.object == object && example?.oldValue == old && example?.newValue == new
    }

    @Test func `a rehearsal counts all objects that fail and all values that are lost`() throws {
        func configuration(_ block: MigrationBlock?) -> Realm.Configuration {
            Realm.Configuration(
                fileURL: url, schemaVersion: 2, migrationBlock: block,
                objectTypes: [Narrow.Pet.self, Narrow.Human.self, Narrow.Address.self])
        }
        let before = try Data(contentsOf: url)
        let report = try Realm.rehearseMigration(for: configuration { migration, _ in
            migration.enumerateObjects(ofType: "Pet") { old, new in
                let age = old?["age"] as? Int ?? 0
                new?["age"] = age == 4 ? "" : "\(age)"
            }
        })
        #expect(report.failure?.contains("Human cannot become embedded: 5 links lead to object 1") == true)
        let pets = try #require(report.failures.first { $0.className == "Pet" })
        #expect(pets.property == "age" && pets.objects == 5 && pets.examples.count == 5 && report.counts["Pet"]?.failed == 5)
        #expect(pets.examples.contains { shows($0, "id 5", "0", "\"0\"") })
        let humans = try #require(report.failures.first { $0.className == "Human" })
        #expect(humans.property == nil && humans.objects == 2 && humans.reason.contains("so many links lead to them: 5"))
        #expect(humans.examples.map(\.object) == ["object 1", "object 2"])
        let losses = Dictionary(uniqueKeysWithValues: report.losses.map { ("\($0.className).\($0.property)", $0) })
        let age = try #require(losses["Pet.age"])
        #expect(age.values == 8 && age.lost == 2 && age.filled == 6 && age.narrowed == 0 && age.zeroed == 0)
        #expect(shows(age.examples.first, "id 4", "4", "\"\""))
        let note = try #require(losses["Pet.note"])
        #expect(note.values == 4 && note.lost == 4 && note.zeroed == 6 && note.examples.count == 10)
        #expect(note.examples.contains { shows($0, "id 1", nil, "\"\"") })
        let name = try #require(losses["Pet.name"])
        #expect(name.lost == 10 && shows(name.examples.first, "id 0", "\"pet 0\"", nil))
        for line in [
            "Pet: 10 read, 10 changed, 0 created, 0 deleted, 5 failed",
            "Pet.age: 5 objects failed: the value of the primary key is that of another object",
            "    id 5: 0 becomes \"0\"", "Pet.note: 4 values; 4 go, 6 were nil and are zero or empty",
        ] { #expect("\(report)".contains(line), "\(report)") }
        #expect(try JSONDecoder().decode(MigrationReport.self, from: JSONEncoder().encode(report)) == report)
        #expect(!report.isSafe)

        let stopped = try Realm.rehearseMigration(for: configuration { migration, _ in
            migration.enumerateObjects(ofType: "Pet") { old, _ in
                if old?["id"] as? Int == 3 { migration.fail(StrataError(.fail, "too small")) }
            }
        })
        #expect(stopped.failure == "too small" && stopped.counts["Pet"]?.read == 4)
        #expect(stopped.failures.map(\.reason) == ["too small"] && stopped.failures[0].examples.map(\.object) == ["id 3"])
        #expect(try Data(contentsOf: url) == before, "the file is the same, byte by byte")
    }

    @Test func `numbers that no longer fit are counted`() throws {
        try Realm.deleteFiles(for: Realm.Configuration(fileURL: url))
        try autoreleasepool {
            let old = Realm.Configuration(fileURL: url, objectTypes: [Real.Sample.self])
            let realm = try Realm(configuration: old)
            try realm.write {
                for i in 0..<20 { realm.create(Real.Sample.self, value: [Double(i) / 2, i] as [Any]) }
            }
        }
        let configuration = Realm.Configuration(
            fileURL: url, schemaVersion: 1,
            migrationBlock: { migration, _ in
                migration.enumerateObjects(ofType: "Sample") { old, new in
                    new?["value"] = Int(old?["value"] as? Double ?? 0)
                    new?["count"] = Double(old?["count"] as? Int ?? 0)
                }
            }, objectTypes: [Narrow.Sample.self])
        let report = try Realm.rehearseMigration(for: configuration)
        let value = try #require(report.losses.first { $0.property == "value" })
        #expect(report.failure == nil && !report.isSafe)
        #expect(value.values == 19 && value.narrowed == 9 && value.lost == 1 && value.filled == 18)
        #expect(shows(value.examples.first, "object 2", "0.5", "0"))
        let count = try #require(report.losses.first { $0.property == "count" })
        #expect(count.values == 19 && count.filled == 19 && count.narrowed == 0 && count.examples.isEmpty)
    }

    @Test(arguments: [false, true])
    func `S201: collections whose elements become Optional keep them`(isRenamed: Bool) throws {
        try Realm.deleteFiles(for: Realm.Configuration(fileURL: url))
        try autoreleasepool {
            let realm = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: [Full.Bag.self]))
            try realm.write {
                for size in [0, 3, 20_000] {
                    let bag = realm.create(Full.Bag.self, value: [:] as [String: Any])
                    bag.numbers.append(objectsIn: (0..<size).map { $0 < size / 2 ? 0 : $0 })
                    bag.words.insert(objectsIn: (0..<size).map { "\($0)" } + [""])
                    for i in 0..<min(size, 2000) { bag.scores["\(i)"] = i % 2 == 0 ? 0 : 0.5 }
                    bag.flags.append(objectsIn: [Bool](repeating: false, count: size))
                    bag.count = 0
                }
            }
        }
        var configuration = Realm.Configuration(
            fileURL: url, objectTypes: [isRenamed ? HoledAgain.Bag.self : Holed.Bag.self])
        if !isRenamed {
            let marks = try Realm.schemaDifferences(for: configuration)
            #expect(marks.count == 5 && marks.allSatisfy { $0.kind == .becameOptional && $0.mark.rawValue != "losesData" })
            #expect(marks.first { $0.property == "count" }?.mark == .rewritesRows, "its zeros are in no block")
            #expect(marks.first { $0.property == "numbers" }?.mark == .rewritesRows)
            #expect("\(marks.first { $0.property == "numbers" }!)".contains("may have elements that are nil from now on; its values"))
        } else {
            configuration.migrationBlock = { migration, _ in
                for name in ["numbers", "words", "scores", "flags", "count"] {
                    migration.renameProperty(onType: "Bag", from: name, to: name + "2")
                }
            }
        }
        configuration.schemaVersion = 1
        try migrate(configuration) { realm in
            let bags = realm.dynamicObjects("Bag"), end = isRenamed ? "2" : ""
            for (bag, size) in zip(bags, [0, 3, 20_000]) {
                let numbers = try #require(bag["numbers" + end] as? List<Int?>)
                #expect(Array(numbers) == (0..<size).map { $0 < size / 2 ? 0 : $0 })
                let words = try #require(bag["words" + end] as? MutableSet<String?>)
                #expect(Set(words) == Set((0..<size).map { "\($0)" } + [""]))
                let scores = try #require(bag["scores" + end] as? Map<String, Double?>)
                #expect(scores.count == min(size, 2000) && scores["0"].map { $0 == 0 } ?? true)
                #expect((1..<max(size, 1)).prefix(1999).allSatisfy { scores["\($0)"] == ($0 % 2 == 0 ? 0 : 0.5) })
                let flags = try #require(bag["flags" + end] as? List<Bool?>)
                #expect(flags.count == size && flags.allSatisfy { $0 == false })
                #expect(bag["count" + end] as? Int == 0)
                try realm.write {
                    numbers.append(nil)
                    words.insert(nil)
                    scores["1"] = .some(nil)
                }
                #expect(numbers.last == .some(nil) && words.contains(nil) && numbers.count == size + 1)
            }
        }
        guard !isRenamed else { return }
        let back = try Realm.schemaDifferences(for: Realm.Configuration(fileURL: url, objectTypes: [Full.Bag.self]))
        #expect(back.count == 5 && back.allSatisfy { $0.kind == .typeChanged && $0.mark == .losesData })
    }

    @Test func `the file before a migration can be put back`() throws {
        #expect(try !Realm.restorePrevious(for: Version2.configuration(url)))
        try migrate(Version2.configuration(url)) { realm in
            #expect(throws: Realm.Error(.alreadyOpen, "")) {
                try Realm.restorePrevious(for: Version2.configuration(self.url))
            }
        }
        try migrate(Version2.configuration(url)) { _ in }  // in the same process the copy stays
        #expect(try Realm.restorePrevious(for: Version2.configuration(url)))
        try autoreleasepool {
            let realm = try Version1.open(url)
            #expect(realm.objects(Version1.Pet.self).sorted(by: \.id).map(\.name) == (0..<10).map { "pet \($0)" })
            try realm.verify()
        }
        try migrate(Version2.configuration(url)) { _ in }
    }

    @Test(
        """
        Differs from Realm: before a migration that could lose values the file is copied, and the copy stays beside it \
        until another run of the program has opened the file; `keepsPreviousFile` switches that off.
        """)
    func nextRunRemovesTheCopy() async throws {
        try migrate(Version2.configuration(url)) { _ in }
        #expect(FileManager.default.fileExists(atPath: url.path + ".previous"))
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            let url = URL(fileURLWithPath: path)
            _ = try Realm(configuration: Version2.configuration(url))
            #expect(!FileManager.default.fileExists(atPath: path + ".previous"))
        }
        try Realm.deleteFiles(for: Version2.configuration(url))
        try Version1.fill(url)
        var configuration = Version2.configuration(url)
        configuration.keepsPreviousFile = false
        try migrate(configuration) { _ in }
        #expect(!FileManager.default.fileExists(atPath: url.path + ".previous"))
    }

    @Test func `the file has the history of its schemas`() throws {
        try migrate(Version2.configuration(url) { migration, version in
            Version2.block(migration, version)
            migration.setName("text keys")
        }) { _ in }
        let history = try Realm.schemaHistory(for: Realm.Configuration(fileURL: url))
        #expect(history.map(\.version) == [1, 2] && history.map(\.migration) == ["", "text keys"])
        #expect(history[0].hash != history[1].hash && !history[0].program.isEmpty)
        #expect(abs(history[1].date.timeIntervalSinceNow) < 3600)
        let classes = history.map { $0.classes ?? "" }
        #expect(classes[0].hasPrefix("version 1\n") && classes[1].hasPrefix("version 2\n"))
        #expect(classes[0].contains("    id: int primary\n") && classes[0].contains("    friends: list<Pet>\n"))
        #expect(classes[1].contains("    id: string primary\n") && classes[1].contains("embedded Address {"))
    }

    @Test func `S210: performMigration`() throws {
        try Realm.performMigration(for: Version2.configuration(url))
        #expect(try schemaVersionAtURL(url) == 2)
        try autoreleasepool {
            let realm = try Realm(configuration: Version2.configuration(url))
            #expect(throws: Realm.Error(.alreadyOpen, "")) {
                try Realm.performMigration(for: Version2.configuration(self.url))
            }
            _ = realm
        }
        let missing = temporary.directory.appendingPathComponent("missing")
        #expect(throws: Realm.Error(.fileNotFound, "")) { try schemaVersionAtURL(missing) }
    }

    @Test func `S193: deleteRealmIfMigrationNeeded wins over the block`() throws {
        var configuration = Version2.configuration(url) { _, _ in Issue.record("the block was called") }
        configuration.deleteRealmIfMigrationNeeded = true
        try migrate(configuration) { realm in
            #expect(realm.isEmpty)
            try realm.write { realm.create(Version2.Pet.self, value: ["id": "a"]) }
        }
        try migrate(configuration) { realm in #expect(!realm.isEmpty) }
        configuration.objectTypes = Additive.types
        try migrate(configuration) { realm in #expect(realm.isEmpty) }
    }

    @Test func `misuse in a migration stops the program with one message`() async throws {
        let path = url.path
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [path = path as String] in
            _ = try Realm(configuration: Version2.configuration(URL(fileURLWithPath: path)) { migration, _ in
                migration.renameProperty(onType: "Pet", from: "nmae", to: "title")
            })
        }
        expect(result, saysAll: "renameProperty: the file has no property Pet.nmae; did you mean \"name\"?")
        let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [path = path as String] in
            _ = try Realm(configuration: Version2.configuration(URL(fileURLWithPath: path)) { migration, _ in
                migration.create("Cat")
            })
        }
        expect(unknown, saysAll: "Cat is no class of the program, so a migration cannot create objects of it")
        #expect(try schemaVersionAtURL(url) == 1)
    }
}
