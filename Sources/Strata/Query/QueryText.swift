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
        case .comparison(let op, let left, let right):
            text += "("
            add(left, isCondition: false)
            text += " "
            text += op.text
            text += " "
            add(right, isCondition: false)
            text += ")"
        case .between(let node, let low, let high):
            text += "("
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
        case .matches(let condition): addSubquery(condition)
        case .truth(let isTrue): text += isTrue ? "TRUEPREDICATE" : "FALSEPREDICATE"
        }
    }

    private mutating func add(_ constant: QueryConstant) {
        if case .name = constant { text += "%K" } else { text += "%@" }
        arguments.append(constant)
    }

    private mutating func add(_ path: QueryPath, is truth: Bool) {
        text += "("
        add(path)
        text += truth ? " == true)" : " == false)"
    }

    // MARK: Paths

    private mutating func add(_ path: QueryPath) {
        if path.isAny { text += "ANY " }
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

    private mutating func addSubquery(_ condition: QueryNode) {
        subqueries += 1
        let variable = "$col\(subqueries)"
        var rewriter = SubqueryRewriter(variable: variable)
        let inner = rewriter.rewrite(condition)
        guard let collection = rewriter.collection else {
            misuse("the count of a condition that leads through no collection; compare properties of its elements")
        }
        text += "SUBQUERY("
        add(collection[...])
        text += ", \(variable), "
        add(inner, isCondition: true)
        text += ").@count"
    }
}

/// Turns paths through a collection into paths from a variable.
private struct SubqueryRewriter {
    let variable: String
    private(set) var collection: [QueryPath.Component]?

    init(variable: String) { self.variable = variable }

    mutating func rewrite(_ node: QueryNode) -> QueryNode {
        switch node {
        case .path(let path): .path(rewrite(path))
        case .constant, .truth: node
        case .comparison(let op, let left, let right): .comparison(op, rewrite(left), rewrite(right))
        case .between(let node, let low, let high): .between(rewrite(node), low, high)
        case .compound(let op, let left, let right): .compound(op, rewrite(left), rewrite(right))
        case .not(let node): .not(rewrite(node))
        case .matches(let node): .matches(rewrite(node))
        }
    }

    private mutating func rewrite(_ path: QueryPath) -> QueryPath {
        guard let components = path.collection else {
            misuse(
                "a condition that is counted compares \(Self.text(path.components[...])), which is no property of the "
                    + "elements; put it outside of the parentheses")
        }
        if let collection {
            guard Self.text(collection[...]) == Self.text(components) else {
                misuse(
                    "a condition that is counted leads through \(Self.text(collection[...])) and through "
                        + "\(Self.text(components)); count the elements of one collection at a time")
            }
        } else {
            collection = Array(components)
        }
        return path.fromElements(named: variable)
    }

    private static func text(_ components: ArraySlice<QueryPath.Component>) -> String {
        components.map { component in
            switch component {
            case .names(let names): names.text
            case .special(let text): text
            case .element(let key): "[\(key.text)]"
            }
        }.joined(separator: ".")
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
