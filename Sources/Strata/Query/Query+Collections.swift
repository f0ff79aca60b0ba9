// SPDX-License-Identifier: MIT
// Query+Collections.swift -- conditions on collections, maps and values of any type.

/// Collections that are the values of properties.
public protocol _QueryCollection: _Persistable {
    /// The type of the elements; for a map, of the values.
    associatedtype _QueryElement: _Persistable
}

extension List: _QueryCollection { public typealias _QueryElement = Element }
extension MutableSet: _QueryCollection { public typealias _QueryElement = Element }
extension Map: _QueryCollection { public typealias _QueryElement = Value }
extension LinkingObjects: _QueryCollection { public typealias _QueryElement = Element }

extension Query where T: _QueryCollection {
    /// The collection holds the element; a map holds it as a value.
    public func contains(_ element: T._QueryElement) -> Query<Bool> {
        Query<Bool>(.comparison(.in, .constant(.value(T._QueryElement._stored(element))), node))
    }

    /// The collection holds one of the elements; a map holds it as a value.
    public func containsAny<S: Sequence>(in elements: S) -> Query<Bool> where S.Element == T._QueryElement {
        let constants = QueryConstant.list(elements.map(T._QueryElement._stored))
        return Query<Bool>(.comparison(.in, .path(path.elements), .constant(constants)))
    }

    /// How many elements there are, nils included.
    public var count: Query<Int> { special("@count") }
}

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
public protocol _QueryMap: _QueryCollection {}
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
