// SPDX-License-Identifier: MIT
// RealmCollection+Aggregates.swift -- least, greatest, sum and average of a property.

public import Foundation

import CStrata

/// Types of which there is a least and a greatest value.
public protocol MinMaxType: RealmCollectionValue {}
/// Types that can be added up.
public protocol AddableType: RealmCollectionValue {}

extension Int: MinMaxType, AddableType {}
extension Int8: MinMaxType, AddableType {}
extension Int16: MinMaxType, AddableType {}
extension Int32: MinMaxType, AddableType {}
extension Int64: MinMaxType, AddableType {}
extension Float: MinMaxType, AddableType {}
extension Double: MinMaxType, AddableType {}
extension Date: MinMaxType {}
extension Decimal128: MinMaxType, AddableType {}
extension AnyRealmValue: MinMaxType, AddableType {}
extension Optional: MinMaxType where Wrapped: MinMaxType & _OptionalPersistable {}
extension Optional: AddableType where Wrapped: AddableType & _OptionalPersistable {}

extension RealmCollectionBase {
    /// The least value of a property that is named, a path through to-one links; nil if there is none. Nulls are
    /// ignored.
    public func min<Value: _Persistable>(ofProperty property: String) -> Value? where Value.PersistedType: MinMaxType {
        PropertyTotal(self, property).value(.STRATA_MIN)
    }

    /// The greatest value of a property that is named; nil if there is none. Nulls are ignored.
    public func max<Value: _Persistable>(ofProperty property: String) -> Value? where Value.PersistedType: MinMaxType {
        PropertyTotal(self, property).value(.STRATA_MAX)
    }

    /// The sum of a property that is named. Nulls are ignored; integers wrap around.
    public func sum<Value: _Persistable>(ofProperty property: String) -> Value where Value.PersistedType: AddableType {
        PropertyTotal(self, property).sum()
    }

    /// The average of a property that is named; nil if there is no value. Nulls are ignored.
    public func average(ofProperty property: String) -> Double? { PropertyTotal(self, property).average }

    /// The average of a property that is named; nil if there is no value. Nulls are ignored.
    @_disfavoredOverload
    public func average<Value: _Persistable>(ofProperty property: String) -> Value?
    where Value.PersistedType: AddableType {
        PropertyTotal(self, property).exactAverage()
    }
}

extension RealmCollectionBase where Element: ObjectBase {
    /// The least value of a property; nil if there is none. Nulls are ignored.
    ///
    /// ```swift
    /// let youngest = people.min(of: \.age)
    /// ```
    @_disfavoredOverload
    public func min<Value: _Persistable>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        min(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The greatest value of a property; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func max<Value: _Persistable>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        max(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The sum of a property. Nulls are ignored; integers wrap around.
    @_disfavoredOverload
    public func sum<Value: _Persistable>(of keyPath: KeyPath<Element, Value>) -> Value
    where Value.PersistedType: AddableType {
        sum(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The average of a property; nil if there is no value. Nulls are ignored.
    public func average<Value: _Persistable>(of keyPath: KeyPath<Element, Value>) -> Double?
    where Value.PersistedType: AddableType {
        average(ofProperty: KeyPathNames.joined(keyPath))
    }
}

// MARK: Optional properties

extension RealmCollectionBase where Element: ObjectBase {
    /// The least value of a property; nil if there is none. Nulls are ignored.
    public func min<Value: _OptionalPersistable>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.PersistedType: MinMaxType {
        min(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The greatest value of a property; nil if there is none. Nulls are ignored.
    public func max<Value: _OptionalPersistable>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.PersistedType: MinMaxType {
        max(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The sum of a property. Nulls are ignored; integers wrap around.
    public func sum<Value: _OptionalPersistable>(of keyPath: KeyPath<Element, Value?>) -> Value
    where Value.PersistedType: AddableType {
        sum(ofProperty: KeyPathNames.joined(keyPath))
    }
}

// MARK: Decimal numbers

extension RealmCollectionBase where Element: ObjectBase {
    /// The average of a property of decimal numbers; nil if there is no value.
    public func average(of keyPath: KeyPath<Element, Decimal128>) -> Decimal128? {
        average(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The average of a property of decimal numbers; nil if there is no value. Nulls are ignored.
    public func average(of keyPath: KeyPath<Element, Decimal128?>) -> Decimal128? {
        average(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The average of the numbers that a property of any type holds, a decimal number; nil if there is none.
    public func average(of keyPath: KeyPath<Element, AnyRealmValue>) -> AnyRealmValue? {
        average(ofProperty: KeyPathNames.joined(keyPath))
    }
}

// MARK: How

/// The totals of one property of the elements of a collection: from the engine if the collection is managed.
private struct PropertyTotal {
    private enum Source {
        case query(LiveQuery)
        case values([_StoredValue], PropertyType)
    }
    private let source: Source
    private let property: String

    init<C: RealmCollectionBase>(_ collection: C, _ property: String) {
        self.property = property
        if let unmanaged = collection as? any PersistedCollection, unmanaged.place == nil {
            source = Self.walk(collection, property)
        } else if let links = collection as? any EmptyWhenUnmanaged, links.isUnmanaged {
            source = .values([], .int)
        } else {
            source = .query(collection.results.objects("added up"))
        }
    }

    /// The values of the objects of an unmanaged collection.
    private static func walk<C: RealmCollectionBase>(_ collection: C, _ property: String) -> Source {
        let values = collection.map { element -> _StoredValue in
            guard let object = ClassLayout.Slot.unwrap(element) as? ObjectBase else {
                misuse("\(C.Element.self) values have no property \"\(property)\" to be added up")
            }
            return QueryConstant(object.value(forKeyPath: property) ?? NSNull()).flatMap(\.single) ?? .null
        }
        let isExact = values.contains { if case .decimal = $0 { true } else { false } }
        return .values(values, isExact ? .decimal128 : .any)
    }

    /// The least or the greatest value.
    func value<Value: _Persistable>(_ aggregate: strata_aggregate) -> Value? {
        switch source {
        case .query(let query): return Value._valueOrNil(query.measure(aggregate, property, as: Value._shape.type))
        case .values(let values, _):
            let totals = ValueTotals(values)
            return (aggregate == .STRATA_MIN ? totals.least : totals.greatest).flatMap(Value._value)
        }
    }

    func sum<Value: _Persistable>() -> Value {
        switch source {
        case .query(let query): return Value._sum(query.measure(.STRATA_SUM, property, as: Value._shape.type))
        case .values(let values, _): return Value._sum(ValueTotals(values).sum)
        }
    }

    var average: Double? {
        switch source {
        case .query(let query): return query.measure(.STRATA_AVERAGE, property, as: nil).fitting(.double).real
        case .values(let values, _): return ValueTotals(values).average
        }
    }

    /// The average in the type of the caller, which is that of the property.
    func exactAverage<Value: _Persistable>() -> Value? {
        let type = Value._shape.type
        switch source {
        case .query(let query):
            return Value._valueOrNil(query.measure(.STRATA_AVERAGE, property, as: nil).fitting(type))
        case .values(let values, .decimal128):
            return ValueTotals(values).exactAverage.flatMap { Value._value(.decimal($0)) }
        case .values(let values, _):
            return ValueTotals(values).average.flatMap { Value._value(_StoredValue.double($0).fitting(type)) }
        }
    }
}

/// Linking objects of an unmanaged object, of which there are none.
protocol EmptyWhenUnmanaged {
    var isUnmanaged: Bool { get }
}

extension LinkingObjects: EmptyWhenUnmanaged {
    var isUnmanaged: Bool { session == nil }
}

extension QueryConstant {
    /// One value; nil of a collection or a shape.
    fileprivate var single: _StoredValue? { if case .value(let value) = self { value } else { nil } }
}

extension _Persistable {
    /// A value of the type; nil for null, also if the type is an Optional.
    static func _valueOrNil(_ stored: _StoredValue) -> Self? {
        if case .null = stored { return nil }
        return _value(stored)
    }

    /// A sum as a value of the type. Integers wrap around.
    static func _sum(_ stored: _StoredValue) -> Self {
        var fitting = stored.fitting(_shape.type)
        if case .int(let wide) = fitting, let narrow = Self.self as? any FixedWidthInteger.Type {
            fitting = .int(narrow._wrap(wide))
        }
        return _value(fitting) ?? _default()
    }
}

extension FixedWidthInteger {
    /// An integer after wrapping around to the width of the type.
    static func _wrap(_ value: Int64) -> Int64 { Int64(truncatingIfNeeded: Self(truncatingIfNeeded: value)) }
}

extension _StoredValue {
    /// A number as one of a type of properties; anything else as it is.
    func fitting(_ type: PropertyType) -> _StoredValue {
        switch (self, type) {
        case (.double(let value), .float): .float(Float(value))
        case (.double(let value), .int): Int64(exactly: value.rounded(.towardZero)).map { .int($0) } ?? self
        case (.double(let value), .decimal128), (.double(let value), .any): .decimal(EngineDecimal.make(value))
        case (.int(let value), .decimal128), (.int(let value), .any): .decimal(EngineDecimal.make(value))
        case (.int(let value), .double): .double(Double(value))
        case (.int(let value), .float): .float(Float(value))
        case (.decimal(let value), .double): .double(value.doubleValue)
        default: self
        }
    }
}

// MARK: Maps of objects

extension Map {
    /// The least value of a property of the objects; nil if there is none. Nulls are ignored.
    public func min<Target: ObjectBase, Property: _Persistable>(of keyPath: KeyPath<Target, Property>) -> Property?
    where Value == Target?, Property.PersistedType: MinMaxType {
        results().min(of: keyPath)
    }

    /// The greatest value of a property of the objects; nil if there is none. Nulls are ignored.
    public func max<Target: ObjectBase, Property: _Persistable>(of keyPath: KeyPath<Target, Property>) -> Property?
    where Value == Target?, Property.PersistedType: MinMaxType {
        results().max(of: keyPath)
    }

    /// The sum of a property of the objects. Nulls are ignored; integers wrap around.
    public func sum<Target: ObjectBase, Property: _Persistable>(of keyPath: KeyPath<Target, Property>) -> Property
    where Value == Target?, Property.PersistedType: AddableType {
        results().sum(of: keyPath)
    }

    /// The average of a property of the objects; nil if there is no value. Nulls are ignored.
    public func average<Target: ObjectBase, Property: _Persistable>(of keyPath: KeyPath<Target, Property>) -> Double?
    where Value == Target?, Property.PersistedType: AddableType {
        results().average(of: keyPath)
    }
}
