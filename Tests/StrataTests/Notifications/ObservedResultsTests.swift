// SPDX-License-Identifier: MIT
// ObservedResultsTests.swift -- results that are observed show what a query finds, and run none for it.

import Dispatch
import Foundation
import Strata
import Testing

/// Results of all kinds, made anew with each call.
private let makers: [@Sendable (Realm) -> Results<Person>] = [
    { $0.objects(Person.self) },
    { $0.objects(Person.self).where { $0.age > 50 } },
    { $0.objects(Person.self).sorted(by: \.age) },
    { realm in
        let order = [SortDescriptor(keyPath: "name"), SortDescriptor(keyPath: "age")]
        return realm.objects(Person.self).where { $0.age > 20 }.sorted(by: order)
    },
    { $0.objects(Person.self).sorted(by: \.age, ascending: false).limit(7) },
    { $0.objects(Person.self).distinct(by: ["name"]) },
    { $0.objects(Person.self).sorted(byKeyPath: "dog.age") },
]

@Suite(.timeLimit(.minutes(20))) struct ObservedResultsTests {
    private func change(_ realm: Realm, _ random: inout SeededGenerator) {
        let id = Int.random(in: 0..<40, using: &random)
        let person = realm.object(ofType: Person.self, forPrimaryKey: id)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: if let person { realm.delete(person) }
        case 1: person?.name = "p\(Int.random(in: 0..<5, using: &random))"
        case 2: person?.age = Int.random(in: 0..<100, using: &random)
        case 3: person?.dog = realm.objects(Dog.self).randomElement(using: &random)
        case 4: realm.objects(Dog.self).randomElement(using: &random)?.age = Int.random(in: 0..<9, using: &random)
        default:
            let name = "p\(Int.random(in: 0..<5, using: &random))"
            realm.create(Person.self, value: ["id": id, "name": name, "age": id * 7 % 100], update: .modified)
        }
    }

    /// Compares results that may be observed with a query that is not, read in all ways, one of them first.
    private func compare(_ observed: Results<Person>, _ fresh: Results<Person>, _ random: inout SeededGenerator) {
        let expected = fresh.map(\.id)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: #expect(observed.count == expected.count)
        case 1: #expect(observed.first?.id == expected.first)
        case 2: #expect(observed.last?.id == expected.last)
        case 3: #expect(observed.isEmpty == expected.isEmpty)
        case 4: for (place, object) in fresh.enumerated() { #expect(observed.index(of: object) == place) }
        default: #expect(observed.map(\.id) == expected)
        }
        for place in expected.indices.shuffled(using: &random) { #expect(observed[place].id == expected[place]) }
        for place in expected.indices { #expect(observed[place].id == expected[place]) }
        for place in expected.indices {
            let (id, age) = (observed[place].id, observed[place].age)
            #expect(id == expected[place] && age == fresh[place].age)
        }
        #expect(observed.count == expected.count)
    }

    @Test func `they show what a query finds, whenever they are asked`() throws {
        let seed = testSeed("observed results")
        try withQueueRealm { queue in
            nonisolated(unsafe) var random = SeededGenerator(state: seed)
            let all = queue.run { realm in makers.map { $0(realm) } }
            var deliveries = 0
            func observe(_ index: Int) -> NotificationToken {
                all[index].observe { change in
                    if case .update = change { deliveries += 1 }
                    compare(all[index], makers[index](all[index].realm!), &random)
                    let other = Int.random(in: 0..<all.count, using: &random)  // which may not have been told yet
                    compare(all[other], makers[other](all[other].realm!), &random)
                }
            }
            func compareAll(_ realm: Realm) {
                for (one, make) in zip(all, makers) { compare(one, make(realm), &random) }
            }
            try queue.run { realm in try realm.write { for _ in 0..<5 { realm.create(Dog.self) } } }
            for _ in 0..<150 {
                try queue.run { realm in
                    let index = Int.random(in: 0..<all.count, using: &random)
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0, 1, 2: queue.tokens.append(observe(index))
                    case 3: queue.tokens.randomElement(using: &random)?.invalidate()
                    case 4: queue.tokens = queue.tokens.shuffled(using: &random).suffix(3)
                    default:
                        let changes = SeededGenerator(state: random.next())
                        try queue.elsewhere { realm in
                            var random = changes
                            for _ in 0..<3 { self.change(realm, &random) }
                        }
                        realm.refresh()
                    }
                    compareAll(realm)
                    realm.beginWrite()
                    compareAll(realm)
                    for _ in 0..<Int.random(in: 0..<4, using: &random) { change(realm, &random) }
                    compareAll(realm)
                    if Bool.random(using: &random) { try realm.commitWrite() } else { realm.cancelWrite() }
                    compareAll(realm)  // before anybody was told of it
                }
                queue.settle()
                queue.run(compareAll)
            }
            #expect(deliveries > 20)
        }
    }

    /// A query that begins behind the deadline is stopped, and the closure throws.
    @Test func `where they are told of, no query is run to read them`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                try realm.write { for id in 0..<1000 { realm.add(Person(id, "p\(id % 10)", age: 1000 - id)) } }
                for make in makers.prefix(5) {
                    let results = make(realm)
                    #expect(throws: Realm.Error.self) { try realm.read(within: .zero) { _ = results[0].id } }
                    queue.tokens.append(
                        results.observe { [unowned queue] change in
                            guard case .update(let results, _, let insertions, _) = change else { return }
                            do {
                                let ids = try realm.read(within: .zero) {
                                    let person = results[insertions[0]]
                                    #expect(results.index(of: person) == insertions[0])
                                    #expect(!results.isEmpty && results.count > 0)
                                    return [results.first!.id, person.id, results.last!.id]
                                }
                                queue.log.append("\(ids)")
                            } catch {
                                queue.log.append("\(error)")
                            }
                        })
                }
            }
            queue.settle()
            try queue.run { realm in try realm.write { realm.add(Person(2000, "p2000", age: 2000)) } }
            #expect(queue.told() == [
                "[0, 2000, 2000]", "[0, 2000, 2000]", "[999, 2000, 2000]", "[970, 2000, 9]", "[2000, 2000, 5]",
            ])
        }
    }

    @Test func `in writes that share a transaction they show what a query finds`() throws {
        try withQueueRealm { queue in
            let done = DispatchSemaphore(value: 0)
            queue.run { realm in
                let results = realm.objects(Person.self).where { $0.age > 50 }
                queue.tokens.append(results.observe { _ in })
                for id in 0..<30 {
                    realm.writeAsync {
                        #expect(results.count == realm.objects(Person.self).where { $0.age > 50 }.count)
                        realm.add(Person(id, age: 60))
                        #expect(results.count == id + 1 && results.last?.id == id && results[id].id == id)
                    } onComplete: { _ in
                        done.signal()
                    }
                }
            }
            for _ in 0..<30 { #expect(done.wait(timeout: .now() + 60) == .success) }
        }
    }

    @Test func `S170: when the one who observes them is gone, they go on`() throws {
        try withQueueRealm { queue in
            let results = queue.run { realm in realm.objects(Person.self).sorted(by: \.age) }
            try queue.run { realm in
                try realm.write { for id in 0..<20 { realm.add(Person(id, age: 20 - id)) } }
                for _ in 0..<3 { queue.tokens.append(results.observe { _ in }) }
            }
            for left in [2, 1, 0] {
                queue.settle()
                try queue.run { realm in
                    #expect(results.map(\.id).reversed() == Array(0..<results.count))
                    queue.tokens.removeLast()
                    #expect(queue.tokens.count == left)
                    #expect(results[0].id == results.count - 1)
                    try realm.write { realm.add(Person(results.count, age: -results.count)) }
                    #expect(results[0].id == results.count - 1)
                }
            }
            queue.run { realm in
                realm.invalidate()
                #expect(results.count == 0 && results.first == nil)
            }
        }
    }
}
