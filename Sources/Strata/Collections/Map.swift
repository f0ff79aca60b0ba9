// SPDX-License-Identifier: MIT
// Map.swift -- values or objects under string keys.

import CStrata

/// Values, or objects, under keys that are strings.
///
/// ```swift
/// class Kennel: Object {
///     @Persisted var seats: Map<String, Int>
///     @Persisted var dogs: Map<String, Dog?>
/// }
/// ```
///
/// Setting a value to nil removes the key. Where values can be nil, `map["key"] = .some(nil)`, or `updateValue`, stores
/// a nil; so does deleting an object that a map holds. A key must not contain a `.` or start with a `$`, which makes
/// the write fail; percent-encode these.
///
/// A map of an unmanaged object is an ordinary collection. A map of a live object shows the realm and is changed inside
/// write transactions only; an unmanaged object put into it is added to the realm. Keys are in the order of their
/// bytes.
///
/// Assigning a map to a property copies the entries.
public final class Map<Key: _MapKey, Value: RealmCollectionValue> {
    /// The keys, while unmanaged, in the order of their bytes.
    private var unmanagedKeys: [String] = []
    /// The values, parallel to the keys.
    private var unmanagedValues: [Value] = []
    /// The column, once managed.
    private(set) var place: CollectionPlace?

    /// Creates an empty unmanaged map.
    public init() {}

    /// Creates the map of a live object.
    init(_ place: CollectionPlace) { self.place = place }

    // MARK: Reading

    /// How many entries there are. Of a map whose object was deleted there are none.
    public var count: Int { place?.count ?? unmanagedKeys.count }

    /// Whether there are none.
    public var isEmpty: Bool { count == 0 }

    /// The keys.
    public var keys: [Key] { (place?.keys ?? unmanagedKeys).map(Key.init(_mapKey:)) }

    /// The values, in the order of the keys.
    public var values: [Value] {
        guard let place else { return unmanagedValues }
        return place.elements(0..<place.count, Value._element)
    }

    /// Whether the object that the map belongs to is gone.
    public var isInvalidated: Bool { place?.isInvalidated ?? false }

    /// Live and unmanaged maps are not frozen.
    public var isFrozen: Bool { false }

    /// The value under a key, nil if there is none; setting nil removes the key.
    public subscript(key: Key) -> Value? {
        get {
            if let place {
                return place.position(ofKey: key._mapKey).map { Value._element(place.value(at: $0)) }
            }
            let (position, found) = find(key._mapKey)
            return found ? unmanagedValues[position] : nil
        }
        set {
            if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
        }
    }

    /// The value under a key, or another one if there is none.
    public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
        get { self[key] ?? defaultValue() }
        set { updateValue(newValue, forKey: key) }
    }

    /// The value under a key.
    public func object(forKey key: Key) -> Value? { self[key] }

    /// Whether an entry satisfies a condition.
    public func contains(where predicate: (_ key: Key, _ value: Value) throws -> Bool) rethrows -> Bool {
        for (key, value) in zip(keys, values) where try predicate(key, value) { return true }
        return false
    }

    // MARK: Changing

    /// Puts a value under a key, over the one that is there. A nil is stored where values can be nil.
    public func updateValue(_ value: Value, forKey key: Key) {
        if let place {
            _ = place.sizeForChange()
            place.set(Value._stored(value), forKey: key._mapKey)
            return
        }
        let value = Value._kept(value, in: self)
        let (position, found) = find(key._mapKey)
        if found {
            unmanagedValues[position] = value
        } else {
            unmanagedKeys.insert(key._mapKey, at: position)
            unmanagedValues.insert(value, at: position)
        }
    }

    /// Removes a key and its value. An object stays in the realm, unless it is embedded.
    public func removeObject(for key: Key) {
        if let place {
            _ = place.sizeForChange()
            if let position = place.position(ofKey: key._mapKey) { place.remove(position..<position + 1) }
            return
        }
        let (position, found) = find(key._mapKey)
        if !found { return }
        unmanagedKeys.remove(at: position)
        unmanagedValues.remove(at: position)
    }

    /// Removes all entries. Objects stay in the realm, unless they are embedded.
    public func removeAll() {
        if let place {
            place.remove(0..<place.sizeForChange())
        } else {
            unmanagedKeys = []
            unmanagedValues = []
        }
    }

    /// Adds entries. Where a key has a value, the closure is called with it and the new one and gives what is stored.
    public func merge<S: Sequence>(
        _ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S.Element == (key: Key, value: Value) {
        for (key, value) in Array(sequence) { try merge(key, value, combine) }
    }

    /// Adds the entries of another map. Where a key has a value, the closure is called with it and the new one and
    /// gives what is stored.
    public func merge(_ other: Map, uniquingKeysWith combine: (Value, Value) throws -> Value) rethrows {
        for (key, value) in zip(other.keys, other.values) { try merge(key, value, combine) }
    }

    private func merge(_ key: Key, _ value: Value, _ combine: (Value, Value) throws -> Value) rethrows {
        updateValue(try self[key].map { try combine($0, value) } ?? value, forKey: key)
    }

    /// Where a key is, or would be.
    private func find(_ key: String) -> (position: Int, found: Bool) {
        var low = 0, high = unmanagedKeys.count
        while low < high {
            let middle = (low + high) / 2
            if MapKeys.precedes(unmanagedKeys[middle], key) { low = middle + 1 } else { high = middle }
        }
        return (low, low < unmanagedKeys.count && unmanagedKeys[low].utf8.elementsEqual(key.utf8))
    }
}

@available(*, unavailable, message: "a live map belongs to one thread")
extension Map: Sendable {}

extension Map: PersistedCollection {
    static var elementType: any RealmCollectionValue.Type { Value.self }
    static var typeName: String { "Map<\(Key.self), \(Value.self)>" }

    var contents: _StoredValue {
        let values = place.map { $0.values(0..<$0.count) } ?? unmanagedValues.map(Value._stored)
        return .entries(Array(zip(place?.keys ?? unmanagedKeys, values).map { ($0, $1) }))
    }

    func becomeManaged(_ place: CollectionPlace) {
        self.place = place
        unmanagedKeys = []
        unmanagedValues = []
    }

    func fill(_ contents: _StoredValue) -> Bool {
        guard case .entries(let entries) = contents else { return false }
        removeAll()
        for (key, value) in entries {
            guard let value = Value._value(value) else { return false }
            updateValue(value, forKey: Key(_mapKey: key))
        }
        return true
    }

    /// Replaces all entries by those of another map; of itself, it keeps them.
    func take(_ other: Map) {
        if self === other { return }
        if let place {
            if let source = other.place, place.isSame(as: source) { return }
            place.replace(with: other.contents)
        } else {
            let (keys, values) = (other.keys, other.values)
            unmanagedKeys = keys.map(\._mapKey)
            unmanagedValues = values
        }
    }
}
