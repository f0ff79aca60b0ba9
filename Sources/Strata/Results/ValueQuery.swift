// SPDX-License-Identifier: MIT
// ValueQuery.swift -- the values of a collection in order, or each once, as a result.

public import Foundation

import CStrata

/// The values of a collection, sorted or made distinct. What it found is kept until anything changes.
final class ValueQuery {
    let place: CollectionPlace
    private let isDistinct: Bool
    /// Nil for the order of the collection.
    private let ascending: Bool?
    private var known: ([_StoredValue], UInt64)?

    init(_ place: CollectionPlace, isDistinct: Bool = false, ascending: Bool? = nil) {
        self.place = place
        self.isDistinct = isDistinct
        self.ascending = ascending
    }

    // Sorting is stable and distinct keeps the first of equal values, so that it does not matter which comes first.
    func sorted(ascending: Bool) -> ValueQuery { ValueQuery(place, isDistinct: isDistinct, ascending: ascending) }

    func distinct() -> ValueQuery { ValueQuery(place, isDistinct: true, ascending: ascending) }

    /// Whether the values are those of the collection in its order.
    private var isPlain: Bool { !isDistinct && ascending == nil }

    var count: Int { isDistinct ? values.count : place.count }

    /// The value at a position; stops the program if there is none.
    func value(at position: Int) -> _StoredValue {
        if isPlain { return place.value(at: position) }
        let values = values
        if position < 0 || position >= values.count {
            misuse("index \(position) is outside of the \(values.count) results of \(place.name)")
        }
        return values[position]
    }

    /// The values as they are now.
    var values: [_StoredValue] {
        let session = place.session
        session.checkThread { place.name }
        if let (values, changes) = known, changes == session.changes { return values }
        let all = place.values(0..<place.count)
        let values = isPlain || all.isEmpty ? all : order(all).map { all[$0] }
        known = (values, session.changes)
        return values
    }

    /// The positions of the values in the collection. The engine finds them, except in parts of values of any type.
    private func order(_ values: [_StoredValue]) -> [Int] {
        if place.nested != nil { return orderOfParts(values) }
        var options: UInt32 = ascending == nil ? UInt32(STRATA_UNSORTED) : 0
        if ascending == false { options |= UInt32(STRATA_DESCENDING) }
        if isDistinct { options |= UInt32(STRATA_DISTINCT) }
        return place.session.read(place.name) { () throws(StrataError) in
            let keys = try place.session.view.order(&place.row, place.column, options)
            return (0..<keys.count).map { Int(keys[$0]) }
        }
    }

    private func orderOfParts(_ values: [_StoredValue]) -> [Int] {
        let sorted = values.indices.sorted {
            let order = _StoredValue.order(values[$0], values[$1])
            return order == 0 ? $0 < $1 : (ascending ?? true) ? order < 0 : order > 0
        }
        var kept: [Int] = []
        for index in sorted {
            if isDistinct, let last = kept.last, _StoredValue.order(values[last], values[index]) == 0 { continue }
            kept.append(index)
        }
        return ascending == nil ? kept.sorted() : kept
    }

    /// One aggregate of the values.
    func total(_ aggregate: strata_aggregate) -> _StoredValue {
        let session = place.session
        return session.read(place.name) { () throws(StrataError) in
            try session.decoded(try session.view.total(&place.row, place.column, aggregate), nil)
        }
    }

    /// Whether the engine can add the values up as they are.
    var isTotalled: Bool { !isDistinct && place.nested == nil }
}

extension EngineView {
    /// The positions of the values of a collection in order. The corresponding C function is `strata_collection_order`.
    func order(_ row: _RowPointer, _ column: UInt32, _ options: UInt32) throws(StrataError) -> EngineKeys {
        var keys = strata_keys()
        try check(strata_collection_order(row, column, options, &keys, error))
        return EngineKeys(keys)
    }

    /// One aggregate of a collection. The corresponding C function is `strata_collection_total`.
    func total(
        _ row: _RowPointer, _ column: UInt32, _ aggregate: strata_aggregate
    ) throws(StrataError) -> strata_value {
        var value = strata_null()
        try check(strata_collection_total(row, column, aggregate, &value, error))
        return value
    }
}

/// Types of values that can be sorted.
public protocol SortableType: RealmCollectionValue {}

extension RealmCollectionBase where Element: SortableType {
    /// The values in order, nulls first. Stops the program if the collection is unmanaged.
    ///
    /// ```swift
    /// for minutes in walk.minutes.sorted(ascending: false) { ... }
    /// ```
    public func sorted(ascending: Bool = true) -> Results<Element> {
        Results(values(to: "sorted").sorted(ascending: ascending))
    }

    /// The values, each once, in the order in which they come first. Stops the program if the collection is unmanaged.
    public func distinct() -> Results<Element> { Results(values(to: "made distinct").distinct()) }

    private func values(to be: String) -> ValueQuery {
        (self as? any PersistedCollection).map { ValueQuery($0.managedPlace(be)) } ?? results.values
    }
}

extension Map where Value: SortableType {
    /// The values in order, nulls first. Stops the program if the map is unmanaged.
    public func sorted(ascending: Bool = true) -> Results<Value> {
        Results(ValueQuery(managedPlace("sorted")).sorted(ascending: ascending))
    }
}

extension Bool: SortableType {}
extension Int: SortableType {}
extension Int8: SortableType {}
extension Int16: SortableType {}
extension Int32: SortableType {}
extension Int64: SortableType {}
extension Float: SortableType {}
extension Double: SortableType {}
extension String: SortableType {}
extension Data: SortableType {}
extension Date: SortableType {}
extension UUID: SortableType {}
extension ObjectId: SortableType {}
extension Decimal128: SortableType {}
extension AnyRealmValue: SortableType {}
extension Optional: SortableType where Wrapped: SortableType & _OptionalPersistable {}
