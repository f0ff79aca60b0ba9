// SPDX-License-Identifier: MIT
// ValueQuery.swift -- the values of a collection that meet a condition, in order, or each once, as a result.

public import Foundation

/// The values of a collection, filtered, sorted or made distinct. They are cached until anything changes.
final class ValueQuery {
    let collection: ManagedCollection
    /// What the values have to meet; nil if every value does.
    let condition: EngineCondition?
    let isDistinct: Bool
    /// Nil for the order of the collection.
    let ascending: Bool?
    private var cachedValues = Cached<[_StoredValue]>()
    private var cachedPositions = Cached<[Int]>()
    private let frozenValues = SharedCache<[_StoredValue]>()
    private let frozenPositions = SharedCache<[Int]>()

    convenience init(_ collection: ManagedCollection) {
        self.init(collection, nil, isDistinct: false, ascending: nil)
    }

    init(_ collection: ManagedCollection, _ condition: EngineCondition?, isDistinct: Bool, ascending: Bool?) {
        self.collection = collection
        self.condition = condition
        self.isDistinct = isDistinct
        self.ascending = ascending
    }

    private var session: Session { collection.session }

    // Sorting is stable, distinct leaves the first of equal values, and equal values meet the same conditions. So it
    // does not matter in which order a program asks for the three.

    func sorted(ascending: Bool) -> ValueQuery {
        ValueQuery(collection, condition, isDistinct: isDistinct, ascending: ascending)
    }

    func distinct() -> ValueQuery { ValueQuery(collection, condition, isDistinct: true, ascending: ascending) }

    /// Stops the program if the condition does not fit the values.
    func filtered(_ source: any ConditionSource) -> ValueQuery {
        ParsedPredicate.valid { () throws(StrataError) in try joined(source) }
    }

    /// The same with a condition that may be wrong: fails where the other one stops the program, at once or when the
    /// result is needed.
    func filtered(checking source: any ConditionSource) throws(StrataError) -> ValueQuery {
        let result = try joined(source)
        if let condition = result.condition, !collection.isInvalidated {
            do throws(StrataError) {
                _ = try collection.select(condition)
            } catch {
                throw session.wrongOrStopped(error, "the query on \(collection.name)")
            }
        }
        return result
    }

    private func joined(_ source: any ConditionSource) throws(StrataError) -> ValueQuery {
        session.checkThread { collection.name }
        let added = try source.condition(onValuesOf: collection)
        return ValueQuery(
            collection, condition?.and(added) ?? added, isDistinct: isDistinct, ascending: ascending)
    }

    /// Whether the values are all those of the collection, in its order.
    var isWhole: Bool { condition == nil && !isDistinct && ascending == nil }

    /// Found with the values where queries may be stopped, so that a loop finds as many.
    var count: Int {
        isWhole || condition == nil && !isDistinct && !session.isLimited ? collection.count : positions.count
    }

    /// The value at a position; nil if there is none because a query was stopped. Otherwise the program stops then.
    func value(at position: Int) -> _StoredValue? {
        if isWhole { return collection.value(at: position) }
        let values = values
        if position < 0 || position >= values.count {
            if session.isStopped { return nil }
            misuse("index \(position) is outside of the \(values.count) results of \(collection.name)")
        }
        return values[position]
    }

    /// The present values.
    var values: [_StoredValue] {
        session.checkThread { collection.name }
        if let values = session.isFrozen ? frozenValues.value : cachedValues.current(session) { return values }
        let all = collection.values(0..<collection.count)
        let values = isWhole ? all : positions.map { all[$0] }
        if session.isFrozen { return session.isStopped ? values : frozenValues.set(values) }
        cachedValues = Cached(values, session)
        return values
    }

    /// The position among the values of the first one that meets a condition, or nil.
    func first(meeting source: any ConditionSource) -> Int? {
        guard let first = filtered(source).positions.first else { return nil }
        return isWhole ? first : positions.firstIndex(of: first)
    }

    // MARK: Running

    /// The positions of the values in the collection.
    var positions: [Int] {
        session.checkThread { collection.name }
        if let found = session.isFrozen ? frozenPositions.value : cachedPositions.current(session) { return found }
        let positions = collection.count == 0 ? [] : run()
        if session.isFrozen { return session.isStopped ? positions : frozenPositions.set(positions) }
        cachedPositions = Cached(positions, session)
        return positions
    }

    private func run() -> [Int] {
        session.search("the query on \(collection.name)", orElse: []) { () throws(StrataError) in
            var chosen: [Int]?
            if let condition { chosen = try collection.select(condition) }
            if let chosen, !isDistinct && ascending == nil { return chosen }
            let order = try collection.order(ascending: ascending, isDistinct: isDistinct)
            guard let chosen else { return order }
            let set = Set(chosen)
            return order.filter(set.contains)
        }
    }

    // MARK: Aggregates

    /// One aggregate of the values.
    func total(_ aggregate: EngineAggregate) -> _StoredValue {
        let name = "the \(aggregate.name) of \(collection.name)"
        return session.search(name, orElse: aggregate.ofNothing) { () throws(StrataError) in
            try session.storedValue(try session.view.total(&collection.row, collection.column, aggregate), nil)
        }
    }

    /// Whether the engine can compute aggregates of the values.
    var isTotalled: Bool { condition == nil && !isDistinct && collection.nested == nil }
}

/// Types of values that can be sorted, and their Optionals. Enums and custom types can be if the type that they are
/// stored as can.
public protocol SortableType {}

extension RealmCollectionBase where Element.PersistedType: SortableType {
    /// The values in order, nulls first; enums and custom types are in the order of what they are stored as. Stops the
    /// program if the collection is unmanaged.
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

extension Map where Value.PersistedType: SortableType {
    /// The values in order, nulls first; enums and custom types are in the order of what they are stored as. Stops the
    /// program if the map is unmanaged.
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
extension Optional: SortableType where Wrapped: SortableType {}
