// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// What the page Queries says of edges: nil links, NaN, sums that are too large, ranges of collections.
@Suite struct QueryFactsTests {
    @Test func `a range of a collection is about all values`() throws {
        try withTrees { realm in
            try realm.write {
                for (id, ints) in [[1, 2], [2, 9], []].enumerated() {
                    realm.create(Tree.self, value: ["id": id, "ints": ints] as [String: Any])
                }
            }
            #expect(realm.ids { $0.ints.contains(1...3) } == [0])
            #expect(realm.ids { $0.ints.contains(1..<3) } == [0])
            #expect(realm.ids { $0.ints >= 1 && $0.ints <= 3 } == [0, 1])
        }
    }

    @Test func `nil links on paths`() throws {
        try withTrees { realm in
            try realm.write {
                realm.create(Tree.self, value: ["id": 1])
                realm.create(Tree.self, value: ["id": 2, "leaf": ["label": "a", "scores": ["x": 0]] as [String: Any]])
                realm.create(Tree.self, value: ["id": 3, "leaf": ["label": "a", "twigs": [["size": 2]]]])
                let parent = realm.create(Tree.self, value: ["id": 4])
                realm.object(ofType: Tree.self, forPrimaryKey: 2)!.parent = parent
                realm.object(ofType: Tree.self, forPrimaryKey: 1)!.parent = parent
            }
            let trees = realm.objects(Tree.self)
            #expect(trees.distinct(by: ["leaf.label"]).map(\.id) == [2])
            #expect(trees.distinct(by: ["optString"]).map(\.id) == [1])
            // Counts and sums behind a nil link are 0; other aggregates are nil.
            #expect(realm.ids { $0.leaf.twigs.count == 0 } == [1, 2, 4])
            #expect(realm.ids { $0.leaf.twigs.size.sum == 0 } == [1, 2, 4])
            #expect(realm.ids { $0.leaf.twigs.size.max == nil } == [1, 2, 4])
            #expect(realm.ids("leaf.twigs.@count <= 0") == [1, 2, 4])
            // != holds for nil behind a link, but an element without the link is skipped.
            #expect(realm.ids { $0.leaf.size != 5 } == [1, 2, 3, 4])
            #expect(realm.ids { $0.children.leaf.size != 5 } == [4])
            try realm.write { realm.object(ofType: Tree.self, forPrimaryKey: 2)!.parent = nil }
            #expect(realm.ids { $0.children.leaf.size != 5 } == [])
        }
    }

    @Test func `NaN`() throws {
        try withTrees { realm in
            try realm.write {
                for (id, double) in [1, Double.nan, nil, -5, .nan].enumerated() {
                    let tree = realm.create(Tree.self, value: ["id": id])
                    tree.optDouble = double
                }
            }
            let trees = realm.objects(Tree.self)
            #expect(realm.ids { $0.optDouble == .nan } == [])
            #expect(realm.ids { $0.optDouble != .nan } == [0, 1, 2, 3, 4])
            #expect(realm.ids { $0.optDouble != $0.optDouble } == [1, 4])
            #expect(trees.sorted(by: \.optDouble).map(\.id) == [2, 1, 4, 3, 0])
            #expect(trees.distinct(by: [\.optDouble]).map(\.id) == [0, 1, 2, 3])
            let least: Double? = trees.min(of: \.optDouble), greatest: Double? = trees.max(of: \.optDouble)
            #expect(least?.isNaN == true && greatest == 1)
            let sum: Double? = trees.sum(of: \.optDouble)
            #expect(sum?.isNaN == true)
        }
    }

    @Test func `sums of integers that are too large`() throws {
        try withTrees { realm in
            try realm.write {
                for id in 0..<2 {
                    let tree = realm.create(Tree.self, value: ["id": id])
                    (tree.int, tree.int8) = (.max, 100)
                }
            }
            let trees = realm.objects(Tree.self)
            #expect(trees.sum(of: \.int) == Int.max &+ .max && trees.sum(of: \.int8) == 100 &+ 100)
            let average: Double? = trees.average(of: \.int), small: Double? = trees.average(of: \.int8)
            #expect(average == Double(Int.max) && small == 100)
        }
    }

    @Test func `doubles and decimals among values of any type`() throws {
        try withTrees { realm in
            try realm.write {
                for (id, value) in [0.1, 1e22, 1e23, 1e40].enumerated() {
                    let tree = realm.create(Tree.self, value: ["id": id])
                    tree.mixed = .double(value)
                }
            }
            #expect(realm.ids { $0.mixed == .decimal128("0.1") } == [0])
            #expect(realm.ids { $0.mixed == .decimal128("1E22") } == [1])
            #expect(realm.ids { $0.mixed == .decimal128("1E23") } == [])
            #expect(realm.ids { $0.mixed == .decimal128("1E40") } == [3])
            #expect(realm.ids { $0.mixed == .decimal128("99999999999999991611392") } == [2])
        }
    }
}
