// SPDX-License-Identifier: MIT
// ForeignMigrationTests.swift -- what is open goes on to show what it showed, when another program migrates the file.

import Foundation
import Strata
import Synchronization
import Testing

private enum Before {
    final class Note: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: String

        override class func _realmObjectName() -> String? { "ForeignNote" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static func configuration(_ url: URL) -> Realm.Configuration {
        Realm.Configuration(fileURL: url, objectTypes: [Note.self])
    }

    static func open(_ url: URL) throws -> Realm { try Realm(configuration: configuration(url)) }
}

/// What other programs have.
enum ForeignChange: String, CaseIterable {
    case retyped, withoutKey, withoutClass, withMore, withMoreOfAnotherType

    final class Retyped: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: Int

        override class func _realmObjectName() -> String? { "ForeignNote" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class WithoutKey: Object {
        @Persisted var id: Int
        @Persisted var text: String

        override class func _realmObjectName() -> String? { "ForeignNote" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Other: Object {
        @Persisted var id: Int

        override class func _realmObjectName() -> String? { "ForeignOther" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class WithMore: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: String
        @Persisted var more: Int

        override class func _realmObjectName() -> String? { "ForeignNote" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class WithText: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: String
        @Persisted var more: String

        override class func _realmObjectName() -> String? { "ForeignNote" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    /// Brings the file to the classes of that program.
    fileprivate func migrate(_ url: URL) throws {
        let type: Object.Type =
            switch self {
            case .retyped: Retyped.self
            case .withoutKey: WithoutKey.self
            case .withoutClass: Other.self
            case .withMore: WithMore.self
            case .withMoreOfAnotherType: WithText.self
            }
        // A program with none of the classes of a file is refused, so the class is there while it is dropped.
        let isDropped = self == .withoutClass
        var configuration = Realm.Configuration(
            fileURL: url, schemaVersion: 1, objectTypes: [type] + (isDropped ? [Before.Note.self] : []))
        if isDropped { try autoreleasepool { _ = try Realm(configuration: configuration) } }
        configuration.schemaVersion = self == .withMoreOfAnotherType ? 3 : 2
        configuration.objectTypes = [type]
        configuration.migrationBlock = { migration, _ in
            if isDropped { migration.deleteData(forType: "ForeignNote") }
        }
        try autoreleasepool { _ = try Realm(configuration: configuration) }
    }
}

@Suite struct ForeignMigrationTests {
    private let temporary: TemporaryRealm
    private var url: URL { temporary.url }

    init() throws {
        temporary = try TemporaryRealm([])
        let realm = try Realm(configuration: Before.configuration(temporary.url))
        try realm.write { for id in 0..<5 { realm.create(Before.Note.self, value: ["id": id, "text": "note \(id)"]) } }
    }

    private static func migrateElsewhere(_ url: URL, _ how: ForeignChange) async {
        await #expect(processExitsWith: .success) { [path = url.path as String, name = how.rawValue as String] in
            try ForeignChange(rawValue: name)?.migrate(URL(fileURLWithPath: path))
        }
    }

    @MainActor
    @Test(
        """
        Differs from Realm: a realm whose classes another program has changed stays at the last version that has them, \
        and writes throw; Realm raises an exception when it moves on.
        """, arguments: [ForeignChange.retyped, .withoutKey, .withoutClass])
    func realmsStay(_ how: ForeignChange) async throws {
        let configuration = Before.configuration(url)
        let store = try await RealmStore(configuration: configuration)
        #expect(try await store.read { $0.objects(Before.Note.self).count } == 5)
        let realm = try Before.open(url), notes = realm.objects(Before.Note.self).sorted(by: \.id)
        let told = Mutex<[String]>([])
        let token = notes.observe { change in
            if case .update = change { told.withLock { $0.append("update") } }
        }
        func checkAll(_ what: Comment) {
            #expect(notes.map(\.text) == (0..<5).map { "note \($0)" }, what)
            #expect(realm.object(ofType: Before.Note.self, forPrimaryKey: 2)?.text == "note 2", what)
            #expect(notes.where { $0.text == "note 3" }.count == 1, what)
        }
        checkAll("before")
        await Self.migrateElsewhere(url, how)
        try await Task.sleep(for: .milliseconds(100))
        #expect(!realm.refresh() && !realm.refresh())
        checkAll("after")
        for _ in 0..<2 {
            let error = #expect(throws: Realm.Error.self) { try realm.write { notes[0].text = "x" } }
            #expect(error?.code == .schemaMismatch)
            #expect(error?.message.contains("somebody else changed the schema of") == true)
            #expect(error?.message.contains("to version 2, and ForeignNote") == true)
            checkAll("after a write")
        }
        let late = notes.observe(on: nil) { _ in told.withLock { $0.append("late") } }
        try await Task.sleep(for: .milliseconds(50))
        #expect(told.withLock { $0.last } == "late")
        #expect(throws: Realm.Error(.schemaMismatch, "")) { try Before.open(url) }
        #expect(notes.freeze().map(\.text) == notes.map(\.text))
        realm.invalidate()
        #expect(throws: Realm.Error(.schemaMismatch, "")) { try Before.open(url) }
        #expect(!realm.refresh())
        for token in [token, late] { token.invalidate() }
        await #expect(throws: Realm.Error.self) {
            try await store.read { $0.objects(Before.Note.self).count }
        }
        await #expect(throws: Realm.Error.self) {
            try await store.write { $0.create(Before.Note.self, value: ["id": 9]).id }
        }
    }

    @MainActor
    @Test(arguments: [ForeignChange.retyped, .withoutKey, .withoutClass])
    func `a realm that rested meanwhile throws where it can`(_ how: ForeignChange) async throws {
        let invalidated = try Before.open(url), unread = try Before.open(url)
        let note = invalidated.objects(Before.Note.self)[0]
        invalidated.invalidate()
        await Self.migrateElsewhere(url, how)
        let copy = url.appendingPathExtension("copy")
        for realm in [invalidated, unread] {
            for _ in 0..<2 {
                #expect(throws: Realm.Error(.schemaMismatch, "")) { try realm.write { Issue.record("it began") } }
                realm.beginWrite()
                #expect(throws: Realm.Error(.schemaMismatch, "")) { try realm.commitWrite() }
                #expect(!realm.isInWriteTransaction && !realm.refresh())
            }
            await #expect(throws: Realm.Error(.schemaMismatch, "")) {
                try await realm.asyncWrite { Issue.record("it began") }
            }
            #expect(throws: Realm.Error(.schemaMismatch, "")) { try realm.writeCopy(toFile: copy) }
            #expect(!Realm.fileExists(for: Realm.Configuration(fileURL: copy)))
            try realm.flush()
            #expect(!realm.isInWriteTransaction)
        }
        #expect(note.isInvalidated)
    }

    @Test func `reading what rested meanwhile says that another program changed the schema`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [path = url.path as String] in
            let url = URL(fileURLWithPath: path), realm = try Before.open(url)
            realm.invalidate()
            try onAnotherThread { try ForeignChange.withoutKey.migrate(url) }
            print(realm.objects(Before.Note.self).count)
        }
        expect(result, says: "Strata: counting ForeignNote failed: somebody else changed the schema of")
    }

    @MainActor
    @Test func `a realm moves on to a version that has more`() async throws {
        let realm = try Before.open(url), notes = realm.objects(Before.Note.self)
        #expect(notes.count == 5)
        await Self.migrateElsewhere(url, .withMore)
        _ = realm.refresh()
        try realm.write { notes[0].text = "changed" }
        #expect(notes.count == 5 && notes[0].text == "changed")
    }

    @MainActor
    @Test func `whoever has the file open opens further realms of a version that has more`() async throws {
        let realm = try Before.open(url), notes = realm.objects(Before.Note.self)
        let note = Frozen(notes[1]), reference = ThreadSafe(wrappedValue: notes[2])
        await Self.migrateElsewhere(url, .withMore)
        let url = url
        @Sendable func useElsewhere() throws {
            let other = try Before.open(url)
            try other.write { other.create(Before.Note.self, value: ["id": 9, "text": "new"]) }
            #expect(other.objects(Before.Note.self).map(\.id).sorted() == [0, 1, 2, 3, 4, 9])
            #expect(note.value.thaw()?.text == "note 1" && reference.wrappedValue?.text == "note 2")
        }
        try onAnotherThread(useElsewhere)
        let store = try await RealmStore(configuration: Before.configuration(url))
        #expect(try await store.read { $0.objects(Before.Note.self).count } == 6)
        realm.refresh()
        #expect(notes.count == 6)
        try realm.verify()
    }

    @MainActor
    @Test func `a realm does not mind what becomes of properties that its classes lack`() async throws {
        let first = try Before.open(url), queue = DispatchQueue(label: "later")
        #expect(first.objects(Before.Note.self).count == 5)
        await Self.migrateElsewhere(url, .withMore)
        let later = try queue.sync { [url] in try Realm(configuration: Before.configuration(url), queue: queue) }
        #expect(queue.sync { later.objects(Before.Note.self).count } == 5)
        await Self.migrateElsewhere(url, .withMoreOfAnotherType)
        try queue.sync {
            _ = later.refresh()
            try later.write { _ = later.create(Before.Note.self, value: ["id": 9, "text": "new"]) }
            #expect(later.objects(Before.Note.self).map(\.id).sorted() == [0, 1, 2, 3, 4, 9])
        }
        _ = first.refresh()
        #expect(first.objects(Before.Note.self).count == 6)
        try first.verify()
    }

    @MainActor
    @Test(arguments: [ForeignChange.retyped, .withoutKey, .withoutClass])
    func `thaw() and @ThreadSafe give what the realm of the thread has`(_ how: ForeignChange) async throws {
        let realm = try Before.open(url), notes = realm.objects(Before.Note.self).sorted(by: \.id)
        let frozen = notes.freeze(), reference = ThreadSafe(wrappedValue: notes[2])
        await Self.migrateElsewhere(url, how)
        #expect(!realm.refresh())
        #expect(frozen.thaw()?.map(\.text) == notes.map(\.text))
        #expect(frozen.realm?.thaw().objects(Before.Note.self).count == 5)
        #expect(reference.wrappedValue?.text == "note 2")
        #expect(throws: Realm.Error(.schemaMismatch, "")) { try Before.open(url) }
    }
}
