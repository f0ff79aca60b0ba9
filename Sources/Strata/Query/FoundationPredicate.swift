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
        /// What a path leads to, or a constant if that is nil.
        case fallback(QueryNode, Any)
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
    func unsupported(_ expression: Any, _ why: String = "") -> Never {
        let type = "\(type(of: expression))".prefix { $0 != "<" }
        misuse(
            "#Predicate contains \(type), which no query can run\(why); \(ExpressionAdvice.instead(of: expression)): "
                + ExpressionAdvice.text(expression))
    }

    /// The condition that an expression stands for.
    func condition(_ expression: Any) -> QueryNode {
        switch meaning(expression) {
        case .node(let node): return node
        case .constant(let truth as Bool): return .truth(truth)
        case .optional(let truth): return truth.holds
        case .fallback(let path, let truth as Bool):
            let holds = QueryNode.comparison(.equal, path, .constant(.value(.bool(true))))
            return truth ? .compound(.or, holds, isNil(path)) : holds
        default: unsupported(expression)
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
        let meanings = (meaning(left), meaning(right))
        if let truths = truths(meanings.0, meanings.1) {
            guard op == .equal || op == .notEqual else { unsupported(expression, " of conditions") }
            let equal = truths.0.equals(truths.1)
            return op == .equal ? equal : .not(equal)
        }
        switch meanings {
        case (.node(let left), .node(let right)): return .comparison(op, left, right)
        case (.node(let left), .constant(let value)): return .comparison(op, left, constant(value, expression))
        case (.constant(let value), .node(let right)):
            return .comparison(op.mirrored, right, constant(value, expression))
        case (.fallback(let path, let other), .constant(let value)):
            return compare(path, or: other, op, value, expression)
        case (.constant(let value), .fallback(let path, let other)):
            return compare(path, or: other, op.mirrored, value, expression)
        default: unsupported(expression, " between these")
        }
    }

    /// A comparison of what a path leads to, or of another value if that is nil.
    private func compare(
        _ path: QueryNode, or other: Any, _ op: QueryOperator, _ value: Any, _ expression: Any
    ) -> QueryNode {
        let comparison = QueryNode.comparison(op, path, constant(value, expression))
        guard case .value(let left)? = QueryConstant(other), case .value(let right)? = QueryConstant(value) else {
            unsupported(expression, " with these values")
        }
        let order = _StoredValue.order(left, right)
        let holdsForNil =
            switch op {
            case .equal: order == 0
            case .notEqual: order != 0
            case .less: order < 0
            case .lessOrEqual: order <= 0
            case .greater: order > 0
            default: order >= 0
            }
        let isNil = isNil(path)
        return holdsForNil ? .compound(.or, comparison, isNil) : .compound(.and, comparison, .not(isNil))
    }
}

/// An expression that conditions can express.
protocol TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning
}
