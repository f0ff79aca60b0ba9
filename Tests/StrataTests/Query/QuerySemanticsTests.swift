// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Statements 119 to 140: what conditions mean, written in both forms.
@Suite struct QuerySemanticsTests {
    @Test func `S119 S136: ANY and NONE`() throws {
        try withTrees { realm in
            try realm.write {
                realm.create(
                    Tree.self, value: ["id": 1, "leaves": [["size": 1, "label": "a"], ["size": 2, "label": "b"]]])
                realm.create(Tree.self, value: ["id": 2, "leaves": [["size": 1, "label": "b"]]])
                realm.create(Tree.self, value: ["id": 3])
            }
            #expect(realm.ids { $0.leaves.size == 2 } == [1])
            #expect(realm.ids("ANY leaves.size == 1") == [1, 2] && realm.ids("SOME leaves.size > 1") == [1])
            #expect(realm.ids("NONE leaves.size == 2") == [2, 3] && realm.ids { !($0.leaves.size == 2) } == [2, 3])
            #expect(realm.ids { $0.leaves.size == 1 && $0.leaves.label == "b" } == [1, 2])
            #expect(realm.ids { ($0.leaves.size == 1 && $0.leaves.label == "b").count > 0 } == [2])
        }
    }

    @Test func `S120: IN nothing, empty AND and OR`() throws {
        try withTrees { realm in
            try realm.write { for id in 1...2 { realm.create(Tree.self, value: ["id": id]) } }
            #expect(realm.ids { $0.int.in([]) } == [] && realm.ids { !$0.int.in([]) } == [1, 2])
            #expect(realm.ids("int IN {}") == [] && realm.ids("NOT int IN %@", [Int]()) == [1, 2])
            #expect(realm.ids("TRUEPREDICATE") == [1, 2] && realm.ids("FALSEPREDICATE") == [])
            #expect(realm.objects(Tree.self).filter(NSPredicate(value: true)).count == 2)
            #expect(realm.objects(Tree.self).filter(NSPredicate(value: false)).count == 0)
        }
    }

    @Test func `S121: nothing contains an empty text or nil`() throws {
        try withTrees { realm in
            try realm.write { realm.create(Tree.self, value: ["id": 1, "string": "abc", "optString": "abc"]) }
            #expect(
                realm.ids { $0.string.contains("") || $0.string.starts(with: "") || $0.string.ends(with: "") } == [])
            #expect(realm.ids { $0.optString.contains(nil) } == [] && realm.ids("string CONTAINS %@", NSNull()) == [])
            #expect(realm.ids { $0.string.contains("b") && $0.optString.ends(with: "c") } == [1])
        }
    }

    @Test func `S122: nil equals nil only, and has no order`() throws {
        try withTrees { realm in
            try realm.write {
                realm.create(Tree.self, value: ["id": 1, "optInt": 5, "optString": "a"])
                realm.create(Tree.self, value: ["id": 2])
            }
            #expect(realm.ids { $0.optInt == nil } == [2] && realm.ids { $0.optInt != nil } == [1])
            #expect(realm.ids { $0.optInt != 5 } == [2] && realm.ids("optInt != %@", 4) == [1, 2])
            #expect(realm.ids { $0.optInt < 6 } == [1] && realm.ids { $0.optInt > -1 } == [1])
            #expect(realm.ids { $0.optInt < nil } == [] && realm.ids { $0.optInt.contains(0...9) } == [1])
            #expect(realm.ids("optString == NULL") == [2] && realm.ids("optString > ''") == [1])
        }
    }

    @Test func `S123: folding of cases and marks`() throws {
        try withTrees { realm in
            let words = ["Äpfel", "äpfel", "apfel", "ŠKODA", "škoda", "÷", "×"]
            try realm.write {
                for (id, word) in words.enumerated() { realm.create(Tree.self, value: ["id": id, "string": word]) }
            }
            #expect(realm.ids { $0.string.equals("ÄPFEL", options: .caseInsensitive) } == [0, 1])
            #expect(realm.ids { $0.string.equals("Škoda", options: .caseInsensitive) } == [3])
            #expect(realm.ids { $0.string.equals("÷", options: .caseInsensitive) } == [5])
            #expect(realm.ids { $0.string.equals("apfel", options: .diacriticInsensitive) } == [1, 2])
            #expect(
                realm.ids { $0.string.equals("APFEL", options: [.caseInsensitive, .diacriticInsensitive]) } == [
                    0, 1, 2,
                ])
            #expect(realm.ids { $0.string.contains("oda", options: .diacriticInsensitive) } == [4])
            #expect(realm.ids("string BEGINSWITH[cd] 'sko'") == [3, 4])
        }
    }

    @Test func `S124: LIKE`() throws {
        try withTrees { realm in
            let words = ["abc", "aXc", "ac", "a🐶c", "ABC", "a*c"]
            try realm.write {
                for (id, word) in words.enumerated() { realm.create(Tree.self, value: ["id": id, "string": word]) }
            }
            #expect(realm.ids { $0.string.like("a?c") } == [0, 1, 3, 5])
            #expect(realm.ids { $0.string.like("a*c") } == [0, 1, 2, 3, 5])
            #expect(realm.ids { $0.string.like("a*", caseInsensitive: true) } == [0, 1, 2, 3, 4, 5])
            #expect(realm.ids { $0.string.like("b") } == [] && realm.ids { $0.string.like("*b*") } == [0])
            #expect(realm.ids { $0.optString.like("*") } == [] && realm.ids { $0.optString.like(nil) } == Array(0..<6))
        }
    }

    @Test func `S125 S126 S127: bytes of strings, data, ranges`() throws {
        try withTrees { realm in
            try realm.write {
                for (id, word) in ["A", "a", "ä"].enumerated() {
                    realm.create(
                        Tree.self,
                        value: ["id": id, "int": id, "string": word, "data": Data(word.utf8), "mixed": Data(word.utf8)])
                }
            }
            #expect(realm.ids { $0.string < "a" } == [0] && realm.ids { $0.string >= "a" } == [1, 2])
            #expect(realm.ids { $0.data.contains(Data([0xA4])) } == [2] && realm.ids { $0.data == Data([65]) } == [0])
            #expect(
                realm.ids { $0.data.like(Data("?".utf8)) } == [0, 1] && realm.ids { $0.data != Data([65]) } == [1, 2])
            #expect(realm.ids { $0.mixed.starts(with: .string("a")) } == [1])
            #expect(realm.ids { $0.int.contains(0...1) } == [0, 1] && realm.ids { $0.int.contains(0..<1) } == [0])
            #expect(realm.ids("int BETWEEN {1, 0}") == [] && realm.ids("int BETWEEN %@", [1, 2]) == [1, 2])
        }
    }

    @Test func `S128: numbers of all types in values of any type`() throws {
        try withTrees { realm in
            let values: [AnyRealmValue] = [5, 5.0, .float(5), .decimal128(5), true, .int(1), "5", .none]
            try realm.write {
                for (id, value) in values.enumerated() { realm.create(Tree.self, value: ["id": id, "mixed": value]) }
            }
            #expect(
                realm.ids { $0.mixed == .int(5) } == [0, 1, 2, 3] && realm.ids("mixed == %@", 5.0) == [0, 1, 2, 3])
            #expect(realm.ids { $0.mixed == .bool(true) } == [4] && realm.ids { $0.mixed == .int(1) } == [5])
            #expect(realm.ids { $0.mixed == .string("5") } == [6] && realm.ids { $0.mixed == .none } == [7])
            #expect(
                realm.ids { $0.mixed > .int(1) } == [0, 1, 2, 3] && realm.ids("mixed BETWEEN {4, 6}") == [0, 1, 2, 3])
        }
    }

    @Test func `S129: links are compared by identity`() throws {
        try withTrees { realm in
            let (leaf, gone) = try realm.write {
                let leaf = realm.create(Leaf.self, value: ["size": 1]), gone = realm.create(Leaf.self)
                realm.create(Tree.self, value: ["id": 1, "leaf": leaf, "leaves": [leaf], "leafMap": ["a": leaf]])
                realm.create(Tree.self, value: ["id": 2])
                return (leaf, gone)
            }
            try realm.write { realm.delete(gone) }
            #expect(realm.objects(Tree.self).where { $0.leaf == leaf }.map(\.id) == [1])
            #expect(realm.objects(Tree.self).where { $0.leaf != leaf }.map(\.id) == [2])
            #expect(realm.objects(Tree.self).where { $0.leaf.in([leaf, nil]) }.map(\.id) == [1, 2])
            #expect(realm.ids { $0.leaf == nil } == [2])
            for unknown in [Leaf(1), gone] {
                #expect(realm.objects(Tree.self).where { $0.leaf == unknown }.isEmpty)
                #expect(realm.objects(Tree.self).filter("leaf == %@", unknown).isEmpty)
                #expect(realm.objects(Tree.self).where { $0.leaves.contains(unknown) }.isEmpty)
            }
            #expect(realm.objects(Tree.self).where { $0.leaves.contains(leaf) }.count == 1)
            #expect(realm.objects(Tree.self).where { $0.leafMap.contains(leaf) }.count == 1)
            #expect(realm.objects(Tree.self).where { $0.leaves.containsAny(in: [leaf, Leaf(2)]) }.count == 1)
            #expect(realm.objects(Tree.self).filter("%@ IN leaves", leaf).count == 1)
            #expect(realm.objects(Leaf.self).where { $0 == leaf }.first?.isSameObject(as: leaf) == true)
            #expect(realm.objects(Leaf.self).filter("SELF == %@", leaf).count == 1)
        }
    }

    @Test func `S130 S131: two properties, counts`() throws {
        try withTrees { realm in
            try realm.write {
                realm.create(
                    Tree.self,
                    value: [
                        "id": 1, "int": 1, "other": 2, "string": "ab", "second": "b", "leaf": ["size": 1],
                        "leaves": [["size": 1]], "ints": [1, 2], "intMap": ["a": 1],
                    ])
                realm.create(Tree.self, value: ["id": 2, "int": 3, "other": 3, "string": "x", "second": "X"])
            }
            #expect(realm.ids { $0.int == $0.other } == [2] && realm.ids { $0.int < $0.other } == [1])
            #expect(realm.ids { $0.int == $0.leaf.size } == [1] && realm.ids("leaf.size < other") == [1])
            #expect(realm.ids { $0.string.contains($0.second) } == [1])
            #expect(realm.ids { $0.string.equals($0.second, options: .caseInsensitive) } == [2])
            #expect(realm.ids { $0.leaves.count == 1 } == [1] && realm.ids { $0.leaves.count == $0.int } == [1])
            #expect(realm.ids { $0.ints.count > 1 } == [1] && realm.ids("intMap.@count == 0") == [2])
            #expect(realm.ids { $0.children.count == 0 } == [1, 2])
        }
    }

    @Test func `S132 S133: totals of collections`() throws {
        try withTrees { realm in
            try realm.write {
                realm.create(
                    Tree.self,
                    value: [
                        "id": 1, "leaves": [["size": 1, "weight": 2.5], ["size": 5]], "ints": [1, 2, 6],
                        "doubles": [0.5], "decimals": [Decimal128(3)],
                        "dates": [Date(timeIntervalSinceReferenceDate: 1)],
                        "optInts": [nil, 4], "intMap": ["a": 7], "intSet": [3, 4],
                    ])
                realm.create(Tree.self, value: ["id": 2])
            }
            #expect(realm.ids { $0.leaves.size.max == 5 } == [1] && realm.ids("leaves.@sum.size == 6") == [1])
            #expect(
                realm.ids { $0.leaves.weight.avg == 2.5 } == [1] && realm.ids { $0.leaves.weight.min == nil } == [2])
            #expect(realm.ids { $0.ints.sum == 9 } == [1] && realm.ids { $0.ints.sum == 0 } == [2])
            #expect(realm.ids { $0.ints.avg == 3 } == [1] && realm.ids("ints.@avg > 2.5") == [1])
            #expect(realm.ids { $0.ints.min == nil } == [2] && realm.ids { $0.ints.max == 6 } == [1])
            #expect(realm.ids { $0.doubles.sum >= 0.5 } == [1] && realm.ids { $0.decimals.sum == 3 } == [1])
            #expect(realm.ids { $0.optInts.min == 4 } == [1] && realm.ids { $0.intMap.max == 7 } == [1])
            #expect(realm.ids { $0.dates.max > Date(timeIntervalSinceReferenceDate: 0) } == [1])
            #expect(realm.ids { $0.ints.contains(1...6) } == [1] && realm.ids { $0.ints.contains(1..<6) } == [])
            #expect(realm.ids { $0.intSet.contains(3) } == [1] && realm.ids { $0.ints.containsAny(in: [9, 6]) } == [1])
        }
    }

    @Test func `S134: keys and values of maps`() throws {
        try withTrees { realm in
            try realm.write {
                realm.create(
                    Tree.self,
                    value: [
                        "id": 1, "intMap": ["one": 1, "two": 2], "stringMap": ["k": "Value"],
                        "leafMap": ["a": ["size": 9]],
                    ])
                realm.create(Tree.self, value: ["id": 2, "intMap": ["two": 5]])
            }
            #expect(
                realm.ids { $0.intMap.keys == "one" } == [1] && realm.ids("ANY intMap.@allKeys ENDSWITH 'o'") == [1, 2])
            #expect(realm.ids { $0.intMap.keys.starts(with: "ON", options: .caseInsensitive) } == [1])
            #expect(
                realm.ids { $0.intMap.values > 4 } == [2] && realm.ids { $0.stringMap.values.contains("alu") } == [1])
            #expect(realm.ids { $0.intMap["two"] == 2 } == [1] && realm.ids("intMap['two'] > 2") == [2])
            #expect(realm.ids { $0.intMap["one"] == 7 } == [] && realm.ids { $0.intMap["one"] != 1 } == [2])
            #expect(realm.ids("intMap['one'] == nil") == [2] && realm.ids { $0.leafMap["a"].size == 9 } == [1])
            #expect(realm.ids { $0.leafMap.size > 8 } == [1] && realm.ids { $0.intMap.contains(5) } == [2])
        }
    }

    @Test func `Q12: paths inside of values of any type`() throws {
        try withTrees { realm in
            try realm.write {
                realm.create(Tree.self, value: ["id": 1, "mixed": ["a": 1, "b": ["c": "x"]] as [String: Any]])
                realm.create(Tree.self, value: ["id": 2, "mixed": [1, 2, ["a": 3]] as [Any]])
            }
            #expect(
                realm.ids { $0.mixed["a"] == .int(1) } == [1] && realm.ids { $0.mixed["b"]["c"] == .string("x") } == [1]
            )
            #expect(realm.ids { $0.mixed[0] == .int(1) } == [2] && realm.ids { $0.mixed[-1]["a"] == .int(3) } == [2])
            #expect(realm.ids { $0.mixed.any == .int(1) } == [1, 2] && realm.ids("mixed[#any] == 2") == [2])
        }
    }

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
        }
    }

    @Test func `C5: results of maps`() throws {
        try withTrees { realm in
            let tree = try realm.write {
                realm.create(Tree.self, value: ["id": 1, "leafMap": ["b": ["size": 2], "a": ["size": 1]]])
            }
            #expect(tree.leafMap.sorted(by: \.size, ascending: false).map(\.size) == [2, 1])
            #expect(tree.leafMap.sorted(byKeyPath: "size").first?.size == 1)
            #expect(tree.leafMap.sorted(by: [SortDescriptor(keyPath: "size")]).count == 2)
        }
    }
}
