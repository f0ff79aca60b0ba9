// SPDX-License-Identifier: MIT
// ExpressionAdvice.swift -- messages about expressions of #Predicate that no query can run.

import Foundation

/// Messages about expressions.
enum ExpressionAdvice {
    /// What to write instead of an expression.
    static func instead(of expression: Any) -> String {
        (expression as? any AdvisedExpression)?.advice
            ?? "use comparisons, &&, ||, !, contains, starts(with:), filter, allSatisfy, ?? and optional chaining"
    }

    /// An expression with the names of its properties.
    static func text(_ expression: Any) -> String {
        var text = "\(expression)"
        replaceNames(in: &text, of: expression)
        return text
    }

    /// A description of a property that does not belong to an object. The names of computed properties are not known.
    static func property<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> String {
        let text = "\(keyPath)"
        return text.contains("<computed") ? "a computed property of \(Root.self)" : "the property \(text)"
    }

    private static func replaceNames(in text: inout String, of expression: Any) {
        if let named = expression as? any NamedExpression, let name = named.propertyName {
            text = text.replacingOccurrences(of: "\(named.path)", with: name)
        }
        for child in Mirror(reflecting: expression).children { replaceNames(in: &text, of: child.value) }
    }
}

// MARK: Operands

extension ExpressionTranslator {
    /// Stops the program because of an expression of two operands, which it names.
    func refuse(_ left: Meaning, _ right: Meaning, _ expression: Any) -> Never {
        unsupported(expression, " between \(operands(left, right))", instead: advice(left, right))
    }

    /// Two operands as a message names them.
    func operands(_ left: Meaning, _ right: Meaning) -> String { "\(left.words) and \(right.words)" }

    private func advice(_ left: Meaning, _ right: Meaning) -> String? {
        switch (left, right) {
        case (.fallback, _), (_, .fallback):
            "compare what has a default with a constant, or both cases, such as "
                + "$0.a == $0.b || ($0.a == nil && $0.b == 1)"
        case (.count, _), (_, .count), (.node(.matches), _), (_, .node(.matches)): "compare a count with a constant"
        default: nil
        }
    }
}

extension ExpressionTranslator.Meaning {
    /// What it is in the words of a message.
    fileprivate var words: String {
        switch self {
        case .node(.path(let path)): path.isRoot ? "the object" : path.text.replacingOccurrences(of: ".@", with: ".")
        case .count(let count, _): Self.node(count).words
        case .node(.matches): "the number of elements that meet a condition"
        case .node, .optional: "a condition"
        case .constant(let value): QueryConstant(value)?.text ?? "\(value)"
        case .filtered: "the elements that meet a condition"
        case .fallback(let node, _, let other): "\(Self.node(node).words) ?? \(Self.constant(other).words)"
        case .range: "a range"
        }
    }
}

// MARK: Expressions

/// An expression with a key path.
private protocol NamedExpression {
    var path: AnyKeyPath { get }
    /// The property as Swift writes it, or a description; nil if the text of the key path names it.
    var propertyName: String? { get }
}

extension PredicateExpressions.KeyPath: NamedExpression {
    fileprivate var path: AnyKeyPath { keyPath }

    fileprivate var propertyName: String? {
        if Root.Output.self is ObjectBase.Type { return "\\\(Root.Output.self).\(KeyPathNames.joined(keyPath))" }
        return "\(keyPath)".contains("<computed") ? "(\(ExpressionAdvice.property(keyPath)))" : nil
    }
}

/// An expression for which there is a replacement.
private protocol AdvisedExpression {
    var advice: String { get }
}

extension PredicateExpressions.Arithmetic: AdvisedExpression {
    fileprivate var advice: String {
        "calculate before and compare the property itself with the result, such as $0.age == limit - 1"
    }
}

extension PredicateExpressions.NilCoalesce: AdvisedExpression {
    fileprivate var advice: String { "compare both sides, such as $0.a == 1 || ($0.a == nil && $0.b == 1)" }
}

extension PredicateExpressions.KeyPath: AdvisedExpression {
    fileprivate var advice: String {
        "compare the persisted property itself, that of a RawRepresentable type with a value of this type"
    }
}
