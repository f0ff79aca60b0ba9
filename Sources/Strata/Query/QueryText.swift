// SPDX-License-Identifier: MIT
// QueryText.swift -- trees of conditions as predicate text with arguments.

/// The text of a condition, and what its placeholders stand for.
struct QueryText {
    private(set) var text = ""
    private(set) var arguments: [QueryConstant] = []
    private var subqueries = 0

    init(_ condition: QueryNode) {
        text.reserveCapacity(80)
        add(condition, isCondition: true)
    }

    private mutating func add(_ node: QueryNode, isCondition: Bool) {
        switch node {
        case .path(let path):
            if isCondition { add(path, is: true) } else { add(path) }
        case .constant(let constant): add(constant)
        case .comparison(let op, .matches(let condition), let right):
            let counted = CountedCondition(condition)
            if let outside = counted.comparison(op, right) { return add(outside, isCondition: true) }
            addComparison(op, right, isAny: right.isAny) { $0.addSubquery(counted) }
        case .comparison(let op, let left, let right):
            addComparison(op, right, isAny: left.isAny || right.isAny) { $0.add(left, isCondition: false) }
        case .between(let node, let low, let high):
            begin(isAny: node.isAny)
            add(node, isCondition: false)
            text += " BETWEEN {"
            add(low)
            text += ", "
            add(high)
            text += "})"
        case .compound(let compound, let left, let right):
            text += "("
            add(left, isCondition: true)
            text += compound == .and ? " && " : " || "
            add(right, isCondition: true)
            text += ")"
        case .not(.path(let path)): add(path, is: false)
        case .not(let condition):
            text += "NOT "
            add(condition, isCondition: true)
        case .matches(let condition): addSubquery(CountedCondition(condition))
        case .together(let condition):
            let isMany = condition.paths.contains { $0.collection != nil }
            add(isMany ? .isSome(of: node) : condition, isCondition: true)
        case .truth(let isTrue): text += isTrue ? "TRUEPREDICATE" : "FALSEPREDICATE"
        }
    }

    private mutating func addComparison(
        _ op: QueryOperator, _ right: QueryNode, isAny: Bool, _ addLeft: (inout QueryText) -> Void
    ) {
        begin(isAny: isAny)
        addLeft(&self)
        text += " "
        text += op.text
        text += " "
        add(right, isCondition: false)
        text += ")"
    }

    /// Opens a comparison. The grammar has one ANY for both of its sides, in front of them.
    private mutating func begin(isAny: Bool) { text += isAny ? "(ANY " : "(" }

    private mutating func add(_ constant: QueryConstant) {
        if case .name = constant { text += "%K" } else { text += "%@" }
        arguments.append(constant)
    }

    private mutating func add(_ path: QueryPath, is truth: Bool) {
        begin(isAny: path.isAny)
        add(path)
        text += truth ? " == true)" : " == false)"
    }

    // MARK: Paths

    private mutating func add(_ path: QueryPath) {
        if path.beginsAtValue { text += "SELF" }
        let aggregated = path.aggregate == nil ? -1 : path.collections.last ?? path.components.count
        for (index, component) in path.components.enumerated() {
            if index == aggregated, let aggregate = path.aggregate { add(aggregate.rawValue, at: index) }
            add(component, at: index)
        }
        if aggregated == path.components.count, let aggregate = path.aggregate {
            add(aggregate.rawValue, at: aggregated)
        }
    }

    private mutating func add(_ components: ArraySlice<QueryPath.Component>) {
        for (index, component) in components.enumerated() { add(component, at: index) }
    }

    private mutating func add(_ component: QueryPath.Component, at index: Int) {
        switch component {
        case .names(let names): add(names.text, at: index)
        case .special(let text): add(text, at: index)
        case .element(let key):
            text += "["
            if case .value(.int) = key {
                text += "%d"
                arguments.append(key)
            } else {
                add(key)
            }
            text += "]"
        }
    }

    private mutating func add(_ word: String, at index: Int) {
        if index > 0 { text += "." }
        text += word
    }

    // MARK: Subqueries

    private mutating func addSubquery(_ condition: CountedCondition) {
        subqueries += 1
        let variable = "$col\(subqueries)"
        text += "SUBQUERY("
        add(condition.collection[...])
        text += ", \(variable), "
        add(condition.onElement(named: variable), isCondition: true)
        text += ").@count"
    }
}

/// The words of the grammar.
enum PredicateWords {
    private static let words: Set<String> = [
        "AND", "OR", "NOT", "ANY", "SOME", "NONE", "ALL", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
        "MATCHES", "TRUE", "FALSE", "YES", "NO", "NIL", "NULL", "SELF", "SUBQUERY", "TRUEPREDICATE", "FALSEPREDICATE",
    ]

    /// A name in a predicate. A # in front marks names that are also words of the grammar.
    static func escaped(_ name: String) -> String {
        // The longest word has 14 letters, and most names begin with a letter that no word begins with.
        let count = name.utf8.count
        guard count < 15, count > 1, words.contains(name.uppercased()) else { return name }
        return "#\(name)"
    }
}
