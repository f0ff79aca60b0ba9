// SPDX-License-Identifier: MIT
// Results+Where.swift -- filtering collections by conditions written in Swift.

extension Results where Element: ObjectBase {
    /// The objects for which a condition holds.
    ///
    /// The condition is built once, by calling the closure, and run by the engine, with indexes where they help.
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results {
        Results(query.filtered(isIncluded(Query<Element>([])).condition))
    }
}

extension List where Element: ObjectBase {
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

extension MutableSet where Element: ObjectBase {
    /// The elements for which a condition holds.
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        results.where(isIncluded)
    }
}

extension Map {
    /// The objects for which a condition holds, each as often as the map holds it.
    public func `where`<Target: ObjectBase>(_ isIncluded: (Query<Target>) -> Query<Bool>) -> Results<Target>
    where Value == Target? {
        results().where(isIncluded)
    }
}

extension Results where Element: ObjectBase {
    /// The position of the first object for which a condition holds, or nil.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        self.where(isIncluded).first.flatMap(index(of:))
    }
}

extension List where Element: ObjectBase {
    /// The position of the first object for which a condition holds, or nil. Stops the program if the list is unmanaged.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        self.where(isIncluded).first.flatMap(index(of:))
    }
}

extension LinkingObjects {
    /// The position of the first object for which a condition holds, or nil. Stops the program if they link to an
    /// unmanaged object.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        self.where(isIncluded).first.flatMap(index(of:))
    }
}
