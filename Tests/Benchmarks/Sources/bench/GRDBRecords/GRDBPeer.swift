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
    /// Those a program has fetched before it reads or changes them, in the order of the file.
    private(set) var records: [PersonRecord] = []
    /// Which of them an operation uses.
    private(set) var places: [Int] = []
    private var prepared: bench_workload?
    var observation: AnyDatabaseCancellable?
    var deliveries: Deliveries?

    override init(folder: String, n: UInt64) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -\(bench_cache(n)); PRAGMA mmap_size = 2147418112")
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
        observation = nil
        if workload == BENCH_OBSERVE_CHANGE {
            must { try setSynchronous("NORMAL") }
            deliveries = observeScores()
        }
        // All rounds of a workload use the same records.
        guard workload != prepared else { return }
        prepared = workload
        records = []
        places = []
        switch workload {
        case BENCH_DELETE, BENCH_OBSERVE_CHANGE, BENCH_FRESH_STRING: break
        default: must { try hold(knownPersons(workload, n, count) ?? []) }
        }
    }

    private func hold(_ known: [Int]) throws {
        records.reserveCapacity(known.count)
        places = [Int](repeating: 0, count: known.count)
        try pool.read { db in
            let fetch = try PersonFetch(db)
            try spread(known) { operation, index in
                places[operation] = records.count
                records.append(try fetch(index)!)
            }
        }
    }

    override func run(_ workload: bench_workload, _ count: UInt64) throws -> Double {
        switch workload {
        case BENCH_BULK_INSERT: return try pool.write(insertAll)
        case BENCH_COMMIT, BENCH_LOGGED_COMMIT, BENCH_WRITERS_COMMIT: return try commitPersons(count)
        case BENCH_RELAXED_COMMIT: return try commitRelaxed(count)
        case BENCH_UPDATE_SCORES: return try updateScores()
        case BENCH_UPDATE_AGES: return try updateAges()
        case BENCH_OWN_STRING, BENCH_LONG_STRING, BENCH_PROPERTY: return askRecords(workload, count)
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

    override func makeReader(_ workload: bench_workload, _ count: UInt64) -> SwiftReader {
        GRDBReader(pool, n, workload)
    }
}

// MARK: Writing

extension GRDBPeer {
    private func insertAll(_ db: Database) throws -> Double {
        let dog = try db.statement(.insertDog), person = try db.statement(.insertPerson)
        for index in 0..<bench_dogs(n) { try dog.execute(arguments: DogRecord(bench_make_dog(index)).arguments) }
        for index in 0..<n { try person.execute(arguments: PersonRecord(bench_make_person(n, index)).arguments) }
        return Double(n + bench_dogs(n))
    }

    private func commitPersons(_ count: UInt64) throws -> Double {
        for _ in 0..<count {
            let person = PersonRecord(bench_make_person(n, n + committed))
            committed += 1
            try pool.write { try $0.statement(.insertPerson).execute(arguments: person.arguments) }
        }
        return Double(count)
    }

    private func commitRelaxed(_ count: UInt64) throws -> Double {
        try setSynchronous("NORMAL")
        defer { must { try setSynchronous("FULL") } }
        return try commitPersons(count)
    }

    private func updateScores() throws -> Double {
        try pool.write { db in
            let update = try db.statement(.updateScore)
            for (j, place) in places.enumerated() {
                records[place].score = bench_new_score(UInt64(j))
                try update.execute(arguments: [records[place].score, records[place].id])
            }
        }
        return Double(places.count)
    }

    private func updateAges() throws -> Double {
        try pool.write { db in
            let update = try db.statement(.updateAge)
            for (j, place) in places.enumerated() {
                records[place].age = bench_new_age(UInt64(j))
                try update.execute(arguments: [records[place].age, records[place].id])
            }
        }
        return Double(places.count)
    }

    private func deletePersons(_ count: UInt64, _ db: Database) throws -> Double {
        let order = bench_deleted(n)!, delete = try db.statement(.deletePerson)
        for j in 0..<Int(count) { try delete.execute(arguments: [bench_person_id(UInt64(order[j]))]) }
        return Double(count)
    }
}

/// Reads of a thread of its own, through the same pool.
final class GRDBReader: SwiftReader {
    private let pool: DatabasePool
    private let n: UInt64
    private let workload: bench_workload

    init(_ pool: DatabasePool, _ n: UInt64, _ workload: bench_workload) {
        self.pool = pool
        self.n = n
        self.workload = workload
    }

    /// A record is a copy: what the newest commit says is fetched again.
    override func batch(from: UInt64, count: UInt64) throws -> UInt64 {
        let names = workload == BENCH_FRESH_STRING
        return try pool.read { db in
            let fetch = try PersonFetch(db)
            var sum = 0
            for j in from..<from + count {
                let index = Int(bench_choose(names ? STREAM_KNOWN : STREAM_LOOKUP, n, j))
                if let person = try fetch(index) { sum += names ? read(person.name) : Int(person.age) }
            }
            return UInt64(sum)
        }
    }
}
