// SPDX-License-Identifier: MIT
// ValueTotals.swift -- least, greatest, sum and average of the values of a collection.

import Foundation

/// The least, the greatest, the sum and the average of values. Nulls, and what is no number or date, are ignored.
struct ValueTotals {
    private(set) var least: _StoredValue?
    private(set) var greatest: _StoredValue?
    private var count = 0
    private var integers: Int64 = 0
    private var reals = 0.0
    private var decimals: Decimal128 = 0
    private var hasReals = false
    private var hasDecimals: Bool

    /// - Parameter exact: whether to add up decimal numbers, to which all others are then converted.
    init(exact: Bool) { hasDecimals = exact }

    init(_ values: [_StoredValue]) {
        hasDecimals = values.contains { if case .decimal = $0 { true } else { false } }
        for value in values { add(value) }
    }

    mutating func add(_ value: _StoredValue) {
        switch value {
        case .int(let integer):
            integers &+= integer
            reals += Double(integer)
            if hasDecimals { decimals = decimals + Decimal128(integer) }
        case .float, .double:
            guard let real = value.real else { return }
            hasReals = true
            reals += real
            if hasDecimals { decimals = decimals + Decimal128(real) }
        case .decimal(let decimal): decimals = decimals + decimal
        case .date: break
        default: return
        }
        if case .date = value {} else { count += 1 }
        if least.map({ _StoredValue.order(value, $0) < 0 }) ?? true { least = value }
        if greatest.map({ _StoredValue.order(value, $0) > 0 }) ?? true { greatest = value }
    }

    /// Whether there was no number.
    var isEmpty: Bool { count == 0 }

    /// The sum. It is a decimal number if decimal numbers are added up, a double if there is a `Float` or `Double`, and
    /// otherwise an integer that wraps around.
    var sum: _StoredValue { hasDecimals ? .decimal(decimals) : hasReals ? .double(reals) : .int(integers) }

    /// The average; nil if there is no number.
    var average: Double? { count == 0 ? nil : reals / Double(count) }

    /// The average of decimal numbers; nil if there is no number.
    var exactAverage: Decimal128? { count == 0 ? nil : decimals / Decimal128(Int64(count)) }
}

/// The aggregates of the values of a collection. The engine computes them if the collection is managed.
private struct CollectionTotal {
    private enum Source {
        case engine(ValueQuery)
        case values(ValueTotals)
    }
    private let source: Source
    private let isManaged: Bool

    init<C: RealmCollectionBase>(_ collection: C) {
        isManaged = (collection as? any PersistedCollection).map { $0.live != nil } ?? true
        if let persisted = collection as? any PersistedCollection {
            source = Self.source(persisted, C.Element._shape) { collection.map(C.Element._stored) }
        } else {
            let values = collection.results.values
            source = values.isTotalled ? .engine(values) : Self.added(values.values, C.Element._shape)
        }
    }

    init<Key, Value>(_ map: Map<Key, Value>) {
        isManaged = map.live != nil
        source = Self.source(map, Value._shape) { map.values.map(Value._stored) }
    }

    private static func source(
        _ collection: any PersistedCollection, _ shape: _PropertyShape, _ values: () -> [_StoredValue]
    ) -> Source {
        guard let live = collection.live, live.nested == nil else { return added(values(), shape) }
        return .engine(ValueQuery(live))
    }

    private static func added(_ values: [_StoredValue], _ shape: _PropertyShape) -> Source {
        var totals = ValueTotals(exact: shape.type == .decimal128 || shape.type == .any)
        for value in values { totals.add(value) }
        return .values(totals)
    }

    func least<Value: _Persistable>(_: Value.Type = Value.self) -> Value? {
        switch source {
        case .engine(let query): Value._valueOrNil(query.total(.min))
        case .values(let totals): totals.least.flatMap(Value._value)
        }
    }

    func greatest<Value: _Persistable>(_: Value.Type = Value.self) -> Value? {
        switch source {
        case .engine(let query): Value._valueOrNil(query.total(.max))
        case .values(let totals): totals.greatest.flatMap(Value._value)
        }
    }

    func sum<Value: _Persistable>() -> Value {
        switch source {
        case .engine(let query): Value._sum(query.total(.sum))
        case .values(let totals): Value._sum(totals.sum)
        }
    }

    var average: Double? {
        switch source {
        case .engine(let query): query.total(.average).fitting(.double).real
        case .values(let totals): totals.average
        }
    }

    var exactAverage: Decimal128? {
        switch source {
        case .engine(let query): Decimal128._valueOrNil(query.total(.average).fitting(.decimal128))
        case .values(let totals): totals.exactAverage
        }
    }

    /// The sum of values of any type. For an unmanaged collection without numbers it is an integer.
    var anySum: AnyRealmValue {
        if !isManaged, case .values(let totals) = source, totals.isEmpty { return .int(0) }
        return .decimal128(sum())
    }
}

extension RealmCollectionBase where Element: MinMaxType {
    /// The least value; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func min() -> Element? { CollectionTotal(self).least() }

    /// The greatest value; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func max() -> Element? { CollectionTotal(self).greatest() }
}

extension RealmCollectionBase where Element: MinMaxType & Comparable {
    /// The least value; nil if there is none.
    public func min() -> Element? { CollectionTotal(self).least() }

    /// The greatest value; nil if there is none.
    public func max() -> Element? { CollectionTotal(self).greatest() }
}

extension RealmCollectionBase where Element: AddableType {
    /// The sum. Nulls are ignored; integers wrap around.
    @_disfavoredOverload
    public func sum() -> Element { CollectionTotal(self).sum() }

    /// The average; nil if there is no value. Nulls are ignored.
    public func average() -> Double? { CollectionTotal(self).average }
}

extension RealmCollectionBase {
    /// The least value; nil if there is none. Nulls are ignored.
    public func min<Wrapped: MinMaxType & RealmCollectionValue>() -> Wrapped? where Element == Wrapped? {
        CollectionTotal(self).least()
    }

    /// The greatest value; nil if there is none. Nulls are ignored.
    public func max<Wrapped: MinMaxType & RealmCollectionValue>() -> Wrapped? where Element == Wrapped? {
        CollectionTotal(self).greatest()
    }

    /// The sum. Nulls are ignored; integers wrap around.
    public func sum<Wrapped: AddableType & RealmCollectionValue>() -> Wrapped where Element == Wrapped? {
        CollectionTotal(self).sum()
    }
}

extension Map where Value: MinMaxType {
    /// The least value; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func min() -> Value? { CollectionTotal(self).least() }

    /// The greatest value; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func max() -> Value? { CollectionTotal(self).greatest() }
}

extension Map where Value: AddableType {
    /// The sum. Nulls are ignored; integers wrap around.
    @_disfavoredOverload
    public func sum() -> Value { CollectionTotal(self).sum() }

    /// The average; nil if there is no value. Nulls are ignored.
    public func average() -> Double? { CollectionTotal(self).average }
}

extension Map {
    /// The least value; nil if there is none. Nulls are ignored.
    public func min<Wrapped: MinMaxType & RealmCollectionValue>() -> Wrapped? where Value == Wrapped? {
        CollectionTotal(self).least()
    }

    /// The greatest value; nil if there is none. Nulls are ignored.
    public func max<Wrapped: MinMaxType & RealmCollectionValue>() -> Wrapped? where Value == Wrapped? {
        CollectionTotal(self).greatest()
    }

    /// The sum. Nulls are ignored; integers wrap around.
    public func sum<Wrapped: AddableType & RealmCollectionValue>() -> Wrapped where Value == Wrapped? {
        CollectionTotal(self).sum()
    }
}

extension RealmCollectionBase where Element == Decimal128 {
    /// The average; nil if there is no value.
    public func average() -> Decimal128? { CollectionTotal(self).exactAverage }
}

extension RealmCollectionBase where Element == Decimal128? {
    /// The average; nil if there is no value. Nulls are ignored.
    public func average() -> Decimal128? { CollectionTotal(self).exactAverage }
}

extension RealmCollectionBase where Element == AnyRealmValue {
    /// The average of the numbers; nil if there is none.
    public func average() -> AnyRealmValue? { CollectionTotal(self).exactAverage.map { .decimal128($0) } }
    /// The sum of the numbers, a decimal number; 0 as an integer of an empty collection that is unmanaged.
    public func sum() -> AnyRealmValue { CollectionTotal(self).anySum }
}

extension Map where Value == Decimal128 {
    /// The average; nil if there is no value.
    public func average() -> Decimal128? { CollectionTotal(self).exactAverage }
}

extension Map where Value == AnyRealmValue {
    /// The average of the numbers; nil if there is none.
    public func average() -> AnyRealmValue? { CollectionTotal(self).exactAverage.map { .decimal128($0) } }
    /// The sum of the numbers, a decimal number; 0 as an integer of an empty map that is unmanaged.
    public func sum() -> AnyRealmValue { CollectionTotal(self).anySum }
}
