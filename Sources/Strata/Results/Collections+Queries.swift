// SPDX-License-Identifier: MIT
// Collections+Queries.swift -- collections as results.

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

extension PersistedCollection {
    /// The place of a collection that is to be queried; stops the program if it is unmanaged.
    func managedPlace(_ what: String) -> CollectionPlace {
        guard let place else { misuse("an unmanaged \(Self.typeName) cannot be \(what); add its object first") }
        return place
    }

    /// The elements as a result; stops the program if the collection is unmanaged.
    fileprivate func asResults<Element>() -> Results<Element> {
        let place = managedPlace("queried")
        return place.target == nil ? Results(ValueQuery(place)) : Results(place.query)
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
