// SPDX-License-Identifier: MIT
// FoundationPredicate+Expressions.swift -- the translation of each expression of #Predicate.

import Foundation

// MARK: Values and paths

extension PredicateExpressions.Value: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        if let range = value as? any ConstantRange { return range.meaning }
        return .constant(value)
    }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning { .constant(NSNull()) }
}

extension PredicateExpressions.Variable: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        .node(.path(translator.path(of: key, self)))
    }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        let path: QueryPath
        switch translator.meaning(root) {
        case .node(.path(let found)): path = found
        case .filtered(let condition) where Output.self == Int.self: return .node(.matches(condition))
        case .filtered(let condition) where Output.self == Bool.self: return .node(Self.isZero(.matches(condition)))
        default: translator.unsupported(self)
        }
        let projection = Root.Output.self as? any ProjectionObservable.Type
        if let projection, projection.isRootObject(keyPath) { return .node(.path(path)) }
        if projection != nil || Root.Output.self is ObjectBase.Type {
            return .node(.path(path.appending(KeyPathNames.component(keyPath))))
        }
        if Root.Output.self is any _QueryCollection.Type {
            let count = QueryNode.path(path.appending(.special("@count")))
            if Output.self == Int.self { return .node(count) }
            if Output.self == Bool.self { return .node(Self.isZero(count)) }
        }
        if Root.Output.self == String.self, Output.self == Bool.self {
            return .node(.comparison(.equal, .path(path), .constant(.value(.string("")))))
        }
        translator.unsupported(self, ", with \(ExpressionAdvice.property(keyPath))")
    }

    private static func isZero(_ count: QueryNode) -> QueryNode {
        .comparison(.equal, count, .constant(.value(.int(0))))
    }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        guard let path = translator.path(wrapped) else { translator.unsupported(self, " unless it unwraps a property") }
        let meaning = translator.with(variable.key, path) { translator.meaning(transform) }
        if RHS.Output.self is any TruthValue.Type {
            guard let truth = translator.truth(meaning) else { translator.unsupported(self) }
            return .optional(truth.unless(isNil(path, translator)))
        }
        switch meaning {
        case .node(let count) where count.isCount: return .count(count, isNil: isNil(path, translator))
        case .count(let count, let inner): return .count(count, isNil: .compound(.or, isNil(path, translator), inner))
        case .node(.path(let end)) where end.begins(with: path): return meaning
        default: translator.unsupported(self, " unless its value is a condition, or a property of what it unwraps")
        }
    }

    /// What is unwrapped is nil. A collection is no value that can be nil; it is missing with the object that has it.
    private func isNil(_ path: QueryPath, _ translator: ExpressionTranslator) -> QueryNode {
        let isCollection = Wrapped.self is any _QueryCollection.Type
        return translator.isNil(.path(isCollection ? path.owner ?? path : path))
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning { translator.meaning(inner) }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        let meanings = (translator.meaning(lhs), translator.meaning(rhs))
        switch meanings {
        case (.node(let node), .constant(let value)): return .fallback(node, isNil: translator.isNil(node), value)
        case (.count(let count, let isNil), .constant(let value)): return .fallback(count, isNil: isNil, value)
        case (let left, _) where Output.self == Bool.self:
            guard let truth = translator.truth(left) else { translator.unsupported(self) }
            return .node(truth.or(translator.condition(rhs)))
        default:
            let operands = translator.operands(meanings.0, meanings.1)
            translator.unsupported(self, " between \(operands) unless its right side is a constant")
        }
    }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        guard case .constant(let value) = translator.meaning(wrapped), let number = value as? Wrapped.Output else {
            translator.unsupported(self)
        }
        return .constant(0 - number)
    }
}

// MARK: Logic

extension PredicateExpressions.Conjunction: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        .node(.compound(.and, translator.condition(lhs), translator.condition(rhs)))
    }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        .node(.compound(.or, translator.condition(lhs), translator.condition(rhs)))
    }
}

extension PredicateExpressions.Negation: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        .node(.not(translator.condition(wrapped)))
    }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        guard Output.self == Bool.self else { translator.unsupported(self, " unless its values are conditions") }
        let test = translator.condition(test)
        let then = QueryNode.compound(.and, test, translator.condition(trueBranch))
        let otherwise = QueryNode.compound(.and, .not(test), translator.condition(falseBranch))
        return .node(.compound(.or, then, otherwise))
    }
}

// MARK: Comparisons

extension PredicateExpressions.Equal: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        .node(translator.compare(.equal, lhs, rhs, self))
    }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        .node(translator.compare(.notEqual, lhs, rhs, self))
    }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        let op: QueryOperator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: translator.unsupported(self)
            }
        return .node(translator.compare(op, lhs, rhs, self))
    }
}

// MARK: Ranges

/// A range that is a constant.
private protocol ConstantRange {
    var meaning: ExpressionTranslator.Meaning { get }
}

extension ClosedRange: ConstantRange {
    fileprivate var meaning: ExpressionTranslator.Meaning { .range(lowerBound, upperBound, isClosed: true) }
}

extension Range: ConstantRange {
    fileprivate var meaning: ExpressionTranslator.Meaning { .range(lowerBound, upperBound, isClosed: false) }
}

extension ExpressionTranslator {
    /// A range of two constants.
    fileprivate func range(_ lower: Any, _ upper: Any, isClosed: Bool, _ expression: Any) -> Meaning {
        guard case .constant(let low) = meaning(lower), case .constant(let high) = meaning(upper) else {
            unsupported(expression, " unless both ends are constants")
        }
        return .range(low, high, isClosed: isClosed)
    }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        translator.range(lower, upper, isClosed: true, self)
    }
}

extension PredicateExpressions.Range: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        translator.range(lower, upper, isClosed: false, self)
    }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        let element = translator.meaning(element)
        guard case .range(let low, let high, let isClosed) = translator.meaning(range) else {
            translator.unsupported(self)
        }
        let above = translator.compare(.greaterOrEqual, element, .constant(low), self)
        let below = translator.compare(isClosed ? .lessOrEqual : .less, element, .constant(high), self)
        return .node(.compound(.and, above, below))
    }
}

// MARK: Texts and collections

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        if Base.Output.self is any _QueryCollection.Type { translator.unsupported(self) }
        return .node(translator.compare(QueryOperator(.contains), base, other, self))
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        if Base.Output.self is any _QueryCollection.Type { translator.unsupported(self) }
        return .node(translator.compare(QueryOperator(.beginsWith), base, prefix, self))
    }
}

extension PredicateExpressions.SequenceContains: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        let meanings = (translator.meaning(sequence), translator.meaning(element))
        switch meanings {
        case (.constant(let values), .node(let node)):
            return .node(.comparison(.in, node, translator.constant(values, self)))
        case (.node(.path(let path)), .constant(let value)):
            return .node(.comparison(.in, translator.constant(value, self), .path(path)))
        default: translator.refuse(meanings.0, meanings.1, self)
        }
    }
}

extension PredicateExpressions.SequenceMinimum: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        guard let path = translator.path(elements) else { translator.unsupported(self) }
        return .node(.path(path.appending(.special("@min"))))
    }
}

extension PredicateExpressions.SequenceMaximum: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        guard let path = translator.path(elements) else { translator.unsupported(self) }
        return .node(.path(path.appending(.special("@max"))))
    }
}
