// SPDX-License-Identifier: MIT
// Notebook.swift -- what the server does with its realm.

import Foundation
import Hummingbird
import RealmSwift

/// The notes of all authors, in the default realm of the program.
///
/// A realm and its objects belong to the thread that opened it, and behind an `await` a handler may go on on another
/// one. So every call opens the realm anew, which takes a millisecond or two, awaits nothing while it holds it, and
/// takes and returns plain values.
enum Notebook {
    /// A note as a client sends it.
    struct Draft: Decodable, Sendable {
        let author: String
        let text: String
    }

    /// A note as a client gets it.
    struct Page: ResponseEncodable, Sendable {
        let id: String
        let author: String
        let text: String
        let written: Date
        /// How many notes its author has written.
        let ofAuthor: Int

        init(_ note: Note) {
            id = note.id.stringValue
            author = note.author?.name ?? ""
            text = note.text
            written = note.written
            ofAuthor = note.author?.notes.count ?? 0
        }
    }

    /// Opens the realm, so that a file that cannot be used stops the program and not a client of it.
    static func check() throws { _ = try Realm() }

    static func add(_ draft: Draft) throws -> Page {
        let realm = try Realm()
        return try realm.write {
            let note = Note()
            note.text = draft.text
            note.author = realm.create(Author.self, value: ["name": draft.author], update: .modified)
            realm.add(note)
            return Page(note)
        }
    }

    /// All notes, the newest last.
    static func all() throws -> [Page] { try Realm().objects(Note.self).sorted(by: \.written).map(Page.init) }
}
