// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Its computed properties each read one that is stored.
private class Computing: Object {
    @Persisted var age: Int
    @Persisted var name: String
    @Persisted var born: Date?
    @Persisted var mood: Mood
    @Persisted var leaf: Leaf?
    @Persisted var numbers: List<Int>
    @Persisted var next: Computing?

    var doubled: Int { age * 2 }
    var capped: Int { min(age, 1000) }
    var positive: Int { max(age, 0) }
    var letter: String { String(name.prefix(1)) }
    var isOld: Bool { age > 30 }
    var bornOrNever: Date { born ?? .distantPast }
    var opposite: Mood { mood == .calm ? .cross : .calm }
    var numberCount: Int { numbers.count }
    var nextDoubled: Int? { next?.doubled }
    /// Another name.
    var years: Int { age }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private func withComputing(_ body: (Results<Computing>) throws -> Void) throws {
    try withRealm([Computing.self, Leaf.self] + treeTypes.filter { $0 != Leaf.self }) { realm in
        try realm.write {
            let first = realm.create(Computing.self, value: ["age": 4, "name": "Ann", "mood": Mood.cross])
            realm.create(Computing.self, value: ["age": 2, "name": "Bo", "leaf": ["size": 3], "next": first])
        }
        try body(realm.objects(Computing.self))
    }
}

/// Computed properties, which no query can ask for.
@Suite struct ComputedKeyPathTests {
    private static let age = "is computed from 'age'; queries take stored properties only; "
        + "filter the results in Swift, or store it"

    @Test func `S117: a computed property traps in each kind of query`() async {
        let condition = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withComputing { _ = $0.where { $0.doubled == 4 } }
        }
        expect(condition, saysAll: "a property of Computing, of type Int, \(Self.age)")
        let most = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withComputing { _ = $0.max(of: \.positive) }
        }
        expect(most, saysAll: "a property of Computing, of type Int, \(Self.age)")
        let sorted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withComputing { _ = $0.sorted(by: \.isOld) }
        }
        expect(sorted, saysAll: "a property of Computing, of type Bool, \(Self.age)")
        let distinct = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withComputing { _ = $0.distinct(by: [\.capped]) }
        }
        expect(distinct, saysAll: "a property of Computing, of type Int, \(Self.age)")
        let grouped = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withComputing { _ = $0.grouped(by: \.opposite) }
        }
        expect(grouped, says: "a property of Computing, of type Mood, is computed from 'mood'")
        let predicate = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withComputing { _ = $0.filter(#Predicate { $0.letter == "A" }) }
        }
        expect(predicate, says: "a property of Computing, of type String, is computed from 'name'")
    }

    @Test func `S117: also from nil, from a collection and behind a link`() async {
        let optional = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withComputing { _ = $0.min(of: \.bornOrNever) }
        }
        expect(optional, says: "a property of Computing, of type Date, is computed from 'born'")
        let collection = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withComputing { _ = $0.where { $0.numberCount == 2 } }
        }
        expect(collection, says: "a property of Computing, of type Int, is computed from 'numbers'")
        let link = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withComputing { _ = $0.where { $0.nextDoubled == 8 } }
        }
        expect(link, says: "is computed from 'next.age'")
        let sections = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withComputing { objects in
                _ = objects.sectioned(by: \.doubled)
                _ = objects.sorted(by: \.doubled)
            }
        }
        expect(sections, saysAll: "a property of Computing, of type Int, \(Self.age)")
    }

    @Test func `S117: what is stored, and sections`() throws {
        try withComputing { all in
            #expect(all.where { $0.age == 4 }.count == 1 && all.where { $0.years == 4 }.first?.name == "Ann")
            #expect(all.where { $0.leaf.size == 3 && $0.next.age == 4 }.count == 1)
            #expect(all.where { $0.leaf == nil }.count == 1)
            #expect(all.sorted(by: \.leaf?.size).map(\.age) == [2, 4] && all.max(of: \.next?.age) == 4)
            #expect(all.grouped(by: \.mood).count == 2 && all.distinct(by: [\.born]).count == 1)
            #expect(all.sectioned(by: \.doubled).allKeys == [4, 8] && all.sectioned(by: \.letter).allKeys == ["A", "B"])
        }
    }

    @Test func `S111: totals of optional properties need no type`() throws {
        try withTrees { realm in
            try realm.write {
                realm.create(Tree.self, value: ["id": 1, "optInt": 3])
                realm.create(Tree.self, value: ["id": 2, "optInt": 5])
                realm.create(Tree.self, value: ["id": 3])
            }
            let trees = realm.objects(Tree.self)
            let least = trees.min(of: \.optInt), most = trees.max(of: \.optInt)
            let sum = trees.sum(of: \.optInt), average = trees.average(of: \.optInt)
            #expect(least == 3 && most == 5 && sum == 8 && average == 4)
            let plain = trees.max(of: \.id), plainSum = trees.sum(of: \.id)
            #expect(plain == 3 && plainSum == 6)
            #expect(type(of: least) == Int?.self && type(of: sum) == Int.self)
        }
    }
}
