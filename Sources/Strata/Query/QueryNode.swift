// SPDX-License-Identifier: MIT
// QueryNode.swift -- what has been written in `where { }`, as a tree.

import CStrata

/// A condition, or a part of one. A single reference, so that a generic ``Query`` is moved without asking for its type.
indirect enum QueryNode {
    case path(QueryPath)
    case constant(QueryConstant)
    case comparison(QueryOperator, QueryNode, QueryNode)
    case between(QueryNode, QueryConstant, QueryConstant)
    case compound(Compound, QueryNode, QueryNode)
    case not(QueryNode)
    /// How many objects of the one collection that the paths in the condition lead through meet it.
    case matches(QueryNode)
    case truth(Bool)

    /// The object that is tested.
    nonisolated(unsafe) static let root = QueryNode.path(QueryPath())

    enum Compound {
        case and
        case or
    }
}

/// A binary operator.
struct QueryOperator: Equatable {
    let engine: strata_operator
    let options: StringOptions

    init(_ engine: strata_operator, _ options: StringOptions = []) { (self.engine, self.options) = (engine, options) }

    static var equal: Self { Self(.STRATA_EQUAL) }
    static var notEqual: Self { Self(.STRATA_NOT_EQUAL) }
    static var less: Self { Self(.STRATA_LESS) }
    static var lessOrEqual: Self { Self(.STRATA_LESS_EQUAL) }
    static var greater: Self { Self(.STRATA_GREATER) }
    static var greaterOrEqual: Self { Self(.STRATA_GREATER_EQUAL) }
    static var `in`: Self { Self(.STRATA_IN) }

    /// The operator as predicates write it, such as "==" or "CONTAINS[c]".
    var text: String {
        switch engine {
        case .STRATA_EQUAL: "==\(options.suffix)"
        case .STRATA_NOT_EQUAL: "!=\(options.suffix)"
        case .STRATA_LESS: "<"
        case .STRATA_LESS_EQUAL: "<="
        case .STRATA_GREATER: ">"
        case .STRATA_GREATER_EQUAL: ">="
        case .STRATA_BEGINS_WITH: "BEGINSWITH\(options.suffix)"
        case .STRATA_ENDS_WITH: "ENDSWITH\(options.suffix)"
        case .STRATA_CONTAINS: "CONTAINS\(options.suffix)"
        case .STRATA_LIKE: "LIKE\(options.suffix)"
        default: "IN"
        }
    }

    /// The same with its sides exchanged.
    var mirrored: Self {
        switch engine {
        case .STRATA_LESS: .greater
        case .STRATA_LESS_EQUAL: .greaterOrEqual
        case .STRATA_GREATER: .less
        case .STRATA_GREATER_EQUAL: .lessOrEqual
        default: self
        }
    }
}

/// A path from the object that is tested.
struct QueryPath {
    enum Piece {
        case names(PropertyNames)
        /// An operator such as "@count", or the variable of a subquery.
        case special(String)
        /// What stands in brackets.
        case element(QueryConstant)
    }

    enum Aggregate: String {
        case min = "@min"
        case max = "@max"
        case avg = "@avg"
        case sum = "@sum"
    }

    private(set) var pieces: [Piece]
    /// How many pieces lead to each collection whose elements the path goes on from.
    private(set) var collections: [Int] = []
    /// What is taken of all elements of the last of these collections, instead of comparing each of them.
    var aggregate: Aggregate?

    init(_ pieces: [Piece] = []) { self.pieces = pieces }

    /// Whether the path leads to more than one value.
    var isAny: Bool { aggregate == nil && !collections.isEmpty }

    func appending(_ piece: Piece) -> QueryPath {
        var path = self
        path.pieces.append(piece)
        return path
    }

    /// Whether this is the object that is tested.
    var isRoot: Bool { pieces.isEmpty && collections.isEmpty }

    /// The path to each element of the collection that this one leads to.
    var elements: QueryPath {
        var path = self
        path.collections.append(pieces.count)
        return path
    }

    /// The path from a variable that stands for the elements of the first collection.
    func fromElements(named variable: String) -> QueryPath {
        var path = self
        guard let end = collections.first else { return self }
        path.pieces.replaceSubrange(..<end, with: CollectionOfOne(.special(variable)))
        path.collections = collections.dropFirst().map { $0 - end + 1 }
        return path
    }

    /// The names of the first collection, if the path goes on from its elements.
    var collection: ArraySlice<Piece>? { collections.first.map { pieces[..<$0] } }
}
