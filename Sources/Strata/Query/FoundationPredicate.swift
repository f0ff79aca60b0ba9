// SPDX-License-Identifier: MIT
// FoundationPredicate.swift -- predicates of the macro #Predicate as conditions for the engine.

import Foundation

/// Translates the expressions of one predicate.
final class ExpressionTranslator {
    /// What an expression stands for.
    indirect enum Meaning {
        /// A condition, a path or a number of objects.
        case node(QueryNode)
        case constant(Any)
        /// The elements of a collection that meet a condition.
        case filtered(QueryNode)
        /// A number of elements, which is nil where an optional chain ends early. The engine counts none there.
        case count(QueryNode, isNil: QueryNode)
        /// What a path leads to, or a number of elements; or a constant under the condition that it is nil.
        case fallback(QueryNode, isNil: QueryNode, Any)
        /// A condition that is nil where an optional chain ends early.
        case optional(OptionalTruth)
        /// Two constants, and whether the second one is in the range.
        case range(Any, Any, isClosed: Bool)
    }

    private var paths: [PredicateExpressions.VariableID: QueryPath] = [:]

    /// The condition that a predicate stands for.
    static func condition<Input>(_ predicate: Foundation.Predicate<Input>) -> QueryNode {
        let translator = ExpressionTranslator()
        translator.paths[predicate.variable.key] = QueryPath()
        return translator.condition(predicate.expression)
    }

    /// What an expression stands for; stops the program if conditions have no such thing.
    func meaning(_ expression: Any) -> Meaning {
        guard let known = expression as? any TranslatableExpression else { unsupported(expression) }
        return known.meaning(self)
    }

    /// Stops the program because of an expression, which it names.
    func unsupported(_ expression: Any, _ why: String = "", instead advice: String? = nil) -> Never {
        let type = "\(type(of: expression))".prefix { $0 != "<" }
        misuse(
            "#Predicate contains \(type), which no query can run\(why); "
                + "\(advice ?? ExpressionAdvice.instead(of: expression)): \(ExpressionAdvice.text(expression))")
    }

    /// The condition that an expression stands for.
    func condition(_ expression: Any) -> QueryNode {
        switch meaning(expression) {
        case .node(let node): return node
        case .constant(let truth as Bool): return .truth(truth)
        case let meaning:
            guard let truth = truth(meaning) else { unsupported(expression) }
            return truth.holds
        }
    }

    /// The path that an expression stands for; nil if it is something else.
    func path(_ expression: Any) -> QueryPath? {
        if case .node(.path(let path)) = meaning(expression) { path } else { nil }
    }

    /// The path of a variable.
    func path(of variable: PredicateExpressions.VariableID, _ expression: Any) -> QueryPath {
        guard let path = paths[variable] else { unsupported(expression, " here") }
        return path
    }

    /// Translates an expression in which a variable stands for a path.
    func with<Result>(
        _ variable: PredicateExpressions.VariableID, _ path: QueryPath, _ body: () -> Result
    ) -> Result {
        let outer = paths.updateValue(path, forKey: variable)
        defer { paths[variable] = outer }
        return body()
    }

    /// A constant for the engine.
    func constant(_ value: Any, _ expression: Any) -> QueryNode {
        guard let constant = QueryConstant(value) else { unsupported(expression, " with the value \(value)") }
        return .constant(constant)
    }

    func isNil(_ path: QueryNode) -> QueryNode { .comparison(.equal, path, .constant(.value(.null))) }

    // MARK: Comparisons

    /// A comparison with an operator of the grammar.
    func compare(_ op: QueryOperator, _ left: Any, _ right: Any, _ expression: Any) -> QueryNode {
        compare(op, meaning(left), meaning(right), expression)
    }

    func compare(_ op: QueryOperator, _ left: Meaning, _ right: Meaning, _ expression: Any) -> QueryNode {
        if let truths = truths(left, right) {
            guard op == .equal || op == .notEqual else { unsupported(expression, " of conditions") }
            let equal = truths.0.equals(truths.1)
            return op == .equal ? equal : .not(equal)
        }
        switch (left, right) {
        case (.node(let one), .node(let other)) where one.isComparable(with: other): return .comparison(op, one, other)
        case (.node(let one), .constant(let value)): return .comparison(op, one, constant(value, expression))
        case (.constant, .node), (.constant, .fallback), (.constant, .count), (.node, .count):
            // A text that the program has is not looked into for one that an object has.
            if op.engine.isTextual { refuse(left, right, expression) }
            return compare(op.mirrored, right, left, expression)
        case (.fallback(let path, let isNil, let other), .constant(let value)):
            return compare(path, isNil, or: other, op, value, expression)
        case (.count(let count, let isNil), .constant(let value)):
            return compare(count, isNil, op, value, expression)
        case (.count(let count, let isNil), .node(let path)) where count.isComparable(with: path):
            return compare(count, isNil, op, to: path)
        default: refuse(left, right, expression)
        }
    }

    /// A comparison of a number of elements, which may be nil, with a constant.
    private func compare(
        _ count: QueryNode, _ isNil: QueryNode, _ op: QueryOperator, _ value: Any, _ expression: Any
    ) -> QueryNode {
        if op == .notEqual { return .not(compare(count, isNil, .equal, value, expression)) }
        let constant = constant(value, expression)
        if case .constant(.value(.null)) = constant { return op == .equal ? isNil : .truth(false) }
        return .compound(.and, .comparison(op, count, constant), .not(isNil))
    }

    /// A comparison of a number of elements with what a path leads to, where each of them may be nil.
    private func compare(
        _ count: QueryNode, _ isNil: QueryNode, _ op: QueryOperator, to path: QueryNode
    ) -> QueryNode {
        if op == .notEqual { return .not(compare(count, isNil, .equal, to: path)) }
        let known = QueryNode.compound(.and, .comparison(op, count, path), .not(isNil))
        return op == .equal ? .compound(.or, known, .compound(.and, isNil, self.isNil(path))) : known
    }

    /// A comparison of what a path leads to, or of another value if that is nil.
    private func compare(
        _ path: QueryNode, _ isNil: QueryNode, or other: Any, _ op: QueryOperator, _ value: Any, _ expression: Any
    ) -> QueryNode {
        let comparison = QueryNode.comparison(op, path, constant(value, expression))
        guard case .value(let left)? = QueryConstant(other), case .value(let right)? = QueryConstant(value) else {
            unsupported(expression, " with these values")
        }
        let holdsForNil = op.holds(left, right)
        return holdsForNil ? .compound(.or, comparison, isNil) : .compound(.and, comparison, .not(isNil))
    }
}

extension QueryOperator {
    /// Whether an operator of #Predicate holds between two constants.
    fileprivate func holds(_ left: _StoredValue, _ right: _StoredValue) -> Bool {
        if engine.isTextual {
            guard case .string(let text) = left, case .string(let part) = right else { return false }
            // As in conditions, no text contains the empty one.
            return !part.isEmpty && (engine == .contains ? text.contains(part) : text.starts(with: part))
        }
        let order = _StoredValue.order(left, right)
        return switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        default: order >= 0
        }
    }
}

/// An expression that conditions can express.
protocol TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning
}
