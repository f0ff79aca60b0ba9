// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Statements 110 to 114 for properties of objects, and groups.
@Suite struct AggregationTests {
    private func make(_ realm: Realm) throws {
        try realm.write {
            for id in 0..<4 {
                realm.create(
                    Tree.self,
                    value: [
                        "id": id, "int": id * 10, "int8": 100, "float": 0.5, "double": Double(id),
                        "date": Date(timeIntervalSinceReferenceDate: Double(id)), "decimal": Decimal128(id),
                        "mixed": id == 0 ? .none : AnyRealmValue.int(id), "rank": Rank.low,
                        "optInt": id == 0 ? NSNull() : id as Any, "leaf": id < 2 ? ["size": id + 5] : NSNull() as Any,
                    ] as [String: Any])
            }
        }
    }

    @Test func `S110 S111: totals of properties`() throws {
        try withTrees { realm in
            try make(realm)
            let trees = realm.objects(Tree.self)
            #expect(trees.min(of: \.int) == 0 && trees.max(of: \.int) == 30 && trees.sum(of: \.int) == 60)
            let average: Double? = trees.average(of: \.int)
            #expect(average == 15 && trees.average(ofProperty: "int") == 15)
            let least: Int? = trees.min(ofProperty: "int"), most: Double? = trees.max(ofProperty: "double")
            #expect(least == 0 && most == 3)
            #expect(trees.min(of: \.optInt) == 1 && trees.max(of: \.optInt) == 3 && trees.sum(of: \.optInt) == 6)
            let optional: Double? = trees.average(of: \.optInt)
            #expect(optional == 2)
            #expect(trees.max(of: \.date) == Date(timeIntervalSinceReferenceDate: 3))
            let decimals: Decimal128? = trees.average(of: \.decimal)
            #expect(trees.sum(of: \.decimal) == 6 && decimals == 1.5 && trees.max(of: \.decimal) == 3)
            let mixed: AnyRealmValue? = trees.average(of: \.mixed)
            #expect(
                trees.sum(of: \.mixed) == .decimal128(6) && mixed == .decimal128(2) && trees.min(of: \.mixed) == .int(1)
            )
            #expect(trees.sum(of: \.float) == 2 && trees.where { $0.int > 5 }.sum(of: \.int) == 60)
            #expect(trees.max(of: \.leaf?.size) == 6 && trees.sum(ofProperty: "leaf.size") == 11)
            #expect(
                trees.sorted(by: \.int).limit(2).sum(of: \.int) == 10
                    && trees.distinct(by: ["int8"]).sum(of: \.int) == 0)
        }
    }

    @Test func `S110: of nothing`() throws {
        try withTrees { realm in
            let trees = realm.objects(Tree.self)
            let average: Double? = trees.average(of: \.int)
            #expect(
                trees.min(of: \.int) == nil && trees.max(of: \.date) == nil && trees.sum(of: \.int) == 0
                    && average == nil)
            #expect(trees.sum(of: \.decimal) == 0 && trees.sum(of: \.double) == 0 && trees.min(of: \.optInt) == nil)
            #expect(List<Tree>().sum(of: \.int) == 0 && List<Tree>().max(of: \.int) == nil)
        }
    }

    @Test func `S112: sums of integers wrap around`() throws {
        try withTrees { realm in
            try make(realm)
            #expect(realm.objects(Tree.self).sum(of: \.int8) == Int8(truncatingIfNeeded: 400))
            try realm.write { for tree in realm.objects(Tree.self) { tree.int = Int.max } }
            #expect(realm.objects(Tree.self).sum(of: \.int) == -4)
        }
    }

    @Test func `C1: totals of lists, sets, maps and inverse links`() throws {
        try withTrees { realm in
            let unmanaged = Tree()
            for size in [3, 4] { unmanaged.leaves.append(Leaf(size)) }
            #expect(unmanaged.leaves.sum(of: \.size) == 7 && unmanaged.leaves.max(ofProperty: "size") == 4)
            let average: Double? = unmanaged.leaves.average(of: \.size)
            #expect(average == 3.5)
            try realm.write { realm.add(unmanaged) }
            #expect(unmanaged.leaves.sum(of: \.size) == 7 && unmanaged.leaves.min(of: \.size) == 3)
            #expect(unmanaged.leaves[0].forests.max(of: \.id) == 0)
            #expect(AnyRealmCollection(unmanaged.leaves).sum(of: \.size) == 7)
            try realm.write { unmanaged.leafMap["a"] = unmanaged.leaves[0] }
            #expect(unmanaged.leafMap.sum(of: \.size) == 3 && unmanaged.leafMap.max(of: \.size) == 3)
        }
    }

    @Test func `S114: the sum of no values of any type`() throws {
        try withTrees { realm in
            let tree = Tree()
            #expect((tree.anys.sum() as AnyRealmValue).intValue == 0)
            try realm.write { realm.add(tree) }
            #expect((tree.anys.sum() as AnyRealmValue).decimal128Value == 0)
            try realm.write { tree.anys.append(objectsIn: [1, 2.5, .string("x"), .none]) }
            #expect((tree.anys.sum() as AnyRealmValue).decimal128Value == 3.5)
            #expect((tree.anys.average() as AnyRealmValue?)?.decimal128Value == 1.75)
        }
    }

    @Test func `S100: totals by key paths`() throws {
        try withTrees { realm in
            try make(realm)
            let trees = realm.objects(Tree.self)
            #expect(
                trees.value(forKeyPath: "@sum.int") as? Int == 60
                    && trees.value(forKeyPath: "@avg.int") as? Double == 15)
            #expect(
                trees.value(forKeyPath: "@max.leaf.size") as? Int == 6 && trees.value(forKeyPath: "@count") as? Int == 4
            )
            #expect(trees.value(forKeyPath: "@min.date") as? Date == Date(timeIntervalSinceReferenceDate: 0))
            #expect(trees.value(forKeyPath: "@unionOfObjects.int") as? [Int] == [0, 10, 20, 30])
            #expect(
                trees.value(forKey: "int") as? [Int] == [0, 10, 20, 30]
                    && (trees.value(forKey: "self") as? [Tree])?.count == 4)
            try realm.write { trees.where { $0.int > 10 }.setValue(7, forKey: "other") }
            #expect(trees.map(\.other) == [0, 0, 7, 7])
            #expect(trees.objects(at: [1, 3]).map(\.id) == [1, 3])
        }
    }

    @Test func `S113: a property that cannot be added up traps`() async {
        let text = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).sum(ofProperty: "string") as Int }
        }
        expect(text, says: "string")
        let date = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).sum(ofProperty: "date") as Double }
        }
        expect(date, says: "date")
        let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).average(ofProperty: "itn") }
        }
        expect(
            unknown,
            says: "Tree has no persisted property \"itn\", which the key path \"itn\" names; did you mean \"int\"?")
    }

    @Test func `groups with measures`() throws {
        try withTrees { realm in
            try realm.write {
                for id in 0..<7 {
                    realm.create(
                        Tree.self,
                        value: [
                            "id": id, "int": id % 3, "string": id < 4 ? "a" : "b", "double": Double(id),
                            "optInt": id == 6 ? NSNull() : id as Any, "leaf": id == 0 ? ["size": 9] : NSNull() as Any,
                        ] as [String: Any])
                }
            }
            let trees = realm.objects(Tree.self)
            let groups = trees.grouped(
                by: \.int, .sum(\.double), .average(\.id), .max(\.double), .count(\.optInt), .min(\.optInt))
            #expect(groups.map(\.key) == [0, 1, 2] && groups.map(\.count) == [3, 2, 2])
            #expect(groups[0].values.0 == 9 && groups[0].values.1 == 3 && groups[0].values.2 == 6)
            #expect(groups[0].values.3 == 2 && groups[0].values.4 == 0)
            let pairs = trees.where { $0.id > 0 }.grouped(by: \.string, \.int)
            #expect(
                pairs.map { "\($0.key.0)\($0.key.1) \($0.count)" } == ["a0 1", "a1 1", "a2 1", "b0 1", "b1 1", "b2 1"])
            let linked = trees.grouped(by: \.leaf?.size)
            #expect(linked.map(\.key) == [nil, 9] && linked.map(\.count) == [6, 1])
            #expect(trees.where { $0.id > 10 }.grouped(by: \.int).isEmpty)
        }
    }
}
