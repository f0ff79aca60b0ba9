// SPDX-License-Identifier: MIT
// Collections+Queries.swift -- sorting collections of objects.

import CStrata

extension CollectionPlace {
    /// The objects of the collection as a query.
    var query: LiveQuery {
        guard let target else { misuse("\(name) holds values, which have no properties to be queried") }
        return LiveQuery(target, .list(owner, column: column, key: key))
    }

    /// What equal managed collections have in common.
    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(session))
        hasher.combine(owner.table)
        hasher.combine(column)
        hasher.combine(key)
        nested?.hash(into: &hasher)
    }

    /// The collection that a property of a live object shows; nil if the row only records what is read.
    @usableFromInline
    static func of(_ row: _Row, _ column: UInt32) -> CollectionPlace? {
        let owner = LiveRow.owner(row)
        guard owner._mode == .live, let managed = owner.managed else { return nil }
        return CollectionPlace(managed, row.pointee.key, column, moment: owner._moment)
    }
}

extension List where Element: ObjectBase {
    /// The same objects as a result, in the order of the list. Stops the program if the list is unmanaged.
    public var results: Results<Element> { Results(managedPlace("queried").query) }

    /// In the order of a property.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        results.sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// In the order of a property.
    public func sorted<Value: _Persistable>(
        by keyPath: KeyPath<Element, Value>, ascending: Bool = true
    ) -> Results<Element> {
        results.sorted(by: keyPath, ascending: ascending)
    }

    /// In the order of some properties, the most important first.
    public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Element> {
        results.sorted(by: descriptors)
    }
}

extension MutableSet where Element: ObjectBase {
    /// The same objects as a result. Stops the program if the set is unmanaged.
    public var results: Results<Element> { Results(managedPlace("queried").query) }

    /// In the order of a property.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        results.sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// In the order of a property.
    public func sorted<Value: _Persistable>(
        by keyPath: KeyPath<Element, Value>, ascending: Bool = true
    ) -> Results<Element> {
        results.sorted(by: keyPath, ascending: ascending)
    }

    /// In the order of some properties, the most important first.
    public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Element> {
        results.sorted(by: descriptors)
    }
}

extension Map {
    /// The objects of the map as a result, nils left out. Stops the program if the map is unmanaged.
    public func results<Target: ObjectBase>() -> Results<Target> where Value == Target? {
        Results(managedPlace("queried").query)
    }

    /// The objects in the order of a property.
    public func sorted<Target: ObjectBase>(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Target>
    where Value == Target? {
        results().sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// The objects in the order of a property.
    public func sorted<Target: ObjectBase, Property: _Persistable>(
        by keyPath: KeyPath<Target, Property>, ascending: Bool = true
    ) -> Results<Target> where Value == Target? {
        results().sorted(by: keyPath, ascending: ascending)
    }
}
