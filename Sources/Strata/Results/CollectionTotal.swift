// SPDX-License-Identifier: MIT
// CollectionTotal.swift -- least, greatest, sum and average of the elements of a collection, or of a property of them.

/// The aggregates of one property of the elements of a collection, or of the elements themselves. The engine computes
/// them if the collection is managed.
struct CollectionTotal {
    private enum Source {
        /// Objects of a realm, and the path of the property.
        case objects(LiveQuery, String)
        case values(ValueQuery)
        case added(ValueTotals, isManaged: Bool)
    }
    private let source: Source

    /// - Parameter property: a path through to-one links, or "self" for the elements. Stops the program if the elements
    ///   have no such property.
    init<C: RealmCollectionBase>(_ collection: C, _ property: String = "self") {
        if let persisted = collection.persisted {
            source = Self.source(persisted, property)
        } else if let links = collection as? any EmptyWhenUnmanaged, links.isUnmanaged {
            source = .added(ValueTotals([]), isManaged: false)
        } else {
            let results = collection.results
            source =
                results.findsObjects
                ? .objects(results.query, property) : Self.values(results.values, property, C.Element._shape)
        }
    }

    /// The same of the values of a map.
    init<Key, Value>(_ map: Map<Key, Value>, _ property: String = "self") { source = Self.source(map, property) }

    private static func source(_ collection: any PersistedCollection, _ property: String) -> Source {
        guard let live = collection.live else {
            return .added(Self.unmanaged(collection, property), isManaged: false)
        }
        guard let target = live.target else {
            return values(ValueQuery(live), property, type(of: collection).elementType._shape)
        }
        return .objects(
            LiveQuery(
                target, .list(live.owner, column: live.column, key: live.key), generation: live.generation), property)
    }

    private static func values(_ query: ValueQuery, _ property: String, _ shape: _PropertyShape) -> Source {
        if property != "self" { refuse(query.collection.name, property) }
        if query.isTotalled { return .values(query) }
        return .added(ValueTotals(query.values, exact: isExact(shape)), isManaged: true)
    }

    /// Whether sums are decimal numbers.
    private static func isExact(_ shape: _PropertyShape) -> Bool { shape.type == .decimal128 || shape.type == .any }

    /// The values of an unmanaged collection, or those of a property of its objects.
    private static func unmanaged(_ collection: any PersistedCollection, _ property: String) -> ValueTotals {
        let values = collection.storedValues
        let type = Swift.type(of: collection)
        if type.elementType._shape.type != .object {
            if property != "self" { refuse("an unmanaged \(type.typeName)", property) }
            return ValueTotals(values, exact: isExact(type.elementType._shape))
        }
        return ValueTotals(
            values.map { value in
                guard case .object(let object as ObjectBase) = value else { return .null }
                return object.value(forKeyPath: property).flatMap { QueryConstant($0) }?.single ?? .null
            })
    }

    private static func refuse(_ name: String, _ property: String) -> Never {
        misuse("\(name) holds values, which have no property \"\(property)\" to be added up; \"self\" names the values")
    }

    // MARK: Results

    func least<Value: _HasPersistedType>() -> Value? {
        switch source {
        case .added(let totals, _): totals.least.flatMap(Value._valueOrNil)
        default: Value._valueOrNil(engine(.min, as: Value._shape.type))
        }
    }

    func greatest<Value: _HasPersistedType>() -> Value? {
        switch source {
        case .added(let totals, _): totals.greatest.flatMap(Value._valueOrNil)
        default: Value._valueOrNil(engine(.max, as: Value._shape.type))
        }
    }

    func sum<Value: _HasPersistedType>() -> Value {
        switch source {
        case .added(let totals, _): Value._sum(totals.sum)
        default: Value._sum(engine(.sum, as: Value._shape.type))
        }
    }

    func average<Value: _HasPersistedType>() -> Value? {
        switch source {
        case .added(let totals, _): Value._average(totals.average)
        default: Value._average(engine(.average, as: nil))
        }
    }

    /// The sum of values of any type. For an unmanaged collection without numbers it is an integer.
    var anySum: AnyRealmValue {
        if case .added(let totals, isManaged: false) = source, totals.isEmpty { return .int(0) }
        return .decimal128(sum())
    }

    /// - Parameter type: the type in which the program asks for a property; nil if it can represent every value.
    private func engine(_ aggregate: EngineAggregate, as type: PropertyType?) -> _StoredValue {
        switch source {
        case .objects(let query, let property): query.measure(aggregate, property, as: type)
        case .values(let query): query.total(aggregate)
        case .added: .null
        }
    }
}

/// Linking objects, which are empty while their object is unmanaged.
protocol EmptyWhenUnmanaged {
    var isUnmanaged: Bool { get }
}

extension LinkingObjects: EmptyWhenUnmanaged {
    var isUnmanaged: Bool { session == nil }
}

extension PersistedCollection {
    /// The elements, or the values of a map, in their general form.
    fileprivate var storedValues: [_StoredValue] {
        switch contents {
        case .elements(let values): values
        case .entries(let entries): entries.map(\.value)
        default: []
        }
    }
}

extension QueryConstant {
    /// The value; nil for a list of values and for a shape.
    fileprivate var single: _StoredValue? { if case .value(let value) = self { value } else { nil } }
}
