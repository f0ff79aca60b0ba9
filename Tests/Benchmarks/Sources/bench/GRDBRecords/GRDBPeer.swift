// SPDX-License-Identifier: MIT
// GRDBPeer.swift -- GRDB's records over a pool of connections, with the settings of the SQLite peer.

import GRDB
import Workload

var grdbPeer: bench_peer {
    makePeer("grdb", "GRDB", share: 20) { folder, n in
        must { retained(try GRDBPeer(folder: String(cString: folder!), n: n)) }
    }
}

final class GRDBPeer: SwiftPeer {
    let pool: DatabasePool
    /// Those a program has fetched before it changes them, in the order in which it does; some more than once.
    private var records: [PersonRecord] = []
    var observation: AnyDatabaseCancellable?
    var deliveries: Deliveries?

    override init(folder: String, n: UInt64) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -65536; PRAGMA mmap_size = 2147418112")
        }
        pool = try DatabasePool(path: folder + "/bench.sqlite", configuration: configuration)
        try super.init(folder: folder, n: n)
        try setSynchronous("FULL")
        if try !pool.read({ try $0.tableExists("person") }) { try makeSchema() }
    }

    /// Of the connection that writes, which a pool opens with NORMAL, whatever its configuration says.
    private func setSynchronous(_ level: String) throws {
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(level)") }
    }

    private func makeSchema() throws {
        try pool.write { db in
            try db.create(table: "dog") { table in
                table.primaryKey("id", .integer)
                table.column("name", .text).notNull()
            }
            try db.create(table: "person") { table in
                table.primaryKey("id", .integer)
                table.column("name", .text).notNull()
                table.column("age", .integer).notNull().indexed()
                table.column("score", .double).notNull()
                table.column("email", .text)
                table.column("dog", .integer).indexed()
                table.column("created", .integer).notNull()
            }
        }
    }

    override func prepare(_ workload: bench_workload, _ count: UInt64) {
        records = []
        observation = nil
        if workload == BENCH_OBSERVE_CHANGE {
            must { try setSynchronous("NORMAL") }
            deliveries = observeScores()
        }
        guard workload == BENCH_UPDATE_SCORES || workload == BENCH_UPDATE_AGES,
            let known = knownPersons(workload, n, count)
        else { return }
        records = must {
            try pool.read { db in
                try known.map { try PersonRecord.fetchOne(db, key: bench_person_id(UInt64($0)))! }
            }
        }
    }

    override func run(_ workload: bench_workload, _ count: UInt64) throws -> Double {
        switch workload {
        case BENCH_BULK_INSERT: return try pool.write(insertAll)
        case BENCH_COMMIT: return try commitPersons(count)
        case BENCH_RELAXED_COMMIT: return try commitRelaxed(count)
        case BENCH_UPDATE_SCORES, BENCH_UPDATE_AGES: return try update(workload)
        case BENCH_OBSERVE: return Double(observeScores().records)
        case BENCH_OBSERVE_CHANGE: return try observeChanges(count)
        case BENCH_DELETE: return try pool.write { try deletePersons(count, $0) }
        default: return try pool.read { try ask(workload, count, $0) }
        }
    }

    override func settle() throws {
        _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }

    override func reusable() throws -> Double {
        try pool.read { db in
            let pages = try Double.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
            return pages * (try Double.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
        }
    }

    override func makeReader() -> SwiftReader { GRDBReader(pool, n) }
}

// MARK: Writing

extension GRDBPeer {
    private func insertAll(_ db: Database) throws -> Double {
        for index in 0..<bench_dogs(n) { try DogRecord(bench_make_dog(index)).insert(db) }
        for index in 0..<n { try PersonRecord(bench_make_person(n, index)).insert(db) }
        return Double(n + bench_dogs(n))
    }

    private func commitPersons(_ count: UInt64) throws -> Double {
        for _ in 0..<count {
            let person = PersonRecord(bench_make_person(n, n + committed))
            committed += 1
            try pool.write { try person.insert($0) }
        }
        return Double(count)
    }

    private func commitRelaxed(_ count: UInt64) throws -> Double {
        try setSynchronous("NORMAL")
        defer { must { try setSynchronous("FULL") } }
        return try commitPersons(count)
    }

    private func update(_ workload: bench_workload) throws -> Double {
        let scores = workload == BENCH_UPDATE_SCORES
        let columns = [scores ? "score" : "age"]
        try pool.write { db in
            for index in records.indices {
                let j = UInt64(index)
                if scores { records[index].score = bench_new_score(j) } else { records[index].age = bench_new_age(j) }
                try records[index].update(db, columns: columns)
            }
        }
        return Double(records.count)
    }

    private func deletePersons(_ count: UInt64, _ db: Database) throws -> Double {
        let order = bench_deleted(n)!
        for j in 0..<Int(count) { try PersonRecord.deleteOne(db, key: bench_person_id(UInt64(order[j]))) }
        return Double(count)
    }
}

/// Reads of a thread of its own, through the same pool.
final class GRDBReader: SwiftReader {
    private let pool: DatabasePool
    private let n: UInt64

    init(_ pool: DatabasePool, _ n: UInt64) {
        self.pool = pool
        self.n = n
    }

    override func batch(from: UInt64, count: UInt64) throws -> UInt64 {
        try pool.read { db in
            var sum: Int64 = 0
            for j in from..<from + count {
                let id = bench_person_id(bench_choose(STREAM_LOOKUP, n, j))
                if let person = try PersonRecord.fetchOne(db, key: id) { sum += person.age }
            }
            return UInt64(sum)
        }
    }
}
