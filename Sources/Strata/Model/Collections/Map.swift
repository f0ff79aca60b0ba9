// SPDX-License-Identifier: MIT
// Map.swift -- values or objects under string keys.
//
// A lane that is compiled into programs: inlined code passes values that need no conversion directly to the engine
// and back. All others have to pass through their general form.

public import CStrata

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
/// the write fail; percent-encode these. Maps inside of an ``AnyRealmValue`` have no such rule, because what is stored
/// there may come from others, as JSON does.
///
/// A map of an unmanaged object is an ordinary collection. A map of a live object shows the realm and is changed inside
/// write transactions only; an unmanaged object put into it is added to the realm. Keys are in the order of their
/// bytes.
///
/// Assigning a map to a property copies the entries.
public final class Map<Key: _MapKey, Value: RealmCollectionValue> {
    /// The entries, while unmanaged.
    private var entries: [KeyBytes: Value] = [:]
    /// The keys in the order of their bytes; nil after one was added or removed.
    private var sorted: [KeyBytes]?
    /// The map in the realm, once managed.
    @usableFromInline @exclusivity(unchecked) internal private(set) var live: ManagedCollection?

    /// Creates an empty unmanaged map.
    public init() {}

    /// Creates the map of a live object.
    @usableFromInline
    init(_ live: ManagedCollection) { self.live = live }

    // MARK: Reading

    /// How many entries there are. A map whose object was deleted has none.
    public var count: Int { live?.count ?? entries.count }

    /// Whether it is empty.
    public var isEmpty: Bool { count == 0 }

    /// The keys.
    public var keys: [Key] { texts.map(Key.init(_mapKey:)) }

    /// The keys as text.
    private var texts: [String] { live?.keys ?? sortedKeys.map(\.text) }

    /// The values, in the order of the keys.
    public var values: [Value] {
        guard let live else { return sortedKeys.compactMap { entries[$0] } }
        return live.elements(0..<live.count, Value._element)
    }

    /// Whether the object that the map belongs to is gone.
    public var isInvalidated: Bool { live?.isInvalidated ?? false }

    /// Whether it shows one version for ever; see ``ThreadConfined/freeze()``.
    public var isFrozen: Bool { live?.owner.isFrozen ?? false }

    /// The value under a key, nil if there is none; setting nil removes the key.
    public subscript(key: Key) -> Value? {
        @inlinable
        get {
            if let plain = live?.plain {
                var value = strata_value()
                if plain.lend(key._mapKey, &value), let value = Value._decode(value) { return value }
            }
            return value(at: key)
        }
        @inlinable
        set {
            if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
        }
    }

    @usableFromInline
    func value(at key: Key) -> Value? {
        guard let live else { return entries[KeyBytes(key._mapKey)] }
        return live.position(ofKey: key._mapKey).map { Value._element(live.value(at: $0)) }
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
    @inlinable
    public func updateValue(_ value: Value, forKey key: Key) {
        if let plain = live?.plain, Value._lend(value, { plain.set($0, forKey: key._mapKey) }) != nil { return }
        updateAny(value, key)
    }

    @usableFromInline
    func updateAny(_ value: Value, _ key: Key) {
        if let live {
            _ = live.sizeForChange()
            live.set(Value._stored(value), forKey: key._mapKey)
            return
        }
        let value = Value._withoutCycle(value, in: self)
        if entries.updateValue(value, forKey: KeyBytes(key._mapKey)) == nil { sorted = nil }
    }

    /// Removes a key and its value. An object stays in the realm, unless it is embedded.
    public func removeObject(for key: Key) {
        if let live {
            _ = live.sizeForChange()
            if let position = live.position(ofKey: key._mapKey) { live.remove(position..<position + 1) }
            return
        }
        if entries.removeValue(forKey: KeyBytes(key._mapKey)) != nil { sorted = nil }
    }

    /// Removes all entries. Objects stay in the realm, unless they are embedded.
    public func removeAll() {
        if let live {
            live.remove(0..<live.sizeForChange())
        } else {
            entries = [:]
            sorted = nil
        }
    }

    /// Adds entries. Where a key has a value, the closure is called with it and the new one, and its result is stored.
    public func merge<S: Sequence>(
        _ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S.Element == (key: Key, value: Value) {
        for (key, value) in Array(sequence) { try merge(key, value, combine) }
    }

    /// Adds the entries of another map. Where a key has a value, the closure is called with it and the new one,
    /// and its result is stored.
    public func merge(_ other: Map, uniquingKeysWith combine: (Value, Value) throws -> Value) rethrows {
        for (key, value) in zip(other.keys, other.values) { try merge(key, value, combine) }
    }

    private func merge(_ key: Key, _ value: Value, _ combine: (Value, Value) throws -> Value) rethrows {
        updateValue(try self[key].map { try combine($0, value) } ?? value, forKey: key)
    }

    /// The keys of an unmanaged map, in the order of their bytes.
    private var sortedKeys: [KeyBytes] {
        if let sorted { return sorted }
        let keys = entries.keys.sorted { MapKeys.precedes($0.text, $1.text) }
        sorted = keys
        return keys
    }
}

@available(
    *, unavailable,
    message: "a live map belongs to one thread, queue or actor; send a copy, a ThreadSafeReference or Frozen")
extension Map: Sendable {}

extension Map: PersistedCollection {
    static var elementType: any RealmCollectionValue.Type { Value.self }
    static var typeName: String { "Map<\(Key.self), \(Value.self)>" }

    var contents: _StoredValue {
        let all = live.map { $0.values(0..<$0.count) } ?? values.map(Value._stored)
        return .entries(zip(texts, all).map { ($0, $1) })
    }

    func becomeManaged(_ live: ManagedCollection) {
        self.live = live
        entries = [:]
        sorted = nil
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

    func copyElements(of other: Map) {
        let texts = other.texts.map(KeyBytes.init)
        entries = Dictionary(uniqueKeysWithValues: zip(texts, other.values))
        sorted = texts
    }
}
