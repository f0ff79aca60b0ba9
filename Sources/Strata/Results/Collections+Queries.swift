// SPDX-License-Identifier: MIT
// Collections+Queries.swift -- lists, sets and maps as results.

extension PersistedCollection {
    /// The elements as a result; stops the program if the collection is unmanaged.
    func asResults<Element>() -> Results<Element> {
        let live = managed(toBe: "queried")
        guard let target = live.target else { return Results(ValueQuery(live)) }
        return Results(LiveQuery(
            target, .list(live.owner, column: live.column, key: live.key), generation: live.generation))
    }
}

extension List {
    /// The same elements as a result, in the order of the list. Stops the program if the list is unmanaged.
    public var results: Results<Element> { asResults() }
}

extension MutableSet {
    /// The same elements as a result. Stops the program if the set is unmanaged.
    public var results: Results<Element> { asResults() }
}

extension Map {
    /// The objects of the map as a result, nils left out. Stops the program if the map is unmanaged.
    public func results<Target: ObjectBase>() -> Results<Target> where Value == Target? { asResults() }
}
