// SPDX-License-Identifier: MIT

import GRDB
import Workload

private typealias Columns = PersonRecord.Columns

extension GRDBPeer {
    /// Of the records that are held, without the database: what they say was true when they were fetched.
    func askRecords(_ workload: bench_workload, _ count: UInt64) -> Double {
        switch workload {
        case BENCH_OWN_STRING: readNames()
        case BENCH_LONG_STRING: readEmails()
        default: readProperty(count)
        }
    }

    // Records are read where they lie: to copy one would count references of its strings.

    private func readNames() -> Double {
        let records = records
        var sum = 0
        for place in places { sum += read(records[place].name) }
        return Double(sum)
    }

    private func readEmails() -> Double {
        let records = records
        var sum = 0
        for place in places { sum += read(records[place].email!) }
        return Double(sum)
    }

    private func readProperty(_ count: UInt64) -> Double {
        let held = places.map { records[$0] }
        var sum: Int64 = 0
        for _ in 0..<Int(count) / held.count {
            for index in held.indices {
                bench_barrier()
                sum += held[index].age
            }
        }
        return Double(sum)
    }

    func ask(_ workload: bench_workload, _ count: UInt64, _ db: Database) throws -> Double {
        let age = PersonRecord.filter(Columns.age == BENCH_AGE)
        let ages = BENCH_AGE_FROM..<BENCH_AGE_TO
        let byScore = PersonRecord.order(Columns.score)
        switch workload {
        case BENCH_LOOKUP: return try lookUp(count, db)
        case BENCH_LINK_STRING: return try readLinkedStrings(db)
        case BENCH_BACKLINKS: return try countBacklinks(db)
        case BENCH_SCAN_DOUBLE: return Double(try PersonRecord.filter(Columns.score > BENCH_SCORE).fetchCount(db))
        case BENCH_SCAN_EQUAL: return try countName(bench_make_person(n, bench_wanted(n)).nameText, db)
        case BENCH_SCAN_CONTAINS:
            return Double(try PersonRecord.filter(Columns.name.like("%" + BENCH_PART + "%")).fetchCount(db))
        case BENCH_ITERATE: return try iterate(db)
        case BENCH_SUM: return try PersonRecord.select(sum(Columns.score), as: Double.self).fetchOne(db) ?? 0
        case BENCH_INDEX_COUNT: return try repeated(count) { try age.fetchCount(db) }
        case BENCH_INDEX_VISIT: return try visit(age, db)
        case BENCH_INDEX_RANGE:
            return try repeated(count) { try PersonRecord.filter(ages.contains(Columns.age)).fetchCount(db) }
        case BENCH_SORT: return try sumOfRanks(byScore, db)
        case BENCH_TOP: return try sumOfRanks(byScore.limit(BENCH_FIRST), db)
        default: return .nan
        }
    }

    private func lookUp(_ count: UInt64, _ db: Database) throws -> Double {
        var sum = 0
        let fetch = try PersonFetch(db)
        for index in chosen(STREAM_LOOKUP, n, count) {
            let person = try fetch(index)!
            sum += Int(person.age) + read(person.name)
        }
        return Double(sum)
    }

    private func readLinkedStrings(_ db: Database) throws -> Double {
        let fetch = try db.statement(.dog), records = records
        var sum = 0
        for place in places { sum += read(try DogRecord.fetchOne(fetch, arguments: [records[place].dog])!.name) }
        return Double(sum)
    }

    private func countBacklinks(_ db: Database) throws -> Double {
        let targets = bench_targets(n)!, count = try db.statement(.backlinks)
        var sum = 0.0
        for j in 0..<Int(bench_dogs(n)) {
            let links = try Double.fetchOne(count, arguments: [Int64(targets[j]) + 1])!
            sum += links * links
        }
        return sum
    }

    private func countName(_ name: String, _ db: Database) throws -> Double {
        Double(try PersonRecord.filter(Columns.name == name).fetchCount(db))
    }

    private func iterate(_ db: Database) throws -> Double {
        var sum: Int64 = 0
        let cursor = try PersonRecord.fetchCursor(db)
        while let person = try cursor.next() { sum += person.age }
        return Double(sum)
    }

    private func repeated(_ count: UInt64, _ question: () throws -> Int) rethrows -> Double {
        var sum = 0
        for _ in 0..<count { sum += try question() }
        return Double(sum) / Double(count)
    }

    private func visit(_ hits: QueryInterfaceRequest<PersonRecord>, _ db: Database) throws -> Double {
        var sum = 0.0
        let cursor = try hits.fetchCursor(db)
        while let person = try cursor.next() { sum += person.score }
        return sum
    }

    private func sumOfRanks(_ sorted: QueryInterfaceRequest<PersonRecord>, _ db: Database) throws -> Double {
        var rank = 0.0
        var sum = 0.0
        let cursor = try sorted.fetchCursor(db)
        while let person = try cursor.next() {
            rank += 1
            sum += rank * Double(person.age)
        }
        return sum
    }
}
