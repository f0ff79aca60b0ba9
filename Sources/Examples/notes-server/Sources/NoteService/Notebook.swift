// SPDX-License-Identifier: MIT
// Notebook.swift -- what the service asks of whatever keeps the notes.

/// The notes of all authors.
public protocol Notebook: Sendable {
    func note(_ id: Int) async throws -> JSON?

    /// An array of the newest notes of an author whose numbers are lower than `id`.
    func notes(of author: String, before id: Int, count: Int) async throws -> JSON

    /// An array of the newest notes that contain a text.
    func notes(containing text: String, count: Int) async throws -> JSON

    /// Keeps a note, which gets the next number, and gives it back when it is durable.
    func add(_ draft: Draft) async throws -> Note

    /// Writes a note anew, and gives it back when that is durable; nil if there is none of this number.
    func edit(_ id: Int, _ draft: Draft) async throws -> Note?

    /// Keeps many notes.
    func load(_ notes: [Note]) async throws

    /// How many notes there are.
    func count() async throws -> Int
}
