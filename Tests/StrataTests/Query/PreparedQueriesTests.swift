// SPDX-License-Identifier: MIT
// PreparedQueriesTests.swift -- queries of one shape, which are run again as what was prepared for the first of them.
//
// Random queries are asked again in RandomQueriesTests; here are the constants, writes, threads and memory.

import Foundation
import Strata
import Synchronization
import Testing

private final class Parcel: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var weight: Int?
    @Persisted var size: Double?
    @Persisted(indexed: true) var town: String
    @Persisted var extra: AnyRealmValue

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same as plain values.
private struct PlainParcel: Sendable {
    let id: Int
    let weight: Int?
    let size: Double?
    let town: String

    init(_ id: Int, town: String? = nil) {
        self.id = id
        weight = id % 6 == 0 ? nil : id % 20 - 3
        size = id % 7 == 0 ? nil : id % 5 == 0 ? .nan : Double(id % 9) / 2
        self.town = town ?? "town \(id % 4)"
    }

    var value: [String: Any] {
        [
            "id": id, "weight": weight as Any, "size": size as Any, "town": town,
            "extra": id % 3 == 0 ? AnyRealmValue.int(id % 5) : id % 3 == 1 ? .double(Double(id % 5)) : .none,
        ]
    }
}

@Suite struct PreparedQueriesTests {
    private static func fill(_ realm: Realm, _ parcels: [PlainParcel]) throws {
        try realm.write { for parcel in parcels { realm.create(Parcel.self, value: parcel.value) } }
    }

    @Test func `nil, numbers and NaN are constants of one shape`() throws {
        try withRealm([Parcel.self]) { realm in
            let parcels = (0..<400).map { PlainParcel($0) }
            try Self.fill(realm, parcels)
            let weights: [Int?] = [3, nil, -1, 3, nil, .max, .min, nil, 0]
            let sizes: [Double?] = [1.5, nil, .nan, -0.0, .infinity]
            for (weight, size) in weights.flatMap({ weight in sizes.map { (weight, $0) } }) {
                let expected = parcels.filter { $0.weight == weight && $0.size == size }.map(\.id)
                func found() -> Results<Parcel> {
                    realm.objects(Parcel.self).where { $0.weight == weight && $0.size == size }
                }
                #expect(found().map(\.id) == expected && found().count == expected.count)
                let given: [Any] = [weight as Any, size as Any]
                let filtered = realm.objects(Parcel.self).filter(
                    NSPredicate(format: "weight == %@ AND size == %@", argumentArray: given))
                #expect(filtered.map(\.id) == expected)
                let less = parcels.filter { ($0.weight ?? .max) < weight ?? .min }.count
                #expect(realm.objects(Parcel.self).where { $0.weight < weight }.count == less)
            }
            let extras: [AnyRealmValue] = [
                .int(3), .double(3), .none, .string("3"), .int(3), .bool(true), .double(.nan),
            ]
            for extra in extras + extras.reversed() {
                let number: Double? =
                    switch extra {
                    case .int(let value): Double(value)
                    case .double(let value): value
                    default: nil
                    }
                let expected = parcels.filter {
                    $0.id % 3 == 2 ? extra == .none : number == Double($0.id % 5)
                }
                #expect(realm.objects(Parcel.self).where { $0.extra == extra }.map(\.id) == expected.map(\.id))
            }
        }
    }

    @Test func `stages are part of the shape`() throws {
        try withRealm([Parcel.self]) { realm in
            let parcels = (0..<200).map { PlainParcel($0) }
            try Self.fill(realm, parcels)
            for time in 1...3 {
                for (number, ascending) in (0..<24).map({ ($0, $0 % 2 == 0) }) {
                    let town = "town \(number % 5)", ids = parcels.filter { $0.town == town }.map(\.id)
                    let ordered = ascending ? ids : ids.reversed(), skip = number % 3, count = number % 4
                    let found = realm.objects(Parcel.self).where { $0.town == town }
                        .sorted(by: \.id, ascending: ascending)
                    #expect(found.map(\.id) == ordered, "time \(time)")
                    #expect(found.limit(count, skip: skip).map(\.id) == Array(ordered.dropFirst(skip).prefix(count)))
                    #expect(found.distinct(by: [\.town]).map(\.id) == Array(ordered.prefix(1)))
                    #expect(found.first?.id == ordered.first && found.count == ordered.count)
                }
            }
        }
    }

    @Test func `writes that make another plan better change no answer`() throws {
        try withRealm([Parcel.self]) { realm in
            var parcels = (0..<100).map { PlainParcel($0) }
            try Self.fill(realm, parcels)
            func check() {
                let towns = ["town 1", "crowd", "town 3", ""]
                for (town, weight) in towns.flatMap({ town in [5, nil, 7].map { (town, $0) } }) {
                    let expected = parcels.filter { $0.town == town && $0.weight == weight }.map(\.id)
                    let found = realm.objects(Parcel.self).where { $0.town == town && $0.weight == weight }
                    #expect(found.count == expected.count)
                    let last = found.sorted(by: \.id, ascending: false).limit(7).map(\.id)
                    #expect(last == Array(expected.reversed().prefix(7)))
                }
            }
            for round in 1...5 {
                check()
                let more = (0..<(100 * round)).map { PlainParcel(parcels.count + $0, town: "crowd") }
                realm.beginWrite()
                for parcel in more { realm.create(Parcel.self, value: parcel.value) }
                let before = parcels
                parcels += more
                check()
                if round % 2 == 0 {
                    realm.cancelWrite()
                    parcels = before
                } else {
                    try realm.commitWrite()
                }
            }
            check()
            try realm.write { realm.delete(realm.objects(Parcel.self).where { $0.town == "crowd" }) }
            parcels.removeAll { $0.town == "crowd" }
            check()
            try realm.write { realm.deleteAll() }
            parcels = []
            check()
        }
    }

    @Test func `threads and frozen realms ask at the same time`() throws {
        let temporary = try TemporaryRealm([Parcel.self]), configuration = temporary.configuration
        let realm = try temporary.open(), parcels = (0..<300).map { PlainParcel($0) }
        try Self.fill(realm, parcels)
        nonisolated(unsafe) let frozen = realm.freeze()
        let wrong = Atomic(0), asked = Atomic(0)
        @Sendable func ask(_ realm: Realm, _ number: Int) {
            let town = "town \(number % 5)", weight = number % 3 == 0 ? nil : number % 17
            let expected = parcels.filter { $0.town == town && $0.weight == weight }.map(\.id)
            let found = realm.objects(Parcel.self).where { $0.town == town && $0.weight == weight }
            let same = number % 2 == 0 ? found.count == expected.count : found.map(\.id) == expected
            if !same { wrong.add(1, ordering: .relaxed) }
            asked.add(1, ordering: .relaxed)
        }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            guard let own = try? Realm(configuration: configuration) else { return }
            for number in 0..<150 {
                ask(number % 2 == 0 ? own : frozen, number + thread)
                if thread == 0, number % 10 == 0 {
                    // Far from what is asked for.
                    try? own.write { _ = own.create(Parcel.self, value: PlainParcel(1000 + number, town: "far").value) }
                }
                own.refresh()
            }
        }
        #expect(asked.load(ordering: .relaxed) == 600 && wrong.load(ordering: .relaxed) == 0)
    }

    @Test func `tasks of a store ask at the same time`() async throws {
        let temporary = try TemporaryRealm([Parcel.self])
        let parcels = (0..<300).map { PlainParcel($0) }
        let store = try await RealmStore(configuration: temporary.configuration)
        try await store.write { realm in
            for parcel in parcels { realm.create(Parcel.self, value: parcel.value) }
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let town = "town \(number % 5)"
                    let ids = parcels.filter { $0.town == town && $0.id < number }.map(\.id)
                    return try await store.read { realm in
                        realm.objects(Parcel.self).where { $0.town == town && $0.id < number }
                            .sorted(by: \.id, ascending: false).limit(4).map(\.id)
                    } == Array(ids.reversed().prefix(4))
                }
            }
            for try await isSame in group { #expect(isSame) }
        }
    }

    // MARK: Memory

    /// In a process of its own, because other tests allocate, too.
    @Test func `what was prepared goes with the realm, and many shapes take no more memory than some`() async throws {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryRealm([Parcel.self])
            func askMany(_ shapes: Int) throws {
                let realm = try temporary.open()
                for (shape, number) in (0..<shapes).flatMap({ shape in (0..<3).map { (shape, $0) } }) {
                    let some = realm.objects(Parcel.self).where { $0.weight == number && $0.town == "" }
                    #expect(some.limit(shape + 1).count == 0)
                }
            }
            /// By how many pages of 4 KiB the memory of the process has grown.
            func growth(_ body: () throws -> Void) throws -> Int {
                func pages() throws -> Int {
                    let figures = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
                    return try #require(Int(figures[1]))
                }
                let before = try pages()
                try body()
                return try pages() - before
            }
            // Each realm prepares more queries than a cache has places for.
            for _ in 0..<20 { try askMany(50) }
            let ofRealms = try growth { for _ in 0..<200 { try askMany(50) } }
            #expect(ofRealms < 1000)
            let realm = try temporary.open()
            try askMany(500)
            let ofShapes = try growth { try askMany(10_000) }
            #expect(ofShapes < 1000)
            withExtendedLifetime(realm) {}
        }
    }
}
