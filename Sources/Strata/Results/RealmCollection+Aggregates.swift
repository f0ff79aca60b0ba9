// SPDX-License-Identifier: MIT
// RealmCollection+Aggregates.swift -- least, greatest, sum and average of a property.

public import Foundation

/// Types of which there is a least and a greatest value.
public protocol MinMaxType {}
/// Types that can be added up.
public protocol AddableType {}

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
extension NSNumber: MinMaxType, AddableType {}
extension NSDate: MinMaxType {}
extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: AddableType where Wrapped: AddableType {}

extension RealmCollectionBase {
    /// The least value of a property that is named, a path through to-one links, or "self" for values; nil if there is
    /// none. Nulls are ignored.
    ///
    /// ```swift
    /// let youngest: Int? = people.min(ofProperty: "age")
    /// ```
    ///
    /// Stops the program if there is no such property, or if the type that is asked for cannot represent its values.
    public func min<Value: _HasPersistedType>(ofProperty property: String) -> Value?
    where Value.PersistedType: MinMaxType {
        CollectionTotal(self, property).least()
    }

    /// The greatest value of a property that is named; nil if there is none. Nulls are ignored.
    public func max<Value: _HasPersistedType>(ofProperty property: String) -> Value?
    where Value.PersistedType: MinMaxType {
        CollectionTotal(self, property).greatest()
    }

    /// The sum of a property that is named. Nulls are ignored; integers wrap around.
    public func sum<Value: _HasPersistedType>(ofProperty property: String) -> Value
    where Value.PersistedType: AddableType {
        CollectionTotal(self, property).sum()
    }

    /// The average of a property that is named; nil if there is no value. Nulls are ignored.
    public func average(ofProperty property: String) -> Double? { CollectionTotal(self, property).average() }

    /// The average of a property that is named, as a value of the type that the program asks for; nil if there is no
    /// value. Nulls are ignored.
    @_disfavoredOverload
    public func average<Value: _HasPersistedType>(ofProperty property: String) -> Value?
    where Value.PersistedType: AddableType {
        CollectionTotal(self, property).average()
    }
}

extension RealmCollectionBase where Element: _ObjectElement {
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

    /// The average of a property as a value of the type that the program asks for; nil if there is no value. Nulls are
    /// ignored.
    @_disfavoredOverload
    public func average<Value: _Persistable, Result: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Result?
    where Value.PersistedType: AddableType, Result.PersistedType: AddableType {
        average(ofProperty: KeyPathNames.joined(keyPath))
    }
}

// MARK: Optional properties

extension RealmCollectionBase where Element: _ObjectElement {
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

extension RealmCollectionBase where Element: _ObjectElement {
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
