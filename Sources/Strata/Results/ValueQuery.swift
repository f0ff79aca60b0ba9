// SPDX-License-Identifier: MIT
// ValueQuery.swift -- the values of a collection in order, or each once, as a result.

public import Foundation

/// The values of a collection, sorted or made distinct. They are cached until anything changes.
final class ValueQuery {
    let collection: ManagedCollection
    private let isDistinct: Bool
    /// Nil for the order of the collection.
    private let ascending: Bool?
    private var cached = Cached<[_StoredValue]>()

    init(_ collection: ManagedCollection, isDistinct: Bool = false, ascending: Bool? = nil) {
        self.collection = collection
        self.isDistinct = isDistinct
        self.ascending = ascending
    }

    private var session: Session { collection.session }

    // Sorting is stable and distinct leaves the first of equal values, so that the order of the two does not matter.
    func sorted(ascending: Bool) -> ValueQuery {
        ValueQuery(collection, isDistinct: isDistinct, ascending: ascending)
    }

    func distinct() -> ValueQuery { ValueQuery(collection, isDistinct: true, ascending: ascending) }

    /// Whether the values are all those of the collection, in its order.
    private var isWhole: Bool { !isDistinct && ascending == nil }

    var count: Int { isDistinct ? values.count : collection.count }

    /// The value at a position; stops the program if there is none.
    func value(at position: Int) -> _StoredValue {
        if isWhole { return collection.value(at: position) }
        let values = values
        if position < 0 || position >= values.count {
            misuse("index \(position) is outside of the \(values.count) results of \(collection.name)")
        }
        return values[position]
    }

    /// The present values.
    var values: [_StoredValue] {
        session.checkThread { collection.name }
        if let values = cached.current(session) { return values }
        let all = collection.values(0..<collection.count)
        let values = isWhole || all.isEmpty ? all : order(all).map { all[$0] }
        cached = Cached(values, session)
        return values
    }

    /// The positions of the values in the collection. The engine finds them, but not in nested lists and maps.
    private func order(_ values: [_StoredValue]) -> [Int] {
        if collection.nested != nil { return orderOfNested(values) }
        return session.read(collection.name) { () throws(StrataError) in
            let keys = try session.view.order(
                &collection.row, collection.column, ascending: ascending, isDistinct: isDistinct)
            return (0..<keys.count).map { Int(keys[$0]) }
        }
    }

    private func orderOfNested(_ values: [_StoredValue]) -> [Int] {
        let sorted = values.indices.sorted {
            let order = _StoredValue.order(values[$0], values[$1])
            return order == 0 ? $0 < $1 : (ascending ?? true) ? order < 0 : order > 0
        }
        var result: [Int] = []
        for index in sorted {
            if isDistinct, let last = result.last, _StoredValue.order(values[last], values[index]) == 0 { continue }
            result.append(index)
        }
        return ascending == nil ? result.sorted() : result
    }

    /// One aggregate of the values.
    func total(_ aggregate: EngineAggregate) -> _StoredValue {
        session.read(collection.name) { () throws(StrataError) in
            try session.storedValue(try session.view.total(&collection.row, collection.column, aggregate), nil)
        }
    }

    /// Whether the engine can compute aggregates of the values.
    var isTotalled: Bool { !isDistinct && collection.nested == nil }
}

/// Types of values that can be sorted.
public protocol SortableType: RealmCollectionValue {}

extension RealmCollectionBase where Element: SortableType {
    /// The values in order, nulls first. Stops the program if the collection is unmanaged.
    ///
    /// ```swift
    /// for minutes in walk.minutes.sorted(ascending: false) { print(minutes) }
    /// ```
    public func sorted(ascending: Bool = true) -> Results<Element> {
        Results(values(toBe: "sorted").sorted(ascending: ascending))
    }

    /// The values, each once, in the order in which they come first. Stops the program if the collection is unmanaged.
    public func distinct() -> Results<Element> { Results(values(toBe: "made distinct").distinct()) }

    private func values(toBe what: String) -> ValueQuery {
        (self as? any PersistedCollection).map { ValueQuery($0.managed(toBe: what)) } ?? results.values
    }
}

extension Map where Value: SortableType {
    /// The values in order, nulls first. Stops the program if the map is unmanaged.
    public func sorted(ascending: Bool = true) -> Results<Value> {
        Results(ValueQuery(managed(toBe: "sorted")).sorted(ascending: ascending))
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
