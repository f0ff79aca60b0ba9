// SPDX-License-Identifier: MIT
// ComparedConditions.swift -- conditions of `where { }` that are compared with each other.

extension QueryNode {
    /// Whether this is true or false of an object, and no value that the engine compares.
    var isCondition: Bool {
        switch self {
        case .path, .constant, .matches: false
        case .comparison, .between, .compound, .not, .together, .truth: true
        }
    }

    /// Two sides, one of which at least is a condition, both hold or both fail; or, if not `areSame`, they do not. The
    /// other side may be a property: one that is nil, behind a link perhaps, is the same as no condition. Of a path to
    /// many values any is meant, as in every comparison, so that its opposite is not that of the comparison.
    static func conditions(_ left: QueryNode, _ right: QueryNode, areSame: Bool) -> QueryNode {
        if !areSame && !left.isAny && !right.isAny { return .not(conditions(left, right, areSame: true)) }
        let (other, opposite) = areSame ? (right, QueryNode.not(right)) : (.not(right), right)
        return .compound(.or, .compound(.and, left, other), .compound(.and, .not(left), opposite))
    }
}
