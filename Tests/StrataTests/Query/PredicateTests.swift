// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// A custom type whose stored form has a link, so that it has no members to be compared.
struct Rind: CustomPersistable {
    init() {}
    init(persistedValue: Bark) {}
    var persistableValue: Bark { Bark() }
}

/// Predicates as text: the grammar as programs use it, `NSPredicate`, and what is refused.
@Suite struct PredicateTests {
    private func make(_ realm: Realm) throws {
        try realm.write {
            for id in 0..<6 {
                realm.create(
                    Tree.self,
                    value: [
                        "id": id, "int": id, "double": Double(id) / 2, "string": "s\(id)", "flag": id % 2 == 0,
                        "and": id,
                        "mood": Mood.allCases[id % 3], "plate": Plate("P\(id)"), "decimal": Decimal128(id),
                        "date": Date(timeIntervalSinceReferenceDate: Double(id)),
                        "leaf": id < 2 ? ["size": id, "label": "L"] : NSNull() as Any,
                    ] as [String: Any])
            }
        }
    }

    @Test func `Q20 Q21 Q22 Q23: operators, words and constants`() throws {
        try withTrees { realm in
            try make(realm)
            #expect(realm.ids("int > 1 AND int =< 3 || int == 5") == [2, 3, 5])
            #expect(realm.ids("not (int <> 4) or 0 = int") == [0, 4] && realm.ids("!(int >= 1)") == [0])
            #expect(realm.ids("3 < int && int => 5") == [5] && realm.ids("int BETWEEN {1, 2}") == [1, 2])
            #expect(realm.ids("int IN {1, 9}") == [1] && realm.ids("string in {'s2', \"s3\"}") == [2, 3])
            #expect(realm.ids("flag == YES && leaf == nil") == [2, 4] && realm.ids("flag = false") == [1, 3, 5])
            #expect(realm.ids("double > 1.5") == [4, 5] && realm.ids("double == 2") == [4])
            #expect(realm.ids("decimal > 3.5") == [4, 5])
        }
    }

    @Test func `Q28: values in the places of formats`() throws {
        try withTrees { realm in
            try make(realm)
            let date = Date(timeIntervalSinceReferenceDate: 3)
            #expect(
                realm.ids("int == %@", 3) == [3] && realm.ids("int == %d", Int8(3)) == [3]
                    && realm.ids("int == %ld", 3) == [3])
            #expect(realm.ids("double == %f", 1.5) == [3] && realm.ids("double < %@", 1) == [0, 1])
            #expect(realm.ids("%K == %@", "leaf.label", "L") == [0, 1] && realm.ids("date >= %@", date) == [3, 4, 5])
            #expect(realm.ids("mood == %@", Mood.cross) == [1, 4] && realm.ids("mood IN %@", [Mood.cross]) == [1, 4])
            #expect(realm.ids("plate == %@", Plate("P2")) == [2] && realm.ids("decimal == %@", Decimal128(2)) == [2])
            #expect(
                realm.ids("int IN %@", Set([1, 2])) == [1, 2] && realm.ids("int IN %@", [3, 4] as NSArray) == [3, 4])
            #expect(
                realm.ids("int == $1 OR int == $0", 2, 4) == [2, 4] && realm.ids("int == %@", NSNumber(value: 2)) == [2]
            )
            #expect(
                realm.ids("leaf == %@", NSNull()) == [2, 3, 4, 5]
                    && realm.ids("leaf == %@", nil as Leaf? as Any) == [2, 3, 4, 5])
            #expect(realm.ids("int == %@ AND %K = %@", 3, "flag", false) == [3])
        }
    }

    @Test func `Q31: names that are words of the grammar`() throws {
        try withTrees { realm in
            try make(realm)
            #expect(
                realm.ids("#and == 3") == [3] && realm.ids { $0.and == 3 } == [3] && realm.ids("%K == 3", "and") == [3])
        }
    }

    @Test func `Q28 Q29: NSPredicate, also joined`() throws {
        try withTrees { realm in
            try make(realm)
            let trees = realm.objects(Tree.self)
            let young = NSPredicate(format: "int < %d", 4),
                odd = NSPredicate(format: "flag == %@", argumentArray: [false])
            #expect(trees.filter(young).count == 4 && trees.index(matching: odd) == 1)
            let both = NSCompoundPredicate(andPredicateWithSubpredicates: [young, odd])
            #expect(trees.filter(both).map(\.id) == [1, 3])
            let neither = NSCompoundPredicate(
                notPredicateWithSubpredicate:
                    NSCompoundPredicate(orPredicateWithSubpredicates: [young, odd]))
            #expect(trees.filter(neither).map(\.id) == [4])
            #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []) != young)
            #expect(trees.filter(NSCompoundPredicate(andPredicateWithSubpredicates: [])).count == 6)
            #expect(trees.filter(NSCompoundPredicate(orPredicateWithSubpredicates: [])).isEmpty)
            #expect(young == NSPredicate(format: "(int<%@)", 4) && young != NSPredicate(format: "int < 5"))
            #expect(young.hash == NSPredicate(format: "int < 4").hash && "\(young)" == "int < 4")
            #expect(young.evaluate(with: trees[0]) && !young.evaluate(with: trees[5]))
            #expect(trees.index(matching: "int > %@", 2) == 3 && trees.index(matching: { $0.int > 9 }) == nil)
        }
    }

    @Test func `S129: an object of another realm`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { one in
                try withTrees { other in
                    let leaf = try other.write { other.create(Leaf.self) }
                    _ = one.objects(Tree.self).where { $0.leaf == leaf }
                }
            }
        }
        expect(result, says: "belongs to another realm than the query")
        let text = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { one in
                try withTrees { other in
                    let leaf = try other.write { other.create(Leaf.self) }
                    _ = one.objects(Tree.self).filter("ANY leaves IN %@", [leaf])
                }
            }
        }
        expect(text, says: "belongs to another realm than the query")
    }

    @Test func `S138: a custom type whose object holds a list or a link`() async {
        let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Query<Tree>._constructForTesting().trail == Trail()
        }
        expect(
            list,
            saysAll: "StoredTrail cannot be compared member by member, because StoredTrail.steps is no plain value; "
                + "compare its members one by one")
        let link = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Query<Rind?>._constructForTesting() == Rind()
        }
        expect(
            link,
            saysAll: "Bark cannot be compared member by member, because Bark.leaf is no plain value; "
                + "compare its members one by one")
    }

    @Test func `S85: a set has no positions; values have no properties; blocks cannot be run`() async {
        let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in
                let tree = try realm.write { realm.create(Tree.self, value: ["id": 1, "leafSet": [["size": 1]]]) }
                _ = tree.leafSet.index(matching: "size == 1")
            }
        }
        expect(set, says: "index(matching:) of a set, which has no order")
        let values = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in
                let tree = try realm.write { realm.create(Tree.self, value: ["id": 1]) }
                _ = tree.ints.filter("int == 1")
            }
        }
        expect(values, says: "'ints' of Tree is a value (int); a path goes on only through links")
        let block = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).filter(NSPredicate { _, _ in true }) }
        }
        expect(block, says: "a predicate that is made of a block cannot be run by a query; use NSPredicate(format:)")
    }

    @Test func `predicates that are nested too deep are refused before they are followed`() async throws {
        let part = NSPredicate(format: "int > 3")
        var deep = part
        for _ in 0..<150 { deep = NSCompoundPredicate(notPredicateWithSubpredicate: deep) }
        try withTrees { realm in
            try make(realm)
            #expect(realm.objects(Tree.self).filter(deep).map(\.id) == [4, 5])
            // Many parts in one are not deep.
            let parts = (0..<5000).map { NSPredicate(format: "int == %d", $0) }
            let wide = NSCompoundPredicate(orPredicateWithSubpredicates: parts)
            #expect(realm.objects(Tree.self).filter(wide).count == 6)
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in
                var deep = NSPredicate(format: "int > 3")
                for _ in 0..<100_000 { deep = NSCompoundPredicate(notPredicateWithSubpredicate: deep) }
                _ = realm.objects(Tree.self).filter(deep)
            }
        }
        expect(
            result,
            saysAll: "NSCompoundPredicates are nested more than 200 deep; join all parts with "
                + "andPredicateWithSubpredicates: or orPredicateWithSubpredicates: at once")
    }

    @Test func `conditions that are joined in a loop`() throws {
        try withTrees { realm in
            try make(realm)
            let many = realm.objects(Tree.self).where { tree in
                (0..<100).reduce(tree.int == -1) { $0 || tree.int == $1 * 2 }
            }
            #expect(many.map(\.id) == [0, 2, 4])
        }
    }

    @Test func `Q13: conditions that cannot be counted`() async {
        let outside = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = (Query<Tree>._constructForTesting().int == 3).count._constructPredicate()
        }
        expect(outside, says: "a condition that is counted compares int, which is no property of the elements")
        let two = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let tree = Query<Tree>._constructForTesting()
            _ = (tree.leaves.size == 3 && tree.children.int == 2).count._constructPredicate()
        }
        expect(two, says: "leads through leaves and through children; count the elements of one collection at a time")
    }
}
