// SPDX-License-Identifier: MIT
// PlainQuery.swift -- what is asked: where to begin, what to do with it, and which question; and the answers.

import Foundation
import Strata

struct PlainQuery {
    /// Which objects are asked.
    enum Start {
        case all(PlainClass)
        case parts(PlainRow), partSet(PlainRow), children(PlainRow), users(PlainRow)
    }

    let start: Start
    let stages: [PlainStage]
    let question: PlainQuestion

    /// The class of the result.
    var root: PlainClass {
        switch start {
        case .all(let root): root
        case .parts, .partSet: .part
        case .children, .users: .sample
        }
    }

    var report: String { "\(start): \(stages.map(\.report).joined(separator: "; ")): \(question)" }

    /// Whether the order is known: that of a set is not, before it is sorted.
    var hasOrder: Bool { if case .partSet = start { false } else { true } }

    func base(_ world: PlainWorld) -> [PlainRow] {
        switch start {
        case .all(let root): world.rows(root)
        case .parts(let row): (row.many["parts"] ?? []).compactMap(\.row)
        case .partSet(let row): (row.many["partSet"] ?? []).compactMap(\.row)
        case .children(let row): (row.many["children"] ?? []).compactMap(\.row)
        case .users(let row): (row.many["users"] ?? []).compactMap(\.row)
        }
    }

    func answer(_ world: PlainWorld) -> PlainAnswer {
        question.answer(inOrder.reduce(base(world)) { $1.applied($0) })
    }

    /// Filters are asked before all else, but behind a limit (S108, S139).
    private var inOrder: [PlainStage] {
        var result: [PlainStage] = [], first = 0
        for stage in stages {
            switch stage {
            case .filter:
                result.insert(stage, at: first)
                first += 1
            case .limit:
                result.append(stage)
                first = result.count
            default: result.append(stage)
            }
        }
        return result
    }
}

enum PlainStage {
    case filter(PlainCondition, PlainText)
    case sort([(path: PlainPath, ascending: Bool)])
    case distinct([PlainPath])
    case limit(Int, skip: Int)

    var report: String {
        switch self {
        case .filter(_, let text): "filter \(text.report)"
        case .sort(let keys): "sort \(keys.map { "\($0.path.text) \($0.ascending ? "up" : "down")" })"
        case .distinct(let paths): "distinct \(paths.map(\.text))"
        case .limit(let count, let skip): "limit \(count) skip \(skip)"
        }
    }

    // MARK: Over plain values

    func applied(_ rows: [PlainRow]) -> [PlainRow] {
        switch self {
        case .filter(let condition, _): return rows.filter(condition.holds)
        case .limit(let count, let skip): return Array(rows.dropFirst(skip).prefix(count))
        case .distinct(let paths) where paths.isEmpty: return rows
        case .distinct(let paths):
            var kept: [(row: PlainRow, values: [PlainValue])] = []
            for row in rows where !paths.contains(where: { $0.meetsNoObject(row) }) {
                let values = paths.map { $0.value(row) }
                let isKnown = kept.contains { zip($0.values, values).allSatisfy { $0.order($1) == 0 } }
                if !isKnown { kept.append((row, values)) }
            }
            return kept.map(\.row)
        case .sort(let keys):
            return rows.enumerated().sorted { left, right in
                for key in keys {
                    let order = key.path.order(left.element, right.element)
                    if order != 0 { return key.ascending ? order < 0 : order > 0 }
                }
                return left.offset < right.offset
            }.map(\.element)
        }
    }

    // MARK: In the engine

    func applied<T: Object>(_ results: Results<T>, _ object: (PlainRow) -> Object) -> Results<T> {
        switch self {
        case .filter(_, let text):
            results.filter(NSPredicate(format: text.text, argumentArray: text.arguments(object)))
        case .sort(let keys):
            results.sorted(by: keys.map { SortDescriptor(keyPath: $0.path.text, ascending: $0.ascending) })
        case .distinct(let paths): results.distinct(by: paths.map(\.text))
        case .limit(let count, let skip): results.limit(count, skip: skip)
        }
    }
}

extension PlainPath {
    fileprivate func meetsNoObject(_ row: PlainRow) -> Bool {
        steps.count > 1 && PlainPath(steps: Array(steps.dropLast())).value(row).isNull
    }

    /// Null values come first, null links last (S104).
    fileprivate func order(_ left: PlainRow, _ right: PlainRow) -> Int {
        let (isLeftNone, isRightNone) = (meetsNoObject(left), meetsNoObject(right))
        if isLeftNone || isRightNone { return (isLeftNone ? 1 : 0) - (isRightNone ? 1 : 0) }
        return value(left).order(value(right))
    }
}

// MARK: Questions

enum PlainQuestion {
    case all, count, isEmpty, first, last
    case index(PlainRow), matching(PlainCondition, PlainText), total(String, PlainField)
    case groups(PlainField), pages(Int)

    /// Whether the answer depends on the order.
    var needsOrder: Bool {
        switch self {
        case .count, .isEmpty, .total: false
        default: true
        }
    }

    func answer(_ rows: [PlainRow]) -> PlainAnswer {
        switch self {
        case .all, .pages: return .ids(rows.map(\.id))
        case .count: return .number(rows.count)
        case .isEmpty: return .number(rows.isEmpty ? 1 : 0)
        case .first: return .number(rows.first?.id)
        case .last: return .number(rows.last?.id)
        case .index(let row): return .number(rows.firstIndex { $0 === row })
        case .matching(let condition, _): return .number(rows.firstIndex(where: condition.holds))
        case .total(let function, let field):
            let values = rows.map { $0.one[field.name] ?? .null }
            var total = PlainTotal.total(function, values, field.kind!)
            if case .int(let sum) = total, field.kind == .small { total = .int(Int(Int8(truncatingIfNeeded: sum))) }
            return .values([[total]], ["@sum", "@avg"].contains(function) ? values : [])
        case .groups(let field): return .values(PlainTotal.groups(rows, by: field), [])
        }
    }

    func answer<T: PlainObject>(_ results: Results<T>, _ object: (PlainRow) -> Object) throws -> PlainAnswer {
        switch self {
        case .all: return .ids(results.map(\.id))
        case .count: return .number(results.count)
        case .isEmpty: return .number(results.isEmpty ? 1 : 0)
        case .first: return .number(results.first?.id)
        case .last: return .number(results.last?.id)
        case .index(let row): return .number((object(row) as? T).flatMap(results.index))
        case .matching(_, let text):
            let predicate = NSPredicate(format: text.text, argumentArray: text.arguments(object))
            return .number(results.index(matching: predicate))
        case .total(let function, let field): return .values([[results.total(function, field)]], [])
        case .groups(let field): return .values(T.groups(results, by: field.name) ?? [], [])
        case .pages(let size):
            var page = try results.page(size: size), ids = page.map(\.id)
            while let next = page.next, ids.count < 10_000 {
                // A token is stored and read again, as a program would do it.
                let stored = try JSONDecoder().decode(PageToken.self, from: JSONEncoder().encode(next))
                page = try results.page(size: size, after: stored)
                ids += page.map(\.id)
            }
            return .ids(ids)
        }
    }
}

enum PlainAnswer {
    case ids([Int]), number(Int?)
    /// Values, and those that they were added up from.
    case values([[PlainValue]], [PlainValue])

    func isSame(_ other: PlainAnswer) -> Bool {
        switch (self, other) {
        case (.ids(let one), .ids(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.values(let one, let summands), .values(let other, _)):
            one.count == other.count
                && zip(one, other).allSatisfy { zip($0, $1).allSatisfy { $0.isClose(to: $1, among: summands) } }
        default: false
        }
    }
}

extension PlainValue {
    /// The last bits of a sum of doubles depend on the order in which is added up, by as much as the largest is large.
    fileprivate func isClose(to other: PlainValue, among values: [PlainValue]) -> Bool {
        if case .int(let left) = self, case .int(let right) = other { return left == right }
        guard let left = number, let right = other.number else { return order(other) == 0 }
        let largest = values.reduce(0) { Swift.max($0, abs($1.number ?? 0)) }
        return left == right || (left.isNaN && right.isNaN) || abs(left - right) <= largest * 1e-12
    }
}

extension PlainTotal {
    /// The key of each group in ascending order, its count and the measures of ``PlainStore``.
    static func groups(_ rows: [PlainRow], by field: PlainField) -> [[PlainValue]] {
        var groups: [(key: PlainValue, rows: [PlainRow])] = []
        for row in rows {
            let key = row.one[field.name] ?? .null
            if let index = groups.firstIndex(where: { $0.key.order(key) == 0 }) {
                groups[index].rows.append(row)
            } else {
                groups.append((key, [row]))
            }
        }
        return groups.sorted { $0.key.order($1.key) < 0 }.map { key, rows in
            func total(_ function: String, _ name: String, _ kind: PlainKind) -> PlainValue {
                PlainTotal.total(function, rows.map { $0.one[name] ?? .null }, kind)
            }
            return [
                key, .int(rows.count), total("@sum", "other", .int), total("@avg", "int8", .small),
                total("@min", "optDate", .date), total("@max", "optInt", .int),
                .int(rows.filter { $0.one["optString"]?.isNull == false }.count),
            ]
        }
    }
}

extension Results where Element: Object {
    fileprivate func total(_ function: String, _ field: PlainField) -> PlainValue {
        switch field.kind {
        case .decimal:
            if function == "@avg" {
                let average: Decimal128? = average(ofProperty: field.name)
                return average.map { .decimal(Double($0)) } ?? .null
            }
            return number(function, field, Decimal128.self)
        case _ where function == "@avg": return average(ofProperty: field.name).map { .double($0) } ?? .null
        case .small: return number(function, field, Int8.self)
        case .float: return number(function, field, Float.self)
        case .double: return number(function, field, Double.self)
        default: return number(function, field, Int.self)
        }
    }

    private func number<T: _Persistable>(_ function: String, _ field: PlainField, _: T.Type) -> PlainValue
    where T.PersistedType: MinMaxType & AddableType {
        switch function {
        case "@sum": return PlainValue(sum(ofProperty: field.name) as T)
        case "@min": return (self.min(ofProperty: field.name) as T?).map { PlainValue($0) } ?? .null
        default: return (self.max(ofProperty: field.name) as T?).map { PlainValue($0) } ?? .null
        }
    }
}
