// SPDX-License-Identifier: MIT
// PlainMembers.swift -- values of custom types compared as wholes, and counts beside conditions on the owner.

import Foundation
import Strata

/// What a value of a custom type is asked. Nil is the missing value.
enum PlainMembers {
    case equal(PlainRow?)
    case notEqual(PlainRow?)
    case among([PlainRow?])

    private static func equals(_ value: PlainValue, _ wanted: PlainRow?) -> Bool {
        guard let row = value.row, let wanted else { return value.row == nil && wanted == nil }
        return ["x", "label"].allSatisfy { (row.one[$0] ?? .null).equals(wanted.one[$0] ?? .null) }
    }

    /// S138.
    func holds(_ value: PlainValue) -> Bool {
        switch self {
        case .equal(let wanted): Self.equals(value, wanted)
        case .notEqual(let other): !Self.equals(value, other)
        case .among(let values): values.contains { Self.equals(value, $0) }
        }
    }

    // MARK: As text

    /// The same as conditions on single members, of one element where the path leads through collections.
    func condition(_ path: PlainPath) -> PlainCondition {
        switch self {
        case .equal(let wanted): Self.condition(path, isIn: [wanted])
        case .among(let values): Self.condition(path, isIn: values)
        case .notEqual(nil): Self.isNil(path, .notEqual)
        case .notEqual(let other?):
            if path.isMany {
                .either(Self.some(path) { .not(Self.members($0, other)) }, Self.hasNil(path))
            } else {
                .not(Self.members(path, other))
            }
        }
    }

    private static func condition(_ path: PlainPath, isIn values: [PlainRow?]) -> PlainCondition {
        let rows = values.compactMap { $0 }
        let equal = rows.reduce(.constant(false)) { condition, row in
            .either(condition, path.isMany ? some(path) { members($0, row) } : members(path, row))
        } as PlainCondition
        return rows.count == values.count ? equal : .either(equal, isNil(path, .equal))
    }

    private static func isNil(_ path: PlainPath, _ op: PlainOperator) -> PlainCondition {
        let test = PlainTest.compare(op, .null, fold: "")
        return path.isMany ? .any(path, test, none: false) : .test(path, test)
    }

    /// A map has nils, which a subquery does not look at.
    private static func hasNil(_ path: PlainPath) -> PlainCondition {
        path.last.shape == .map ? isNil(path, .equal) : .constant(false)
    }

    /// One element, of the last collection of the path, meets a condition on a path from it.
    private static func some(_ path: PlainPath, _ condition: (PlainPath) -> PlainCondition) -> PlainCondition {
        guard let at = path.steps.firstIndex(where: { $0.shape != .one }) else { return condition(path) }
        let rest = PlainPath(steps: Array(path.steps[(at + 1)...]))
        return .matches(PlainPath(steps: Array(path.steps[...at])), some(rest, condition), .greater, 0)
    }

    private static func members(_ path: PlainPath, _ row: PlainRow) -> PlainCondition {
        func member(_ name: String, _ kind: PlainKind) -> PlainCondition {
            let field = PlainField(name: name, type: .value(kind, optional: name == "label"))
            return .test(
                PlainPath(steps: path.steps + [field]), .compare(.equal, row.one[name] ?? .null, fold: ""))
        }
        return .all(member("x", .int), member("label", .string))
    }
}

extension PlainCondition {
    /// The condition with the answers of the parts about the owner in their places.
    func with(_ answers: [Bool]) -> PlainCondition {
        switch self {
        case .ownerPart(let number): .constant(answers[number])
        case .all(let left, let right): .all(left.with(answers), right.with(answers))
        case .either(let left, let right): .either(left.with(answers), right.with(answers))
        case .not(let inner): .not(inner.with(answers))
        default: self
        }
    }

    /// A count of the elements that meet this condition, for every way in which the parts about the owner may turn out.
    func separated(
        _ path: PlainPath, _ owner: [PlainCondition], _ op: PlainOperator, _ count: Int
    ) -> PlainCondition {
        (0..<(1 << owner.count)).reduce(.constant(false)) { result, answers in
            let answers = owner.indices.map { answers >> $0 & 1 == 1 }
            let counted = PlainCondition.matches(path, with(answers), op, count)
            return .either(result, zip(owner, answers).reduce(counted) { .all($0, $1.1 ? $1.0 : .not($1.0)) })
        }
    }
}

// MARK: As programs write it

extension PlainMembers {
    func query(_ sample: Query<Sample>, _ name: String) -> Query<Bool>? {
        switch name {
        case "chip": optional(sample.chip)
        case "parent.chip": optional(sample.parent.chip)
        case "children.chip": optional(sample.children.chip)
        case "chips": list(sample.chips)
        case "parent.chips": list(sample.parent.chips)
        case "children.chips": list(sample.children.chips)
        case "chipMap": map(sample.chipMap)
        case "parent.chipMap": map(sample.parent.chipMap)
        case "children.chipMap": map(sample.children.chipMap)
        default: nil
        }
    }

    private func optional(_ query: Query<Chip?>) -> Query<Bool> {
        switch self {
        case .equal(let row): query == row.map(Chip.init)
        case .notEqual(let row): query != row.map(Chip.init)
        case .among(let rows): query.in(rows.map { $0.map(Chip.init) })
        }
    }

    private func list(_ query: Query<List<Chip>>) -> Query<Bool>? {
        switch self {
        case .equal(let row): row.map { query == Chip($0) && query.contains(Chip($0)) }
        case .notEqual(let row): row.map { query != Chip($0) }
        case .among(let rows):
            rows.contains { $0 == nil } ? nil : query.containsAny(in: rows.compactMap { $0.map(Chip.init) })
        }
    }

    private func map(_ query: Query<Map<String, Chip?>>) -> Query<Bool> {
        switch self {
        case .equal(let row):
            query == row.map(Chip.init) && query.contains(row.map(Chip.init)) && query.values == row.map(Chip.init)
        case .notEqual(let row): query != row.map(Chip.init) && query.values != row.map(Chip.init)
        case .among(let rows): query.containsAny(in: rows.map { $0.map(Chip.init) })
        }
    }
}
