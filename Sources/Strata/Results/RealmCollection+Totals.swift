// SPDX-License-Identifier: MIT
// RealmCollection+Totals.swift -- least, greatest, sum and average of the values of a collection.
//
// What can be added up and compared is what the values are stored as, so that collections of enums and of custom types
// have aggregates, too. Those stored as embedded objects have none.

extension RealmCollectionBase where Element.PersistedType: MinMaxType {
    /// The least value; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func min() -> Element? { CollectionTotal(self).least() }

    /// The greatest value; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func max() -> Element? { CollectionTotal(self).greatest() }
}

extension RealmCollectionBase where Element: Comparable, Element.PersistedType: MinMaxType {
    /// The least value; nil if there is none. That of enums and custom types is the least as they are stored.
    public func min() -> Element? { CollectionTotal(self).least() }

    /// The greatest value; nil if there is none. That of enums and custom types is the greatest as they are stored.
    public func max() -> Element? { CollectionTotal(self).greatest() }
}

extension RealmCollectionBase where Element.PersistedType: AddableType {
    /// The sum. Nulls are ignored; integers wrap around.
    ///
    /// Stops the program if the type of the elements has no such value, as an enum may not.
    @_disfavoredOverload
    public func sum() -> Element { CollectionTotal(self).sum() }

    /// The average; nil if there is no value. Nulls are ignored.
    public func average() -> Double? { CollectionTotal(self).average() }

    /// The average as a value of the type that the program asks for; nil if there is no value. Nulls are ignored.
    ///
    /// An average that is asked for as an integer is rounded towards zero.
    @_disfavoredOverload
    public func average<Value: _HasPersistedType>() -> Value? where Value.PersistedType: AddableType {
        CollectionTotal(self).average()
    }
}

// MARK: Optional values

extension RealmCollectionBase {
    /// The least value; nil if there is none. Nulls are ignored.
    public func min<Wrapped: RealmCollectionValue>() -> Wrapped?
    where Element == Wrapped?, Wrapped.PersistedType: MinMaxType {
        CollectionTotal(self).least()
    }

    /// The greatest value; nil if there is none. Nulls are ignored.
    public func max<Wrapped: RealmCollectionValue>() -> Wrapped?
    where Element == Wrapped?, Wrapped.PersistedType: MinMaxType {
        CollectionTotal(self).greatest()
    }

    /// The sum. Nulls are ignored; integers wrap around.
    public func sum<Wrapped: RealmCollectionValue>() -> Wrapped
    where Element == Wrapped?, Wrapped.PersistedType: AddableType {
        CollectionTotal(self).sum()
    }
}

// MARK: Decimal numbers

extension RealmCollectionBase where Element == Decimal128 {
    /// The average; nil if there is no value.
    public func average() -> Decimal128? { CollectionTotal(self).average() }
}

extension RealmCollectionBase where Element == Decimal128? {
    /// The average; nil if there is no value. Nulls are ignored.
    public func average() -> Decimal128? { CollectionTotal(self).average() }
}

extension RealmCollectionBase where Element == AnyRealmValue {
    /// The average of the numbers; nil if there is none.
    public func average() -> AnyRealmValue? { CollectionTotal(self).average() }
    /// The sum of the numbers, a decimal number; 0 as an integer of an empty collection that is unmanaged.
    public func sum() -> AnyRealmValue { CollectionTotal(self).anySum }
}
