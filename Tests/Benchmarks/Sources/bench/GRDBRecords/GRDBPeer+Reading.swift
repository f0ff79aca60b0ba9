// SPDX-License-Identifier: MIT

import GRDB
import Workload

private typealias Columns = PersonRecord.Columns

extension GRDBPeer {
    func ask(_ workload: bench_workload, _ count: UInt64, _ db: Database) throws -> Double {
        let age = PersonRecord.filter(Columns.age == BENCH_AGE)
        let ages = BENCH_AGE_FROM..<BENCH_AGE_TO
        let byScore = PersonRecord.order(Columns.score)
        switch workload {
        case BENCH_LOOKUP: return try lookUp(count, db)
        case BENCH_OWN_STRING: return try readStrings(count, db)
        case BENCH_LINK_STRING: return try readLinkedStrings(count, db)
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
        for index in chosen(STREAM_LOOKUP, n, count) {
            let person = try PersonRecord.fetchOne(db, key: bench_person_id(UInt64(index)))!
            sum += Int(person.age) + person.name.utf8.count
        }
        return Double(sum)
    }

    private func readStrings(_ count: UInt64, _ db: Database) throws -> Double {
        var sum = 0
        for index in chosen(STREAM_KNOWN, n, count) {
            sum += try PersonRecord.fetchOne(db, key: bench_person_id(UInt64(index)))!.name.utf8.count
        }
        return Double(sum)
    }

    private func readLinkedStrings(_ count: UInt64, _ db: Database) throws -> Double {
        var sum = 0
        for index in chosen(STREAM_KNOWN, n, count) {
            let person = try PersonRecord.fetchOne(db, key: bench_person_id(UInt64(index)))!
            sum += try DogRecord.fetchOne(db, key: person.dog)!.name.utf8.count
        }
        return Double(sum)
    }

    private func countBacklinks(_ db: Database) throws -> Double {
        var sum = 0.0
        for index in 0..<bench_dogs(n) {
            let links = Double(try PersonRecord.filter(Columns.dog == Int64(index) + 1).fetchCount(db))
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
