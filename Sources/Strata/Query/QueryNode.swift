// SPDX-License-Identifier: MIT
// QueryNode.swift -- a condition as a tree, and the two roads from there to the engine.
//
// Conditions come from three places: `where { }` (Query.swift), the macro #Predicate (FoundationPredicate.swift) and
// text (NSPredicate+Format.swift). The first two make a tree of `QueryNode`s. Nothing is run here; a condition becomes
// an `EngineCondition` when a query is made for a class of a realm, on one of two roads:
//
// 1. The fast road, `EngineCondition.writing` (ConditionNodes.swift), writes the tree as nodes of the engine. It knows
//    comparisons of single properties with constants of their types, which are most conditions.
// 2. The general road, `ParsedPredicate`, lets the engine parse text. It knows the whole grammar. A tree that the fast
//    road refuses is written as text first (QueryText.swift); text of the program comes in here.
//
// Both roads give the same result for what both know; ConditionNodesTests compares them.

/// A condition, or an operand of one. It is a single reference, so that a generic ``Query`` can be moved without the
/// metadata of its type.
indirect enum QueryNode {
    case path(QueryPath)
    case constant(QueryConstant)
    case comparison(QueryOperator, QueryNode, QueryNode)
    case between(QueryNode, QueryConstant, QueryConstant)
    case compound(Compound, QueryNode, QueryNode)
    case not(QueryNode)
    /// How many objects of a collection meet a condition; see CountedCondition.
    case matches(QueryNode)
    /// A condition that some element meets as a whole. All of its paths lead through the same collections, or none
    /// does; in a `matches` of the last one it is the condition itself.
    case together(QueryNode)
    case truth(Bool)

    /// The object that is tested.
    nonisolated(unsafe) static let root = QueryNode.path(QueryPath())

    /// Whether this is a path to more than one value, of which a comparison asks any.
    var isAny: Bool { if case .path(let path) = self { path.isAny } else { false } }

    enum Compound {
        case and
        case or
    }
}
