// SPDX-License-Identifier: MIT
// Map+Aggregates.swift -- least, greatest, sum and average of a property of the objects of a map.

extension Map {
    /// The least value of a property of the objects that is named, a path through to-one links, or "self" for values;
    /// nil if there is none. Nulls are ignored.
    ///
    /// Stops the program if there is no such property, or if the type that is asked for cannot represent its values.
    public func min<Property: _HasPersistedType>(ofProperty property: String) -> Property?
    where Property.PersistedType: MinMaxType {
        CollectionTotal(self, property).least()
    }

    /// The greatest value of a property of the objects that is named; nil if there is none. Nulls are ignored.
    public func max<Property: _HasPersistedType>(ofProperty property: String) -> Property?
    where Property.PersistedType: MinMaxType {
        CollectionTotal(self, property).greatest()
    }

    /// The sum of a property of the objects that is named. Nulls are ignored; integers wrap around.
    public func sum<Property: _HasPersistedType>(ofProperty property: String) -> Property
    where Property.PersistedType: AddableType {
        CollectionTotal(self, property).sum()
    }

    /// The average of a property of the objects that is named; nil if there is no value. Nulls are ignored.
    public func average(ofProperty property: String) -> Double? { CollectionTotal(self, property).average() }

    /// The average of a property of the objects that is named, as a value of the type that the program asks for; nil if
    /// there is no value. Nulls are ignored.
    @_disfavoredOverload
    public func average<Result: _HasPersistedType>(ofProperty property: String) -> Result?
    where Result.PersistedType: AddableType {
        CollectionTotal(self, property).average()
    }
}

extension Map {
    /// The least value of a property of the objects; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func min<Target: ObjectBase, Property: _Persistable>(of keyPath: KeyPath<Target, Property>) -> Property?
    where Value == Target?, Property.PersistedType: MinMaxType {
        min(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The greatest value of a property of the objects; nil if there is none. Nulls are ignored.
    @_disfavoredOverload
    public func max<Target: ObjectBase, Property: _Persistable>(of keyPath: KeyPath<Target, Property>) -> Property?
    where Value == Target?, Property.PersistedType: MinMaxType {
        max(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The sum of a property of the objects. Nulls are ignored; integers wrap around.
    @_disfavoredOverload
    public func sum<Target: ObjectBase, Property: _Persistable>(of keyPath: KeyPath<Target, Property>) -> Property
    where Value == Target?, Property.PersistedType: AddableType {
        sum(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The average of a property of the objects; nil if there is no value. Nulls are ignored.
    public func average<Target: ObjectBase, Property: _Persistable>(of keyPath: KeyPath<Target, Property>) -> Double?
    where Value == Target?, Property.PersistedType: AddableType {
        average(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The average of a property of the objects as a value of the type that the program asks for; nil if there is no
    /// value. Nulls are ignored.
    @_disfavoredOverload
    public func average<Target: ObjectBase, Property: _Persistable, Result: _HasPersistedType>(
        of keyPath: KeyPath<Target, Property>
    ) -> Result? where Value == Target?, Property.PersistedType: AddableType, Result.PersistedType: AddableType {
        average(ofProperty: KeyPathNames.joined(keyPath))
    }
}

// MARK: Optional properties

extension Map {
    /// The least value of a property of the objects; nil if there is none. Nulls are ignored.
    public func min<Target: ObjectBase, Property: _OptionalPersistable>(
        of keyPath: KeyPath<Target, Property?>
    ) -> Property? where Value == Target?, Property.PersistedType: MinMaxType {
        min(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The greatest value of a property of the objects; nil if there is none. Nulls are ignored.
    public func max<Target: ObjectBase, Property: _OptionalPersistable>(
        of keyPath: KeyPath<Target, Property?>
    ) -> Property? where Value == Target?, Property.PersistedType: MinMaxType {
        max(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The sum of a property of the objects. Nulls are ignored; integers wrap around.
    public func sum<Target: ObjectBase, Property: _OptionalPersistable>(
        of keyPath: KeyPath<Target, Property?>
    ) -> Property where Value == Target?, Property.PersistedType: AddableType {
        sum(ofProperty: KeyPathNames.joined(keyPath))
    }
}
