// SPDX-License-Identifier: MIT
// RealmCollection.swift -- what all collections have in common.

/// What all collections, and results, have in common.
public protocol RealmCollectionBase<Element>: _PositionalCollection, CustomStringConvertible, Equatable
where Element: RealmCollectionValue {
    /// The realm that holds the collection; nil if it is unmanaged.
    var realm: Realm? { get }
    /// Whether the realm was invalidated since, or the object that the collection belongs to is gone.
    var isInvalidated: Bool { get }
    /// Whether the collection is frozen.
    var isFrozen: Bool { get }
    /// The same for ever, and for every thread. Stops the program if the collection is unmanaged or gone.
    func freeze() -> Self
    /// The live collection in a realm of the caller; nil if its object was deleted.
    func thaw() -> Self?
    /// How many elements there are.
    var count: Int { get }
    /// The first element.
    var first: Element? { get }
    /// The last element.
    var last: Element? { get }
    /// The first position of an element, or nil.
    func index(of element: Element) -> Int?
    /// The same elements as a result, in the same order. Stops the program if the collection is unmanaged.
    var results: Results<Element> { get }
}

/// A collection, or a result, of values or objects.
public protocol RealmCollection<Element>: RealmCollectionBase {}

extension List: RealmCollection {}
extension MutableSet: RealmCollection {}
extension Results: RealmCollection {}
extension LinkingObjects: RealmCollection {}
extension AnyRealmCollection: RealmCollection {}

/// A collection of values under keys.
public protocol RealmKeyedCollection<Key, Value>: Sequence, CustomStringConvertible, Equatable {
    /// The type of the keys.
    associatedtype Key: _MapKey
    /// The type of the values.
    associatedtype Value: RealmCollectionValue
    /// The realm that holds the collection; nil if it is unmanaged.
    var realm: Realm? { get }
    /// Whether the realm was invalidated since, or the object that the collection belongs to is gone.
    var isInvalidated: Bool { get }
    /// Whether the collection is frozen.
    var isFrozen: Bool { get }
    /// The same for ever, and for every thread. Stops the program if the collection is unmanaged or gone.
    func freeze() -> Self
    /// The live collection in a realm of the caller; nil if its object was deleted.
    func thaw() -> Self?
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

extension Map: RealmKeyedCollection, KeyPathSource {
    /// The value under a key as `ObjectBase.subscript(_:)` gives values: the raw value of an enum, what is stored for a
    /// custom type, and the value in an `AnyRealmValue`; nil for nil, and if there is none.
    public func value(forKey key: String) -> Any? {
        if let live, live.target != nil { return live.position(ofKey: key).flatMap { live.value(at: $0).plain } }
        return self[Key(_mapKey: key)].flatMap(Value._plain)
    }

    /// The value at the end of a path that begins with a key.
    func value(forKeyPath keyPath: String) -> Any? { follow(keyPath, Self.typeName) }

    /// Puts a value under a key; nil removes it, or is stored where the type of the argument says so. A value that does
    /// not fit makes the write fail, or stops the program if the map is in no realm.
    public func setValue(_ value: Any?, forKey key: String) {
        guard let value else { return removeObject(for: Key(_mapKey: key)) }
        if let converted = Value._converted(value) { return updateValue(converted, forKey: Key(_mapKey: key)) }
        let problem = "a \(Self.typeName) cannot hold \(value) under \"\(key)\""
        guard let live else { misuse(problem) }
        live.session.fail(StrataError(.invalidInput, problem)) { "\(live.name) cannot be changed" }
    }

    func setValue(_ value: Any?, forKeyPath keyPath: String) { follow(value, keyPath, Self.typeName) }
}
