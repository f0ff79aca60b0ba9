// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Statements 104 to 107 and 109: the order of values, and paths to them.
@Suite struct OrderTests {
    private func make(_ realm: Realm, _ values: [[String: Any]]) throws {
        try realm.write {
            for (id, value) in values.enumerated() {
                realm.create(Tree.self, value: value.merging(["id": id]) { old, _ in old })
            }
        }
    }

    /// The ids of trees by one property, ascending and descending.
    private func orders(_ trees: Results<Tree>, _ keyPath: String) -> [[Int]] {
        [true, false].map { ascending in trees.sorted(byKeyPath: keyPath, ascending: ascending).map(\.id) }
    }

    @Test func `S104: nil values first, nil links last`() throws {
        try withTrees { realm in
            try make(
                realm,
                [
                    ["leaf": ["weight": 2.0]], [:], ["leaf": ["weight": NSNull()]], ["leaf": ["weight": 1.0]],
                ])
            let trees = realm.objects(Tree.self)
            #expect(orders(trees, "leaf.weight") == [[2, 3, 0, 1], [1, 0, 3, 2]])
            #expect(trees.sorted(by: \.leaf?.weight).map(\.id) == [2, 3, 0, 1])
            try realm.write {
                for (id, value) in [2, nil, 1, nil].enumerated() { trees[id].optInt = value }
            }
            #expect(orders(trees, "optInt") == [[1, 3, 2, 0], [0, 2, 1, 3]])
        }
    }

    /// Trees whose paths `parent.leaf.weight` end in values and in nil, and meet nil at the first and the second link.
    private func makePaths(_ realm: Realm) throws {
        try make(
            realm,
            [
                ["leaf": ["weight": 2.0]], [:], ["leaf": ["weight": NSNull()]], ["leaf": ["weight": 1.0]],
            ])
        try realm.write {
            let roots = Array(realm.objects(Tree.self))
            for (position, parent) in [0, 1, 2, 3, nil, 2, 1, 0].enumerated() {
                let tree = realm.create(Tree.self, value: ["id": 10 + position, "int": position])
                tree.parent = parent.map { roots[$0] }
            }
        }
    }

    @Test func `S104: nil links in the middle of a path`() throws {
        try withTrees { realm in
            try makePaths(realm)
            let trees = realm.objects(Tree.self).where { $0.id >= 10 }
            #expect(orders(trees, "parent.leaf.weight") == [
                [12, 15, 13, 10, 17, 11, 14, 16], [11, 14, 16, 10, 17, 13, 12, 15],
            ])
            let keys = [SortDescriptor(keyPath: "parent.leaf.weight"), SortDescriptor(keyPath: "id", ascending: false)]
            #expect(trees.sorted(by: keys).map(\.id) == [15, 12, 13, 17, 10, 16, 14, 11])
            #expect(trees.sorted(by: \.parent?.leaf?.weight).limit(3).map(\.id) == [12, 15, 13])
        }
    }

    @Test func `S109: distinct drops what meets a nil link; nil values are one group`() throws {
        try withTrees { realm in
            try makePaths(realm)
            let trees = realm.objects(Tree.self).where { $0.id >= 10 }
            #expect(trees.distinct(by: ["parent.leaf.weight"]).map(\.id) == [10, 12, 13])
            #expect(trees.distinct(by: [\Tree.parent?.leaf?.weight]).map(\.id) == [10, 12, 13])
            let last = trees.sorted(by: \.id, ascending: false)
            #expect(last.distinct(by: ["parent.leaf.weight"]).map(\.id) == [17, 15, 13])
            #expect(trees.distinct(by: ["parent.id"]).map(\.id) == [10, 11, 12, 13])
            #expect(trees.distinct(by: ["parent.id", "int"]).count == 7)
            #expect(realm.objects(Tree.self).distinct(by: ["optInt"]).map(\.id) == [0])
            #expect(realm.objects(Tree.self).distinct(by: ["leaf.weight"]).map(\.id) == [0, 2, 3])
        }
    }

    @Test func `S105: strings and data by bytes, identifiers by bytes, false before true`() throws {
        try withTrees { realm in
            let words = ["ä", "a", "A", "aa", "", "Z"]
            let bytes: [[UInt8]] = [[2], [1, 5], [1], [], [1, 5, 0], [0xFF]]
            let ids = ["ff", "0a", "00", "7f", "80", "a0"].map { String(repeating: $0, count: 12) }
            try make(
                realm,
                words.indices.map { index in
                    let byte = UInt8(ids[index].prefix(2), radix: 16)!
                    return [
                        "string": words[index], "data": Data(bytes[index]), "flag": index % 2 == 0,
                        "uuid": UUID(uuid: (byte, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
                        "objectId": try! ObjectId(string: ids[index]),
                    ]
                })
            let trees = realm.objects(Tree.self)
            func expect(_ keyPath: String, _ ids: [Int], _ location: SourceLocation = #_sourceLocation) {
                #expect(orders(trees, keyPath) == [ids, ids.reversed()], sourceLocation: location)
            }
            expect("string", [4, 2, 5, 1, 3, 0])
            expect("data", [3, 2, 1, 4, 0, 5])
            expect("uuid", [2, 1, 3, 4, 5, 0])
            expect("objectId", [2, 1, 3, 4, 5, 0])
            #expect(orders(trees, "flag") == [[1, 3, 5, 0, 2, 4], [0, 2, 4, 1, 3, 5]])
            #expect(realm.ids("string < 'a'") == [2, 4, 5] && realm.ids { $0.string > "a" } == [0, 3])
        }
    }

    @Test func `S106: values of all types, links and collections at the end`() throws {
        try withTrees { realm in
            let leaf = try realm.write { realm.create(Leaf.self) }
            let day = Date(timeIntervalSinceReferenceDate: 0)
            let order: [AnyRealmValue] = [
                .none, false, true, .double(.nan), .double(-.infinity), .decimal128(-7), .float(-0.5), 0,
                .decimal128(0.25), .float(1.5), 2, .double(2.5), .decimal128(3), .int(.max), "A", "a", "ä",
                .data(Data([0])), .data(Data([0, 1])), .data(Data([1])), .date(day - 1), .date(day),
                .objectId(try ObjectId(string: String(repeating: "00", count: 12))),
                .objectId(try ObjectId(string: String(repeating: "0f", count: 12))),
                .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
                .uuid(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
                .object(leaf),
            ]
            try realm.write {
                for (id, value) in order.enumerated().reversed() {
                    realm.create(Tree.self, value: ["id": id, "mixed": value])
                }
                realm.create(Tree.self, value: ["id": order.count, "mixed": [1, 2]])
                realm.create(Tree.self, value: ["id": order.count + 1, "mixed": ["a": 1]])
            }
            let trees = realm.objects(Tree.self)
            let found = orders(trees, "mixed")
            let collections = [order.count, order.count + 1]
            #expect(Array(found[0].dropLast(2)) == Array(order.indices) && found[0].suffix(2).sorted() == collections)
            #expect(Array(found[1].dropFirst(2)) == order.indices.reversed())
            #expect(found[1].prefix(2).sorted() == collections)
        }
    }

    @Test func `S106: numbers of different types with one value are equal, and keep their order`() throws {
        try withTrees { realm in
            let values: [AnyRealmValue] = [2, .double(1), .decimal128(1), .float(1), 1, .double(0)]
            try make(realm, values.map { ["mixed": $0] })
            #expect(orders(realm.objects(Tree.self), "mixed") == [[5, 1, 2, 3, 4, 0], [0, 1, 2, 3, 4, 5]])
            #expect(realm.objects(Tree.self).distinct(by: ["mixed"]).map(\.id) == [0, 1, 5])
        }
    }

    @Test(arguments: [
        ["leaves.size", "Tree.leaves holds many objects or values and cannot be part of a key path"],
        ["ints", "Tree.ints holds many objects or values and cannot be part of a key path"],
        ["leafMap.size", "Tree.leafMap holds many objects or values and cannot be part of a key path"],
        ["children.int", "Tree.children holds many objects or values and cannot be part of a key path"],
        ["leaf.trees.int", "Leaf.trees holds many objects or values and cannot be part of a key path"],
        ["parent.children.int", "Tree.children holds many objects or values and cannot be part of a key path"],
    ])
    func `S107: no path leads through collections and inverse links`(_ refused: [String]) async {
        let sorted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [refused] in
            try withTrees { realm in _ = realm.objects(Tree.self).sorted(byKeyPath: refused[0]) }
        }
        expect(sorted, saysAll: refused[1] + " to be sorted")
        let distinct = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [refused] in
            try withTrees { realm in _ = realm.objects(Tree.self).distinct(by: [refused[0]]) }
        }
        expect(distinct, saysAll: refused[1] + " to be made distinct")
    }

    @Test func `S107: operators, unknown names, and what is no link`() async {
        let operation = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).sorted(byKeyPath: "leaves.@count") }
        }
        expect(
            operation,
            saysAll: "\"@count\" in the key path \"leaves.@count\" gives no value that a Tree can be sorted by")
        let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).distinct(by: ["leaf.seize"]) }
        }
        expect(
            unknown,
            saysAll: "Leaf has no persisted property \"seize\", "
                + "which the key path \"leaf.seize\" names; did you mean \"size\"?")
        let value = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).sorted(byKeyPath: "int.size") }
        }
        expect(value, saysAll: "Tree.int is no link, so \"size\" cannot follow it")
        let link = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).sorted(byKeyPath: "leaf") }
        }
        expect(link, says: "which is a link; name a property of the linked object")
    }
}
