// SPDX-License-Identifier: MIT
// PlainMacro.swift -- conditions written with #Predicate, with random constants.

import Foundation
import Strata

extension PlainPath {
    /// A path of properties of ``Sample``, or of another class.
    fileprivate init(_ text: String, _ root: PlainClass = .sample) {
        var (at, steps): (PlainClass, [PlainField]) = (root, [])
        for name in text.split(separator: ".") {
            let field = PlainSchema.declared.fields(at).first { $0.name == name }!
            steps.append(field)
            at = field.target ?? at
        }
        self.init(steps: steps)
    }

    fileprivate func test(_ op: PlainOperator, _ value: PlainValue) -> PlainCondition {
        .test(self, .compare(op, value, fold: ""))
    }
}

extension PlainMaker {
    private mutating func number() -> Int { below(25) - 5 }

    private mutating func word() -> String { if case .string(let word) = value(.string) { word } else { "" } }

    /// A predicate and the condition that it is.
    mutating func predicate() -> (Predicate<Sample>, PlainCondition) {
        let (one, two, word) = (number(), number(), word())
        let (first, second, text) = (PlainValue.int(one), PlainValue.int(two), PlainValue.string(word))
        let size = PlainPath("size", .part), label = PlainPath("label", .part), parts = PlainPath("parts")
        switch below(18) {
        case 0:
            return (#Predicate { $0.int > one && $0.string != word },
                .all(PlainPath("int").test(.greater, first), PlainPath("string").test(.notEqual, text)))
        case 1:
            return (#Predicate { $0.optInt == one || $0.flag },
                .either(PlainPath("optInt").test(.equal, first), PlainPath("flag").test(.equal, .bool(true))))
        case 2:
            return (#Predicate { ($0.optInt ?? one) < two },
                .either(
                    PlainPath("optInt").test(.less, second),
                    .all(PlainPath("optInt").test(.equal, .null), .constant(one < two))))
        case 3:
            return (#Predicate { $0.parts.contains { $0.size >= one && $0.label.contains(word) } },
                .matches(parts, .all(size.test(.greaterOrEqual, first), label.test(.contains, text)), .greater, 0))
        case 4:
            return (#Predicate { $0.parts.allSatisfy { $0.size > one } },
                .matches(parts, .not(size.test(.greater, first)), .equal, 0))
        case 5:
            return (#Predicate { $0.parts.filter { $0.green }.count >= two },
                .matches(parts, PlainPath("green", .part).test(.equal, .bool(true)), .greaterOrEqual, two))
        case 6: return (#Predicate { $0.part?.size == one }, PlainPath("part.size").test(.equal, first))
        case 7: return (#Predicate { $0.parent?.optString == word }, PlainPath("parent.optString").test(.equal, text))
        case 8:
            let (low, high) = (min(one, two), max(one, two))
            return (#Predicate { (low...high).contains($0.int) },
                .test(PlainPath("int"), .between(.int(low), .int(high))))
        case 9:
            let words = [word, "a", "Ä"]
            return (#Predicate { words.contains($0.string) },
                .test(PlainPath("string"), .among(words.map { .string($0) })))
        case 10: return (#Predicate { $0.string.starts(with: word) }, PlainPath("string").test(.begins, text))
        case 11: return (#Predicate { $0.ints.contains(one) }, .element(first, of: PlainPath("ints")))
        case 12: return (#Predicate { $0.ints.count == two }, .count(PlainPath("ints"), .equal, two))
        case 13:
            return (#Predicate { !($0.int < $0.other) },
                .not(.columns(PlainPath("int"), .less, PlainPath("other"), fold: "")))
        case 14:
            return (#Predicate { $0.children.contains { $0.int == one } },
                .matches(PlainPath("children"), PlainPath("int").test(.equal, first), .greater, 0))
        case 15: return (#Predicate { $0.optString == nil }, PlainPath("optString").test(.equal, .null))
        case 16:
            let isIn = (one..<max(one, two))
            return (#Predicate { isIn.contains($0.other) && !$0.parts.isEmpty },
                .all(
                    .all(
                        PlainPath("other").test(.greaterOrEqual, first),
                        PlainPath("other").test(.less, .int(max(one, two)))),
                    .count(parts, .greater, 0)))
        default:
            return (#Predicate { two <= $0.int || $0.part != nil },
                .either(
                    PlainPath("int").test(.greaterOrEqual, second),
                    PlainPath("part").test(.notEqual, .null)))
        }
    }
}
