// SPDX-License-Identifier: MIT
// RealmCollection.swift -- what all collections have in common.

public import Foundation

/// What all collections, and results, have in common.
public protocol RealmCollectionBase<Element>: RandomAccessCollection, CustomStringConvertible, Equatable
where Element: RealmCollectionValue, Index == Int {
    /// The realm that holds the collection; nil if it is unmanaged.
    var realm: Realm? { get }
    /// Whether the object that the collection belongs to is gone.
    var isInvalidated: Bool { get }
    /// Whether the collection is frozen.
    var isFrozen: Bool { get }
    /// How many elements there are.
    var count: Int { get }
    /// The first element.
    var first: Element? { get }
    /// The last element.
    var last: Element? { get }
    /// The first position of an element, or nil.
    func index(of element: Element) -> Int?
}

/// A collection, or a result, of values or objects.
public protocol RealmCollection<Element>: RealmCollectionBase {}

extension List: RealmCollection {}
extension MutableSet: RealmCollection {}
extension Results: RealmCollection {}
extension LinkingObjects: RealmCollection {}
extension AnyRealmCollection: RealmCollection {}

extension RealmCollectionBase {
    /// The elements at some positions; one that does not exist stops the program.
    public func objects(at indexes: IndexSet) -> [Element] {
        let count = count
        return indexes.map { index in
            if index >= count { misuse("index \(index) is outside of a collection of \(count) elements") }
            return self[index]
        }
    }

    /// The value of a property of each element; "self" for the elements. NSNull stands for nil.
    ///
    /// Stops the program if there is no such property.
    public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

    /// The values behind a path of properties, or what an operator makes of them: `@count`, `@min.x`, `@max.x`,
    /// `@sum.x`, `@avg.x`, `@unionOfObjects.x` and `@distinctUnionOfObjects.x`, where x is a path, or `self`.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyedValues(map { $0 }).value(keyPath.split(separator: ".").map(String.init))
    }

    /// Sets a property of each element, which must be objects. Stops the program if there is no such property.
    public func setValue(_ value: Any?, forKey key: String) {
        for element in Array(self) {
            guard let object = ClassLayout.Slot.unwrap(element) as? ObjectBase else {
                misuse("setValue(_:forKey: \"\(key)\") of \(Element.self) elements, which have no properties")
            }
            object[key] = value
        }
    }
}

/// A collection of values under keys.
public protocol RealmKeyedCollection<Key, Value>: Sequence, CustomStringConvertible, Equatable {
    /// The type of the keys.
    associatedtype Key: _MapKey
    /// The type of the values.
    associatedtype Value: RealmCollectionValue
    /// The realm that holds the collection; nil if it is unmanaged.
    var realm: Realm? { get }
    /// Whether the object that the collection belongs to is gone.
    var isInvalidated: Bool { get }
    /// Whether the collection is frozen.
    var isFrozen: Bool { get }
    /// How many entries there are.
    var count: Int { get }
    /// The keys.
    var keys: [Key] { get }
    /// The values, in the order of the keys.
    var values: [Value] { get }
    /// The value under a key, nil if there is none; setting nil removes the key.
    subscript(key: Key) -> Value? { get set }
    /// Puts a value under a key.
    func updateValue(_ value: Value, forKey key: Key)
    /// Removes a key and its value.
    func removeObject(for key: Key)
    /// Removes all entries.
    func removeAll()
}

extension Map: RealmKeyedCollection {
    /// The value under a key; nil if there is none.
    public func value(forKey key: String) -> Any? { self[Key(_mapKey: key)] }

    /// Puts a value under a key; nil removes it, or is stored where the type of the argument says so.
    public func setValue(_ value: Any?, forKey key: String) {
        guard let value else { return removeObject(for: Key(_mapKey: key)) }
        guard let converted = Value._converted(value) else {
            misuse("a \(Self.typeName) cannot hold \(value) under \"\(key)\"")
        }
        updateValue(converted, forKey: Key(_mapKey: key))
    }
}
