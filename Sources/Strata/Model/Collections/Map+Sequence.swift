// SPDX-License-Identifier: MIT
// Map+Sequence.swift -- maps as sequences of entries.

/// One entry of a ``Map``.
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: Hashable {
    /// The key.
    public let key: Key
    /// The value.
    public let value: Value

    /// Creates an entry.
    public init(key: Key, value: Value) {
        self.key = key
        self.value = value
    }
}

/// A loop over the entries of a map, as they were when the loop began.
public struct RLMMapIterator<Key: _MapKey, Value: RealmCollectionValue>: IteratorProtocol {
    private let keys: [Key]
    private let values: [Value]
    private var position = 0

    init(_ map: Map<Key, Value>) {
        keys = map.keys
        values = map.values
    }

    /// The next entry, or nil at the end.
    public mutating func next() -> SingleMapEntry<Key, Value>? {
        guard position < keys.count else { return nil }
        defer { position += 1 }
        return SingleMapEntry(key: keys[position], value: values[position])
    }
}

/// A loop over the entries of a map as tuples, as they were when the loop began.
public struct RLMKeyValueIterator<Key: _MapKey, Value: RealmCollectionValue>: IteratorProtocol {
    private var entries: RLMMapIterator<Key, Value>

    init(_ map: Map<Key, Value>) { entries = RLMMapIterator(map) }

    /// The next entry, or nil at the end.
    public mutating func next() -> (key: Key, value: Value)? { entries.next().map { ($0.key, $0.value) } }
}

extension Map: Sequence {
    /// Walks the entries as they are now.
    public func makeIterator() -> RLMMapIterator<Key, Value> { RLMMapIterator(self) }

    /// The entries as tuples.
    public func asKeyValueSequence() -> some Sequence<(key: Key, value: Value)> {
        IteratorSequence(RLMKeyValueIterator(self))
    }
}

extension Map: Hashable {
    /// Managed maps are equal if they are the same property of the same object, unmanaged ones if their entries are.
    public static func == (left: Map, right: Map) -> Bool {
        left.isEqual(right) {
            left.keys.elementsEqual(right.keys) { KeyBytes($0._mapKey) == KeyBytes($1._mapKey) }
                && left.values == right.values
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        if let live { live.hash(into: &hasher) } else { hasher.combine(keys) }
    }
}

extension Map: CustomStringConvertible {
    /// The entries as text, a hundred at most.
    public var description: String { text(depth: ValueText.depth) }
}

extension Map: NestedText {
    func text(depth: Int) -> String {
        let content = "\(PropertyType.string), \(live?.target?.name ?? Value.contentText)"
        let text = CollectionText("Map", of: content, at: self, count: count, "key-value pairs")
        return text.text(depth: depth) { depth in
            zip(keys, values).prefix(CollectionText.shown).map { key, value in
                "[\(key._mapKey)]: " + ValueText.text(Value._plain(value), depth: depth)
            }
        }
    }
}

/// A key as a coding key.
private struct MapCodingKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Map: Decodable where Value: Decodable {
    /// Creates an unmanaged map of a keyed container.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: MapCodingKey.self)
        for key in container.allKeys {
            updateValue(try container.decode(Value.self, forKey: key), forKey: Key(_mapKey: key.stringValue))
        }
    }
}

extension Map: Encodable where Value: Encodable {
    /// Encodes the entries as a keyed container.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MapCodingKey.self)
        for (key, value) in zip(keys, values) {
            try container.encode(value, forKey: MapCodingKey(stringValue: key._mapKey))
        }
    }
}

extension Map: _Persistable, _DefaultConstructible {
    public typealias PersistedType = Map
    public static var _shape: _PropertyShape { Value._shape.many(.map) }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> Map {
        guard let live = ManagedCollection.of(row, column) else { return Map() }
        return Map(live)
    }

    @inlinable
    public static func _kept(_ value: Map?, _ row: _Row, _ column: UInt32) -> Map? {
        value?.live?.isOf(row, column) == true ? value : nil
    }

    public static func _write(_ value: Map, _ row: _Row, _ column: UInt32) { write(value, row, column) }

    public static func _assigned(_ value: Map, over current: Map?) -> Map {
        let map = current ?? Map()
        map.assign(value)
        return map
    }

    @inlinable
    public static var _isGenerated: Bool { true }
    public static func _stored(_ value: Map) -> _StoredValue { .collection(value) }

    public static func _value(_ stored: _StoredValue) -> Map? { from(stored, Map()) }
}
