// SPDX-License-Identifier: MIT
// QueryNode.swift -- what has been written in `where { }`, as a tree.

/// A condition, or a part of one.
indirect enum QueryNode {
    case path(QueryPath)
    case constant(QueryConstant)
    /// A binary operator of the grammar, such as "==" or "CONTAINS[c]".
    case comparison(String, QueryNode, QueryNode)
    case between(QueryNode, QueryConstant, QueryConstant)
    case compound(Compound, QueryNode, QueryNode)
    case not(QueryNode)
    /// How many objects of the one collection that the paths in the condition lead through meet it.
    case matches(QueryNode)
    case truth(Bool)

    enum Compound: String {
        case and = "&&"
        case or = "||"
    }
}

/// A path from the object that is tested.
struct QueryPath {
    enum Piece {
        /// Names as they are written in a predicate, joined by dots.
        case names(String)
        /// An operator such as "@count", or the variable of a subquery.
        case special(String)
        /// What stands in brackets.
        case element(QueryConstant)
    }

    private(set) var pieces: [Piece] = []
    /// How many pieces lead to each collection whose elements the path goes on from.
    private(set) var collections: [Int] = []
    /// What is taken of all elements of the last of these collections, instead of comparing each of them.
    var aggregate: String?

    /// Whether the path leads to more than one value.
    var isAny: Bool { aggregate == nil && !collections.isEmpty }

    func appending(_ piece: Piece) -> QueryPath {
        var path = self
        path.pieces.append(piece)
        return path
    }

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
