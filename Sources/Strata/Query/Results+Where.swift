// SPDX-License-Identifier: MIT
// Results+Where.swift -- filtering collections by conditions written in Swift.

extension Results {
    /// The objects for which a condition holds.
    ///
    /// The condition is built once, by calling the closure, and run by the engine, with indexes where they help.
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results {
        Results(query.filtered(isIncluded(Query<Element>([])).condition))
    }
}

extension List {
    /// The elements for which a condition holds, in the order of the list.
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        results.where(isIncluded)
    }
}

extension LinkingObjects {
    /// The objects for which a condition holds.
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        results.where(isIncluded)
    }
}
