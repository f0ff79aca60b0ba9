// SPDX-License-Identifier: MIT
// Map+Totals.swift -- least, greatest, sum and average of the values of a map.

extension Map where Value.PersistedType: MinMaxType {
    /// The least value; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func min() -> Value? { CollectionTotal(self).least() }

    /// The greatest value; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func max() -> Value? { CollectionTotal(self).greatest() }
}

extension Map where Value.PersistedType: AddableType {
    /// The sum. Nulls are ignored; integers wrap around.
    ///
    /// Stops the program if the type of the values has no such value, as an enum may not.
    @_disfavoredOverload
    public func sum() -> Value { CollectionTotal(self).sum() }

    /// The average; nil if there is no value. Nulls are ignored.
    public func average() -> Double? { CollectionTotal(self).average() }

    /// The average as a value of the type that the program asks for; nil if there is no value. Nulls are ignored.
    ///
    /// An average that is asked for as an integer is rounded towards zero.
    @_disfavoredOverload
    public func average<Result: _HasPersistedType>() -> Result? where Result.PersistedType: AddableType {
        CollectionTotal(self).average()
    }
}

// MARK: Optional values

extension Map {
    /// The least value; nil if there is none. Nulls are ignored.
    public func min<Wrapped: RealmCollectionValue>() -> Wrapped?
    where Value == Wrapped?, Wrapped.PersistedType: MinMaxType {
        CollectionTotal(self).least()
    }

    /// The greatest value; nil if there is none. Nulls are ignored.
    public func max<Wrapped: RealmCollectionValue>() -> Wrapped?
    where Value == Wrapped?, Wrapped.PersistedType: MinMaxType {
        CollectionTotal(self).greatest()
    }

    /// The sum. Nulls are ignored; integers wrap around.
    public func sum<Wrapped: RealmCollectionValue>() -> Wrapped
    where Value == Wrapped?, Wrapped.PersistedType: AddableType {
        CollectionTotal(self).sum()
    }
}

// MARK: Decimal numbers

extension Map where Value == Decimal128 {
    /// The average; nil if there is no value.
    public func average() -> Decimal128? { CollectionTotal(self).average() }
}

extension Map where Value == Decimal128? {
    /// The average; nil if there is no value. Nulls are ignored.
    public func average() -> Decimal128? { CollectionTotal(self).average() }
}

extension Map where Value == AnyRealmValue {
    /// The average of the numbers; nil if there is none.
    public func average() -> AnyRealmValue? { CollectionTotal(self).average() }
    /// The sum of the numbers, a decimal number; 0 as an integer of an empty map that is unmanaged.
    public func sum() -> AnyRealmValue { CollectionTotal(self).anySum }
}
