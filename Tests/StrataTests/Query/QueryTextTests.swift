// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// The exact predicates that conditions stand for.
@Suite struct QueryTextTests {
    private func expect(
        _ text: String, _ arguments: [Any] = [], _ location: SourceLocation = #_sourceLocation,
        _ condition: (Query<Tree>) -> Query<Bool>
    ) {
        let (built, values) = condition(Query<Tree>._constructForTesting())._constructPredicate()
        #expect(built == text, sourceLocation: location)
        #expect("\(values)" == "\(arguments)", sourceLocation: location)
        #expect(
            NSPredicate(format: built, argumentArray: values) == NSPredicate(format: text, argumentArray: arguments),
            sourceLocation: location)
    }

    @Test func `Q1: equality with values of every type and nil`() {
        let date = Date(timeIntervalSinceReferenceDate: 5), uuid = UUID(), id = ObjectId.generate()
        expect("(int == %@)", [3]) { $0.int == 3 }
        expect("(int != %@)", [3]) { $0.int != 3 }
        expect("(int8 == %@)", [3]) { $0.int8 == 3 }
        expect("(float == %@)", [Float(1.5)]) { $0.float == 1.5 }
        expect("(double == %@)", [1.5]) { $0.double == 1.5 }
        expect("(string == %@)", ["a"]) { $0.string == "a" }
        expect("(flag == %@)", [true]) { $0.flag == true }
        expect("(data == %@)", [Data([1])]) { $0.data == Data([1]) }
        expect("(date == %@)", [date]) { $0.date == date }
        expect("(uuid == %@)", [uuid]) { $0.uuid == uuid }
        expect("(objectId == %@)", [id]) { $0.objectId == id }
        expect("(decimal == %@)", [Decimal128(3)]) { $0.decimal == 3 }
        expect("(mixed == %@)", [3]) { $0.mixed == .int(3) }
        expect("(mixed == %@)", [NSNull()]) { $0.mixed == .none }
        expect("(optInt == %@)", [NSNull()]) { $0.optInt == nil }
        expect("(optString != %@)", ["a"]) { $0.optString != "a" }
        expect("(leaf == %@)", [NSNull()]) { $0.leaf == nil }
        expect("(bark != %@)", [NSNull()]) { $0.bark != nil }
    }

    @Test func `Q1 Q15: enums and custom types`() {
        expect("(mood == %@)", ["cross"]) { $0.mood == .cross }
        expect("(rank > %@)", [5]) { $0.rank > .middle }
        expect("(rank >= %@)", [5]) { $0.rank.rawValue >= 5 }
        expect("(optMood == %@)", ["cross"]) { $0.optMood == .cross }
        expect("(optMood == %@)", ["x"]) { $0.optMood.rawValue == "x" }
        expect("(plate == %@)", ["HRO"]) { $0.plate == Plate("HRO") }
        expect("(plate BEGINSWITH %@)", ["H"]) { $0.plate.persistableValue.starts(with: "H") }
        expect("(optPlate == %@)", ["HRO"]) { $0.optPlate == Plate("HRO") }
        expect("(optPlate CONTAINS %@)", ["R"]) { $0.optPlate.persistableValue.contains("R") }
        expect("(spot.x > %@)", [3]) { $0.spot.x > 3 }
        expect("(spot.label == %@)", ["a"]) { $0.spot.persistableValue.label == "a" }
    }

    @Test func `S138: memberwise equality`() {
        expect("((spot.x == %@) && (spot.label == %@))", [3, "a"]) { $0.spot == Spot(3, "a") }
        expect("NOT ((spot.x == %@) && (spot.label == %@))", [3, NSNull()]) { $0.spot != Spot(3, nil) }
        expect("(spot == %@)", [NSNull()]) { $0.spot == nil }
    }

    @Test func `Q2: order, also of two properties`() {
        expect("(int < %@)", [3]) { $0.int < 3 }
        expect("(optInt <= %@)", [3]) { $0.optInt <= 3 }
        expect("(date > %@)", [Date.distantPast]) { $0.date > .distantPast }
        expect("(string >= %@)", ["a"]) { $0.string >= "a" }
        expect("(mixed > %@)", [3]) { $0.mixed > .int(3) }
        expect("(decimal < %@)", [Decimal128(3)]) { $0.decimal < 3 }
        expect("(int < other)") { $0.int < $0.other }
        expect("(int >= leaf.size)") { $0.int >= $0.leaf.size }
        expect("(int == other)") { $0.int == $0.other }
        expect("(string != second)") { $0.string != $0.second }
    }

    @Test func `Q3 S137: logic and truth`() {
        expect("(flag == true)") { $0.flag }
        expect("(flag == false)") { !$0.flag }
        expect("(leaf.isGreen == true)") { $0.leaf.isGreen }
        expect("((flag == true) && (int == %@))", [3]) { $0.flag && $0.int == 3 }
        expect("((flag == false) || (leaf.isGreen == false))") { !$0.flag || !$0.leaf.isGreen }
        expect("NOT (int == %@)", [3]) { !($0.int == 3) }
        expect("NOT ((int == %@) || (int == %@))", [3, 4]) { !($0.int == 3 || $0.int == 4) }
        expect("(((int == %@) && (int == %@)) || (flag == true))", [1, 2]) { ($0.int == 1 && $0.int == 2) || $0.flag }
        expect("NOT (int == %@)", [3]) { ($0.int == 3) == false }
    }

    @Test func `Q4 Q5: lists of values and ranges`() {
        expect("(int IN %@)", [[1, 2]]) { $0.int.in([1, 2]) }
        expect("(optString IN %@)", [["a", NSNull()] as [Any]]) { $0.optString.in(["a", nil]) }
        expect("(mood IN %@)", [["calm"]]) { $0.mood.in([.calm]) }
        expect("(int BETWEEN {%@, %@})", [1, 2]) { $0.int.contains(1...2) }
        expect("((int >= %@) && (int < %@))", [1, 2]) { $0.int.contains(1..<2) }
        expect("(optInt BETWEEN {%@, %@})", [1, 2]) { $0.optInt.contains(1...2) }
        expect("((optDouble >= %@) && (optDouble < %@))", [1.0, 2.0]) { $0.optDouble.contains(1..<2) }
    }

    @Test func `Q6 Q7 Q8: collections`() {
        expect("((ints.@min >= %@) && (ints.@max <= %@))", [1, 2]) { $0.ints.contains(1...2) }
        expect("((ints.@min >= %@) && (ints.@max < %@))", [1, 2]) { $0.ints.contains(1..<2) }
        expect("((optInts.@min >= %@) && (optInts.@max <= %@))", [1, 2]) { $0.optInts.contains(1...2) }
        expect("((intMap.@min >= %@) && (intMap.@max <= %@))", [1, 2]) { $0.intMap.contains(1...2) }
        expect("(%@ IN ints)", [3]) { $0.ints.contains(3) }
        expect("(%@ IN optInts)", [NSNull()]) { $0.optInts.contains(nil) }
        expect("(%@ IN intSet)", [3]) { $0.intSet.contains(3) }
        expect("(%@ IN intMap)", [3]) { $0.intMap.contains(3) }
        expect("(%@ IN moods)", ["calm"]) { $0.moods.contains(.calm) }
        expect("(ANY ints IN %@)", [[3, 4]]) { $0.ints.containsAny(in: [3, 4]) }
        expect("(ANY strings IN %@)", [["a"]]) { $0.strings.containsAny(in: ["a"]) }
    }

    @Test func `Q9: strings`() {
        expect("(string CONTAINS %@)", ["a"]) { $0.string.contains("a") }
        expect("(string BEGINSWITH[c] %@)", ["a"]) { $0.string.starts(with: "a", options: .caseInsensitive) }
        expect("(string ENDSWITH[d] %@)", ["a"]) { $0.string.ends(with: "a", options: .diacriticInsensitive) }
        expect("(optString ==[cd] %@)", ["a"]) {
            $0.optString.equals("a", options: [.caseInsensitive, .diacriticInsensitive])
        }
        expect("(string !=[c] %@)", ["a"]) { $0.string.notEquals("a", options: .caseInsensitive) }
        expect("(string LIKE %@)", ["a*"]) { $0.string.like("a*") }
        expect("(string LIKE[c] %@)", ["a*"]) { $0.string.like("a*", caseInsensitive: true) }
        expect("(string CONTAINS second)") { $0.string.contains($0.second) }
        expect("(string ==[c] second)") { $0.string.equals($0.second, options: .caseInsensitive) }
        expect("(data BEGINSWITH %@)", [Data([1])]) { $0.data.starts(with: Data([1])) }
        expect("(mixed CONTAINS[c] %@)", ["a"]) { $0.mixed.contains(.string("a"), options: .caseInsensitive) }
    }

    @Test func `Q10: counts and totals`() {
        expect("(leaves.@count == %@)", [3]) { $0.leaves.count == 3 }
        expect("(intMap.@count > %@)", [3]) { $0.intMap.count > 3 }
        expect("(ints.@min == %@)", [3]) { $0.ints.min == 3 }
        expect("(doubles.@avg > %@)", [3.5]) { $0.doubles.avg > 3.5 }
        expect("(decimals.@sum > %@)", [Decimal128(3)]) { $0.decimals.sum > 3 }
        expect("(leaves.@sum.size == %@)", [3]) { $0.leaves.size.sum == 3 }
        expect("(leafSet.@max.size < %@)", [3]) { $0.leafSet.size.max < 3 }
        expect("(leafMap.@avg.weight == %@)", [NSNull()]) { $0.leafMap.weight.avg == nil }
        expect("(children.@min.int == %@)", [3]) { $0.children.int.min == 3 }
        expect("(leaf.twigs.@max.size == %@)", [3]) { $0.leaf.twigs.size.max == 3 }
        expect("(leaves.@count == int)") { $0.leaves.count == $0.int }
    }

    @Test func `Q11: maps`() {
        expect("(intMap[%@] == %@)", ["a", 3]) { $0.intMap["a"] == 3 }
        expect("(leafMap[%@].size > %@)", ["a", 3]) { $0.leafMap["a"].size > 3 }
        expect("(ANY intMap.@allKeys == %@)", ["a"]) { $0.intMap.keys == "a" }
        expect("(ANY intMap.@allKeys BEGINSWITH[c] %@)", ["a"]) {
            $0.intMap.keys.starts(with: "a", options: .caseInsensitive)
        }
        expect("(ANY stringMap.@allValues CONTAINS %@)", ["a"]) { $0.stringMap.values.contains("a") }
        expect("(ANY leafMap.size == %@)", [3]) { $0.leafMap.size == 3 }
    }

    @Test func `Q12: values of any type`() {
        expect("(mixed[%@] == %@)", ["a", 3]) { $0.mixed["a"] == .int(3) }
        expect("(mixed[%d] == %@)", [0, "x"]) { $0.mixed[0] == .string("x") }
        expect("(mixed[%d][%@] > %@)", [-1, "a", 3]) { $0.mixed[-1]["a"] > .int(3) }
        expect("(mixed[%K] == %@)", ["#any", 3]) { $0.mixed.any == .int(3) }
    }

    @Test func `Q13 S135: subqueries`() {
        expect("(SUBQUERY(leaves, $col1, ($col1.size == %@)).@count > %@)", [3, 1]) { ($0.leaves.size == 3).count > 1 }
        expect(
            "(SUBQUERY(leaves, $col1, (($col1.size > %@) && ($col1.isGreen == true))).@count == %@)", [3, 0]
        ) { ($0.leaves.size > 3 && $0.leaves.isGreen).count == 0 }
        expect(
            "(SUBQUERY(leaves, $col1, (SUBQUERY($col1.twigs, $col2, ($col2.size == %@)).@count >= %@)).@count > %@)",
            [1, 2, 3]
        ) { (($0.leaves.twigs.size == 1).count >= 2).count > 3 }
        expect(
            "((SUBQUERY(leaves, $col1, ($col1.size == %@)).@count > %@) && "
                + "(SUBQUERY(children, $col2, NOT ($col2.int == %@)).@count < %@))", [1, 2, 3, 4]
        ) { ($0.leaves.size == 1).count > 2 && (!($0.children.int == 3)).count < 4 }
        expect("(SUBQUERY(leaf.twigs, $col1, ($col1.label CONTAINS %@)).@count > %@)", ["a", 0]) {
            ($0.leaf.twigs.label.contains("a")).count > 0
        }
    }

    @Test func `Q14 S136: any of the elements`() {
        expect("(ANY leaves.size == %@)", [3]) { $0.leaves.size == 3 }
        expect("(ANY leaves.isGreen == true)") { $0.leaves.isGreen }
        expect("(ANY leaf.trees.int == %@)", [3]) { $0.leaf.trees.int == 3 }
        expect("(ANY children.leaves.size == %@)", [3]) { $0.children.leaves.size == 3 }
        expect("((ANY leaves.size == %@) && (ANY leaves.label == %@))", [1, "a"]) {
            $0.leaves.size == 1 && $0.leaves.label == "a"
        }
        expect("(ANY barks.color == %@)", ["red"]) { $0.barks.color == "red" }
        expect("(ANY leaves.size > leafSet.size)") { $0.leaves.size > $0.leafSet.size }
        expect("(ANY int < leaves.size)") { $0.int < $0.leaves.size }
        expect("(ANY %@ IN leaves.scores)", [3]) { $0.leaves.scores.contains(3) }
    }

    @Test func `Q31: names that are words of the grammar`() {
        expect("(#and == %@)", [3]) { $0.and == 3 }
        expect("(parent.#and == %@)", [3]) { $0.parent.and == 3 }
    }

    @Test func `a condition of more than thirty parts type-checks`() {
        let (text, arguments) = large(Query<Tree>._constructForTesting())._constructPredicate()
        #expect(text.split(separator: "%@").count > 30 && arguments.count > 30)
    }

    /// What a person may write by hand. That it compiles, in a fraction of a second, is the test.
    private func large(_ tree: Query<Tree>) -> Query<Bool> {
        tree.int == 1 && tree.string == "a" && tree.optString == nil && tree.double > 2.5 && tree.flag && !tree.flag
            && tree.date > .distantPast && tree.leaf.label == "x" && tree.leaves.size > 3 && tree.optInt == 4
            && tree.ints.contains(3) && (tree.int == 2 || tree.int == 3 || tree.string.contains("u"))
            && tree.intMap["x"] > 4 && tree.mixed == .int(4) && tree.double == 1 && tree.double < 2
            && tree.optString == "x" && tree.string != "y" && tree.int.in([1, 2, 3]) && tree.int.contains(1...5)
            && tree.leaves.count > 2 && tree.leaves.size.sum > 5 && (tree.leaves.size == 3).count > 2
            && tree.ints.max > 5 && tree.optInt != nil && tree.optInt >= 3 && tree.leaf != nil
            && tree.mixed["k"] == .string("v") && (tree.int == 1 || !(tree.string == "z")) && tree.string.like("a*")
            && tree.double >= 0 && tree.int <= 100 && tree.decimal > 3 && tree.mood == .calm
    }
}
