// SPDX-License-Identifier: MIT
// PropertyTotal.swift -- least, greatest, sum and average of a property of the elements of a collection.

import Foundation

/// The aggregates of one property of the elements of a collection. The engine computes them if the collection is
/// managed.
struct PropertyTotal {
    private enum Source {
        case query(LiveQuery)
        case values([_StoredValue], PropertyType)
    }
    private let source: Source
    private let property: String

    init<C: RealmCollectionBase>(_ collection: C, _ property: String) {
        self.property = property
        if let unmanaged = collection as? any PersistedCollection, unmanaged.live == nil {
            source = Self.unmanaged(collection, property)
        } else if let links = collection as? any EmptyWhenUnmanaged, links.isUnmanaged {
            source = .values([], .int)
        } else {
            source = .query(collection.results.objects(toBe: "added up"))
        }
    }

    /// The values of the objects of an unmanaged collection.
    private static func unmanaged<C: RealmCollectionBase>(_ collection: C, _ property: String) -> Source {
        let values = collection.map { element -> _StoredValue in
            guard let object = UntypedValue.unwrap(element) as? ObjectBase else {
                misuse("\(C.Element.self) values have no property \"\(property)\" to be added up")
            }
            return QueryConstant(object.value(forKeyPath: property) ?? NSNull()).flatMap(\.single) ?? .null
        }
        let isExact = values.contains { if case .decimal = $0 { true } else { false } }
        return .values(values, isExact ? .decimal128 : .any)
    }

    /// The least or the greatest value.
    func value<Value: _Persistable>(_ aggregate: EngineAggregate) -> Value? {
        switch source {
        case .query(let query): return Value._valueOrNil(query.measure(aggregate, property, as: Value._shape.type))
        case .values(let values, _):
            let totals = ValueTotals(values)
            return (aggregate == .min ? totals.least : totals.greatest).flatMap(Value._value)
        }
    }

    func sum<Value: _Persistable>() -> Value {
        switch source {
        case .query(let query): return Value._sum(query.measure(.sum, property, as: Value._shape.type))
        case .values(let values, _): return Value._sum(ValueTotals(values).sum)
        }
    }

    var average: Double? {
        switch source {
        case .query(let query): return query.measure(.average, property, as: nil).fitting(.double).real
        case .values(let values, _): return ValueTotals(values).average
        }
    }

    /// The average in the type that the caller asks for, which is that of the property.
    func exactAverage<Value: _Persistable>() -> Value? {
        let type = Value._shape.type
        switch source {
        case .query(let query):
            return Value._valueOrNil(query.measure(.average, property, as: nil).fitting(type))
        case .values(let values, .decimal128):
            return ValueTotals(values).exactAverage.flatMap { Value._value(.decimal($0)) }
        case .values(let values, _):
            return ValueTotals(values).average.flatMap { Value._value(_StoredValue.double($0).fitting(type)) }
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

extension QueryConstant {
    /// The value; nil for a list of values and for a shape.
    fileprivate var single: _StoredValue? { if case .value(let value) = self { value } else { nil } }
}
