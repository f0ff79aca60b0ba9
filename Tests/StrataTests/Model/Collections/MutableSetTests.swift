// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct MutableSetTests {
    func check<Element: RealmCollectionValue>(
        _ path: KeyPath<Sets, MutableSet<Element>>, _ values: [Element], _ location: SourceLocation = #_sourceLocation
    ) throws {
        try onBoth(Sets.self) { sets in
            let set = sets[keyPath: path]
            set.insert(objectsIn: values + values)
            #expect(set.count == values.count && Set(set) == Set(values), sourceLocation: location)
            #expect(Set(values.indices.map { set[$0] }) == Set(values), sourceLocation: location)
            set.insert(values[0])
            set.remove(values[1])
            set.remove(values[1])
            #expect(set.contains(values[0]) && !set.contains(values[1]), sourceLocation: location)
            #expect(set.count == values.count - 1, sourceLocation: location)
            set.removeAll()
            #expect(set.isEmpty && set.first == nil && set.last == nil, sourceLocation: location)
        }
    }

    @Test func `S84: a set holds each value once`() throws {
        try check(\.ints, [5, -1, .max, .min])
        try check(\.doubles, [1.5, -2])
        try check(\.strings, ["b", "", "a", String(repeating: "x", count: 3000)])
        try check(\.datas, [Data([1]), Data(), Data(repeating: 3, count: 3000)])
        try check(\.uuids, [UUID(), UUID()])
        try check(\.moods, [.merry, .calm])
    }

    @Test func `S84: in a set of values of any type, a number is one element, whatever its type`() throws {
        try onBothOf(ManyAnything.self) { object in
            let set = object.set
            set.insert(objectsIn: [.int(1), .double(1), .float(1), .decimal128(1), .bool(true), .string("1")])
            #expect(set.count == 3 && set.contains(.float(1)) && set.contains(.bool(true)) && set.contains("1"))
            #expect(!set.contains(.bool(false)) && !set.contains(.double(1.5)))
            set.remove(.decimal128(1))
            #expect(set.count == 2 && !set.contains(.int(1)))
        }
    }

    @Test func `S84: a set holds each object once`() throws {
        try withRealm(collectionTypes) { realm in
            try realm.write {
                let sets = realm.create(Sets.self), dog = Dog("a"), other = Dog("b")
                sets.dogs.insert(dog)
                sets.dogs.insert(objectsIn: [dog, other, try #require(realm.objects(Dog.self).first)])
                #expect(sets.dogs.count == 2 && sets.dogs.contains(dog) && realm.objects(Dog.self).count == 2)
                sets.dogs.remove(dog)
                #expect(sets.dogs.map(\.name) == ["b"] && realm.objects(Dog.self).count == 2)
            }
        }
    }

    /// Objects without a primary key are equal only if they are identical, but a live set knows them by their rows.
    @Test func `S84: a live set and an unmanaged one agree about objects`() throws {
        let seed = testSeed("sets of objects")
        var random = SeededGenerator(state: seed)
        try withRealm(collectionTypes) { realm in
            try realm.write { for name in "abcdef" { realm.add(Dog(String(name))) } }
            func some() -> Set<String> { Set("abcdef".map(String.init).filter { _ in Bool.random(using: &random) }) }
            func dogs(_ names: Set<String>) -> [Dog] { realm.objects(Dog.self).filter { names.contains($0.name) } }
            func names(_ set: MutableSet<Dog>) -> [String] { set.map(\.name).sorted() }
            try realm.write {
                for round in 0..<200 {
                    let one = some(), other = some()
                    func pair() -> (live: MutableSet<Dog>, loose: MutableSet<Dog>) {
                        let live = realm.create(Sets.self, value: ["id": 1], update: .all).dogs
                        live.removeAll()
                        live.insert(objectsIn: dogs(one))
                        let loose = MutableSet<Dog>()
                        loose.insert(objectsIn: dogs(other))
                        return (live, loose)
                    }
                    let (live, loose) = pair()
                    #expect(live.isSubset(of: loose) == one.isSubset(of: other), "round \(round)")
                    #expect(loose.isSubset(of: live) == other.isSubset(of: one), "round \(round)")
                    #expect(live.intersects(loose) == !one.isDisjoint(with: other), "round \(round)")
                    #expect(loose.intersects(live) == !one.isDisjoint(with: other), "round \(round)")
                    let changes: [(MutableSet<Dog>) -> (MutableSet<Dog>) -> Void] = [
                        MutableSet.formUnion, MutableSet.formIntersection, MutableSet.subtract,
                    ]
                    let expected = [one.union(other), one.intersection(other), one.subtracting(other)]
                    let expectedLoose = [expected[0], expected[1], other.subtracting(one)]
                    for (index, change) in changes.enumerated() {
                        let (live, loose) = pair()
                        change(live)(loose)
                        #expect(names(live) == expected[index].sorted() && loose.count == other.count, "\(index)")
                        let (another, changed) = pair()
                        change(changed)(another)
                        #expect(names(changed) == expectedLoose[index].sorted() && another.count == one.count, "\(index)")
                    }
                }
            }
        }
    }

    @Test func `S84: NaN is one value, and spellings of a letter are two`() throws {
        try onBoth(Sets.self) { sets in
            sets.doubles.insert(objectsIn: [.nan, 1, .nan])
            #expect(sets.doubles.count == 2 && sets.doubles.contains(.nan))
            sets.doubles.remove(.nan)
            #expect(Array(sets.doubles) == [1])
            sets.strings.insert(objectsIn: ["\u{E9}", "e\u{301}", "\u{E9}"])
            #expect(sets.strings.count == 2)
        }
        try onBoth(Lists.self) { lists in
            lists.strings.append(objectsIn: ["\u{E9}", "e\u{301}"])
            #expect(lists.strings.index(of: "e\u{301}") == 1 && lists.strings.index(of: "\u{E9}") == 0)
            lists.doubles.append(objectsIn: [1, .nan])
            #expect(lists.doubles.index(of: .nan) == 1 && lists.doubles.index(of: 2) == nil)
        }
    }

    @Test func `S85: a set of values is in their order, and has no index(of:)`() async throws {
        try withRealm(collectionTypes) { realm in
            let sets = try realm.write {
                realm.create(Sets.self, value: ["ints": [3, 1, 2], "strings": ["b", "ä", "B"]])
            }
            #expect(Array(sets.ints) == [1, 2, 3] && Array(sets.strings) == ["B", "b", "ä"])
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = MutableSet<Int>().index(of: 1)
        }
        expect(result, says: "a set has no order")
    }

    @Test func `S86: nil is one element`() throws {
        try check(\.intsOrNil, [nil, 1, 2])
        try check(\.stringsOrNil, ["", nil, "a"])
    }

    /// Runs a body with two sets of numbers, each of them in the same realm or in none.
    private func withPair(
        _ isManaged: Bool, _ isOtherManaged: Bool, _ body: (MutableSet<Int>, MutableSet<Int>) -> Void
    ) throws {
        try withRealm(collectionTypes) { realm in
            try realm.write {
                let sets = [isManaged, isOtherManaged].enumerated().map { id, isManaged in
                    isManaged ? realm.create(Sets.self, value: ["id": id]).ints : MutableSet<Int>()
                }
                body(sets[0], sets[1])
            }
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `S86: set algebra, of sets in one realm and in none`(isManaged: Bool, isOtherManaged: Bool) throws {
        try withPair(isManaged, isOtherManaged) { set, other in
            set.insert(objectsIn: [1, 2, 3])
            other.insert(objectsIn: [3, 4])
            #expect(set.intersects(other) && !set.isSubset(of: other))
            set.formUnion(other)
            #expect(Set(set) == [1, 2, 3, 4] && other.isSubset(of: set))
            set.subtract(other)
            #expect(Set(set) == [1, 2] && !set.intersects(other))
            other.insert(2)
            set.formIntersection(other)
            #expect(Set(set) == [2] && Set(other) == [2, 3, 4])
            set.formIntersection(set)
            #expect(Set(set) == [2])
            set.subtract(set)
            #expect(set.isEmpty)
        }
    }

    @Test(arguments: 0..<5) func `S86: sets of two realms cannot be combined`(operation: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [operation] in
            try withRealm(collectionTypes) { realm in
                let ints = try realm.write { realm.create(Sets.self).ints }
                try withRealm(collectionTypes) { other in
                    let others = try other.write { other.create(Sets.self).ints }
                    try realm.write {
                        switch operation {
                        case 0: ints.formUnion(others)
                        case 1: ints.formIntersection(others)
                        case 2: ints.subtract(others)
                        case 3: _ = ints.isSubset(of: others)
                        default: _ = ints.intersects(others)
                        }
                    }
                }
            }
        }
        expect(result, says: "Sets.ints belongs to another realm than Sets.ints; copy its elements")
    }

    @Test func `S26: assigning a set copies it, and to itself keeps it`() throws {
        try onBoth(Sets.self) { sets in
            let set = sets.ints, other = MutableSet<Int>()
            set.insert(objectsIn: [1, 2])
            sets.ints = sets.ints
            #expect(Set(sets.ints) == [1, 2])
            other.insert(7)
            sets.ints = other
            other.insert(8)
            #expect(Set(set) == [7])
        }
    }

    @Test func `S32: unmanaged sets compare by contents, managed ones by place`() throws {
        let one = MutableSet<Int>(), two = MutableSet<Int>()
        one.insert(objectsIn: [1, 2])
        #expect(one != two)
        two.insert(objectsIn: [2, 1])
        #expect(one == two && one.hashValue == two.hashValue)
        try withRealm(collectionTypes) { realm in
            let (a, b) = try realm.write {
                (realm.create(Sets.self, value: ["id": 1]), realm.create(Sets.self, value: ["id": 2]))
            }
            #expect(a.ints == a.ints && a.ints != b.ints && a.ints != MutableSet<Int>())
        }
    }

    @Test func `S37 S44: sets of added and created objects`() throws {
        try withRealm(collectionTypes) { realm in
            let sets = Sets(), ints = sets.ints
            ints.insert(objectsIn: [2, 1])
            sets.dogs.insert(Dog("a"))
            try realm.write { realm.add(sets) }
            #expect(Array(ints) == [1, 2] && ints.realm != nil && sets.dogs.first?.name == "a")
            let created = try realm.write {
                realm.create(
                    Sets.self,
                    value: ["id": 1, "ints": [3, 3], "dogs": [["b"], sets.dogs[0]] as [Any], "strings": NSNull()])
            }
            #expect(Array(created.ints) == [3] && created.strings.isEmpty)
            #expect(Set(created.dogs.map(\.name)) == ["a", "b"])
            #expect(realm.objects(Dog.self).count == 2)
        }
    }

    @Test(arguments: [UpdatePolicy.modified, .all]) func `S56: an upsert replaces sets`(policy: UpdatePolicy) throws {
        try withRealm(collectionTypes) { realm in
            let sets = try realm.write { realm.create(Sets.self, value: ["id": 1, "ints": [1, 2]]) }
            try realm.write { realm.create(Sets.self, value: ["id": 1, "ints": [3, 2]], update: policy) }
            #expect(Array(sets.ints) == [2, 3])
        }
    }

    @Test func `S77: walking a set while changing it visits what was there`() throws {
        try onBoth(Sets.self) { sets in
            sets.ints.insert(objectsIn: 0..<500)
            var visited = Set<Int>()
            for value in sets.ints {
                visited.insert(value)
                sets.ints.remove(value)
                sets.ints.insert(value + 1000)
            }
            #expect(visited == Set(0..<500) && Set(sets.ints) == Set(1000..<1500))
        }
    }

    @Test func `S93: changing a set outside of a write traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(collectionTypes) { realm in
                let sets = try realm.write { realm.create(Sets.self) }
                sets.ints.remove(5)
            }
        }
        expect(result, says: "Sets.ints cannot be changed outside of a write")
    }

    @Test func `C4: sets in order and what they add up to`() throws {
        try withRealm(collectionTypes) { realm in
            let sets = try realm.write { realm.create(Sets.self, value: ["ints": [3, 1, 2], "dogs": [["b"], ["a"]]]) }
            #expect(Array(sets.ints.sorted(ascending: false)) == [3, 2, 1] && sets.ints.sum() == 6)
            #expect(sets.ints.min() == 1 && sets.ints.max() == 3 && sets.ints.average() == 2)
            #expect(sets.dogs.sorted(by: \.name).map(\.name) == ["a", "b"])
            #expect(sets.dogs.where { $0.name == "b" }.count == 1)
        }
    }
}
