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

/// Walks the entries of a map as they were when the walk began.
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

/// Walks the entries of a map as tuples, as they were when the walk began.
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
        if left === right { return true }
        switch (left.place, right.place) {
        case (let one?, let other?): return one.isSame(as: other)
        case (nil, nil): return left.keys == right.keys && left.values == right.values
        default: return false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        if let place { place.hash(into: &hasher) } else { hasher.combine(keys) }
    }
}

extension Map: CustomStringConvertible {
    /// The entries as text, a hundred at most.
    public var description: String {
        let entries = zip(keys, values).prefix(100).map { key, value in
            "[\(key._mapKey)]: " + elementText(value).replacing("\n", with: "\n\t")
        }
        let rest = count - entries.count
        return "\(Self.typeName) (\n" + entries.map { "\t\($0)" }.joined(separator: ",\n")
            + (rest > 0 ? "\n\t... \(rest) entries skipped." : "") + "\n)"
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

extension Map: _Persistable {
    public typealias PersistedType = Map
    public static var _shape: _PropertyShape { Value._shape.many(.map) }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> Map {
        guard let place = CollectionPlace.of(row, column) else { return Map() }
        return Map(place)
    }

    public static func _write(_ value: Map, _ row: _Row, _ column: UInt32) {
        guard LiveRow.changing(row, column) != nil else { return }
        _read(row, column).take(value)
    }

    public static func _assigned(_ value: Map, over current: Map?) -> Map {
        let map = current ?? Map()
        map.take(value)
        return map
    }

    @inlinable
    public static var _isGenerated: Bool { true }
    public static func _default() -> Map { Map() }
    public static func _stored(_ value: Map) -> _StoredValue { .collection(value) }

    public static func _acceptElement(_ value: Any) -> _StoredValue? {
        guard let element = Value._converted(value) else { return nil }
        return Value._stored(element)
    }

    public static func _value(_ stored: _StoredValue) -> Map? {
        if case .collection(let map) = stored { return map as? Map }
        let map = Map()
        return map.fill(stored) ? map : nil
    }
}
