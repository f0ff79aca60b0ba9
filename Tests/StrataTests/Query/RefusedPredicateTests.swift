// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// A predicate that means nothing, and what is said about it.
struct Refusal: Codable, Sendable, CustomTestStringConvertible {
    let predicate: String
    let column: Int
    let message: String
    var isGrammatical = true

    var testDescription: String { predicate }

    /// What the program says before it stops.
    var whole: String {
        let stage = isGrammatical ? "cannot be used on Tree" : "cannot be read"
        return "the predicate \"\(predicate)\" \(stage): at column \(column): \(message)"
    }

    static func read(_ predicate: String, _ column: Int, _ message: String) -> Refusal {
        Refusal(predicate: predicate, column: column, message: message, isGrammatical: false)
    }

    static func used(_ predicate: String, _ column: Int, _ message: String) -> Refusal {
        Refusal(predicate: predicate, column: column, message: message)
    }
}

/// Predicates that mean nothing, and all that is said about them.
@Suite struct RefusedPredicateTests {
    private static func check(_ refusal: Refusal, _ location: SourceLocation = #_sourceLocation) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [refusal] in
            try withTrees { realm in _ = realm.ids(refusal.predicate) }
        }
        expect(result, saysAll: refusal.whole, location)
    }

    @Test(arguments: [
        Refusal.used("int > 3 AND strign == 'x'", 13, "no property 'strign' in Tree; did you mean 'string'?"),
        .used("leaf.seize == 3", 6, "no property 'seize' in Leaf; did you mean 'size'?"),
        .used("xyz == 3", 1, "no property 'xyz' in Tree"),
        .used("int == '1'", 8,
            "'int' of Tree is an int; it cannot be compared with a string; numbers are written without quotes"),
        .used("int == 2.5", 8, "'int' of Tree is an int; it is compared with whole numbers of 64 bits, not with 2.5"),
        .used("string == 1", 11,
            "'string' of Tree is a string; it cannot be compared with an int; strings are written in quotes"),
        .used("objectId == '000000000000000000000000'", 13,
            "'objectId' of Tree is an ObjectId; it cannot be compared with a string; "
                + "an ObjectId is objectId('...'), or an argument for %@"),
        .used("flag == 2", 9, "'flag' of Tree is a bool; it cannot be compared with an int; it is true or false"),
        .used("uuid > 'x'", 8,
            "'uuid' of Tree is a UUID; it cannot be compared with a string; a UUID is uuid('...'), or an argument for %@"),
        .used("date == 'today'", 9,
            "'date' of Tree is a date; it cannot be compared with a string; a date is date('2000-01-31T12:00:00Z'), or an argument for %@"),
    ])
    func `S117: constants of other types, and unknown names`(_ refusal: Refusal) async { await Self.check(refusal) }

    @Test func `S117: values that no property has, and missing ones`() async {
        let value = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.ids("int == %@", URL(fileURLWithPath: "/")) }
        }
        expect(
            value,
            saysAll: "the predicate \"int == %@\" is given a value of type URL, which no property has; pass numbers, "
                + "strings, data, dates, identifiers, objects or collections of these")
        let id = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.ids("flag == true && objectId == %@", "000000000000000000000000") }
        }
        expect(
            id,
            saysAll: "the predicate \"flag == true && objectId == %@\" cannot be used on Tree: at column 29: "
                + "'objectId' of Tree is an ObjectId; it cannot be compared with a string; "
                + "an ObjectId is objectId('...'), or an argument for %@")
        let missing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "int == %@")
        }
        expect(
            missing,
            saysAll: "the predicate \"int == %@\" cannot be read: at column 8: no argument for %@; 0 were given")
    }

    @Test(arguments: [
        Refusal.used("leaves.size == 3", 8,
            "the path to 'size' of Leaf leads to any number of values; write ANY or NONE in front of it, "
                + "or an aggregate such as @count into it"),
        .used("ints == 3", 1,
            "the path to 'ints' of Tree leads to any number of values; write ANY or NONE in front of it, "
                + "or an aggregate such as @count into it"),
        .used("ANY leaf.size == 3", 10, "ANY and NONE need a collection in the path to 'size' of Leaf; leave them out"),
        .used("NONE int == 3", 6, "ANY and NONE need a collection in the path to 'int' of Tree; leave them out"),
        .read("int > 0 OR ALL leaves.size >= 3", 12,
            "ALL is not supported; write NONE with the opposite, such as NONE dogs.age < 3 for ALL dogs.age >= 3"),
    ])
    func `S118: quantifiers are needed, and only where they belong`(_ refusal: Refusal) async {
        await Self.check(refusal)
    }

    @Test(arguments: [
        Refusal.read("string LIKE[d] 'x'", 12, "LIKE cannot ignore diacritics; write LIKE"),
        .read("string LIKE[cd] 'x'", 12, "LIKE cannot ignore diacritics; write LIKE[c]"),
        .read("string MATCHES 'x'", 8, "MATCHES and regular expressions are not supported; use LIKE with * and ?"),
    ])
    func `S124: what LIKE does not take`(_ refusal: Refusal) async { await Self.check(refusal) }

    @Test(arguments: [
        Refusal.read("string <[c] 'x'", 9, "< compares strings by their bytes and takes no options; leave [c] out"),
        .read("string >=[cd] 'x'", 10, ">= compares strings by their bytes and takes no options; leave [cd] out"),
    ])
    func `S125: order takes no options`(_ refusal: Refusal) async { await Self.check(refusal) }

    @Test(arguments: [
        Refusal.used("data < 'x'", 6, "'data' of Tree is data; it cannot be compared with <"),
        .used("data BETWEEN {'a', 'b'}", 6, "'data' of Tree is data; it cannot be compared with BETWEEN"),
    ])
    func `S126: data has no order in conditions`(_ refusal: Refusal) async { await Self.check(refusal) }

    @Test(arguments: [
        Refusal.used("string BETWEEN {'a', 'b'}", 8,
            "'string' of Tree is a string; it cannot be compared with BETWEEN"),
        .used("flag BETWEEN {0, 1}", 6, "'flag' of Tree is a bool; it cannot be compared with BETWEEN"),
        .read("int BETWEEN {1}", 13, "BETWEEN takes two bounds, not 1"),
        .read("int BETWEEN {1, 2, 3}", 13, "BETWEEN takes two bounds, not 3"),
    ])
    func `S127: where there is no BETWEEN`(_ refusal: Refusal) async { await Self.check(refusal) }

    @Test(arguments: [
        Refusal.used("int == double", 5,
            "'int' of Tree and 'double' of Tree cannot be compared: they are of the types int and double"),
        .used("double > float", 8,
            "'double' of Tree and 'float' of Tree cannot be compared: they are of the types double and float"),
        .used("string == leaf.size", 8,
            "'string' of Tree and 'size' of Leaf cannot be compared: they are of the types string and int"),
        .used("ints.@min == leaves.@max.size", 11, "two aggregates cannot be compared with each other"),
        .used("ints.@count == leaves.@count", 13, "two aggregates cannot be compared with each other"),
    ])
    func `S130: properties of different types, two aggregates`(_ refusal: Refusal) async { await Self.check(refusal) }

    @Test(arguments: [
        Refusal.read("leaves.@size == 3", 8,
            "@size is none of @count, @min, @max, @sum, @avg, @allKeys and @allValues; "
                + "the number of elements is @count"),
        .used("leaves.@count == 1.5", 18,
            "@count of 'leaves' of Tree is an int; it is compared with whole numbers of 64 bits, not with 1.5"),
        .used("leaves.@count == 'a'", 18,
            "@count of 'leaves' of Tree is an int; it cannot be compared with a string; "
                + "numbers are written without quotes"),
        .used("leaves.@count == nil", 18, "@count of 'leaves' of Tree is an int; it is never null"),
        .used("leaves.@count == string", 15,
            "'leaves' of Tree and 'string' of Tree cannot be compared: they are of the types int and string"),
    ])
    func `S131: what counts are compared with`(_ refusal: Refusal) async { await Self.check(refusal) }

    @Test(arguments: [
        Refusal.used("ints.@sum == nil", 14, "@sum of 'ints' of Tree is an int; it is never null"),
        .used("leaves.@sum.size == nil", 21, "@sum of 'size' of Leaf is an int; it is never null"),
        .used("dates.@sum == 3", 1, "'dates' of Tree has date values, which have no @sum"),
        .used("dates.@avg == 3", 1, "'dates' of Tree has date values, which have no @avg"),
        .used("strings.@min == 'a'", 1, "'strings' of Tree has string values, which have no @min"),
        .used("leaves.@max.@min.size > 3", 13, "a path has only one aggregate"),
        .used("ints.@min.@max > 3", 11, "a path has only one aggregate"),
    ])
    func `S132: what totals there are, and that a sum is never nil`(_ refusal: Refusal) async {
        await Self.check(refusal)
    }

    @Test(arguments: [
        Refusal.used("leaves.size.@max > 3", 13, "@max stands behind the collection: list.@max.size"),
        .used("leaves.@max > 3", 1,
            "@max of objects needs one of their properties behind it, such as leaves.@max.age"),
        .used("intMap.x > 3", 8,
            "'intMap' of Tree is a collection (map); in brackets stands one of its keys, such as ['name']"),
        .used("ints.@max.size > 3", 11, "'ints' of Tree is a value (int); a path goes on only through links"),
        .used("leaves.@count.size > 3", 15, "nothing can follow @count"),
    ])
    func `S133: the aggregate of objects stands in front of the property, that of values at the end`(
        _ refusal: Refusal
    ) async {
        await Self.check(refusal)
    }

    @Test(arguments: [
        Refusal.used("SUBQUERY(leaves, $x, $x.size > 3).@count == 'a'", 45,
            "@count of 'leaves' of Tree is an int; it cannot be compared with a string; "
                + "numbers are written without quotes"),
        .used("SUBQUERY(leaves, $x, $x.size > 3).@count == int", 45,
            "the count of a SUBQUERY is compared with a constant number"),
        .used("SUBQUERY(leaves, $x, $x.size > 3).@count == nil", 45,
            "@count of 'leaves' of Tree is an int; it is never null"),
        .used("SUBQUERY(leaves, $x, $x.size > 3).@count BETWEEN {1, 2}", 50,
            "the count of a SUBQUERY is compared with a constant number"),
        .used("SUBQUERY(leaves, $x, SUBQUERY($x.twigs, $y, $y.size > $x.size).@count > 0).@count > 0", 55,
            "inside of this SUBQUERY every path begins with its variable $y"),
        .used("SUBQUERY(leaves, $x, size > 3).@count > 0", 22,
            "inside of this SUBQUERY every path begins with its variable $x"),
        .read("SUBQUERY(leaves, $x, $y.size > 3).@count > 0", 22, "no SUBQUERY around this has the variable $y"),
        .used("SUBQUERY(ints, $x, $x == 3).@count > 0", 10,
            "'ints' of Tree is no collection of objects; SUBQUERY needs one"),
        .used("SUBQUERY(leaf, $x, $x.size == 3).@count > 0", 10,
            "'leaf' of Tree is no collection of objects; SUBQUERY needs one"),
    ])
    func `S135: a subquery is compared with a constant number`(_ refusal: Refusal) async { await Self.check(refusal) }
}
