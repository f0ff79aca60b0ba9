// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Predicates that come from outside of the program: `filter(checking:)` throws what `filter` stops at.
@Suite struct CheckedPredicateTests {
    private func refusal(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch let error as Realm.Error where error.code == .invalidInput {
            return error.message
        } catch {
            return "another error: \(error)"
        }
    }

    private func isEmpty(_ results: Results<Tree>) { #expect(results.map(\.id).isEmpty && results.count == 0) }

    @Test func `S117: what fits is found`() throws {
        try withTrees { realm in
            try realm.write { for id in 0..<5 { realm.create(Tree.self, value: ["id": id, "string": "s\(id)"]) } }
            let trees = realm.objects(Tree.self)
            #expect(try trees.filter(checking: "id > %@ AND string BEGINSWITH 's'", 2).map(\.id) == [3, 4])
            let predicate = try NSPredicate(checking: "%K IN %@", "id", [1, 9])
            #expect(try trees.filter(checking: predicate).map(\.id) == [1])
            #expect(try trees.filter(checking: "id < 3").sorted(by: \.id, ascending: false).first?.id == 2)
            #expect(try trees.filter("id > 0").filter(checking: "id < 2").map(\.id) == [1])
            #expect(try trees.limit(3).filter(checking: "id > 1").map(\.id) == [2])
            #expect(try NSPredicate(checking: "id == 3", argumentArray: nil) == NSPredicate(format: "id == 3"))
        }
    }

    @Test(arguments: [
        ("string == ", "read: at column 11"), ("int == 'x'", "used on Tree: at column 8: 'int' of Tree is an int"),
        ("strign == 'x'", "used on Tree: at column 1: no property 'strign' in Tree; did you mean 'string'?"),
        ("ints == 3", "used on Tree: at column 1: the path to 'ints' of Tree leads to any number of values"),
        ("string MATCHES 'x'", "read: at column 8: MATCHES"), ("int == %@", "read: at column 8: no argument for %@"),
        ("ALL leaves.size > 3", "read: at column 1: ALL is not supported"), ("string BETWEEN {1}", "read: "),
        ("data < 'x'", "used on Tree: at column 6: 'data' of Tree"), ("leaves.@avg.label > 3", "used on Tree: "),
        ("SUBQUERY(ints, $x, $x == 3).@count > 0", "used on Tree: "), ("", "read: at column 1: "),
        ("int == 99999999999999999999", "used on Tree: "), ("string == 'x", "read: "), ("int == 1 AND", "read: "),
        ("\u{0}", "read: "), ("leaf == 3", "used on Tree: "), ("string LIKE[d] 'x'", "read: "),
    ])
    func `S117: the checked form throws what the other one stops at`(_ text: String, _ message: String) async throws {
        try withTrees { realm in
            let said = refusal { _ = try realm.objects(Tree.self).filter(checking: text) }
            #expect(said?.contains("\"\(text)\" cannot be \(message)") == true, "\(said ?? "nothing")")
        }
    }

    @Test func `S117: both forms say the same`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).filter("leaf.seize == 3") }
        }
        try withTrees { realm in
            let said = refusal { _ = try realm.objects(Tree.self).filter(checking: "leaf.seize == 3") }
            expect(result, saysAll: said ?? "")
        }
    }

    @Test func `predicates that are too deep or too long`() throws {
        try withTrees { realm in
            let trees = realm.objects(Tree.self)
            for depth in [10, 90, 93, 94, 95, 96, 97, 180, 190, 300, 100_000] {
                let open = String(repeating: "int == 1 OR (int == 2 AND (", count: depth)
                let text = open + "int == 3" + String(repeating: "))", count: depth)
                let said = refusal { isEmpty(try trees.filter(checking: text).filter("int > 1")) }
                #expect(depth < 93 ? said == nil : depth < 97 || said?.contains("deep") == true, "\(depth)")
            }
            for depth in [1, 19, 20, 21, 1000] {
                let open = (0..<depth).map { level in
                    "SUBQUERY(\(level == 0 ? "leaves" : "$v\(level - 1).twigs"), $v\(level), "
                }.joined()
                let text = open + "$v\(depth - 1).size > 0" + String(repeating: ").@count > 0", count: depth)
                let said = refusal { isEmpty(try trees.filter(checking: text)) }
                #expect((said == nil) == (depth <= 20), "\(depth)")
            }
            for steps in [1, 99, 100, 101, 1000] {
                let text = (0..<steps).map { _ in "parent" }.joined(separator: ".") + ".parent == nil"
                let said = refusal { isEmpty(try trees.filter(checking: text)) }
                #expect((said == nil) == (steps < 100), "\(steps)")
            }
            var deep = NSPredicate(format: "int > 3")
            for depth in 1..<260 {
                deep = NSCompoundPredicate(notPredicateWithSubpredicate: deep)
                let said = refusal { isEmpty(try trees.filter(checking: deep).filter("int > 1")) }
                #expect(depth < 190 ? said == nil : depth < 202 || said != nil, "\(depth)")
            }
            let tooDeep = refusal { _ = try trees.filter(checking: deep) }
            #expect(tooDeep?.contains("nested more than 200 deep") == true)
            let wide = (0..<20_000).map { "int == \($0)" }.joined(separator: " OR ")
            isEmpty(try trees.filter(checking: wide))
        }
    }

    @Test func `values that nothing is compared with, blocks, and objects of another realm`() throws {
        struct Unknown {}
        try withTrees { realm in
            let trees = realm.objects(Tree.self)
            for value in [Unknown(), URL(fileURLWithPath: "/"), [Unknown()], [[1]], [1: 2]] as [Any] {
                let said = refusal { _ = try trees.filter(checking: "int == %@", value) }
                #expect(said != nil, "\(value)")
            }
            let unknown = refusal { _ = try NSPredicate(checking: "int == %@", Unknown()) }
            let block = refusal { _ = try trees.filter(checking: NSPredicate { _, _ in true }) }
            #expect(unknown?.contains("type Unknown") == true && block?.contains("made of a block") == true)
            try withTrees { other in
                let leaf = try other.write { other.create(Leaf.self) }
                let said = refusal { _ = try trees.filter(checking: "leaf == %@", leaf) }
                #expect(said?.contains("belongs to another realm") == true)
            }
        }
    }

    // MARK: At random

    private static let words = [
        "int", "string", "optInt", "double", "flag", "data", "date", "mixed", "leaf", "leaves", "ints", "intMap",
        "stringMap", "parent", "children", "leafMap", "spot", "bark", "barks", "objectId", "uuid", "decimal", "anys",
        "nothing", "SELF", "leaf.size", "leaves.size", "leaves.label", "parent.leaf.size", "children.int",
        "leafMap.size", "mixed['a']", "mixed[0]", "mixed[#any]", "intMap['a']", "intMap.@allKeys",
        "stringMap.@allValues", "leaves.@count", "ints.@min", "ints.@max", "leaves.@sum.size", "leaves.@avg.weight",
        "ints.@count", "$x.size", "$x", "$0", "$1", "==", "!=", "<", "<=", ">", ">=", "=", "<>", "CONTAINS",
        "BEGINSWITH[c]", "ENDSWITH", "LIKE", "LIKE[c]", "IN", "BETWEEN", "MATCHES", "AND", "OR", "NOT", "&&", "||",
        "!", "(", ")", "{", "}", "{1, 2}", "{'a', nil}", "{1.5, 3}", "ANY", "NONE", "SOME", "ALL",
        "SUBQUERY(leaves, $x, ", ").@count", "TRUEPREDICATE", "nil", "true", "1", "-5", "2.5", "1e400", "'a'", "'a*'",
        "\"é\"", "%@", "%@", "%@", "%K", "%d", "%f", "date(1)", "data('00')", "nested('00')", "uuid('x')", ",", ".",
        "object(1, 2)", "object(900, 2)", "geoBox([7, 46], [8, 47])", "float('nan')", "decimal('1.5')", "#and", "[c]",
        "@count",
    ]

    private func argument(_ random: inout SeededGenerator, _ leaf: Leaf) -> Any {
        let all: [Any] = [
            0, -7, 2.5, Double.nan, "a", "", "leaf.size", "leaves.@count", true, UUID(), ObjectId.generate(),
            Date(timeIntervalSinceReferenceDate: 1), Data([1]), Decimal128(1.5), NSNull(), [1, 2], [Int](),
            ["a", NSNull()] as [Any],
            Mood.cross, Plate("x"), Leaf(3), leaf, [leaf], GeoBox(bottomLeft: (1, 2), topRight: (3, 4)) as Any,
            AnyRealmValue.fromArray([.int(1)]), AnyRealmValue.string("x"), URL(fileURLWithPath: "/"), Float(0.5),
            Int8(3), Spot(1, "a"), NSNumber(value: 4), Set(["a"]),
        ]
        return all[Int.random(in: 0..<all.count, using: &random)]
    }

    /// Sensible conditions with arguments that suit them. Pieces of them are exchanged, so that many mean something.
    private static let conditions: [(text: String, arguments: [any Sendable])] = [
        ("int > %@ AND string BEGINSWITH[c] %@", [3, "s"]), ("ANY leaves.size == 3 OR NONE leaves.label == 'a'", []),
        ("optInt IN {1, 2, nil}", []),
        ("SUBQUERY(leaves, $x, $x.size > %@ AND $x.label LIKE 'a*').@count >= 1", [2]), ("mixed['a'] == %@", [3]),
        ("int BETWEEN {%@, 5}", [1]), ("NOT (leaf.size == int || leaf == nil)", []),
        ("ints.@max > 3 && leaves.@avg.size < %@", [2.5]), ("ANY intMap.@allKeys == %@", ["a"]),
        ("%K == %@", ["leaf.size", 3]), ("%@ IN ints", [4]), ("intMap['a'] != 3", []),
        ("decimal >= 1.5 AND date < %@", [Date(timeIntervalSinceReferenceDate: 1)]),
        ("ANY children.leaves.size > 3", []), ("leaves.@count == double", []), ("data CONTAINS %@", [Data([1])]),
        ("flag == true OR uuid == %@", [UUID()]), ("leaf IN %@", [[Int]()]), ("SELF == %@", [NSNull()]),
    ]

    private func format(_ random: inout SeededGenerator) -> String {
        func word() -> String { Self.words[Int.random(in: 0..<Self.words.count, using: &random)] }
        if Bool.random(using: &random) {
            let condition = Self.conditions[Int.random(in: 0..<Self.conditions.count, using: &random)]
            var pieces = condition.text.split(separator: " ").map(String.init)
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                let at = Int.random(in: 0..<pieces.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0 where pieces.count > 1: pieces.remove(at: at)
                case 1: pieces.insert(word(), at: at)
                default: pieces[at] = word()
                }
            }
            return pieces.joined(separator: " ")
        }
        let words = (0..<Int.random(in: 1..<9, using: &random)).map { _ in word() }
        var scalars = Array(words.joined(separator: " ").unicodeScalars)
        if Int.random(in: 0..<4, using: &random) == 0 {
            let at = Int.random(in: 0..<scalars.count, using: &random)
            scalars[at] = Unicode.Scalar(UInt32.random(in: 0..<0x500, using: &random)) ?? "?"
        }
        return String(String.UnicodeScalarView(scalars))
    }

    @Test func `whatever text a user writes, it is refused by a throw or runs`() throws {
        var random = SeededGenerator(state: testSeed("checked predicates"))
        try withTrees { realm in
            let leaf = try realm.write {
                let leaf = realm.create(Leaf.self, value: ["size": 3, "label": "a"])
                for id in 0..<12 {
                    realm.create(
                        Tree.self,
                        value: [
                            "id": id, "int": id - 3, "string": "s\(id)", "leaf": leaf,
                            "leaves": id % 2 == 0 ? [leaf] : [],
                            "mixed": id % 3 == 0 ? ["a": id] : [id, "a"] as Any, "ints": [id], "intMap": ["a": id],
                        ] as [String: Any])
                }
                return leaf
            }
            let trees = realm.objects(Tree.self)
            var accepted = 0, refused = 0
            for round in 0..<6000 {
                let sensible = round < Self.conditions.count ? Self.conditions[round] : nil
                let text = sensible?.text ?? format(&random)
                let arguments: [Any] =
                    sensible.map { $0.arguments.map { $0 as Any } }
                    ?? (0..<Int.random(in: 0..<5, using: &random)).map { _ in argument(&random, leaf) }
                let said = refusal {
                    let predicate = try NSPredicate(checking: text, argumentArray: arguments)
                    let found = try trees.filter(checking: predicate)
                    #expect(found.count == found.map(\.id).count && found.filter("id >= 0").count == found.count)
                    #expect(trees.filter(predicate).first?.id == found.first?.id, "\(text)")
                    let opposite = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
                    let others = try trees.filter(checking: opposite)
                    #expect(others.count == 12 - found.count, "\(text)")
                }
                if let said { #expect(said.contains("predicate") || said.contains("realm"), "\(text): \(said)") }
                #expect(sensible == nil || said == nil, "\(text): \(said ?? "")")
                (accepted, refused) = said == nil ? (accepted + 1, refused) : (accepted, refused + 1)
            }
            #expect(accepted > 100 && refused > 1000, "\(accepted) accepted, \(refused) refused")
        }
    }
}
