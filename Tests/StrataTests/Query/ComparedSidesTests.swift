// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// What may stand on the sides of a comparison in `where { }`, compared with plain Swift.
@Suite struct ComparedSidesTests {
    /// Trees with leaves in a list and in a set, some without any.
    private func withLeaves(_ body: (Realm) throws -> Void) throws {
        try withTrees { realm in
            try realm.write {
                for id in 0..<60 {
                    func leaves(_ count: Int, _ step: Int) -> [[String: Any]] {
                        (0..<count).map { number in
                            let size = (id * step + number * 5) % 11
                            return [
                                "size": size, "label": ["Ann", "B", "Cid", "Dora"][size % 4], "isGreen": size < 4,
                                "scores": ["a": size],
                            ]
                        }
                    }
                    let values: [String: Any] = [
                        "id": id, "int": id % 9, "flag": id % 2 == 0, "leaves": leaves(id % 4, 3),
                        "leafSet": leaves(id / 4 % 3, 7), "string": ["Ann", "B", "Cid", "C", "A", ""][id % 6],
                        "stringMap": id % 3 == 0 ? ["a": "Z", "b": "A"] : ["a": "B"],
                    ]
                    let tree = realm.create(Tree.self, value: values)
                    tree.optString = id % 5 == 0 ? nil : tree.string
                    tree.leaf = tree.leaves.first
                }
            }
            try body(realm)
        }
    }

    private func expectFiltered(
        _ realm: Realm, _ condition: (Query<Tree>) -> Query<Bool>, _ plain: (Tree) -> Bool,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let ids = realm.objects(Tree.self).filter(plain).map(\.id)
        #expect(realm.ids(condition) == ids, sourceLocation: location)
        #expect(!ids.isEmpty && ids.count < 60, "proves little", sourceLocation: location)
    }

    @Test func `two paths through collections`() throws {
        try withLeaves { realm in
            expectFiltered(realm, { $0.leaves.size > $0.leafSet.size }) { tree in
                tree.leaves.contains { leaf in tree.leafSet.contains { leaf.size > $0.size } }
            }
            expectFiltered(realm, { !($0.leaves.size == $0.leafSet.size) }) { tree in
                !tree.leaves.contains { leaf in tree.leafSet.contains { leaf.size == $0.size } }
            }
            expectFiltered(realm, { $0.int < $0.leaves.size && $0.flag }) { tree in
                tree.flag && tree.leaves.contains { tree.int < $0.size }
            }
            expectFiltered(realm, { $0.int != $0.leaves.size }) { tree in tree.leaves.contains { tree.int != $0.size } }
            expectFiltered(realm, { $0.leaves.label == $0.string }) { tree in
                tree.leaves.contains { $0.label == tree.string }
            }
            expectFiltered(realm, { $0.leaves.scores.contains(3) }) { tree in
                tree.leaves.contains { $0.scores["a"] == 3 }
            }
            #expect(realm.ids("ANY leaves.size > leafSet.size") == realm.ids { $0.leaves.size > $0.leafSet.size })
        }
    }

    @Test func `ranges of strings have both ends`() throws {
        try withLeaves { realm in
            let range = "A"..."C"
            expectFiltered(realm, { $0.string.contains(range) }) { range.contains($0.string) }
            expectFiltered(realm, { !$0.string.contains(range) }) { !range.contains($0.string) }
            expectFiltered(realm, { $0.optString.contains(range) }) { $0.optString.map(range.contains) ?? false }
            expectFiltered(realm, { $0.leaf.label.contains(range) }) {
                $0.leaf.map { range.contains($0.label) } ?? false
            }
            // One element has to meet both ends, as with numbers.
            expectFiltered(realm, { $0.leaves.label.contains("Aa"..."Az") }) { tree in
                tree.leaves.contains { ("Aa"..."Az").contains($0.label) }
            }
            expectFiltered(realm, { ($0.leaves.label.contains(range)).count == 2 }) { tree in
                tree.leaves.filter { range.contains($0.label) }.count == 2
            }
        }
    }

    @Test func `conditions compared with each other and with properties`() throws {
        try withLeaves { realm in
            expectFiltered(realm, { ($0.int > 2) == $0.flag }) { ($0.int > 2) == $0.flag }
            expectFiltered(realm, { $0.flag != ($0.int > 2) }) { $0.flag != ($0.int > 2) }
            expectFiltered(realm, { ($0.int > 2) == ($0.string == "A" || $0.flag) }) {
                ($0.int > 2) == ($0.string == "A" || $0.flag)
            }
            expectFiltered(realm, { !$0.flag == ($0.int > 2) }) { !$0.flag == ($0.int > 2) }
            // Nil is the same as no condition.
            expectFiltered(realm, { ($0.int > 4) == $0.leaf.isGreen }) { ($0.int > 4) == $0.leaf?.isGreen }
            expectFiltered(realm, { ($0.int > 4) != $0.leaf.isGreen }) { ($0.int > 4) != $0.leaf?.isGreen }
            // Any of the elements is meant, also with !=.
            expectFiltered(realm, { ($0.int > 4) == $0.leaves.isGreen }) { tree in
                tree.leaves.contains { (tree.int > 4) == $0.isGreen }
            }
            expectFiltered(realm, { ($0.int > 4) != $0.leaves.isGreen }) { tree in
                tree.leaves.contains { (tree.int > 4) != $0.isGreen }
            }
        }
    }

    // MARK: Frozen objects

    @Test func `frozen objects in conditions on what is live, and the other way round`() throws {
        try withLeaves { realm in
            let trees = realm.objects(Tree.self), tree = realm.object(ofType: Tree.self, forPrimaryKey: 7)!
            let leaf = try #require(tree.leaf), frozen = leaf.freeze(), frozenTrees = trees.freeze()
            #expect(trees.where { $0.leaf == frozen }.map(\.id) == [7])
            #expect(trees.where { $0.leaf != frozen }.count == 59)
            #expect(trees.where { $0.leaf.in([frozen]) }.map(\.id) == [7])
            #expect(trees.where { $0.leaves.contains(frozen) }.map(\.id) == [7])
            #expect(trees.filter("leaf == %@", frozen).map(\.id) == [7])
            #expect(trees.filter("ANY leaves IN %@", Array(frozenTrees[7].leaves)).map(\.id) == [7])
            #expect(trees.filter("SELF == %@", frozenTrees[7]).map(\.id) == [7])
            #expect(frozenTrees.where { $0.leaf == leaf }.map(\.id) == [7])
            #expect(frozenTrees.filter("SELF IN %@", [tree]).map(\.id) == [7])
            // Versions that are not the same.
            let other = try realm.write {
                tree.int = 100
                return realm.create(Leaf.self, value: ["size": 3])
            }
            #expect(trees.freeze().where { $0.leaf == frozen }.map(\.id) == [7])
            #expect(frozenTrees.where { $0.leaf == other }.isEmpty)
            try realm.write {
                realm.delete(leaf)
                realm.delete(tree)
            }
            #expect(trees.where { $0.leaf == frozen }.isEmpty && trees.where { $0.leaf != frozen }.count == 59)
            #expect(trees.filter("SELF == %@", frozenTrees[7]).isEmpty)
            #expect(frozenTrees.where { $0.leaf == frozen }.map(\.id) == [7])
        }
    }

    @Test func `a frozen object that is searched for in what is live`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in
                let tree = try realm.write { realm.create(Tree.self, value: ["id": 1]) }
                _ = realm.objects(Tree.self).index(of: tree.freeze())
            }
        }
        expect(result, saysAll: "Tree with id 1 is frozen, and what is searched is live; use thaw()")
    }
}
