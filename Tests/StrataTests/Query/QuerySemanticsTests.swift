// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Statements 119 to 134: what conditions mean, written in both forms.
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
            #expect(realm.ids { $0.optInt.in([]) } == [] && realm.ids("NOT optInt IN {}") == [1, 2])
            #expect(realm.ids("ANY ints IN {}") == [] && realm.ids("NONE ints IN {}") == [1, 2])
            let trees = realm.objects(Tree.self)
            #expect(trees.filter(NSPredicate(value: true)).count == 2)
            #expect(trees.filter(NSPredicate(value: false)).count == 0)
            #expect(trees.filter(NSCompoundPredicate(andPredicateWithSubpredicates: [])).count == 2)
            #expect(trees.filter(NSCompoundPredicate(orPredicateWithSubpredicates: [])).count == 0)
        }
    }

    @Test func `S121: nothing contains an empty text or nil`() throws {
        try withTrees { realm in
            try realm.write {
                let text: [String: Any] = ["id": 1, "string": "abc", "optString": "abc", "data": Data("abc".utf8)]
                realm.create(Tree.self, value: text.merging(["mixed": "abc"]) { $1 })
                realm.create(Tree.self, value: ["id": 2])
            }
            #expect(
                realm.ids { $0.string.contains("") || $0.string.starts(with: "") || $0.string.ends(with: "") } == [])
            #expect(realm.ids { $0.optString.contains(nil) } == [] && realm.ids("string CONTAINS %@", NSNull()) == [])
            for word in ["CONTAINS", "BEGINSWITH", "ENDSWITH", "CONTAINS[c]", "BEGINSWITH[d]", "ENDSWITH[cd]"] {
                for name in ["string", "optString", "data", "mixed"] {
                    #expect(realm.ids("\(name) \(word) nil") == [] && realm.ids("NOT \(name) \(word) nil") == [1, 2])
                    guard name != "data" || !word.contains("[") else { continue }
                    let nothing: Any = name == "data" ? Data() : ""
                    #expect(realm.ids("\(name) \(word) %@", nothing) == [], "\(name) \(word)")
                }
            }
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
            #expect(realm.ids { $0.optInt <= nil } == [] && realm.ids { $0.optInt >= nil } == [])
            #expect(realm.ids("optInt BETWEEN {nil, 9}") == [] && realm.ids("optInt BETWEEN {0, 9}") == [1])
            #expect(realm.ids("optString < 'z'") == [1] && realm.ids { $0.optString != "a" } == [2])
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

    @Test func `S124: LIKE has no escapes, and a question mark is one code point`() throws {
        try withTrees { realm in
            let words = ["a*c", "a\\*c", "a\\bc", "a?c", "e\u{301}", "\u{E9}"]
            try realm.write {
                for (id, word) in words.enumerated() { realm.create(Tree.self, value: ["id": id, "string": word]) }
            }
            #expect(realm.ids { $0.string.like("a\\*c") } == [1, 2] && realm.ids { $0.string.like("a\\?c") } == [1, 2])
            #expect(realm.ids { $0.string.like("?") } == [5] && realm.ids { $0.string.like("??") } == [4])
            #expect(realm.ids { $0.string.like("e?") } == [4])
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
            #expect(realm.ids { $0.data.starts(with: Data([0xC3])) } == [2])
            #expect(realm.ids { $0.data.ends(with: Data([0xA4])) } == [2])
            #expect(realm.ids("data ENDSWITH %@", Data([65])) == [0])
            #expect(realm.ids { $0.mixed.starts(with: .string("a")) } == [1])
            #expect(realm.ids("mixed CONTAINS 'A'") == [0] && realm.ids("mixed CONTAINS[c] 'A'") == [0, 1])
            #expect(realm.ids("mixed ENDSWITH %@", Data([0xA4])) == [2] && realm.ids("mixed LIKE '?'") == [0, 1])
            #expect(realm.ids("int BETWEEN {0, 2}") == [0, 1, 2] && realm.ids { $0.int.contains(2..<2) } == [])
            #expect(realm.ids { $0.date.contains(Date.distantPast...Date.distantFuture) } == [0, 1, 2])
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
            #expect(realm.ids("intMap['one'] < 7") == [1] && realm.ids("intMap['one'] >= 0") == [1])
            #expect(realm.ids("intMap['one'] IN {1, nil}") == [1, 2] && realm.ids("intMap['one'] != nil") == [1])
            #expect(realm.ids("ANY intMap.@allKeys LIKE '?wo'") == [1, 2])
            #expect(realm.ids("ANY intMap.@allValues == 5") == [2])
            #expect(realm.ids("ANY intMap.@allKeys IN {'one', 'x'}") == [1] && realm.ids("intMap.@sum == 3") == [1])
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

    @Test func `S118: ANY is allowed in front of values of any type`() throws {
        try withTrees { realm in
            try realm.write {
                realm.create(Tree.self, value: ["id": 1, "mixed": 5])
                realm.create(Tree.self, value: ["id": 2, "mixed": [5, 6]])
            }
            #expect(realm.ids("ANY mixed == 5") == [1] && realm.ids("NONE mixed == 5") == [2])
            #expect(realm.ids("ANY mixed[#any] == 6") == [2] && realm.ids("NONE mixed[#any] == 6") == [1])
        }
    }
}
