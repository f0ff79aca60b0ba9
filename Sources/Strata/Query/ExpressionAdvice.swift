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
