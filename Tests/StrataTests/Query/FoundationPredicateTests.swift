// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Predicates of the macro `#Predicate`.
@Suite struct FoundationPredicateTests {
    private func check(_ predicate: Predicate<Tree>, _ ids: [Int], _ location: SourceLocation = #_sourceLocation) throws
    {
        try withTrees { realm in
            try realm.write {
                for id in 0..<4 {
                    realm.create(
                        Tree.self,
                        value: [
                            "id": id, "int": id, "string": "s\(id)", "flag": id == 2, "other": 2,
                            "optString": id == 0 ? NSNull() : "o\(id)" as Any, "optInt": id == 1 ? NSNull() : id as Any,
                            "leaf": id < 2 ? ["size": id, "label": "L\(id)", "weight": 1.5] : NSNull() as Any,
                            "leaves": (0..<id).map { ["size": $0, "label": "l"] }, "ints": Array(0..<id),
                            "mood": Mood.allCases[id % 3],
                        ] as [String: Any])
                }
            }
            #expect(realm.objects(Tree.self).filter(predicate).map(\.id) == ids, sourceLocation: location)
            #expect(realm.objects(Tree.self).index(matching: predicate) == ids.first, sourceLocation: location)
            // Foundation stops at the first nil that is unwrapped with !, where the engine goes on.
            if let plain = try? Array(realm.objects(Tree.self)).filter(predicate.evaluate).map(\.id) {
                #expect(plain == ids, "as Foundation evaluates it", sourceLocation: location)
            }
        }
    }

    @Test func `comparisons, logic and values of the program`() throws {
        let limit = 2, names = ["s1", "s3"]
        try check(#Predicate { $0.int > limit || $0.int == 0 }, [0, 3])
        try check(#Predicate { $0.int <= 2 && $0.int != 1 && !($0.int == 0) }, [2])
        try check(#Predicate { 2 < $0.int }, [3])
        try check(#Predicate { $0.int < $0.other }, [0, 1])
        try check(#Predicate { $0.flag }, [2])
        try check(#Predicate { !$0.flag && $0.int > 0 }, [1, 3])
        try check(#Predicate { names.contains($0.string) }, [1, 3])
        try check(#Predicate { (1...2).contains($0.int) }, [1, 2])
        try check(#Predicate { (1..<limit).contains($0.int) }, [1])
    }

    @Test func `strings`() throws {
        try check(#Predicate { $0.string.contains("3") }, [3])
        try check(#Predicate { $0.string.starts(with: "s2") }, [2])
        try check(#Predicate { $0.string.isEmpty }, [])
    }

    @Test func `Optionals: nil, chaining, unwrapping and defaults`() throws {
        try check(#Predicate { $0.optString == nil }, [0])
        try check(#Predicate { $0.optString == "o2" }, [2])
        try check(#Predicate { $0.leaf?.size == 1 }, [1])
        try check(#Predicate { $0.leaf!.size == 0 }, [0])
        try check(#Predicate { ($0.optInt ?? 7) > 2 }, [1, 3])
        try check(#Predicate { ($0.optInt ?? 0) < 1 }, [0, 1])
        try check(#Predicate { ($0.optInt ?? 5) != 5 }, [0, 2, 3])
        try check(#Predicate { $0.leaf?.isGreen ?? true }, [2, 3])
    }

    @Test func `conditions as truth values`() throws {
        try check(#Predicate { $0.optString?.starts(with: "o1") ?? false }, [1])
        try check(#Predicate { $0.optString?.starts(with: "o1") ?? true }, [0, 1])
        try check(#Predicate { $0.optString?.contains("o1") == true }, [1])
        try check(#Predicate { $0.optString?.contains("o1") != true }, [0, 2, 3])
        try check(#Predicate { $0.optString?.contains("o1") == false }, [2, 3])
        try check(#Predicate { $0.optString?.contains("o1") != false }, [0, 1])
        try check(#Predicate { $0.optString?.contains("o1") == nil }, [0])
        try check(#Predicate { true == $0.string.contains("1") }, [1])
        try check(#Predicate { $0.string.contains("1") == false }, [0, 2, 3])
        try check(#Predicate { $0.leaves.contains { $0.size == 1 } == false }, [0, 1])
        try check(#Predicate { $0.leaf?.trees.contains { $0.int == 1 } ?? false }, [1])
        try check(#Predicate { $0.leaf?.trees.contains { $0.int == 1 } ?? true }, [1, 2, 3])
        try check(#Predicate { $0.leaf?.label.isEmpty == false }, [0, 1])
        try check(#Predicate { $0.leaf.flatMap { $0.isGreen } ?? true }, [2, 3])
        try check(#Predicate { $0.leaf?.isGreen == false }, [0, 1])
        try check(#Predicate { $0.leaf?.isGreen == nil }, [2, 3])
        try check(#Predicate { $0.flag == ($0.int > 1) }, [0, 1, 2])
        try check(#Predicate { $0.optString?.contains("2") == $0.leaf?.label.contains("1") }, [])
        try check(#Predicate { ($0.leaf?.isGreen ?? false) == $0.flag }, [0, 1, 3])
    }

    @Test func `if with and without unwrapping`() throws {
        try check(#Predicate { tree in if let text = tree.optString { text.contains("1") } else { false } }, [1])
        try check(
            #Predicate { tree in if let text = tree.optString { !text.contains("1") } else { tree.int == 0 } },
            [0, 2, 3])
        try check(
            #Predicate { tree in if let text = tree.optString { text == "o3" && tree.int > 1 } else { true } }, [0, 3])
        try check(#Predicate { tree in if let leaf = tree.leaf { leaf.size == 1 } else { tree.flag } }, [1, 2])
        try check(#Predicate { tree in if let text = tree.optString { tree.flag || text == "" } else { true } }, [0, 2])
        try check(
            #Predicate { tree in
                tree.leaves.contains { leaf in if let weight = leaf.weight { weight > 1 } else { leaf.size == 1 } }
            }, [2, 3])
        try check(#Predicate { if $0.int > 1 { $0.flag } else { $0.string == "s0" } }, [0, 2])
        try check(#Predicate { $0.int > 1 ? $0.flag : $0.int == 1 }, [1, 2])
    }

    @Test func `collections`() throws {
        try check(#Predicate { $0.leaves.contains { $0.size == 1 } }, [2, 3])
        try check(#Predicate { $0.leaves.allSatisfy { $0.size < 2 } }, [0, 1, 2])
        try check(#Predicate { $0.leaves.filter { $0.size > 0 }.count > 1 }, [3])
        try check(#Predicate { $0.leaves.count == 1 }, [1])
        try check(#Predicate { $0.leaves.isEmpty }, [0])
        try check(#Predicate { $0.ints.contains(2) }, [3])
    }

    @Test func `a default compares with conditions`() throws {
        try withRealm([Hound.self]) { realm in
            try realm.write {
                for (id, truth) in [nil, true, false, nil, true, false].enumerated() {
                    let hound = realm.create(Hound.self, value: ["id": id, "age": id, "flag": id % 2 == 0])
                    hound.optFlag = truth
                }
            }
            func check(
                _ predicate: Predicate<Hound>, _ ids: [Int], _ location: SourceLocation = #_sourceLocation
            ) throws {
                let hounds = realm.objects(Hound.self)
                #expect(hounds.filter(predicate).map(\.id) == ids, sourceLocation: location)
                #expect(try Array(hounds).filter(predicate.evaluate).map(\.id) == ids, sourceLocation: location)
            }
            try check(#Predicate { ($0.optFlag ?? false) == ($0.age > 2) }, [0, 2, 4])
            try check(#Predicate { ($0.optFlag ?? false) != ($0.age > 2) }, [1, 3, 5])
            try check(#Predicate { ($0.optFlag ?? false) == $0.flag }, [3, 4, 5])
            try check(#Predicate { ($0.optFlag ?? true) != $0.flag }, [1, 2, 3])
            try check(#Predicate { ($0.optFlag ?? false) == ($0.friend?.flag ?? false) }, [0, 2, 3, 5])
        }
    }

    @Test func `numbers of elements behind an optional chain are nil where it ends early`() throws {
        // Leaf 0 and leaf 1 have a tree each, and are in no list; trees 2 and 3 have no leaf.
        try check(#Predicate { $0.leaf?.forests.count == 0 }, [0, 1])
        try check(#Predicate { $0.leaf?.forests.count != 0 }, [2, 3])
        try check(#Predicate { !($0.leaf?.forests.count == 0) }, [2, 3])
        try check(#Predicate { $0.leaf?.forests.count == nil }, [2, 3])
        try check(#Predicate { $0.leaf?.trees.count != nil }, [0, 1])
        try check(#Predicate { $0.leaf?.trees.count == $0.optInt }, [])
        try check(#Predicate { $0.leaf?.forests.count == $0.optInt }, [0])
        try check(#Predicate { $0.optInt != $0.leaf?.forests.count }, [1, 2, 3])
        try check(#Predicate { ($0.leaf?.forests.count ?? 7) > 1 }, [2, 3])
        try check(#Predicate { ($0.leaf?.trees.count ?? 0) < 1 }, [2, 3])
        try check(#Predicate { (0...1).contains($0.leaf.flatMap { $0.trees.count } ?? 5) }, [0, 1])
        try check(#Predicate { ($0.leaf.flatMap { $0.trees.filter { $0.int == 1 }.count } ?? 9) == 0 }, [0])
        try check(#Predicate { $0.leaf.flatMap { $0.trees.filter { $0.int == 1 }.count } == 0 }, [0])
        try check(#Predicate { $0.parent?.leaf?.trees.count == 0 }, [])
        try check(#Predicate { $0.leaves.contains { $0.forests.contains { $0.leaf?.trees.count == 0 } } }, [])
        try check(#Predicate { $0.leaf.flatMap { $0.trees }.flatMap { $0.count } == 1 }, [0, 1])
        try check(#Predicate { $0.ints.max() == nil }, [0])
    }

    @Test func `a text with a default`() throws {
        try check(#Predicate { ($0.optString ?? "b").contains("a") }, [])
        try check(#Predicate { ($0.optString ?? "ab").contains("b") }, [0])
        try check(#Predicate { ($0.optString ?? "x").starts(with: "o") }, [1, 2, 3])
    }

    @Test func `values of a collection`() throws {
        try check(#Predicate { $0.ints.contains { $0 > 1 } }, [3])
        try check(#Predicate { $0.ints.contains { $0 == 1 || !($0 <= 1) } }, [2, 3])
        try check(#Predicate { $0.ints.contains { [1, 7].contains($0) } }, [2, 3])
        try check(#Predicate { $0.ints.allSatisfy { $0 < 2 } }, [0, 1, 2])
        try check(#Predicate { $0.ints.allSatisfy { $0 >= 0 && $0 != 2 } }, [0, 1, 2])
        try check(#Predicate { $0.ints.allSatisfy { (0...1).contains($0) } }, [0, 1, 2])
        try check(#Predicate { $0.children.contains { $0.ints.contains { $0 > 1 } } }, [])
        try withTrees { realm in
            try realm.write {
                realm.create(Tree.self, value: ["id": 1, "optInts": [1, nil], "strings": ["ab"], "doubles": [1, .nan]])
                realm.create(Tree.self, value: ["id": 2, "optInts": [1], "strings": ["b", "a"], "doubles": [1]])
            }
            func check(_ predicate: Predicate<Tree>, _ location: SourceLocation = #_sourceLocation) throws {
                let trees = realm.objects(Tree.self)
                let expected = try Array(trees).filter(predicate.evaluate).map(\.id)
                #expect(trees.filter(predicate).map(\.id) == expected, sourceLocation: location)
            }
            try check(#Predicate { $0.optInts.contains { $0 == nil } })
            try check(#Predicate { $0.optInts.contains { $0 != 1 } })
            try check(#Predicate { $0.optInts.allSatisfy { $0 == 1 } })
            try check(#Predicate { $0.optInts.allSatisfy { $0 != nil } })
            try check(#Predicate { $0.strings.contains { $0.starts(with: "a") } })
            try check(#Predicate { $0.strings.allSatisfy { $0 >= "ab" } })
            try check(#Predicate { $0.strings.contains { $0.contains("b") } })
            try check(#Predicate { $0.doubles.contains { $0 > 0.5 } })
            try check(#Predicate { $0.doubles.allSatisfy { $0 == 1 } })
        }
    }

    @Test(arguments: [
        (0, "SequenceAllSatisfy, which no query can run with this condition on the values of doubles; all"),
        (1, "SequenceContainsWhere, which no query can run with this condition on the values of ints; values can be"),
        (2, "Filter, which no query can run on the values of ints; only objects are counted; ask with contains or"),
        (3, "SequenceContainsWhere, which no query can run on the elements of leaves, as it compares leaves.size"),
        (4, "Comparison, which no query can run between optInt ?? 1 and other; compare what has a default with a con"),
        (5, "NilCoalesce, which no query can run between optInt and int unless its right side is a constant; compare"),
        (6, "Equal, which no query can run between leaf.trees.count and the number of elements that meet"),
        (7, "CollectionContainsCollection, which no query can run between \"abc\" and string; use comparisons"),
        (8, "SequenceContainsWhere, which no query can run on the elements of leaves with a condition that is about n"),
        (9, "SequenceContainsWhere, which no query can run on the elements of leaves with a condition on those of ch"),
        (10, "SequenceContainsWhere, which no query can run with this condition on the values of ints; values can be"),
    ])
    func `what no query can run is refused with the names of the operands`(_ number: Int, _ message: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [number] in
            try withTrees { realm in _ = realm.objects(Tree.self).filter(refusedPredicate(number)) }
        }
        expect(result, says: "#Predicate contains \(message)")
    }

    @Test func `an expression that no query can run is named`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).filter(#Predicate { $0.int + 1 == 3 }) }
        }
        expect(
            result,
            says: "#Predicate contains Arithmetic, which no query can run; calculate before and compare the property")
        expect(result, says: "\\Tree.int")
        let mood = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).filter(#Predicate { $0.mood.rawValue == $0.string }) }
        }
        expect(mood, says: "compare the persisted property itself, that of a RawRepresentable type with a value of")
        expect(mood, says: "keyPath: \\Tree.mood")
        let coalesced = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).filter(#Predicate { ($0.optInt ?? $0.int) == 1 }) }
        }
        expect(coalesced, says: "unless its right side is a constant; compare both sides")
        let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in
                _ = realm.objects(Tree.self).filter(
                    #Predicate { tree in (tree.optString.flatMap { _ in tree.optInt } ?? 0) == 1 })
            }
        }
        expect(other, says: "unless its value is a condition, or a property of what it unwraps")
        let computed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).filter(#Predicate { $0.string.count == 3 }) }
        }
        expect(computed, says: "contains KeyPath, which no query can run, with a computed property of String")
    }
}

/// A predicate that no query can run.
private func refusedPredicate(_ number: Int) -> Predicate<Tree> {
    switch number {
    case 0: return #Predicate { $0.doubles.allSatisfy { $0 > 1 } }
    case 1: return #Predicate { $0.ints.contains { $0 > 1 && $0 < 3 } }
    case 2: return #Predicate { $0.ints.filter { $0 > 1 }.count == 2 }
    case 3: return #Predicate { tree in tree.leaves.contains { $0.size > tree.int } }
    case 4: return #Predicate { ($0.optInt ?? 1) > $0.other }
    case 5: return #Predicate { ($0.optInt ?? $0.int) > 1 }
    case 6: return #Predicate { $0.leaf?.trees.count == $0.leaf.flatMap { $0.trees.filter { $0.flag }.count } }
    case 7: return #Predicate { "abc".contains($0.string) }
    case 8: return #Predicate { tree in tree.leaves.contains { _ in tree.flag } }
    case 9: return #Predicate { tree in tree.leaves.contains { _ in tree.children.contains { $0.int == 1 } } }
    default: return #Predicate { tree in tree.ints.contains { $0 == tree.int } }
    }
}
