// SPDX-License-Identifier: MIT
// QueryPath.swift -- the path from the object that a condition tests to the values that it compares.

/// A path from the object that is tested.
struct QueryPath {
    enum Component {
        case names(PropertyNames)
        /// An operator such as "@count", or the variable of a subquery.
        case special(String)
        /// The key or the position in brackets.
        case element(QueryConstant)
    }

    enum Aggregate: String {
        case min = "@min"
        case max = "@max"
        case avg = "@avg"
        case sum = "@sum"
    }

    private(set) var components: [Component]
    /// For each collection through which the path leads: how many components lead to it.
    private(set) var collections: [Int] = []
    /// The aggregate of the elements of the last of these collections, which is compared instead of each of them.
    var aggregate: Aggregate?

    init(_ components: [Component] = []) { self.components = components }

    /// Whether the path leads to more than one value.
    var isAny: Bool { aggregate == nil && !collections.isEmpty }

    func appending(_ component: Component) -> QueryPath {
        var path = self
        path.components.append(component)
        return path
    }

    /// Whether this is the object that is tested.
    var isRoot: Bool { components.isEmpty && collections.isEmpty }

    /// Whether no name stands at the beginning: the path is, or looks into, the value that is tested.
    var beginsAtValue: Bool {
        switch components.first {
        case nil, .element: true
        default: false
        }
    }

    /// The path to each element of the collection that this one leads to.
    var elements: QueryPath {
        var path = self
        path.collections.append(components.count)
        return path
    }

    /// The path from a variable that stands for the elements of the first collection.
    func fromElements(named variable: String) -> QueryPath {
        var path = self
        guard let end = collections.first else { return self }
        path.components.replaceSubrange(..<end, with: CollectionOfOne(.special(variable)))
        path.collections = collections.dropFirst().map { $0 - end + 1 }
        return path
    }

    /// The path to the first collection, if the path continues from its elements.
    var collection: ArraySlice<Component>? { collections.first.map { components[..<$0] } }
}
