// SPDX-License-Identifier: MIT
// Persisted+Codable.swift -- models that are Codable.

extension Persisted: Decodable where Value: Decodable {
    /// Reads a value. The default of the property is not used: a value that is missing is an error, unless it is an
    /// Optional, which is then nil.
    public init(from decoder: any Decoder) throws {
        // By way of a container, because that is where decoders apply their strategies for dates and data.
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Writes the value. A managed object throws, because what it holds belongs to its realm; encode a snapshot.
    public func encode(to encoder: any Encoder) throws {
        if let row = _row, !_isUnmanaged(row) {
            throw EncodingError.invalidValue(
                wrappedValue,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "a managed object cannot be encoded; "
                        + "encode what snapshot() or snapshot(including:) gives"))
        }
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension KeyedDecodingContainer {
    /// Reads an Optional property, which is nil if it is missing. Called by the initialisers that the compiler makes.
    public func decode<Value: Decodable>(
        _ type: Persisted<Value?>.Type, forKey key: Key
    ) throws -> Persisted<Value?> {
        Persisted(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}
