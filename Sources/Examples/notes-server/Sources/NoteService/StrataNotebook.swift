// SPDX-License-Identifier: MIT
// StrataNotebook.swift -- the notes in a file of Strata.

import Foundation
import RealmSwift

class StoredNote: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var author: String
    @Persisted var text: String
    @Persisted var written: Int

    /// A page of an author's notes is one range of this index, in its order.
    override class func compoundIndexes() -> [[String]] { [["author", "id"]] }

    convenience init(_ note: Note) {
        self.init()
        (id, author, text, written) = (note.id, note.author, note.text, note.written)
    }
}

/// All handlers share one store; its closures take and give plain values. What clients read, the engine writes as JSON.
public struct StrataNotebook: Notebook {
    private let store: RealmStore

    public init(_ file: URL) async throws {
        store = try await RealmStore(
            configuration: Realm.Configuration(fileURL: file, objectTypes: [StoredNote.self]))
    }

    public func note(_ id: Int) async throws -> JSON? {
        try await store.read { realm in
            (realm.object(ofType: StoredNote.self, forPrimaryKey: id)?.jsonData()).map { JSON($0) }
        }
    }

    public func notes(of author: String, before id: Int, count: Int) async throws -> JSON {
        try await store.read { realm in
            JSON(
                realm.objects(StoredNote.self).where { $0.author == author && $0.id < id }
                    .sorted(by: \.id, ascending: false).limit(count).jsonData())
        }
    }

    public func notes(containing text: String, count: Int) async throws -> JSON {
        try await store.read { realm in
            JSON(
                realm.objects(StoredNote.self).where { $0.text.contains(text) }
                    .sorted(by: \.id, ascending: false).limit(count).jsonData())
        }
    }

    public func add(_ draft: Draft) async throws -> Note {
        try await store.write { realm in
            let note = Note((realm.objects(StoredNote.self).max(of: \.id) ?? 0) + 1, draft)
            realm.add(StoredNote(note))
            return note
        }
    }

    public func edit(_ id: Int, _ draft: Draft) async throws -> Note? {
        try await store.write { realm in
            guard let stored = realm.object(ofType: StoredNote.self, forPrimaryKey: id) else { return nil }
            let note = Note(id, draft)
            (stored.author, stored.text, stored.written) = (note.author, note.text, note.written)
            return note
        }
    }

    public func load(_ notes: [Note]) async throws {
        try await store.write { realm in
            for note in notes { realm.add(StoredNote(note)) }
        }
    }

    public func count() async throws -> Int { try await store.read { $0.objects(StoredNote.self).count } }
}
