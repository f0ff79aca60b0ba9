// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Statements 135 to 140: subqueries, custom values, and filters on collections and results.
@Suite struct CollectionQueryTests {
    @Test func `S135: counts of elements that meet a condition`() throws {
        try withTrees { realm in
            try realm.write {
                let twigs: [[String: Any]] = [["size": 7], ["size": 8]]
                realm.create(
                    Tree.self,
                    value: ["id": 1, "leaves": [["size": 1, "twigs": twigs] as [String: Any], ["size": 2]]]
                        as [String: Any])
                realm.create(Tree.self, value: ["id": 2, "leaves": [["size": 2]]])
            }
            #expect(realm.ids { ($0.leaves.size == 2).count == 1 } == [1, 2])
            #expect(realm.ids { ($0.leaves.size > 0).count != 1 } == [1])
            #expect(realm.ids { (($0.leaves.twigs.size > 6).count == 2).count > 0 } == [1])
            #expect(realm.ids("SUBQUERY(leaves, $x, $x.size == 1 AND ANY $x.twigs.size == 8).@count > 0") == [1])
            #expect(realm.ids("SUBQUERY(leaves, $x, $x.size > 5).@count == 0") == [1, 2])
            // One element meets it in the first tree, one in the second, none in the third.
            try realm.write { realm.create(Tree.self, value: ["id": 3]) }
            let counts = "SUBQUERY(leaves, $leaf, $leaf.size == 2).@count"
            for (op, ids) in [
                "==": [1, 2], "=": [1, 2], "!=": [3], "<>": [3], "<": [3], "<=": [1, 2, 3], "=<": [1, 2, 3], ">": [],
                ">=": [1, 2], "=>": [1, 2],
            ] { #expect(realm.ids("\(counts) \(op) 1") == ids, "\(op)") }
            #expect(realm.ids("\(counts) > %@", 0) == [1, 2] && realm.ids("\(counts) > 0.0") == [1, 2])
            #expect(realm.ids { ($0.leaves.size == 2).count < 1 } == [3])
            #expect(realm.ids { ($0.leaves.size == 2).count <= 1 } == [1, 2, 3])
            #expect(realm.ids { ($0.leaves.size == 2).count >= 1 } == [1, 2])
            #expect(realm.ids { ($0.leaves.size == 2).count > 1 } == [])
            // The variable in the paths of an inner subquery, and behind links.
            #expect(
                realm.ids("SUBQUERY(leaves, $x, SUBQUERY($x.twigs, $y, $y.size > 6).@count == 2).@count > 0") == [1])
            #expect(realm.ids("SUBQUERY(leaves, $x, ANY $x.forests.id == 1 && $x.size == 2).@count == 1") == [1])
            try realm.write {
                let parent = realm.object(ofType: Tree.self, forPrimaryKey: 3)!
                realm.create(Tree.self, value: ["id": 4, "parent": parent, "leaf": ["size": 9]])
            }
            #expect(realm.ids("SUBQUERY(children, $c, $c.leaf.size == 9 && $c.parent.id == 3).@count == 1") == [3])
            #expect(realm.ids("SUBQUERY(children, $c, $c.parent.leaf.size == 9).@count == 1") == [])
        }
    }

    @Test func `S138: members of custom types`() throws {
        try withTrees { realm in
            try realm.write {
                realm.create(Tree.self, value: ["id": 1, "spot": Spot(3, "a")])
                realm.create(Tree.self, value: ["id": 2, "spot": Spot(3, nil)])
                realm.create(Tree.self, value: ["id": 3])
            }
            #expect(realm.ids { $0.spot == Spot(3, "a") } == [1] && realm.ids { $0.spot == Spot(3, nil) } == [2])
            #expect(realm.ids { $0.spot != Spot(3, "a") } == [2, 3] && realm.ids { $0.spot == nil } == [3])
            #expect(realm.ids { $0.spot.x == 3 } == [1, 2] && realm.ids("spot.label == 'a'") == [1])
        }
    }

    @Test func `S139: filters on filters, sorted results, lists, sets, maps and inverse links`() throws {
        try withTrees { realm in
            let tree = try realm.write {
                let tree = realm.create(Tree.self, value: ["id": 1])
                for size in [5, 3, 9, 3, 7] { tree.leaves.append(Leaf(size, "l\(size)")) }
                tree.leafSet.insert(objectsIn: tree.leaves)
                for (index, leaf) in tree.leaves.enumerated() { tree.leafMap["k\(index)"] = leaf }
                tree.leafMap["none"] = .some(nil)
                return tree
            }
            let results = realm.objects(Leaf.self).sorted(by: \.size, ascending: false).where { $0.size > 3 }
                .filter("size < %@", 9)
            #expect(results.map(\.size) == [7, 5])
            #expect(tree.leaves.where { $0.size > 4 }.map(\.size) == [5, 9, 7])
            #expect(tree.leaves.filter("size > 4").filter("size < 9").map(\.size) == [5, 7])
            #expect(tree.leafSet.filter("label == %@", "l3").count == 2)
            #expect(tree.leafMap.where { $0.size == 3 }.count == 2 && tree.leafMap.filter("size > 8").count == 1)
            #expect(
                tree.leaves[0].forests.where { $0.id == 1 }.count == 1
                    && tree.leaves[0].forests.filter("id > 1").isEmpty)
            #expect(AnyRealmCollection(tree.leaves).where { $0.size == 9 }.count == 1)
            #expect(realm.objects(Leaf.self).where { $0.forests.id == 1 }.count == 5)
            // An object that is twice in the list is found twice, where it stands.
            try realm.write {
                tree.leaves.insert(tree.leaves[2], at: 0)
                tree.leaves.append(tree.leaves[1])
            }
            #expect(tree.leaves.filter("size > 4").map(\.size) == [9, 5, 9, 7, 5])
            #expect(tree.leaves.where { $0.size == 9 }.count == 2 && tree.leaves.filter("size > 4").count == 5)
            #expect(tree.leaves.sorted(by: \.size, ascending: false).filter("size > 4").map(\.size) == [9, 9, 7, 5, 5])
            #expect(tree.leaves.filter("size > 4").sorted(by: \.size).map(\.size) == [5, 5, 7, 9, 9])
            #expect(tree.leaves.filter("size > 4").distinct(by: ["label"]).map(\.size) == [9, 5, 7])
            #expect(tree.leaves.filter("size == 5").first?.label == "l5")
            #expect(tree.leaves.index(matching: "size == 5") == 1)
            #expect(tree.leaves.filter("size > 4").index(of: tree.leaves[3]) == 0)
            #expect(tree.leaves.where { $0.size > 4 }.sum(of: \.size) == 35)
            try realm.write { tree.leaves.remove(at: 0) }
            #expect(realm.objects(Leaf.self).where { $0.trees.count == 0 }.count == 5)
        }
    }

    @Test func `S140: values are those when the query was made`() throws {
        try withTrees { realm in
            let tree = try realm.write {
                let tree = realm.create(Tree.self, value: ["id": 1, "ints": [1, 2]])
                realm.create(Tree.self, value: ["id": 2, "int": 2])
                realm.create(Tree.self, value: ["id": 3, "int": 3])
                return tree
            }
            let results = realm.objects(Tree.self).filter("int IN %@", tree.ints)
            #expect(results.map(\.id) == [2])
            try realm.write { tree.ints.append(3) }
            #expect(results.map(\.id) == [2])
            let trees = realm.objects(Tree.self).filter("id > 1")
            let others = realm.objects(Tree.self).filter("parent IN %@", trees)
            try realm.write { tree.parent = trees[0] }
            #expect(others.map(\.id) == [1])
            // What the argument found then, not what it would find now; the rows themselves are live.
            try realm.write {
                let late = realm.create(Tree.self, value: ["id": 4])
                realm.create(Tree.self, value: ["id": 5, "parent": late])
            }
            #expect(trees.contains { $0.id == 4 } && others.map(\.id) == [1])
            try realm.write { realm.object(ofType: Tree.self, forPrimaryKey: 5)?.parent = trees[1] }
            #expect(others.map(\.id) == [1, 5])
            var limit = 2
            let greater = realm.objects(Tree.self).where { $0.int >= limit }
            limit = 0
            #expect(greater.map(\.id) == [2, 3] && limit == 0)
        }
    }

    @Test func `C5: results of maps`() throws {
        try withTrees { realm in
            let tree = try realm.write {
                realm.create(Tree.self, value: ["id": 1, "leafMap": ["b": ["size": 2], "a": ["size": 1]]])
            }
            #expect(tree.leafMap.sorted(by: \.size, ascending: false).map { $0?.size } == [2, 1])
            #expect(tree.leafMap.sorted(byKeyPath: "size").first??.size == 1)
            #expect(tree.leafMap.sorted(by: [SortDescriptor(keyPath: "size")]).count == 2)
        }
    }
}
