// SPDX-License-Identifier: MIT
// Query+Collections.swift -- conditions on collections, maps and values of any type.

/// Collections that are the values of properties.
public protocol _QueryCollection {
    /// The type of the elements; for a map, of the values.
    associatedtype _QueryElement: _Persistable
}

extension List: _QueryCollection { public typealias _QueryElement = Element }
extension MutableSet: _QueryCollection { public typealias _QueryElement = Element }
extension Map: _QueryCollection { public typealias _QueryElement = Value }
extension LinkingObjects: _QueryCollection { public typealias _QueryElement = Element }
/// Stands for a collection of what the elements of another one are stored as.
extension AnyRealmCollection: _QueryCollection { public typealias _QueryElement = Element }

extension Query where T: _QueryCollection {
    /// The collection holds the element; a map holds it as a value.
    public func contains(_ element: T._QueryElement) -> Query<Bool> {
        let value = T._QueryElement._stored(element)
        if let members { return Query<Bool>(members.isIn([value])) }
        return Query<Bool>(.comparison(.in, .constant(.value(value)), node))
    }

    /// The collection holds one of the elements; a map holds it as a value.
    public func containsAny<S: Sequence>(in elements: S) -> Query<Bool> where S.Element == T._QueryElement {
        let values = elements.map(T._QueryElement._stored)
        if let members { return Query<Bool>(members.isIn(values)) }
        return Query<Bool>(.comparison(.in, .path(path.elements), .constant(.list(values))))
    }

    private var members: MemberwiseEquality? { MemberwiseEquality(path.elements, of: T._QueryElement.self) }

    /// How many elements there are, nils included.
    public var count: Query<Int> { special("@count") }
}

// MARK: Any of the elements

extension Query where T: _QueryCollection {
    /// Any of the elements.
    private var element: Query<T._QueryElement> { Query<T._QueryElement>(path.elements) }

    /// Any of the elements has the value, as in the next ones; of a map, any of its values.
    ///
    /// ```swift
    /// halls.where { $0.seats > 100 }
    /// ```
    public static func == (left: Query<T>, right: T._QueryElement) -> Query<Bool> { left.element == right }
    /// Any of the elements has another value. That all have is `!(a == b)`.
    public static func != (left: Query<T>, right: T._QueryElement) -> Query<Bool> { left.element != right }
}

extension Query where T: _QueryCollection, T._QueryElement.PersistedType: _QueryOrdered {
    /// Any of the elements is less.
    public static func < (left: Query<T>, right: T._QueryElement) -> Query<Bool> { left.element < right }
    /// Any of the elements is less or equal.
    public static func <= (left: Query<T>, right: T._QueryElement) -> Query<Bool> { left.element <= right }
    /// Any of the elements is greater.
    public static func > (left: Query<T>, right: T._QueryElement) -> Query<Bool> { left.element > right }
    /// Any of the elements is greater or equal.
    public static func >= (left: Query<T>, right: T._QueryElement) -> Query<Bool> { left.element >= right }
}

// MARK: What elements are stored as

extension Query
where
    T: _QueryCollection & RealmCollection, T._QueryElement: PersistableEnum,
    T._QueryElement.RawValue: RealmCollectionValue
{
    /// The raw values of the elements.
    public var rawValue: Query<AnyRealmCollection<T._QueryElement.RawValue>> { Query<_>(node) }
}

extension Query
where
    T: _QueryCollection & RealmCollection, T._QueryElement: _EnumOptional,
    T._QueryElement._Raw: RealmCollectionValue & _OptionalPersistable
{
    /// The raw values of the elements, some of which may be nil.
    public var rawValue: Query<AnyRealmCollection<T._QueryElement._Raw?>> { Query<_>(node) }
}

extension Query where T: _QueryMap, T._QueryElement: PersistableEnum, T._QueryElement.RawValue: RealmCollectionValue {
    /// The raw values under the keys.
    public var rawValue: Query<Map<T.Key, T._QueryElement.RawValue>> { Query<_>(node) }
}

extension Query
where T: _QueryMap, T._QueryElement: _EnumOptional, T._QueryElement._Raw: RealmCollectionValue & _OptionalPersistable {
    /// The raw values under the keys, some of which may be nil.
    public var rawValue: Query<Map<T.Key, T._QueryElement._Raw?>> { Query<_>(node) }
}

extension Query
where
    T: _QueryCollection & RealmCollection, T._QueryElement: _CustomPersistable,
    T._QueryElement.PersistedType: RealmCollectionValue
{
    /// The elements as they are stored.
    public var persistableValue: Query<AnyRealmCollection<T._QueryElement.PersistedType>> { Query<_>(node) }
}

extension Query
where
    T: _QueryCollection & RealmCollection, T._QueryElement: _CustomOptional,
    T._QueryElement._Stored: RealmCollectionValue & _OptionalPersistable
{
    /// The elements as they are stored, some of which may be nil.
    public var persistableValue: Query<AnyRealmCollection<T._QueryElement._Stored?>> { Query<_>(node) }
}

extension Query
where T: _QueryMap, T._QueryElement: _CustomPersistable, T._QueryElement.PersistedType: RealmCollectionValue {
    /// The values under the keys as they are stored.
    public var persistableValue: Query<Map<T.Key, T._QueryElement.PersistedType>> { Query<_>(node) }
}

extension Query
where
    T: _QueryMap, T._QueryElement: _CustomOptional,
    T._QueryElement._Stored: RealmCollectionValue & _OptionalPersistable
{
    /// The values under the keys as they are stored, some of which may be nil.
    public var persistableValue: Query<Map<T.Key, T._QueryElement._Stored?>> { Query<_>(node) }
}

extension Query
where T: _QueryCollection, T._QueryElement: _CustomPersistable, T._QueryElement.PersistedType: ObjectBase {
    /// A property of each of the embedded objects that the elements are stored as.
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T._QueryElement.PersistedType, V>) -> Query<V> {
        elementMember(member)
    }
}

extension Query where T: _QueryCollection, T._QueryElement: _CustomOptional, T._QueryElement._Stored: ObjectBase {
    /// A property of each of the embedded objects that the elements are stored as.
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T._QueryElement._Stored, V>) -> Query<V> {
        elementMember(member)
    }
}

// MARK: Totals

extension Query where T: _QueryCollection, T._QueryElement.PersistedType: _QueryOrdered {
    /// The least value; nil if there is none.
    public var min: Query<T._QueryElement> { special("@min") }
    /// The greatest value; nil if there is none.
    public var max: Query<T._QueryElement> { special("@max") }
    /// The average of the values; nil if there is none.
    public var avg: Query<T._QueryElement> { special("@avg") }
    /// The sum of the values.
    public var sum: Query<T._QueryElement> { special("@sum") }
}

extension Query where T: _QueryCollection, T._QueryElement: Comparable, T._QueryElement.PersistedType: _QueryOrdered {
    /// All values are in the range, both ends included, and there is one.
    public func contains(_ range: ClosedRange<T._QueryElement>) -> Query<Bool> {
        min >= range.lowerBound && max <= range.upperBound
    }

    /// All values are in the range, its upper end excluded, and there is one.
    public func contains(_ range: Range<T._QueryElement>) -> Query<Bool> {
        min >= range.lowerBound && max < range.upperBound
    }
}

extension Query where T: _QueryCollection {
    /// All values are in the range, both ends included, and there is one.
    public func contains<Wrapped: Comparable & _OptionalPersistable>(_ range: ClosedRange<Wrapped>) -> Query<Bool>
    where T._QueryElement == Wrapped?, Wrapped.PersistedType: _QueryOrdered & _OptionalPersistable {
        min >= .some(range.lowerBound) && max <= .some(range.upperBound)
    }

    /// All values are in the range, its upper end excluded, and there is one.
    public func contains<Wrapped: Comparable & _OptionalPersistable>(_ range: Range<Wrapped>) -> Query<Bool>
    where T._QueryElement == Wrapped?, Wrapped.PersistedType: _QueryOrdered & _OptionalPersistable {
        min >= .some(range.lowerBound) && max < .some(range.upperBound)
    }
}

// MARK: Maps

extension Query {
    /// The value of a map under a key; nil if there is none.
    ///
    /// ```swift
    /// halls.where { $0.seats["front"] > 20 }
    /// ```
    public subscript<Key: _MapKey, Value: RealmCollectionValue>(key: Key) -> Query<Value> where T == Map<Key, Value> {
        Query<Value>(path.appending(.element(.value(.string(key._mapKey)))))
    }
}

/// Maps with values of one type.
public protocol _QueryMap: _QueryCollection {
    /// The type of the keys.
    associatedtype Key: _MapKey
}
extension Map: _QueryMap {}

extension Query where T: _QueryMap {
    /// Each of the keys of a map.
    public var keys: Query<String> { Query<String>(path.appending(.special("@allKeys")).elements) }

    /// Each of the values of a map.
    public var values: Query<T._QueryElement> {
        Query<T._QueryElement>(path.appending(.special("@allValues")).elements)
    }
}

// MARK: Values of any type

extension Query where T == AnyRealmValue {
    /// The value under a key, if the value is a dictionary; otherwise nil.
    ///
    /// ```swift
    /// settings.where { $0.value["window"]["width"] > 800 }
    /// ```
    public subscript(key: String) -> Query<AnyRealmValue> {
        Query(path.appending(.element(.value(.string(key)))))
    }

    /// The element at a position, if the value is a list; otherwise nil. Negative positions count from the end.
    public subscript(position: Int) -> Query<AnyRealmValue> {
        Query(path.appending(.element(.value(.int(Int64(position))))))
    }

    /// Each of the elements, if the value is a list or a dictionary.
    public var any: Query<AnyRealmValue> { Query(path.appending(.element(.name("#any")))) }
}
