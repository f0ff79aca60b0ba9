// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Synchronization
import Testing

/// Statements 103 and 108, and limits.
@Suite struct SortingTests {
    private func make(_ realm: Realm, _ values: [[String: Any]]) throws {
        try realm.write {
            for (id, value) in values.enumerated() {
                realm.create(Tree.self, value: value.merging(["id": id]) { old, _ in old })
            }
        }
    }

    private func ids(_ results: Results<Tree>) -> [Int] { results.map(\.id) }

    @Test func `S103: sorting is stable, by nothing it keeps the order`() throws {
        try withTrees { realm in
            try make(realm, [["int": 2], ["int": 1], ["int": 2], ["int": 1]])
            let trees = realm.objects(Tree.self)
            #expect(ids(trees.sorted(by: \.int)) == [1, 3, 0, 2] && ids(trees.sorted(by: [])) == [0, 1, 2, 3])
            #expect(ids(trees.sorted(by: \.int, ascending: false)) == [0, 2, 1, 3])
            #expect(ids(trees.sorted(by: \.id, ascending: false).sorted(byKeyPath: "int")) == [3, 1, 2, 0])
            #expect(ids(trees.sorted(by: [SortDescriptor(keyPath: "int", ascending: false), "id"])) == [0, 2, 1, 3])
            let descriptor = SortDescriptor(keyPath: \Tree.int)
            #expect(ids(trees.sorted(by: [descriptor.reversed()])) == [0, 2, 1, 3] && descriptor == "int")
        }
    }

    @Test func `S108: distinct keeps the first in the order so far`() throws {
        try withTrees { realm in
            try make(
                realm,
                [
                    ["int": 1, "other": 5], ["int": 2, "other": 4], ["int": 1, "other": 3], ["int": 3, "other": 2],
                    ["int": 2, "other": 1],
                ])
            let trees = realm.objects(Tree.self)
            #expect(ids(trees.distinct(by: ["int"])) == [0, 1, 3])
            #expect(ids(trees.distinct(by: [\.int])) == [0, 1, 3])
            #expect(ids(trees.sorted(by: \.other).distinct(by: [\Tree.int])) == [4, 3, 2])
            #expect(ids(trees.distinct(by: ["int"]).sorted(by: \.other)) == [3, 1, 0])
            #expect(ids(trees.distinct(by: ["int", "other"])).count == 5)
            // A filter is asked first, wherever it stands, but behind a limit.
            #expect(ids(trees.distinct(by: ["int"]).where { $0.other < 5 }) == [1, 2, 3])
            #expect(ids(trees.distinct(by: ["int"]).sorted(by: \.other).filter("other < 5")) == [3, 2, 1])
            #expect(ids(trees.distinct(by: ["int"]).limit(2).where { $0.other < 5 }) == [1])
            #expect(ids(trees.limit(4).distinct(by: ["int"]).where { $0.other < 5 }) == [1, 2, 3])
            #expect(trees.distinct(by: ["int"]).index(matching: "other < 3") == 2)
            #expect(trees.distinct(by: ["int"]).index(matching: { $0.other == 3 }) == nil)
            #expect(trees.distinct(by: ["int"]).index(matching: #Predicate { $0.other < 5 }) == 1)
        }
    }

    @Test func `limits, also in the middle`() throws {
        try withTrees { realm in
            try make(realm, (0..<10).map { ["int": 9 - $0] })
            let trees = realm.objects(Tree.self)
            #expect(ids(trees.limit(3)) == [0, 1, 2] && ids(trees.limit(3, skip: 8)) == [8, 9])
            #expect(ids(trees.sorted(by: \.int).limit(3)) == [9, 8, 7] && trees.limit(3).count == 3)
            #expect(ids(trees.limit(5).where { $0.int < 7 }) == [3, 4])
            #expect(ids(trees.limit(5, skip: 2).sorted(by: \.int)) == [6, 5, 4, 3, 2])
            #expect(ids(trees.limit(5, skip: 2).limit(2, skip: 1)) == [3, 4] && trees.limit(0).isEmpty)
            let limited = trees.where { $0.int < 5 }.limit(2)
            #expect(ids(limited) == [5, 6] && limited.first?.id == 5 && limited.last?.id == 6)
            try realm.write { trees[0].int = 0 }
            #expect(ids(limited) == [0, 5])
        }
    }

    @Test func `S77: an iteration is stable while objects come and go`() throws {
        try withTrees { realm in
            try make(realm, (0..<20).map { ["int": $0] })
            let even = realm.objects(Tree.self).where { $0.int < 100 }.sorted(by: \.int, ascending: false)
            var seen: [Int] = []
            try realm.write {
                for tree in even {
                    seen.append(tree.int)
                    realm.create(Tree.self, value: ["id": 100 + tree.id, "int": 50])
                    tree.int = 1000
                }
            }
            #expect(seen == (0..<20).reversed().map { $0 } && even.count == 20)
        }
    }
}

@Suite struct SectionTests {
    private func words(_ realm: Realm) throws {
        try realm.write {
            for (id, word) in ["bee", "ant", "bear", "ape", "cat"].enumerated() {
                realm.create(
                    Tree.self,
                    value: ["id": id, "string": word, "int": id % 2, "optInt": id == 0 ? NSNull() : id as Any])
            }
        }
    }

    @Test func `S115: sections of a property, a computed one and a closure`() throws {
        try withTrees { realm in
            try words(realm)
            let trees = realm.objects(Tree.self)
            let byInt = trees.sectioned(by: \.int, ascending: false)
            #expect(byInt.allKeys == [1, 0] && byInt.count == 2 && byInt[0].map(\.id) == [1, 3])
            let letters = trees.sectioned(by: \.firstLetter, sortDescriptors: ["string"])
            #expect(letters.allKeys == ["a", "b", "c"] && letters.map(\.count) == [2, 2, 1])
            #expect(
                letters[1].key == "b" && letters[1][1].string == "bee"
                    && letters[IndexPath(indexes: [0, 1])].string == "ape")
            let blocks = trees.sectioned(by: { $0.string.count }, sortDescriptors: ["string"])
            #expect(blocks.allKeys == [3, 4] && blocks[1].first?.string == "bear")
            #expect(
                trees.where { $0.int == 0 }.sectioned(by: \.firstLetter, sortDescriptors: ["string"]).allKeys == [
                    "b", "c",
                ])
        }
    }

    @Test func `S116: a nil key is a section; sections are live`() throws {
        try withTrees { realm in
            try words(realm)
            let sections = realm.objects(Tree.self).sectioned(by: \.optInt)
            #expect(sections.allKeys == [nil, 1, 2, 3, 4] && sections[0].map(\.id) == [0])
            let first = sections[0]
            try realm.write { realm.object(ofType: Tree.self, forPrimaryKey: 0)?.optInt = 4 }
            #expect(sections.allKeys == [1, 2, 3, 4] && first.isEmpty && sections[3].count == 2)
            #expect(first.id == nil && sections == sections && sections[3] == sections[3] && !sections.isInvalidated)
        }
    }

    @Test func `S115: a key that is not what is sorted by traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).sectioned(by: \.int, sortDescriptors: ["string"]) }
        }
        expect(result, saysAll: "Tree is sectioned by \"int\", but sorted by \"string\" first; sort by \"int\" first")
        let empty = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).sectioned(by: { $0.int }, sortDescriptors: []) }
        }
        expect(empty, saysAll: "Tree is sectioned without sort descriptors")
        let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).sectioned(by: \.int, sortDescriptors: []) }
        }
        expect(none, saysAll: "Tree is sectioned by \"int\" without sort descriptors")
    }

    @Test func `S116: a computed key that reads two properties traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).sectioned(by: \.total) }
        }
        expect(result, says: "does not lead to one persisted property of Tree; it reads [\"int\", \"other\"]")
    }

    /// Sections by a key path, against those of a closure, which is asked for every object.
    private func check<Key: _Persistable & Hashable>(
        _ trees: Results<Tree>, _ keyPath: KeyPath<Tree, Key>, _ name: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        for ascending in [true, false] {
            let order = [SortDescriptor(keyPath: name, ascending: ascending), "id"]
            let sections = trees.sectioned(by: keyPath, sortDescriptors: order)
            let others = trees.sectioned(by: { $0[keyPath: keyPath] }, sortDescriptors: order)
            #expect(sections.allKeys == others.allKeys, "\(name)", sourceLocation: location)
            #expect(
                sections.map { $0.map(\.id) } == others.map { $0.map(\.id) }, "\(name)", sourceLocation: location)
        }
    }

    @Test func `S115 S116: sections of properties of every type`() throws {
        try withTrees { realm in
            try realm.write {
                for id in 0..<60 {
                    realm.create(
                        Tree.self,
                        value: [
                            "id": id, "int": id % 7 - 3, "string": ["b", "A", "a", "ä", ""][id % 5],
                            "optString": id % 4 == 0 ? NSNull() : ["x", "X", "y"][id % 3] as Any,
                            "flag": id % 2 == 0, "double": [0.0, -0.0, -1.5, .infinity][id % 4],
                            "mood": Mood.allCases[id % 3], "rank": Rank.allCases[id % 3],
                            "optInt": id % 5 == 0 ? NSNull() : id % 3 as Any,
                            "date": Date(timeIntervalSinceReferenceDate: Double(id % 6)),
                            "mixed": [AnyRealmValue.none, 1, .double(1), "1", true][id % 5],
                            "leaf": id % 3 == 0 ? NSNull() : ["weight": id % 2 == 0 ? NSNull() : 1.5 as Any] as Any,
                        ] as [String: Any])
                }
            }
            let all = realm.objects(Tree.self)
            for trees in [all, all.where { $0.id > 20 }, all.sorted(by: \.id, ascending: false).limit(30)] {
                check(trees, \.int, "int")
                check(trees, \.string, "string")
                check(trees, \.optString, "optString")
                check(trees, \.flag, "flag")
                check(trees, \.double, "double")
                check(trees, \.mood, "mood")
                check(trees, \.rank, "rank")
                check(trees, \.optInt, "optInt")
                check(trees, \.date, "date")
                check(trees, \.mixed, "mixed")
                check(trees, \.firstLetter, "string")
                check(trees, \.isEven, "int")
                check(trees, \.leaf?.weight, "leaf.weight")
            }
        }
    }

    @Test func `a computed key is asked once for each value`() throws {
        try withTrees { realm in
            try realm.write { for id in 0..<500 { realm.create(Tree.self, value: ["id": id, "int": id % 4]) } }
            Tree.asked.withLock { $0 = 0 }
            let sections = realm.objects(Tree.self).sectioned(by: \.counted)
            let before = Tree.asked.withLock { $0 }  // to find out which property it reads
            #expect(sections.map(\.count) == [250, 250] && sections.allKeys == ["even", "odd"])
            #expect(sections[1].map(\.int) == Array(repeating: 1, count: 125) + Array(repeating: 3, count: 125))
            #expect(sections[1][200].int == 3)
            #expect(Tree.asked.withLock { $0 } == before + 4)
        }
    }

    @Test func `S115: sections stand in the order in which their keys come first`() throws {
        try withTrees { realm in
            try words(realm)
            let trees = realm.objects(Tree.self)
            let lengths = trees.sectioned(by: { $0.string.count }, sortDescriptors: [SortDescriptor(keyPath: "id")])
            #expect(lengths.allKeys == [3, 4] && lengths[0].map(\.id) == [0, 1, 3, 4] && lengths[1].map(\.id) == [2])
            let descending = trees.sectioned(
                by: \.firstLetter, sortDescriptors: [SortDescriptor(keyPath: "string", ascending: false), "id"])
            #expect(descending.allKeys == ["c", "b", "a"] && descending[1].map(\.string) == ["bee", "bear"])
        }
    }
}
