// SPDX-License-Identifier: MIT
// Map+Aggregates.swift -- least, greatest, sum and average of a property of the objects of a map.

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
