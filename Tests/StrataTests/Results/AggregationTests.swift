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

    @Test func `S112: floats are added up in doubles`() throws {
        // Added up in floats, each 1 is lost behind the first number.
        let values: [Float] = [16_777_216, 1, 1, 1, 1]
        try withTrees { realm in
            try realm.write {
                for (id, value) in values.enumerated() { realm.create(Tree.self, value: ["id": id, "float": value]) }
            }
            let trees = realm.objects(Tree.self)
            #expect(trees.sum(of: \.float) == 16_777_220 && trees.sum(ofProperty: "float") as Float == 16_777_220)
            #expect(trees.average(of: \.float) == 3_355_444)
            let groups = trees.grouped(by: \.int, .sum(\.float), .average(\.float))
            #expect(groups.map(\.values.0) == [16_777_220] && groups.map(\.values.1) == [3_355_444])
        }
        try onBoth(Lists.self) { lists in
            lists.floats.append(objectsIn: values)
            #expect(lists.floats.sum() == 16_777_220 && lists.floats.average() == 3_355_444)
            guard let all = lists.realm?.objects(Lists.self) else { return }
            #expect(all.where { $0.floats.sum == 16_777_220 }.count == 1)
            #expect(all.filter("floats.@sum > 16777219").count == 1 && all.filter("floats.@avg == 3355444").count == 1)
        }
    }

    @Test func `S112: sums of integers in collections wrap around`() throws {
        try onBoth(Lists.self) { lists in
            lists.ints.append(objectsIn: [Int.max, 1, Int.max])
            lists.bytes.append(objectsIn: [100, 100])
            #expect(lists.ints.sum() == -1 && lists.bytes.sum() == -56)
            guard let all = lists.realm?.objects(Lists.self) else { return }
            #expect(all.filter("ints.@sum == -1").count == 1)
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
        try withRealm([AnyHolder.self]) { realm in
            let holder = AnyHolder()
            #expect(holder.list.sum() == .int(0) && holder.map.sum() == .int(0))
            guard case .int = holder.list.sum() as AnyRealmValue, case .int = holder.map.sum() as AnyRealmValue else {
                Issue.record("of unmanaged collections it is no integer")
                return
            }
            try realm.write { realm.add(holder) }
            guard case .decimal128(let list) = holder.list.sum() as AnyRealmValue,
                case .decimal128(let map) = holder.map.sum() as AnyRealmValue
            else {
                Issue.record("of managed collections it is no decimal number")
                return
            }
            #expect(list == 0 && map == 0)
            try realm.write { holder.list.append(.fromDictionary([:])) }
            guard case .decimal128(0)? = holder.list[0].dictionaryValue?.sum() as AnyRealmValue?,
                case .decimal128(0) = holder.list.distinct().sum() as AnyRealmValue
            else {
                Issue.record("of nested collections and results it is no decimal number")
                return
            }
            try realm.write {
                holder.list.removeAll()
                holder.list.append(objectsIn: [1, 2.5, .string("x"), .none])
                for (key, value) in zip(["a", "b", "c"], holder.list) { holder.map[key] = value }
            }
            #expect(holder.list.sum() == .decimal128(3.5) && holder.map.sum() == .decimal128(3.5))
            #expect(holder.list.average() == .decimal128(1.75) && holder.map.average() == .decimal128(1.75))
            #expect(holder.map.min() == .int(1) && holder.map.max() == .double(2.5))
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

    @Test(arguments: [
        ["string", "string", "sum"], ["date", "date", "sum"], ["date", "date", "average"], ["flag", "bool", "sum"],
        ["data", "data", "average"], ["uuid", "uuid", "sum"],
    ])
    func `S113: what cannot be added up`(_ refused: [String]) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [refused] in
            try withTrees { realm in
                let trees = realm.objects(Tree.self), name = refused[0]
                if refused[2] == "sum" {
                    _ = trees.sum(ofProperty: name) as Double
                } else {
                    _ = trees.average(ofProperty: name)
                }
            }
        }
        expect(
            result,
            saysAll: "the \(refused[2]) of Tree.\(refused[0]) failed: \(refused[0]) of Tree holds \(refused[1]) values, "
                + "which have no \(refused[2])")
    }

    @Test func `S113: strings have no least, dates have; unknown properties have nothing`() async throws {
        try withTrees { realm in
            try make(realm)
            let least: Date? = realm.objects(Tree.self).min(ofProperty: "date")
            let last: Date? = realm.objects(Tree.self).max(ofProperty: "date")
            #expect(least == Date(timeIntervalSinceReferenceDate: 0) && last == Date(timeIntervalSinceReferenceDate: 3))
        }
        let least = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).min(ofProperty: "string") as Int? }
        }
        expect(least, saysAll: "the minimum of Tree.string failed: string of Tree holds string values, which have no minimum")
        let asDate = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).max(ofProperty: "int") as Date? }
        }
        expect(
            asDate,
            saysAll: "the maximum of Tree.int is asked for as date, but the property is int; "
                + "ask for a value of that type")
        let asInt = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).sum(ofProperty: "double") as Int }
        }
        expect(
            asInt,
            saysAll: "the sum of Tree.double is asked for as int, but the property is double; "
                + "ask for a value of that type")
        let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).average(ofProperty: "itn") }
        }
        expect(
            unknown,
            saysAll: "Tree has no persisted property \"itn\", which the key path \"itn\" names; did you mean \"int\"?")
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
