// SPDX-License-Identifier: MIT
// GRDBNotebook.swift -- the notes in a file of SQLite, through GRDB's pool of connections.

import GRDB
import NoteService

extension Note: @retroactive FetchableRecord, @retroactive PersistableRecord {
    public static var databaseTableName: String { "note" }

    /// Rows are read and written by hand, which GRDB documents as faster than `Codable`.
    public init(row: Row) {
        self.init(id: row[0], author: row[1], text: row[2], written: row[3])
    }

    public func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["author"] = author
        container["text"] = text
        container["written"] = written
    }
}

struct GRDBNotebook: Notebook {
    private let pool: DatabasePool

    init(_ path: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -65536; PRAGMA mmap_size = 2147418112")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        // A pool keeps a write-ahead log, and its writer is opened with NORMAL, whatever the configuration says. FULL
        // makes every commit durable, as those of Strata are.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try pool.write { db in
            try db.create(table: "note", options: .ifNotExists) { table in
                table.primaryKey("id", .integer)
                table.column("author", .text).notNull().indexed()  // and by id, which is SQLite's number of the row
                table.column("text", .text).notNull()
                table.column("written", .integer).notNull()
            }
        }
    }

    func note(_ id: Int) async throws -> JSON? {
        let note = try await pool.read { db in
            try Note.fetchOne(db.cachedStatement(sql: "SELECT * FROM note WHERE id = ?"), arguments: [id])
        }
        return try note.map { try JSON(encoding: $0) }
    }

    func notes(of author: String, before id: Int, count: Int) async throws -> JSON {
        try await array("author = ? AND id < ?", [author, id, count])
    }

    func notes(containing text: String, count: Int) async throws -> JSON {
        try await array("instr(text, ?) > 0", [text, count])
    }

    private func array(_ condition: String, _ arguments: StatementArguments) async throws -> JSON {
        let found = try await pool.read { db in
            try Note.fetchAll(
                db.cachedStatement(sql: "SELECT * FROM note WHERE \(condition) ORDER BY id DESC LIMIT ?"),
                arguments: arguments)
        }
        return try JSON(encoding: found)
    }

    func add(_ draft: Draft) async throws -> Note {
        try await pool.write { db in
            let last = try Int.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM note")) ?? 0
            let note = Note(last + 1, draft)
            try note.insert(db)
            return note
        }
    }

    func edit(_ id: Int, _ draft: Draft) async throws -> Note? {
        try await pool.write { db in
            let note = Note(id, draft)
            if try !note.exists(db) { return nil }
            try note.update(db)
            return note
        }
    }

    func load(_ notes: [Note]) async throws { try await pool.write { db in for note in notes { try note.insert(db) } } }

    func count() async throws -> Int { try await pool.read { try Note.fetchCount($0) } }
}
