// SPDX-License-Identifier: MIT
// OptionalTruth.swift -- conditions of #Predicate as values, which may be nil.

/// A truth value that depends on the object: true, false, or nil.
struct OptionalTruth {
    /// The condition under which it is true.
    let holds: QueryNode
    /// The condition under which it is nil; nil if it never is.
    let isNil: QueryNode?
    /// The value, if it is the same for every object and not nil.
    private let constant: Bool?

    init(_ holds: QueryNode, isNil: QueryNode? = nil) {
        (self.holds, self.isNil, constant) = (holds, isNil, nil)
    }

    /// A constant.
    init(_ value: Bool?) {
        holds = .truth(value ?? false)
        isNil = value == nil ? .truth(true) : nil
        constant = value
    }

    /// The condition under which it is false.
    private var fails: QueryNode {
        if let constant { return .truth(!constant) }
        guard let isNil else { return .not(holds) }
        return .compound(.and, .not(holds), .not(isNil))
    }

    /// This truth value, but nil for objects that meet a condition.
    func unless(_ condition: QueryNode) -> Self {
        let unknown = isNil.map { .compound(.or, condition, $0) } ?? condition
        return Self(.compound(.and, .not(condition), holds), isNil: unknown)
    }

    /// This truth value, or another one where it is nil.
    func or(_ other: QueryNode) -> QueryNode {
        guard let isNil else { return holds }
        return switch other {
        case .truth(false): holds
        case .truth(true): .compound(.or, holds, isNil)
        default: .compound(.or, holds, .compound(.and, isNil, other))
        }
    }

    /// The condition under which both are the same.
    func equals(_ other: Self) -> QueryNode {
        if constant != nil { return other.equals(constant: self) }
        if other.constant != nil { return equals(constant: other) }
        let known = QueryNode.compound(
            .or, .compound(.and, holds, other.holds), .compound(.and, fails, other.fails))
        guard let isNil, let otherIsNil = other.isNil else { return known }
        return .compound(.or, known, .compound(.and, isNil, otherIsNil))
    }

    private func equals(constant other: Self) -> QueryNode { other.constant == true ? holds : fails }
}

/// Types whose values are conditions.
protocol TruthValue {}
extension Bool: TruthValue {}
extension Optional: TruthValue where Wrapped: TruthValue {}

extension ExpressionTranslator {
    /// A meaning as a truth value; nil if it is none.
    func truth(_ meaning: Meaning) -> OptionalTruth? {
        switch meaning {
        case .optional(let truth): truth
        case .node(.path(let path)): truth(ofPath: .path(path), isNil: isNil(.path(path)))
        case .node(.constant), .node(.matches), .filtered, .range, .count: nil
        case .node(let condition): OptionalTruth(condition)
        case .constant(let value):
            if let value = value as? Bool {
                OptionalTruth(value)
            } else if case .value(.null)? = QueryConstant(value) {
                OptionalTruth(nil)
            } else {
                nil
            }
        case .fallback(let path, let isNil, let other as Bool):
            OptionalTruth(truth(ofPath: path, isNil: isNil).or(.truth(other)))
        case .fallback: nil
        }
    }

    /// The truth value that a path leads to. A path itself is no condition here, because its opposite is that it is
    /// false, which it is not where it is nil.
    private func truth(ofPath path: QueryNode, isNil: QueryNode) -> OptionalTruth {
        OptionalTruth(.comparison(.equal, path, .constant(.value(.bool(true)))), isNil: isNil)
    }

    /// Two sides of a comparison as truth values; nil unless one of them is a condition that the engine cannot compare.
    func truths(_ left: Meaning, _ right: Meaning) -> (OptionalTruth, OptionalTruth)? {
        guard isCondition(left) || isCondition(right), let left = truth(left), let right = truth(right) else {
            return nil
        }
        return (left, right)
    }

    private func isCondition(_ meaning: Meaning) -> Bool {
        switch meaning {
        case .optional, .node(.comparison), .node(.between), .node(.compound), .node(.not), .node(.truth),
            .node(.together), .fallback(_, _, is Bool): true
        default: false
        }
    }
}

extension QueryPath {
    /// Whether the path begins with another path.
    func begins(with other: Self) -> Bool {
        components.count >= other.components.count && zip(components, other.components).allSatisfy { $0.isSame(as: $1) }
    }
}

extension QueryPath.Component {
    fileprivate func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.names(let left), .names(let right)): left.text == right.text
        case (.special(let left), .special(let right)): left == right
        default: false
        }
    }
}
