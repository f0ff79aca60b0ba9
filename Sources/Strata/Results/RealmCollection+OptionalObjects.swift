// SPDX-License-Identifier: MIT
// RealmCollection+OptionalObjects.swift -- results of the objects of a map, which are Optionals as in the map.

extension RealmCollectionBase {
    /// In the order of a property; equal elements keep their order so far. See ``sorted(byKeyPath:ascending:)``.
    public func sorted<Target: ObjectBase, Value: _Persistable>(
        by keyPath: KeyPath<Target, Value>, ascending: Bool = true
    ) -> Results<Element> where Element == Target? {
        sorted(byKeyPath: KeyPathNames.joined(keyPath), ascending: ascending)
    }

    /// Only the first of those objects that agree in some properties, in the order so far. See ``distinct(by:)``.
    public func distinct<Target: ObjectBase, S: Sequence>(by keyPaths: S) -> Results<Element>
    where Element == Target?, S.Element == PartialKeyPath<Target> {
        distinct(by: keyPaths.map { KeyPathNames.joined($0) })
    }

    /// The least value of a property; nil if there is none. Nulls are ignored.
    public func min<Target: ObjectBase, Value: _Persistable>(of keyPath: KeyPath<Target, Value>) -> Value?
    where Element == Target?, Value.PersistedType: MinMaxType {
        min(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The greatest value of a property; nil if there is none. Nulls are ignored.
    public func max<Target: ObjectBase, Value: _Persistable>(of keyPath: KeyPath<Target, Value>) -> Value?
    where Element == Target?, Value.PersistedType: MinMaxType {
        max(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The sum of a property. Nulls are ignored; integers wrap around.
    public func sum<Target: ObjectBase, Value: _Persistable>(of keyPath: KeyPath<Target, Value>) -> Value
    where Element == Target?, Value.PersistedType: AddableType {
        sum(ofProperty: KeyPathNames.joined(keyPath))
    }

    /// The average of a property; nil if there is no value. Nulls are ignored.
    public func average<Target: ObjectBase, Value: _Persistable>(of keyPath: KeyPath<Target, Value>) -> Double?
    where Element == Target?, Value.PersistedType: AddableType {
        average(ofProperty: KeyPathNames.joined(keyPath))
    }
}
