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

    /// Whether it leads to the elements of a collection themselves.
    var isElement: Bool { aggregate == nil && collections.last == components.count }

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

    /// The path without the last name, if it leads through several from the last collection on: to the object that has
    /// the property.
    var owner: QueryPath? {
        let start = collections.last ?? 0
        guard components.count > start, case .names(let names) = components[components.count - 1] else { return nil }
        var path = self
        path.components.removeLast()
        if names.names.count > 1 {
            path.components.append(.names(PropertyNames(Array(names.names.dropLast()), from: names.root)))
        }
        return path.components.count > start ? path : nil
    }

    /// The path from a variable that stands for the elements of the first collection.
    func fromElements(named variable: String) -> QueryPath {
        var path = self
        guard let end = walked.first else { return self }
        path.components.replaceSubrange(..<end, with: CollectionOfOne(.special(variable)))
        path.collections = collections.dropFirst().map { $0 - end + 1 }
        return path
    }

    /// The collections whose elements are looked at one by one: not the one of which an aggregate is taken.
    private var walked: ArraySlice<Int> { aggregate == nil ? collections[...] : collections.dropLast() }

    /// The path to the first collection, if the path continues from its elements.
    var collection: ArraySlice<Component>? { walked.first.map { components[..<$0] } }

    /// The path as predicates write it.
    var text: String { Self.text(components[...]) }

    static func text(_ components: ArraySlice<Component>) -> String {
        var text = ""
        for component in components {
            switch component {
            case .names(let names): text += text.isEmpty ? names.text : ".\(names.text)"
            case .special(let name): text += text.isEmpty ? name : ".\(name)"
            case .element(let key): text += "[\(key.text)]"
            }
        }
        return text.isEmpty ? "SELF" : text
    }
}
