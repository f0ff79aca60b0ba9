// SPDX-License-Identifier: MIT
import CCounting
import Foundation
import Strata
import Testing

final class CountedPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var age: Int
    @Persisted var score: Double
    @Persisted var name: String
    @Persisted var best: CountedPerson?
    /// How many instances this process has made.
    nonisolated(unsafe) static var made = 0

    required init() {
        super.init()
        Self.made += 1
    }
}

/// The costs of live objects, counted as a client of the library sees them.
@Suite(.serialized) struct LiveObjectCostTests {
    private func realm(of count: Int) throws -> Realm {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "cost-\(UUID())", objectTypes: [CountedPerson.self])
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<count {
                realm.create(CountedPerson.self, value: [id, id % 100, Double(id), "name \(id)"] as [Any])
            }
        }
        return realm
    }

    @Test func `reading numbers of a live object allocates nothing`() throws {
        let realm = try realm(of: 1000)
        let person = try #require(realm.object(ofType: CountedPerson.self, forPrimaryKey: 77))
        var sum = 0.0
        let before = counting_allocations()
        for _ in 0..<100_000 { sum += Double(person.age) + person.score }
        let after = counting_allocations()
        #expect(after - before == 0)
        #expect(sum == 100_000 * (77 + 77))
    }

    @Test func `changing numbers of a changed object allocates nothing`() throws {
        let realm = try realm(of: 10)
        let person = try #require(realm.object(ofType: CountedPerson.self, forPrimaryKey: 7))
        try realm.write {
            person.age = 1
            let before = counting_allocations()
            for age in 0..<100_000 { person.age = age }
            #expect(counting_allocations() - before == 0)
        }
        #expect(person.age == 99_999)
    }

    @Test func `a loop over a million results makes one object`() throws {
        let realm = try realm(of: 1_000_000)
        let made = CountedPerson.made
        let before = counting_allocations()
        var sum = 0
        for person in realm.objects(CountedPerson.self) { sum += person.age }
        let after = counting_allocations()
        #expect(sum == 49_500_000)
        #expect(CountedPerson.made - made == 1)
        #expect(after - before < 200, "the loop, the cursor and one object: \(after - before) allocations")
    }

    @Test func `an object that is kept is left alone`() throws {
        let realm = try realm(of: 100)
        var kept: [CountedPerson] = []
        for person in realm.objects(CountedPerson.self) where person.id % 10 == 0 { kept.append(person) }
        #expect(kept.map(\.id) == Array(stride(from: 0, to: 100, by: 10)))
    }
}
