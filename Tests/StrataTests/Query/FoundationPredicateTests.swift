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
