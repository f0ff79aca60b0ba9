// SPDX-License-Identifier: MIT
// DictionaryNotebook.swift -- the notes in memory, behind a lock: what the service costs without a database.

import Foundation
import NoteService
import Synchronization

final class DictionaryNotebook: Notebook {
    private struct State {
        var notes: [Int: Note] = [:]
        var numbers: [String: [Int]] = [:]
        var last = 0

        mutating func insert(_ note: Note) {
            notes[note.id] = note
            numbers[note.author, default: []].append(note.id)
            last = max(last, note.id)
        }
    }
    private let state = Mutex(State())

    func note(_ id: Int) async throws -> JSON? { try state.withLock { $0.notes[id] }.map { try JSON(encoding: $0) } }

    func notes(of author: String, before id: Int, count: Int) async throws -> JSON {
        let found = state.withLock { state -> [Note] in
            guard let numbers = state.numbers[author] else { return [] }
            return numbers.reversed().lazy.filter { $0 < id }.prefix(count).compactMap { state.notes[$0] }
        }
        return try JSON(encoding: found)
    }

    func notes(containing text: String, count: Int) async throws -> JSON {
        let found = state.withLock { state in state.notes.values.filter { holds($0.text, text) } }
        return try JSON(encoding: Array(found.sorted { $0.id > $1.id }.prefix(count)))
    }

    /// By bytes, which is many times as fast as `String.contains`.
    private func holds(_ text: String, _ part: String) -> Bool {
        text.withCString { text in part.withCString { strstr(text, $0) != nil } }
    }

    func add(_ draft: Draft) async -> Note {
        state.withLock { state in
            let note = Note(state.last + 1, draft)
            state.insert(note)
            return note
        }
    }

    func edit(_ id: Int, _ draft: Draft) async -> Note? {
        state.withLock { state in
            guard let old = state.notes[id] else { return nil }
            if old.author != draft.author {
                state.numbers[old.author]?.removeAll { $0 == id }
                state.numbers[draft.author, default: []].append(id)
                state.numbers[draft.author]?.sort()
            }
            let note = Note(id, draft)
            state.notes[id] = note
            return note
        }
    }

    func load(_ notes: [Note]) async { state.withLock { state in for note in notes { state.insert(note) } } }

    func count() async -> Int { state.withLock { $0.notes.count } }
}
