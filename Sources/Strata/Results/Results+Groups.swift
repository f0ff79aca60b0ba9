// SPDX-License-Identifier: MIT
// Results+Groups.swift -- objects grouped by properties, with counts and totals of each group.

/// An aggregate of each group of objects.
///
/// ```swift
/// let groups = people.grouped(by: \.city, .average(\.age), .max(\.score))
/// for group in groups { print(group.key, group.count, group.values.0 ?? 0, group.values.1 ?? 0) }
/// ```
public struct GroupMeasure<Root: ObjectBase, Value> {
    fileprivate let aggregate: EngineAggregate
    fileprivate let keyPath: String
    fileprivate let make: (_StoredValue) -> Value

    private init(_ aggregate: EngineAggregate, _ keyPath: AnyKeyPath, _ make: @escaping (_StoredValue) -> Value) {
        self.aggregate = aggregate
        self.keyPath = KeyPathNames.joined(keyPath)
        self.make = make
    }

    /// How many objects have a value that is not nil.
    public static func count<Property: _Persistable>(_ keyPath: KeyPath<Root, Property>) -> GroupMeasure
    where Value == Int {
        GroupMeasure(.count, keyPath) { Int($0.real ?? 0) }
    }

    /// The sum of a property. Nulls are ignored; integers wrap around.
    public static func sum(_ keyPath: KeyPath<Root, Value>) -> GroupMeasure
    where Value: _Persistable, Value.PersistedType: AddableType {
        GroupMeasure(.sum, keyPath) { Value._sum($0) }
    }

    /// The average of a property; nil if there is no value. Nulls are ignored.
    public static func average<Property: _Persistable>(_ keyPath: KeyPath<Root, Property>) -> GroupMeasure
    where Value == Double?, Property.PersistedType: AddableType {
        GroupMeasure(.average, keyPath) { $0.fitting(.double).real }
    }

    /// The least value of a property; nil if there is none. Nulls are ignored.
    public static func min<Property: _Persistable>(_ keyPath: KeyPath<Root, Property>) -> GroupMeasure
    where Value == Property?, Property.PersistedType: MinMaxType {
        GroupMeasure(.min, keyPath) { Property._valueOrNil($0) }
    }

    /// The greatest value of a property; nil if there is none. Nulls are ignored.
    public static func max<Property: _Persistable>(_ keyPath: KeyPath<Root, Property>) -> GroupMeasure
    where Value == Property?, Property.PersistedType: MinMaxType {
        GroupMeasure(.max, keyPath) { Property._valueOrNil($0) }
    }

    /// The sum of a property. Nulls are ignored; integers wrap around.
    public static func sum(_ keyPath: KeyPath<Root, Value?>) -> GroupMeasure
    where Value: _OptionalPersistable, Value.PersistedType: AddableType {
        GroupMeasure(.sum, keyPath) { Value._sum($0) }
    }

    /// The least value of a property; nil if there is none. Nulls are ignored.
    public static func min<Property: _OptionalPersistable>(_ keyPath: KeyPath<Root, Property?>) -> GroupMeasure
    where Value == Property?, Property.PersistedType: MinMaxType {
        GroupMeasure(.min, keyPath) { Property._valueOrNil($0) }
    }

    /// The greatest value of a property; nil if there is none. Nulls are ignored.
    public static func max<Property: _OptionalPersistable>(_ keyPath: KeyPath<Root, Property?>) -> GroupMeasure
    where Value == Property?, Property.PersistedType: MinMaxType {
        GroupMeasure(.max, keyPath) { Property._valueOrNil($0) }
    }
}

/// A group of objects that agree in a property, or in several.
public struct ResultsGroup<Key, each Value> {
    /// What the objects agree in: a value, or a tuple of values.
    public let key: Key
    /// How many objects there are.
    public let count: Int
    /// The measures, in the order in which they were asked for.
    public let values: (repeat each Value)
}

extension RealmCollectionBase where Element: _ObjectElement {
    /// Groups the objects that agree in a property, in the ascending order of its values, with measures of each group.
    ///
    /// The engine does all of it; no object is made. An object whose path meets a nil link is in the group of nil.
    public func grouped<Key: _Persistable, each Value>(
        by keyPath: KeyPath<Element, Key>, _ measures: repeat GroupMeasure<Element, each Value>
    ) -> [ResultsGroup<Key, repeat each Value>] {
        groups([KeyPathNames.joined(keyPath)], repeat each measures, key: { keys in Key._keyValue(keys[0]) })
    }

    /// Groups the objects that agree in two properties, in the ascending order of the first and then of the second.
    public func grouped<First: _Persistable, Second: _Persistable, each Value>(
        by first: KeyPath<Element, First>, _ second: KeyPath<Element, Second>,
        _ measures: repeat GroupMeasure<Element, each Value>
    ) -> [ResultsGroup<(First, Second), repeat each Value>] {
        groups([KeyPathNames.joined(first), KeyPathNames.joined(second)], repeat each measures, key: { keys in
            (First._keyValue(keys[0]), Second._keyValue(keys[1]))
        })
    }

    private func groups<Key, each Value>(
        _ keyPaths: [String], _ measures: repeat GroupMeasure<Element, each Value>, key: (QueryGroup) -> Key
    ) -> [ResultsGroup<Key, repeat each Value>] {
        let query = results.objects(toBe: "grouped")
        let keys = keyPaths.map { ColumnPath($0, query.managed, for: "grouped") }
        var wanted = [QueryMeasure(aggregate: .count, path: nil)]
        for measure in repeat each measures {
            let path = ColumnPath(measure.keyPath, query.managed, for: "added up")
            wanted.append(QueryMeasure(aggregate: measure.aggregate, path: path))
        }
        return query.groups(keys, wanted).0.map { group in
            var position = keys.count
            func next() -> _StoredValue {
                position += 1
                return group[position]
            }
            return ResultsGroup(
                key: key(group), count: Int(group[keys.count].real ?? 0),
                values: (repeat (each measures).make(next())))
        }
    }
}

extension _Persistable {
    /// A key of a group; a null of a property that cannot be nil, from behind a null link, stops the program.
    fileprivate static func _keyValue(_ stored: _StoredValue) -> Self {
        if let value = _value(stored) { return value }
        misuse("a group has the key \(stored.text), which is no \(Self.self); group by a key path that is Optional")
    }
}
