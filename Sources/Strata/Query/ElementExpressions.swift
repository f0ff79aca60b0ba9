// SPDX-License-Identifier: MIT
// ElementExpressions.swift -- the translation of conditions of #Predicate on the elements of a collection.
//
// The engine tests a condition as a whole on each object of a collection, and counts those that meet it. Of the values
// of a collection it only knows whether some value meets one comparison, `ANY ages > 3`. That is enough for `contains`
// of comparisons that || joins, and for `allSatisfy`: no value meets the opposite.

import Foundation

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        let elements = translator.elements(sequence, LHS.Output.self, variable.key, test, self)
        if let values = elements.values { return .node(translator.some(of: values, elements, isOpposite: false, self)) }
        return .node(.isSome(of: elements.condition))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        let elements = translator.elements(sequence, LHS.Output.self, variable.key, test, self)
        if let values = elements.values {
            return .node(.not(translator.some(of: values, elements, isOpposite: true, self)))
        }
        return .node(.comparison(.equal, .matches(.not(elements.condition)), .constant(.value(.int(0)))))
    }
}

extension PredicateExpressions.Filter: TranslatableExpression {
    func meaning(_ translator: ExpressionTranslator) -> ExpressionTranslator.Meaning {
        let elements = translator.elements(sequence, LHS.Output.self, variable.key, filter, self)
        guard elements.values == nil else {
            translator.unsupported(
                self, " on the values of \(elements.path.text)",
                instead: "only objects are counted; ask with contains or allSatisfy whether values meet a comparison")
        }
        return .filtered(elements.condition)
    }
}

/// A condition on the elements of a collection.
private struct Elements {
    /// The path to the collection.
    let path: QueryPath
    let condition: QueryNode
    /// What is known of the elements if they are values; nil if they are objects.
    let values: ElementValues?
}

/// The values of a collection.
private struct ElementValues {
    /// The path to each of them.
    let path: QueryPath
    /// Whether each value is less than another one exactly if it is not equal and not greater. Nil and NaN are not.
    let areOrdered: Bool

    /// The condition that some value meets a condition, or its opposite; nil if the engine cannot test it.
    func some(_ condition: QueryNode, isOpposite: Bool) -> QueryNode? {
        switch condition {
        case .path(let value) where isValue(value):
            .comparison(isOpposite ? .notEqual : .equal, condition, .constant(.value(.bool(true))))
        case .comparison(_, .path(let value), .constant) where isValue(value) && !isOpposite: condition
        case .comparison(let op, .path(let value), .constant(let constant)) where isValue(value):
            opposite(of: op).map { .comparison($0, .path(value), .constant(constant)) }
        case .not(let condition): some(condition, isOpposite: !isOpposite)
        // That some value meets both conditions is more than that some value meets each.
        case .compound(let compound, let left, let right) where (compound == .or) != isOpposite:
            if let left = some(left, isOpposite: isOpposite), let right = some(right, isOpposite: isOpposite) {
                .compound(.or, left, right)
            } else {
                nil
            }
        default: nil
        }
    }

    private func isValue(_ other: QueryPath) -> Bool {
        other.collections == path.collections && other.components.count == path.components.count
            && other.begins(with: path)
    }

    private func opposite(of op: QueryOperator) -> QueryOperator? {
        switch op {
        case .equal: .notEqual
        case .notEqual: .equal
        case .less where areOrdered: .greaterOrEqual
        case .lessOrEqual where areOrdered: .greater
        case .greater where areOrdered: .lessOrEqual
        case .greaterOrEqual where areOrdered: .less
        default: nil
        }
    }
}

extension ExpressionTranslator {
    /// A condition on the elements of a collection.
    fileprivate func elements<C: Sequence>(
        _ collection: Any, _: C.Type, _ variable: PredicateExpressions.VariableID, _ condition: Any, _ expression: Any
    ) -> Elements {
        guard C.self is any _QueryCollection.Type, let path = path(collection) else { unsupported(expression) }
        let elements = path.elements
        let condition = with(variable, elements) { self.condition(condition) }
        let element = C.Element.self
        let areObjects = element is ObjectBase.Type || isStoredAsObject(element)
        if areObjects { check(condition, elements, expression) }
        let areOrdered = element is any BinaryInteger.Type || element == String.self || element == Date.self
        let values = areObjects ? nil : ElementValues(path: elements, areOrdered: areOrdered)
        return Elements(path: path, condition: condition, values: values)
    }

    /// Whether a type is a custom one whose values are stored as embedded objects.
    private func isStoredAsObject(_ type: Any.Type) -> Bool {
        func isObject<Custom: _CustomPersistable>(_: Custom.Type) -> Bool {
            Custom.PersistedType.self is ObjectBase.Type
        }
        return (type as? any _CustomPersistable.Type).map { isObject($0) } ?? false
    }

    /// The condition that some value meets a condition, or its opposite.
    fileprivate func some(
        of values: ElementValues, _ elements: Elements, isOpposite: Bool, _ expression: Any
    ) -> QueryNode {
        if let condition = values.some(elements.condition, isOpposite: isOpposite) { return condition }
        unsupported(
            expression, " with this condition on the values of \(elements.path.text)",
            instead: isOpposite
                ? "all values can be tested for ==, != and, if they are whole numbers, texts or dates, <, <=, > and >= "
                    + "with a constant, joined by &&"
                : "values can be compared with constants, and comparisons be joined by ||")
    }

    /// Stops the program if the engine cannot test a condition on an element by itself.
    private func check(_ condition: QueryNode, _ elements: QueryPath, _ expression: Any) {
        let depth = elements.collections.count
        let name = elements.text
        let paths = condition.paths
        for path in paths where path.collections.count >= depth && !path.begins(with: elements) {
            unsupported(
                expression, " on the elements of \(name) with a condition on those of \(path.text)",
                instead: "write the other condition outside of the closure")
        }
        if paths.allSatisfy({ $0.collections.count < depth }) {
            unsupported(
                expression, " on the elements of \(name) with a condition that is about none of them",
                instead: "write such a condition outside of the closure, and ask for elements with isEmpty")
        }
        if let (own, other) = condition.comparisonAcross(depth) {
            unsupported(
                expression, " on the elements of \(name), as it compares \(own.text) with \(other.text), "
                    + "which is no property of these elements", instead: "compare with a constant")
        }
    }
}

extension QueryNode {
    /// Whether this is a number of elements.
    var isCount: Bool {
        switch self {
        case .matches: true
        case .path(let path): path.special == "@count"
        default: false
        }
    }

    /// Whether the engine can compare both: two properties, or a property and an aggregate of a collection.
    func isComparable(with other: QueryNode) -> Bool {
        guard case .path(let path) = self, case .path(let otherPath) = other else { return false }
        return path.special == nil || otherPath.special == nil
    }

    /// The two paths of a comparison of which only one leads through as many collections.
    fileprivate func comparisonAcross(_ depth: Int) -> (QueryPath, QueryPath)? {
        switch self {
        case .comparison(_, .path(let left), .path(let right)):
            switch (left.collections.count >= depth, right.collections.count >= depth) {
            case (true, false): (left, right)
            case (false, true): (right, left)
            default: nil
            }
        case .comparison(_, let left, let right), .compound(_, let left, let right):
            left.comparisonAcross(depth) ?? right.comparisonAcross(depth)
        case .not(let node), .matches(let node), .together(let node): node.comparisonAcross(depth)
        case .path, .constant, .truth, .between: nil
        }
    }
}

extension QueryPath {
    /// The aggregate or the variable at the end.
    fileprivate var special: String? { if case .special(let name)? = components.last { name } else { nil } }
}
