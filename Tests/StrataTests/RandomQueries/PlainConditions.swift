// SPDX-License-Identifier: MIT
// PlainConditions.swift -- conditions as trees, and the text of each.

import Foundation
import Strata

enum PlainOperator: String, CaseIterable {
    case equal = "==", notEqual = "!=", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
    case contains = "CONTAINS", begins = "BEGINSWITH", ends = "ENDSWITH", like = "LIKE"

    static let order: [PlainOperator] = [.less, .lessOrEqual, .greater, .greaterOrEqual]
    static let comparing: [PlainOperator] = [.equal, .notEqual] + order
    static let text: [PlainOperator] = [.contains, .begins, .ends, .like]

    /// The operator with its sides exchanged.
    var reversed: PlainOperator {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }
}

struct PlainPath {
    var steps: [PlainField]
    var last: PlainField { steps[steps.count - 1] }
    var text: String { steps.map(\.name).joined(separator: ".") }
    var isMany: Bool { steps.contains { $0.shape != .one } }
}

/// What a value is asked.
enum PlainTest {
    case compare(PlainOperator, PlainValue, fold: String)
    case among([PlainValue])
    case between(PlainValue, PlainValue)
}

/// A step into a value that holds values.
enum PlainStep {
    case key(String), position(Int), any

    var text: String {
        switch self {
        case .key(let key): "['\(key)']"
        case .position(let position): "[\(position)]"
        case .any: "[#any]"
        }
    }
}

indirect enum PlainCondition {
    case all(PlainCondition, PlainCondition)
    case either(PlainCondition, PlainCondition)
    case not(PlainCondition)
    case constant(Bool)
    case test(PlainPath, PlainTest)
    case reversed(PlainValue, PlainOperator, PlainPath)
    case columns(PlainPath, PlainOperator, PlainPath, fold: String)
    case any(PlainPath, PlainTest, none: Bool)
    case element(PlainValue, of: PlainPath)
    case count(PlainPath, PlainOperator, Int)
    case total(PlainPath, String, PlainField?, PlainOperator, PlainValue)
    case entry(PlainPath, String, PlainTest)
    case keys(PlainPath, PlainTest)
    case matches(PlainPath, PlainCondition, PlainOperator, Int)
    case inside(PlainPath, [PlainStep], PlainTest)
    case within(PlainPath, PlainGeo)
    /// The object itself.
    case itself(PlainTest)
    /// Values of a custom type, compared with some as wholes.
    case members(PlainPath, PlainMembers)
    /// How many elements meet a condition in which parts about their owner stand.
    case counted(PlainPath, PlainCondition, owner: [PlainCondition], PlainOperator, Int)
    /// A part of such a condition, by its number.
    case ownerPart(Int)
}

/// What stands in the place of a `%@`.
enum PlainArgument {
    case value(PlainValue)
    case list([PlainValue])
    case shape(PlainGeo)

    func value(_ object: (PlainRow) -> Object) -> Any {
        switch self {
        case .value(let value): value.row.map(object) ?? value.argument
        case .list(let values): values.map { PlainArgument.value($0).value(object) }
        case .shape(let shape): shape.argument
        }
    }

    var text: String {
        switch self {
        case .value(let value): value.text
        case .list(let values): "\(values.map(\.text))"
        case .shape(let shape): "\(shape)"
        }
    }
}

/// The text of a condition and its arguments; small values are written into the text now and then.
struct PlainText {
    private(set) var text = ""
    private(set) var arguments: [PlainArgument] = []
    private var variables = 0
    private var random: SeededGenerator

    init(_ condition: PlainCondition, _ seed: UInt64) {
        random = SeededGenerator(state: seed)
        add(condition, "")
    }

    /// The arguments with objects of a realm in the places of links.
    func arguments(_ object: (PlainRow) -> Object) -> [Any] { arguments.map { $0.value(object) } }

    var report: String { "\(text) \(arguments.map(\.text))" }

    private mutating func add(_ argument: PlainArgument) {
        text += "%@"
        arguments.append(argument)
    }

    private mutating func add(_ value: PlainValue) {
        if Bool.random(using: &random) {
            switch value {
            case .bool(let value): return text += value ? "true" : "NO"
            case .int(let value): return text += "\(value)"
            case .null: return text += "nil"
            case .double(let value) where value.isFinite && abs(value) < 1e6: return text += "\(value)"
            case .string(let value) where !value.contains("\\") && !value.contains("'"): return text += "'\(value)'"
            default: break
            }
        }
        add(PlainArgument.value(value))
    }

    private mutating func add(_ test: PlainTest) {
        switch test {
        case .compare(let op, let value, let fold):
            text += " \(op.rawValue)\(fold.isEmpty ? "" : "[\(fold)]") "
            add(value)
        case .among(let values):
            text += " IN "
            if Bool.random(using: &random) {
                add(PlainArgument.list(values))
            } else {
                text += "{"
                for (index, value) in values.enumerated() {
                    if index > 0 { text += ", " }
                    add(value)
                }
                text += "}"
            }
        case .between(let low, let high):
            text += " BETWEEN {"
            add(low)
            text += ", "
            add(high)
            text += "}"
        }
    }

    private mutating func add(_ condition: PlainCondition, _ variable: String) {
        func name(_ path: PlainPath) -> String { variable + path.text }
        switch condition {
        case .all(let left, let right): add(left, " AND ", right, variable)
        case .either(let left, let right): add(left, " || ", right, variable)
        case .not(let inner):
            text += "NOT ("
            add(inner, variable)
            text += ")"
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .test(let path, let test):
            text += name(path)
            add(test)
        case .reversed(let value, let op, let path):
            add(value)
            text += " \(op.rawValue) \(name(path))"
        case .columns(let left, let op, let right, let fold):
            text += "\(name(left)) \(op.rawValue)\(fold.isEmpty ? "" : "[\(fold)]") \(name(right))"
        case .any(let path, let test, let none):
            text += "\(none ? "NONE" : "ANY") \(name(path))"
            add(test)
        case .element(let value, let path):
            add(value)
            text += " IN \(name(path))"
        case .count(let path, let op, let count): text += "\(name(path)).@count \(op.rawValue) \(count)"
        case .total(let path, let function, let field, let op, let value):
            text += "\(name(path)).\(function)\(field.map { ".\($0.name)" } ?? "") \(op.rawValue) "
            add(value)
        case .entry(let path, let key, let test):
            text += "\(name(path))['\(key)']"
            add(test)
        case .keys(let path, let test):
            text += "ANY \(name(path)).@allKeys"
            add(test)
        case .matches(let path, let inner, let op, let count):
            variables += 1
            let own = "$v\(variables)"
            text += "SUBQUERY(\(name(path)), \(own), "
            add(inner, own + ".")
            text += ").@count \(op.rawValue) \(count)"
        case .inside(let path, let steps, let test):
            text += name(path) + steps.map(\.text).joined()
            add(test)
        case .within(let path, let shape):
            text += "\(name(path)) IN "
            add(.shape(shape))
        case .itself(let test):
            text += "SELF"
            add(test)
        case .members(let path, let test): add(test.condition(path), variable)
        case .counted(let path, let inner, let owner, let op, let count):
            add(inner.separated(path, owner, op, count), variable)
        case .ownerPart: preconditionFailure("a part about the owner stands in no text")
        }
    }

    private mutating func add(_ left: PlainCondition, _ word: String, _ right: PlainCondition, _ variable: String) {
        text += "("
        add(left, variable)
        text += word
        add(right, variable)
        text += ")"
    }
}
