// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Conditions of `where { }`, most of which become nodes of the engine without text in between. Each is compared with
/// its text.
@Suite struct ConditionNodesTests {
    private func withForest(_ body: (Realm) throws -> Void) throws {
        try withTrees { realm in
            try realm.write {
                for id in 0..<60 {
                    let tree = realm.create(Tree.self, value: ["id": id, "int": id % 7])
                    tree.string = "tree \(id % 5)"
                    tree.optInt = id % 3 == 0 ? nil : id
                    tree.flag = id % 2 == 0
                    if id % 4 == 0 { tree.leaf = Leaf(id, "leaf \(id)") }
                }
            }
            try body(realm)
        }
    }

    @Test func `conditions that become nodes, and the likes of them that do not`() throws {
        try withForest { realm in
            #expect(realm.ids { $0.int == 3 && $0.flag }.count == 4)
            #expect(realm.ids { ($0.int == 3 || $0.int == 4) && !($0.flag && $0.string == "tree 0") }.count == 16)
            #expect(realm.ids { $0.optInt == nil }.count == 20)
            #expect(realm.ids { $0.optInt != nil && $0.optInt < 10 }.count == 6)
            #expect(realm.ids { $0.optInt.in([nil, 1, 2]) }.count == 22)
            #expect(realm.ids { $0.int.in([Int]()) }.isEmpty)
            #expect(realm.ids { !$0.int.in([Int]()) }.count == 60)
            #expect(realm.ids { $0.string.contains("") }.isEmpty)
            #expect(realm.ids { $0.string == "" }.isEmpty)
            #expect(realm.ids { $0.string != "" }.count == 60)
            #expect(realm.ids { $0.string.contains("TREE 1", options: .caseInsensitive) }.count == 12)
            #expect(realm.ids { $0.leaf.size >= 20 && $0.leaf.label.starts(with: "leaf 2") }.count == 3)
            #expect(realm.ids { $0.leaf == nil }.count == 45)
            #expect(realm.ids { $0.parent.leaf.size == 0 }.isEmpty)
            #expect(realm.ids { $0.int.contains(2...3) || $0.int.contains(5..<6) }.count == 26)
        }
    }

    @Test func `constants of every type, and their least common values`() throws {
        let uuid = UUID(), objectId = ObjectId.generate(), date = Date(timeIntervalSinceReferenceDate: -1.5)
        try withTrees { realm in
            try realm.write {
                let tree = realm.create(Tree.self, value: ["id": 1])
                (tree.int, tree.int8, tree.float, tree.double) = (.min, .max, 0.1, -.infinity)
                (tree.data, tree.date, tree.uuid, tree.objectId) = (Data([0, 255]), date, uuid, objectId)
                (tree.decimal, tree.mood, tree.rank, tree.mixed) = ("0.10", .merry, .high, .float(0.1))
                (tree.optDouble, tree.optDecimal, tree.optMood, tree.optDate) = (.nan, "NaN", .calm, date)
                realm.create(Tree.self, value: ["id": 2])
            }
            #expect(realm.ids { $0.int == .min && $0.int8 == .max } == [1])
            #expect(realm.ids { $0.int <= .min } == [1] && realm.ids { $0.int < .min } == [])
            #expect(realm.ids { $0.float == 0.1 && $0.double == -.infinity } == [1])
            #expect(realm.ids { $0.double == -0.0 } == [2] && realm.ids { $0.double >= -0.0 } == [2])
            #expect(realm.ids { $0.double.contains(-.infinity ... -1) } == [1])
            #expect(realm.ids { $0.double.contains(-1 ..< 0) } == [] && realm.ids { $0.double.contains(0...0) } == [2])
            #expect(realm.ids { $0.data == Data([0, 255]) && $0.data.ends(with: Data([255])) } == [1])
            #expect(realm.ids { $0.data == Data() } == [2] && realm.ids { $0.data.contains(Data()) } == [])
            #expect(realm.ids { $0.date == date && $0.uuid == uuid && $0.objectId == objectId } == [1])
            #expect(realm.ids { $0.date == date && ($0.uuid == uuid && ($0.id == 1 || $0.id == 2 || $0.flag)) } == [1])
            #expect(realm.ids { $0.uuid.in([uuid, UUID()]) } == [1] && realm.ids { $0.objectId != objectId } == [2])
            #expect(realm.ids { $0.decimal == "0.1" } == [1] && realm.ids { $0.decimal.contains("0"..<"0.1") } == [2])
            #expect(realm.ids { $0.mood == .merry && $0.rank == .high } == [1])
            #expect(realm.ids { $0.rank.in([.high, .middle]) } == [1] && realm.ids { $0.mood != .merry } == [2])
            #expect(realm.ids { $0.optMood == .calm } == [1] && realm.ids { $0.optMood == nil } == [2])
            #expect(realm.ids { $0.optMood.in([nil, .cross]) } == [2] && realm.ids { $0.optDate != nil } == [1])
            #expect(realm.ids { $0.optDate <= date } == [1] && realm.ids { $0.optDate < nil } == [])
            #expect(realm.ids { $0.optDouble != nil } == [1] && realm.ids { $0.optDouble >= 0 } == [])
            #expect(realm.ids { $0.optDouble == .nan } == realm.ids("optDouble == %@", Double.nan))
            #expect(realm.ids { $0.optDecimal == "NaN" } == realm.ids("optDecimal == %@", Decimal128.nan))
            #expect(realm.ids { $0.mixed == .float(0.1) } == [1] && realm.ids { $0.mixed.in([.none, .int(3)]) } == [2])
        }
    }

    @Test func `texts with options`() throws {
        try withTrees { realm in
            try realm.write {
                for (id, text) in ["Éva", "eva", "", "e", "*v?"].enumerated() {
                    realm.create(Tree.self, value: ["id": id, "string": text, "optString": text, "mixed": text])
                }
            }
            #expect(realm.ids { $0.string.equals("EVA", options: [.caseInsensitive, .diacriticInsensitive]) } == [0, 1])
            #expect(realm.ids { $0.string.notEquals("EVA", options: .caseInsensitive) } == [0, 2, 3, 4])
            #expect(realm.ids { $0.optString.equals("", options: .caseInsensitive) } == [2])
            #expect(realm.ids { $0.optString.equals(nil, options: .caseInsensitive) } == [])
            #expect(realm.ids { $0.mixed.starts(with: .string("É"), options: .caseInsensitive) } == [0])
            #expect(realm.ids { $0.string.like("E*", caseInsensitive: true) } == [1, 3])
            #expect(realm.ids { $0.string.like("") } == [2] && realm.ids { $0.string.like("?") } == [3])
            #expect(realm.ids { $0.string.like("*v?") } == [0, 1, 4] && realm.ids { $0.string.like("*") }.count == 5)
            #expect(realm.ids { $0.string < "e" } == [2, 4] && realm.ids { $0.string >= "" }.count == 5)
        }
    }

    @Test(arguments: [1, 2, 9, 10, 100, 5000]) func `lists of any length`(count: Int) throws {
        try withForest { realm in
            let ints = (0..<count).map { $0 * 3 }
            #expect(realm.ids { $0.int.in(ints) } == (0..<60).filter { ints.contains($0 % 7) })
            let texts = (0..<count).map { "tree \($0)" + String(repeating: " ", count: $0 % 3 == 2 ? 70 : 0) }
            #expect(realm.ids { $0.string.in(texts) } == (0..<60).filter { texts.contains("tree \($0 % 5)") })
        }
    }

    @Test(arguments: [1, 50, 99, 101, 140]) func `conditions inside of conditions`(depth: Int) throws {
        try withForest { realm in
            let ids = realm.ids { tree in
                (1...depth).reduce(tree.int == 3) { $1 % 2 == 0 ? $0 && tree.id != -$1 : $0 || tree.id == -$1 }
            }
            #expect(ids == (0..<60).filter { $0 % 7 == 3 })
        }
    }

    @Test func `results that are filtered many times`() throws {
        try withForest { realm in
            var results = realm.objects(Tree.self)
            for id in 0..<400 { results = results.where { $0.id != id * 2 } }
            #expect(results.map(\.id) == (0..<60).filter { $0 % 2 == 1 })
            #expect(results.sorted(by: \.id).filter("int == 3").where { $0.flag == false }.count == 5)
        }
    }
}
