// SPDX-License-Identifier: MIT
// ValueTotals.swift -- least, greatest, sum and average of the values of a collection.

import Foundation

/// What a walk over values adds up to. Nulls, and what is no number or date, are ignored.
struct ValueTotals {
    private(set) var least: _StoredValue?
    private(set) var greatest: _StoredValue?
    private var count = 0
    private var integers: Int64 = 0
    private var reals = 0.0
    private var decimals: Decimal128 = 0
    private var hasReals = false
    private var hasDecimals: Bool

    /// - Parameter exact: whether to add up decimal numbers, which all others are then converted to.
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
            if hasDecimals { decimals = decimals + EngineDecimal.make(integer) }
        case .float, .double:
            guard let real = value.real else { return }
            hasReals = true
            reals += real
            if hasDecimals { decimals = decimals + EngineDecimal.make(real) }
        case .decimal(let decimal): decimals = decimals + decimal
        case .date: break
        default: return
        }
        if case .date = value {} else { count += 1 }
        if least.map({ _StoredValue.order(value, $0) < 0 }) ?? true { least = value }
        if greatest.map({ _StoredValue.order(value, $0) > 0 }) ?? true { greatest = value }
    }

    /// The sum: of integers it wraps around, of all else it is a double, or a decimal number.
    var sum: _StoredValue { hasDecimals ? .decimal(decimals) : hasReals ? .double(reals) : .int(integers) }

    /// The average; nil if there is no number.
    var average: Double? { count == 0 ? nil : reals / Double(count) }

    /// The average of decimal numbers; nil if there is no number.
    var exactAverage: Decimal128? { count == 0 ? nil : decimals / EngineDecimal.make(Int64(count)) }

    /// The sum as a value of a type.
    func sum<Value: RealmCollectionValue>(as type: Value.Type) -> Value {
        let sum: _StoredValue
        switch Value._shape.type {
        case .int: sum = .int(Value._wrapped(integers))
        case .float: sum = .float(Float(reals))
        case .double: sum = .double(reals)
        default: sum = .decimal(decimals)
        }
        return Value._value(sum) ?? Value._default()
    }
}

extension _PropertyShape {
    /// Whether values of this type are added up as decimal numbers.
    fileprivate var isExact: Bool { type == .decimal128 || type == .any }
}

extension _StoredValue {
    /// The value as one of a type; nil if it is none.
    func value<Value: _Persistable>() -> Value? { Value._value(self) }
}

extension RealmCollectionValue {
    /// An integer after wrapping around to the width of the type.
    static func _wrapped(_ value: Int64) -> Int64 {
        guard let type = Self.self as? any FixedWidthInteger.Type else { return value }
        return type._wrap(value)
    }
}

extension FixedWidthInteger {
    fileprivate static func _wrap(_ value: Int64) -> Int64 {
        Int64(truncatingIfNeeded: Self(truncatingIfNeeded: value))
    }
}

extension RealmCollectionBase {
    fileprivate var totals: ValueTotals {
        var totals = ValueTotals(exact: Element._shape.isExact)
        for element in self { totals.add(Element._stored(element)) }
        return totals
    }
}

extension Map {
    fileprivate var totals: ValueTotals {
        var totals = ValueTotals(exact: Value._shape.isExact)
        for value in values { totals.add(Value._stored(value)) }
        return totals
    }
}

extension RealmCollectionBase where Element: MinMaxType {
    /// The least value; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func min() -> Element? { totals.least?.value() }

    /// The greatest value; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func max() -> Element? { totals.greatest?.value() }
}

extension RealmCollectionBase where Element: MinMaxType & Comparable {
    /// The least value; nil if there is none.
    public func min() -> Element? { totals.least?.value() }

    /// The greatest value; nil if there is none.
    public func max() -> Element? { totals.greatest?.value() }
}

extension RealmCollectionBase where Element: AddableType {
    /// The sum. Nulls are ignored; integers wrap around.
    @_disfavoredOverload
    public func sum() -> Element { totals.sum(as: Element.self) }

    /// The average; nil if there is no value. Nulls are ignored.
    public func average() -> Double? { totals.average }
}

extension RealmCollectionBase {
    /// The least value; nil if there is none. Nulls are ignored.
    public func min<Wrapped: MinMaxType & RealmCollectionValue>() -> Wrapped? where Element == Wrapped? {
        totals.least?.value()
    }

    /// The greatest value; nil if there is none. Nulls are ignored.
    public func max<Wrapped: MinMaxType & RealmCollectionValue>() -> Wrapped? where Element == Wrapped? {
        totals.greatest?.value()
    }

    /// The sum. Nulls are ignored; integers wrap around.
    public func sum<Wrapped: AddableType & RealmCollectionValue>() -> Wrapped where Element == Wrapped? {
        totals.sum(as: Wrapped.self)
    }
}

extension Map where Value: MinMaxType {
    /// The least value; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func min() -> Value? { totals.least?.value() }

    /// The greatest value; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func max() -> Value? { totals.greatest?.value() }
}

extension Map where Value: AddableType {
    /// The sum. Nulls are ignored; integers wrap around.
    @_disfavoredOverload
    public func sum() -> Value { totals.sum(as: Value.self) }

    /// The average; nil if there is no value. Nulls are ignored.
    public func average() -> Double? { totals.average }
}

extension Map {
    /// The least value; nil if there is none. Nulls are ignored.
    public func min<Wrapped: MinMaxType & RealmCollectionValue>() -> Wrapped? where Value == Wrapped? {
        totals.least?.value()
    }

    /// The greatest value; nil if there is none. Nulls are ignored.
    public func max<Wrapped: MinMaxType & RealmCollectionValue>() -> Wrapped? where Value == Wrapped? {
        totals.greatest?.value()
    }

    /// The sum. Nulls are ignored; integers wrap around.
    public func sum<Wrapped: AddableType & RealmCollectionValue>() -> Wrapped where Value == Wrapped? {
        totals.sum(as: Wrapped.self)
    }
}

extension RealmCollectionBase where Element == Decimal128 {
    /// The average; nil if there is no value.
    public func average() -> Decimal128? { totals.exactAverage }
}

extension RealmCollectionBase where Element == Decimal128? {
    /// The average; nil if there is no value. Nulls are ignored.
    public func average() -> Decimal128? { totals.exactAverage }
}

extension RealmCollectionBase where Element == AnyRealmValue {
    /// The average of the numbers; nil if there is none.
    public func average() -> AnyRealmValue? { totals.exactAverage.map { .decimal128($0) } }
    /// The sum of the numbers, a decimal number.
    public func sum() -> AnyRealmValue { .decimal128(totals.sum(as: Decimal128.self)) }
}

extension Map where Value == Decimal128 {
    /// The average; nil if there is no value.
    public func average() -> Decimal128? { totals.exactAverage }
}

extension Map where Value == AnyRealmValue {
    /// The average of the numbers; nil if there is none.
    public func average() -> AnyRealmValue? { totals.exactAverage.map { .decimal128($0) } }
    /// The sum of the numbers, a decimal number.
    public func sum() -> AnyRealmValue { .decimal128(totals.sum(as: Decimal128.self)) }
}

extension Decimal128: MinMaxType, AddableType, SortableType {}
extension AnyRealmValue: MinMaxType, AddableType, SortableType {}
