// SPDX-License-Identifier: MIT
// CountedCondition.swift -- conditions on the elements of a collection, of which those that meet them are counted.

/// A condition on the elements of one collection, the first one that its paths lead through.
///
/// Paths that lead through no collection are properties of the object that has the collection. Conditions on them alone
/// are the same for all elements: the outer parts. As the engine tests an element by itself, they are tested outside of
/// the count: for `(dogs.age > 3 && city == "York").count > 1` more than one dog is counted if the city is York, and
/// none otherwise.
struct CountedCondition {
    private let condition: QueryNode
    /// The path to the collection.
    let collection: [QueryPath.Component]

    /// Stops the program if the condition leads through no collection, or through several.
    init(_ condition: QueryNode) {
        self.condition = condition
        let paths = condition.paths, collections = paths.compactMap(\.collection)
        guard let first = collections.first else {
            misuse(
                "a condition that is counted compares \(paths.first?.text ?? "nothing"), which is no property of the "
                    + "elements of a collection; put it outside of the parentheses")
        }
        let name = QueryPath.text(first)
        for other in collections.map(QueryPath.text) where other != name {
            misuse(
                "a condition that is counted leads through \(name) and through \(other); "
                    + "count the elements of one collection at a time")
        }
        collection = Array(first)
    }

    // MARK: Outer parts

    /// A comparison of the count, if there is an outer part, with the first one tested outside of it.
    func comparison(_ op: QueryOperator, _ right: QueryNode) -> QueryNode? {
        var part: QueryNode?
        let met = condition.replacingOuterPart(by: true, &part)
        guard let part else { return nil }
        var again: QueryNode?
        let unmet = condition.replacingOuterPart(by: false, &again)
        return comparison(op, of: met, if: part, else: unmet, right)
    }

    /// A comparison of how many elements meet one condition or the other.
    private func comparison(
        _ op: QueryOperator, of met: QueryNode, if part: QueryNode, else unmet: QueryNode, _ right: QueryNode
    ) -> QueryNode {
        .either(.both(part, comparison(op, of: met, right)), .both(.opposite(part), comparison(op, of: unmet, right)))
    }

    /// A comparison of how many elements meet a condition, which may be the same for all of them: of
    /// `dogs.age > 3 || isOpen`, if that is open, nothing is left that is about a dog.
    fileprivate func comparison(_ op: QueryOperator, of condition: QueryNode, _ right: QueryNode) -> QueryNode {
        if condition.isOuter { return comparison(op, of: .truth(true), if: condition, else: .truth(false), right) }
        guard case .truth(let holds) = condition else { return .comparison(op, .matches(condition), right) }
        if !holds, case .constant(.value(.int(let count))) = right, let truth = op.holds(0, count) {
            return .truth(truth)
        }
        let isNil = QueryNode.comparison(
            .equal, .path(QueryPath(collection).elements), .constant(.value(.null)))
        return .comparison(op, .matches(holds ? .not(isNil) : isNil), right)
    }

    // MARK: One element

    /// The condition on an element that a variable stands for.
    func onElement(named variable: String) -> QueryNode {
        condition.mapPaths { path in
            guard path.collection != nil else {
                misuse(
                    "a condition that is counted compares properties of the elements of "
                        + "\(QueryPath.text(collection[...])) with \(path.text), which is none; "
                        + "compare them with a constant")
            }
            return path.fromElements(named: variable)
        }
    }
}

extension QueryNode {
    /// All paths of a condition.
    var paths: [QueryPath] {
        switch self {
        case .path(let path): [path]
        case .constant, .truth: []
        case .comparison(_, let left, let right), .compound(_, let left, let right): left.paths + right.paths
        case .between(let node, _, _), .not(let node), .matches(let node), .together(let node): node.paths
        }
    }

    /// The same condition with other paths.
    fileprivate func mapPaths(_ body: (QueryPath) -> QueryPath) -> QueryNode {
        switch self {
        case .path(let path): .path(body(path))
        case .constant, .truth: self
        case .comparison(let op, let left, let right): .comparison(op, left.mapPaths(body), right.mapPaths(body))
        case .between(let node, let low, let high): .between(node.mapPaths(body), low, high)
        case .compound(let op, let left, let right): .compound(op, left.mapPaths(body), right.mapPaths(body))
        case .not(let node): .not(node.mapPaths(body))
        case .matches(let node): .matches(node.mapPaths(body))
        case .together(let node): .together(node.mapPaths(body))
        }
    }

    /// At least one element meets a condition.
    static func isSome(of condition: QueryNode) -> QueryNode {
        .comparison(.greater, .matches(condition), .constant(.value(.int(0))))
    }

    // MARK: Outer parts

    /// Whether this condition is about no element of a collection.
    fileprivate var isOuter: Bool {
        let paths = paths
        return !paths.isEmpty && paths.allSatisfy { $0.collection == nil }
    }

    /// This condition, if its first outer part is true or false.
    ///
    /// - Parameter part: becomes the outer part. Nothing is replaced if it is one already.
    fileprivate func replacingOuterPart(by truth: Bool, _ part: inout QueryNode?) -> QueryNode {
        if part != nil { return self }
        if isOuter {
            part = self
            return .truth(truth)
        }
        switch self {
        case .compound(let op, let left, let right):
            let left = left.replacingOuterPart(by: truth, &part), right = right.replacingOuterPart(by: truth, &part)
            return op == .and ? .both(left, right) : .either(left, right)
        case .not(let node):
            let node = node.replacingOuterPart(by: truth, &part)
            if case .truth(let truth) = node { return .truth(!truth) }
            return .not(node)
        case .comparison(let op, .matches(let node), let right):
            return CountedCondition(node).comparison(op, of: node.replacingOuterPart(by: truth, &part), right)
        case .path, .constant, .truth, .between, .comparison, .matches, .together: return self
        }
    }

    // MARK: Joining

    /// Both conditions, with constants left out.
    fileprivate static func both(_ left: QueryNode, _ right: QueryNode) -> QueryNode {
        switch (left, right) {
        case (.truth(true), let other), (let other, .truth(true)): other
        case (.truth(false), _), (_, .truth(false)): .truth(false)
        default: .compound(.and, left, right)
        }
    }

    /// One of the conditions, with constants left out.
    fileprivate static func either(_ left: QueryNode, _ right: QueryNode) -> QueryNode {
        switch (left, right) {
        case (.truth(false), let other), (let other, .truth(false)): other
        case (.truth(true), _), (_, .truth(true)): .truth(true)
        default: .compound(.or, left, right)
        }
    }

    /// True where a condition is not. That a property which may be nil is false says less than that it is not true.
    fileprivate static func opposite(_ node: QueryNode) -> QueryNode {
        guard case .path = node else { return .not(node) }
        return .not(.comparison(.equal, node, .constant(.value(.bool(true)))))
    }
}
