// SPDX-License-Identifier: MIT
// SortDescriptor.swift -- property and direction.

/// A property to sort by, and the direction.
public struct SortDescriptor: Hashable, Sendable {
    /// Names of to-one links, then of the property, joined by dots.
    public let keyPath: String
    /// Whether small values come first. Nulls come before all values.
    public let ascending: Bool

    /// Sorts by a property that is named.
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// Sorts by a property.
    public init<Root: ObjectBase, Value: _Persistable>(keyPath: KeyPath<Root, Value>, ascending: Bool = true) {
        self.init(keyPath: KeyPathNames.of(keyPath).joined(separator: "."), ascending: ascending)
    }

    /// The other direction.
    public func reversed() -> SortDescriptor { SortDescriptor(keyPath: keyPath, ascending: !ascending) }

    var key: SortKey { SortKey(path: keyPath.split(separator: ".").map(String.init), ascending: ascending) }
}

extension SortDescriptor: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Sorts by a property that is named, small values first.
    public init(stringLiteral keyPath: String) { self.init(keyPath: keyPath) }

    /// The key path and the direction.
    public var description: String { "SortDescriptor(keyPath: \(keyPath), ascending: \(ascending))" }
}
