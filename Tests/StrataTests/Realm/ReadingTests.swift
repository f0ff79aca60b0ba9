// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Queries that are stopped: at a deadline, after a number of steps, by another thread, or with their task.
@Suite struct ReadingTests {
    /// So many that a query looks whether it has to stop while it runs.
    static let size = 20_000

    private func withPeople(_ body: (Realm) throws -> Void) throws {
        try withRealm { realm in
            try realm.write { Self.fill(realm) }
            try body(realm)
        }
    }

    private static func fill(_ realm: Realm) {
        let dog = realm.create(Dog.self, value: ["Rex", 3])
        for id in 0..<size { realm.create(Person.self, value: ["id": id, "name": "n\(id % 7)", "dog": dog]) }
        realm.create(Person.self, value: ["id": size, "dogs": Array(repeating: dog, count: 10)])
    }

    /// The error of code `interrupted` that a body throws.
    private func interrupted(_ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void) -> String {
        do {
            try body()
            Issue.record("nothing was stopped", sourceLocation: location)
        } catch let error as Realm.Error where error.code == .interrupted {
            return error.message
        } catch {
            Issue.record(error, sourceLocation: location)
        }
        return ""
    }

    /// Everything that runs a query.
    private static var queries: [(String, (Realm) -> Int)] { [
        ("the query on Person", { Array($0.objects(Person.self).where { $0.name.contains("3") }).count }),
        ("the query on Person", { $0.objects(Person.self).where { $0.name.contains("3") }.count }),
        ("the query on Person", { $0.objects(Person.self).sorted(by: \.name).map(\.id).count }),
        ("the query on Person", { $0.objects(Person.self).distinct(by: ["name"]).count > 0 ? 1 : 0 }),
        ("the query on Person", { $0.objects(Person.self).where { $0.name.contains("3") }.first == nil ? 0 : 1 }),
        ("the sum of Person.id", { $0.objects(Person.self).sum(of: \.id) }),
        ("the maximum of Person.id", { $0.objects(Person.self).max(of: \.id) ?? 0 }),
        ("the average of Person.score", { ($0.objects(Person.self).average(of: \.score) as Double?) == nil ? 0 : 1 }),
        ("grouping Person", { $0.objects(Person.self).grouped(by: \.name).count }),
        ("the query on Person", { $0.objects(Person.self).sorted(by: \.name).explain().rowsReturned }),
        ("the query on Person", { $0.objects(Dog.self).first?.owners.count ?? 0 }),
        ("the query on Person", { $0.objects(Dog.self).first!.owners.filter("name != 'x'").map(\.id).count }),
    ] }

    @Test func `what is stopped is empty, its scope throws, and it is found anew afterwards`() throws {
        try withPeople { realm in
            for (index, (name, run)) in Self.queries.enumerated() {
                let all = run(realm)
                #expect(all > 0, "query \(index)")
                realm.refresh()
                try realm.write {}  // nothing is remembered
                var found = -1
                let message: String
                do {
                    try realm.read(within: 0) { found = run(realm) }
                    Issue.record("query \(index) was not stopped")
                    continue
                } catch let error as Realm.Error {
                    message = error.message
                }
                #expect(found == 0, "query \(index)")
                #expect(message.contains("did not end within 0.0 seconds; give it more time"))
                #expect(message.hasPrefix(name), "query \(index): \(message)")
                #expect(run(realm) == all, "query \(index)")
                let again = try realm.read(within: 3600) { run(realm) }
                #expect(again == all)
            }
        }
    }

    @Test func `linking objects that are stopped are empty in every way`() throws {
        try withPeople { realm in
            let owners = try #require(realm.objects(Dog.self).first).owners
            #expect(owners.count == Self.size)
            _ = interrupted {
                try realm.read(within: 0) {
                    #expect(Array(owners).isEmpty && owners.map(\.id).isEmpty && owners.isEmpty)
                    #expect(owners.reversed().isEmpty && owners.first == nil && owners.last == nil)
                    #expect(owners[5].realm == nil)  // a position that was there before
                }
            }
            #expect(owners.count == Self.size && Array(owners).count == Self.size)
        }
    }

    /// Ways of reading a collection, each as one number of what it found.
    private static func read<C: RealmCollection>(
        _ way: Int, _ all: C, _ number: @escaping (C.Element) -> Int
    ) -> Int {
        func sum(_ elements: some Sequence<C.Element>) -> Int { elements.reduce(1) { $0 &* 31 &+ number($1) } }
        switch way {
        case 0: return all.count
        case 1: return sum(all)
        case 2: return all.map(number).reduce(1) { $0 &* 31 &+ $1 }
        case 3: return sum(Array(all))
        case 4: return sum(all.reversed())
        case 5: return all.enumerated().reduce(1) { $0 &* 31 &+ $1.offset &+ number($1.element) }
        case 6: return sum(all.prefix(100)) &+ sum(all.suffix(100))
        case 7: return sum(all.dropFirst(10)) &+ sum(all.dropLast(10))
        case 8: return zip(all, all.indices).reduce(1) { $0 &* 31 &+ number($1.0) &+ $1.1 }
        case 9: return sum(all.indices.map { all[$0] })
        case 10: return sum(all.indices.reversed().lazy.map { all[$0] })
        case 11: return (all.first.map(number) ?? 7) &+ (all.last.map(number) ?? 7)
        case 12: return sum(all.lazy.filter { number($0) % 3 == 0 })
        case 13: return all.firstIndex { number($0) == 40 } ?? -1
        case 14: return sum(all[(all.count / 2)...])
        case 15: return sum(all.results.lazy.prefix { number($0) < 3000 })
        default: return all.isEmpty ? 1 : 0
        }
    }

    /// Whatever is asked of results of which some were stopped, in whatever order: the program goes on, and the scope
    /// gives what it gives without a limit, or throws.
    @Test func `no way of reading stops the program after a stop`() throws {
        let seed = testSeed("reading after a stop")
        var random = SeededGenerator(state: seed)
        try withRealm([Person.self, Dog.self, ListOfNumbers.self]) { realm in
            let size = 3000
            let numbers = try realm.write {
                let dog = realm.create(Dog.self, value: ["Rex", 3])
                for id in 0..<size { realm.create(Person.self, value: ["id": id, "name": "n\(id % 7)", "dog": dog]) }
                let list = realm.create(ListOfNumbers.self, value: [Array(0..<size)])
                return list.numbers
            }
            let people = realm.objects(Person.self), owners = try #require(realm.objects(Dog.self).first).owners
            let reads: [(Int) -> Int] = [
                { Self.read($0, people, \.id) },
                { Self.read($0, people.where { $0.id > 17 }, \.id) },
                { Self.read($0, people.sorted(by: \.name), \.id) },
                { Self.read($0, owners, \.id) },
                { Self.read($0, owners.filter("id > 100 OR name != 'n3'"), \.id) },
                { Self.read($0, AnyRealmCollection(people.where { $0.name != "n2" }), \.id) },
                { Self.read($0, numbers, \.self) },
                { Self.read($0, numbers.where { $0 > 12 }, \.self) },
                { Self.read($0, numbers.sorted(ascending: false), \.self) },
                { way in
                    let sections = people.sectioned(by: \.name)
                    return sections.map { section in section.reduce(0) { $0 &+ $1.id } }.reduce(way, &+)
                },
            ]
            var stops = 0
            for _ in 0..<120 {
                let some = (0..<5).map { _ in
                    (Int.random(in: 0..<reads.count, using: &random), Int.random(in: 0...16, using: &random))
                }
                let wanted = some.map { reads[$0.0]($0.1) }
                try realm.write {}  // nothing is remembered
                do {
                    let found = try realm.read(steps: Int.random(in: 0...20_000, using: &random)) {
                        some.map { reads[$0.0]($0.1) }
                    }
                    #expect(found == wanted, "seed \(seed)")
                } catch let error as Realm.Error where error.code == .interrupted {
                    stops += 1
                }
            }
            #expect(stops > 10 && stops < 120, "seed \(seed)")
        }
    }

    @Test func `positions that were there before have default values`() throws {
        try withRealm([ListOfNumbers.self]) { realm in
            let list = try realm.write { realm.create(ListOfNumbers.self, value: [Array(1...Self.size)]) }.numbers
            let sorted = list.sorted(ascending: false), high = list.where { $0 > 10 }
            let sections = list.sectioned(by: { $0 % 3 })
            let section = sections[1]
            #expect(sorted[0] == Self.size && high[0] == 11 && sections.count == 3 && section.count > 0)
            try realm.write {}  // nothing is remembered
            _ = interrupted {
                try realm.read(within: 0) {
                    #expect(sorted[0] == 0 && high[7] == 0 && sorted.first == nil && high.last == nil)
                    #expect(sorted.isEmpty && Array(sorted).isEmpty && Array(high).isEmpty)
                }
            }
            _ = interrupted {
                try realm.read(within: 0) { #expect(sections.count == 0 && section.isEmpty && sections[1].isEmpty) }
            }
            #expect(sorted[0] == Self.size && high[0] == 11 && sections.count == 3 && section.count > 0)
        }
    }

    @Test func `sums and averages of every type are those of nothing`() throws {
        try withPeople { realm in
            let people = realm.objects(Person.self)
            _ = interrupted {
                try realm.read(within: 0) {
                    #expect(people.sum(of: \.score) == 0.0 && people.min(of: \.score) == nil)
                    let average: Double? = people.average(of: \.score)
                    #expect(average == nil)
                }
            }
        }
    }

    @Test func `a scope that has used more than its steps stops every query that follows`() throws {
        try withPeople { realm in
            let named = realm.objects(Person.self).where { $0.name.contains("n") }
            let message = interrupted {
                try realm.read(steps: 1000) {
                    #expect(named.count == 0)
                    _ = interrupted {
                        try realm.read(within: 3600) { #expect(realm.objects(Person.self).max(of: \.id) == nil) }
                    }
                    #expect(realm.objects(Person.self).where { $0.id == 3 }.first == nil)
                }
            }
            #expect(message.contains("1000 steps"))
        }
    }

    @Test func `steps stop a query that runs, and results that were stopped are used again`() throws {
        try withPeople { realm in
            let people = realm.objects(Person.self).where { $0.name.contains("3") }
            var isEmpty = false
            let message = interrupted {
                try realm.read(steps: 5000) {
                    isEmpty = people.isEmpty || people.count == 0 && Array(people).isEmpty
                    #expect(people[7].id == 0 && people[7].realm == nil)  // a position that was there before
                    #expect(people.last == nil)
                }
            }
            #expect(isEmpty || message != "")
            #expect(message.contains("takes more than the 5000 steps it may take; let it take more, or a condition"))
            #expect(message.contains("Person"))
            let count = people.count
            #expect(count == (0..<Self.size).count { $0 % 7 == 3 })
            #expect(people[7].id == 7 * 7 + 3)
            let (again, nothing) = try (realm.read(steps: 1_000_000) { people.count }, realm.read(steps: 0) { 5 })
            #expect(again == count && nothing == 5)
        }
    }

    @Test func `values of collections are stopped, too`() throws {
        try withRealm([ListOfNumbers.self]) { realm in
            let list = try realm.write { realm.create(ListOfNumbers.self, value: [Array(0..<Self.size)]) }.numbers
            for _ in 0..<2 {
                let high = list.where { $0 > 10 }
                let first = interrupted { try realm.read(within: 0) { #expect(high.count == 0 && high.isEmpty) } }
                #expect(first.hasPrefix("the query on ListOfNumbers.numbers did not end"))
                let total = interrupted { try realm.read(within: 0) { #expect(list.sum() == 0 && list.max() == nil) } }
                #expect(total.hasPrefix("the sum of ListOfNumbers.numbers did not end"))
                let order = interrupted { try realm.read(steps: 100) { _ = Array(list.sorted(ascending: false)) } }
                #expect(order.contains("100 steps"))
                #expect(high.count == Self.size - 11 && list.max() == Self.size - 1)
            }
        }
    }

    @Test func `scopes are nested, and each throws what stopped it`() throws {
        try withPeople { realm in
            let people = realm.objects(Person.self).where { $0.name.contains("3") }
            // The inner limit: the outer scope goes on.
            let count = try realm.read(steps: 10_000_000) {
                let inner = interrupted { try realm.read(within: 0) { #expect(people.count == 0) } }
                #expect(inner.contains("0.0 seconds"))
                return people.count
            }
            #expect(count > 0)
            // The outer limit: both.
            let message = interrupted {
                try realm.read(steps: 1000) {
                    let inner = interrupted {
                        try realm.read(within: 3600) {
                            #expect(Array(realm.objects(Person.self).sorted(by: \.name)).isEmpty)
                        }
                    }
                    #expect(inner.contains("1000 steps"))
                }
            }
            #expect(message.contains("1000 steps"))
            // What an inner scope used counts in the outer one.
            let both = interrupted {
                try realm.read(steps: Self.size * 3 / 2) {
                    let named = realm.objects(Person.self).where { $0.name.contains("n") }
                    let count = try realm.read(within: 3600) { named.count }
                    #expect(count == Self.size)
                    #expect(Array(realm.objects(Person.self).where { $0.name.contains("n") }).isEmpty)
                }
            }
            #expect(both.contains("\(Self.size * 3 / 2) steps"))
            // The error of the closure gives way to the reason.
            struct NotFound: Error {}
            _ = interrupted { try realm.read(within: 0) { if people.first == nil { throw NotFound() } } }
            #expect(throws: NotFound.self) { try realm.read(within: 3600) { throw NotFound() } }
        }
    }

    @Test func `a write in a scope fails, one around it goes on`() throws {
        try withPeople { realm in
            let people = realm.objects(Person.self).where { $0.name.contains("3") }
            _ = interrupted {
                try realm.read(within: 0) {
                    try realm.write { if people.isEmpty { realm.create(Dog.self, value: ["Wrong", 1]) } }
                }
            }
            #expect(!realm.isInWriteTransaction && realm.objects(Dog.self).count == 1)
            try realm.write {
                realm.create(Dog.self, value: ["Before", 1])
                _ = interrupted { try realm.read(within: 0) { #expect(people.isEmpty) } }
                realm.create(Dog.self, value: ["Behind", people.count])
            }
            #expect(realm.objects(Dog.self).count == 3 && realm.objects(Dog.self).last?.age == people.count)
            try realm.read(within: 0) { try realm.write { realm.create(Dog.self, value: ["No query", 1]) } }
            #expect(realm.objects(Dog.self).count == 4)
        }
    }

    @Test func `a write that begins after a stop fails, for it may write what was not found`() throws {
        try withPeople { realm in
            let people = realm.objects(Person.self).where { $0.name.contains("3") }
            let message = interrupted {
                try realm.read(within: 0) {
                    let count = people.count
                    _ = interrupted { try realm.write { _ = realm.create(Dog.self, value: ["Wrong", count]) } }
                }
            }
            #expect(message.contains("the query on Person"))
            let cancellation = QueryCancellation()
            cancellation.cancel()
            #expect(throws: CancellationError.self) {
                try realm.read(until: cancellation) {
                    let count = people.count
                    try realm.write { _ = realm.create(Dog.self, value: ["Wrong", count]) }
                }
            }
            #expect(!realm.isInWriteTransaction && realm.objects(Dog.self).count == 1)
            try realm.write { realm.create(Dog.self, value: ["Right", people.count]) }
            #expect(realm.objects(Dog.self).count == 2)
        }
    }

    @Test func `a write that begins in a scope fails, whatever was open when the scope began`() throws {
        try withPeople { realm in
            let people = realm.objects(Person.self).where { $0.name.contains("3") }
            // The scope began in another write.
            realm.beginWrite()
            _ = interrupted {
                try realm.read(within: 0) {
                    realm.cancelWrite()
                    try realm.write { if people.isEmpty { realm.create(Dog.self, value: ["Wrong", 1]) } }
                }
            }
            #expect(!realm.isInWriteTransaction && realm.objects(Dog.self).count == 1)
            // The limit is that of the scope around the write, and the query is in a scope inside of it.
            _ = interrupted {
                try realm.read(within: 0) {
                    _ = interrupted {
                        try realm.write {
                            _ = interrupted { try realm.read(steps: 1_000_000) { #expect(people.isEmpty) } }
                            realm.create(Dog.self, value: ["Wrong", 1])
                        }
                    }
                }
            }
            #expect(!realm.isInWriteTransaction && realm.objects(Dog.self).count == 1)
        }
    }

    @Test func `another thread cancels`() throws {
        try withPeople { realm in
            let cancellation = QueryCancellation()
            let running = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                running.wait()
                cancellation.cancel()
            }
            let people = realm.objects(Person.self)
            var last = -1
            #expect(throws: CancellationError.self) {
                try realm.read(until: cancellation) {
                    repeat {
                        last = people.where { $0.name.contains("n") }.count
                        running.signal()
                    } while last != 0
                }
            }
            #expect(cancellation.isCancelled && last == 0)
            #expect(throws: CancellationError.self) {
                try realm.read(until: cancellation) { #expect(people.where { $0.name.contains("n") }.count == 0) }
            }
            #expect(people.where { $0.name.contains("n") }.count == Self.size)
            let other = QueryCancellation()
            let count = try realm.read(until: other) { people.where { $0.name.contains("n") }.count }
            #expect(count == Self.size)
        }
    }

    @Test func `a cancelled task stops its query`() async throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { Self.fill(realm) }
        }
        let running = DispatchSemaphore(value: 0)
        let task = Task { @MainActor in
            let realm = try await Realm(configuration: configuration)
            return try await realm.cancellable {
                var count = 0
                repeat {
                    count = realm.objects(Person.self).where { $0.name.contains("n") }.count
                    running.signal()
                } while count != 0
                return count
            }
        }
        Thread.detachNewThread {
            running.wait()
            task.cancel()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let other = Task { @MainActor in
            let realm = try await Realm(configuration: configuration)
            return try await realm.cancellable { realm.objects(Person.self).where { $0.name.contains("n") }.count }
        }
        let count = try await other.value
        #expect(count == Self.size)
    }

    @Test func `checking a condition tells that it was stopped`() throws {
        try withPeople { realm in
            let message = interrupted {
                try realm.read(within: 0) {
                    _ = try realm.objects(Person.self).filter(checking: "name LIKE '*x*'").count
                }
            }
            #expect(message.contains("Person"))
        }
    }
}

class ListOfNumbers: Object {
    @Persisted var numbers: List<Int>
}
