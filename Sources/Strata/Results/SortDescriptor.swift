// SPDX-License-Identifier: MIT
// SortDescriptor.swift -- property and direction.

/// A property to sort by, and the direction.
///
/// ```swift
/// people.sorted(by: [SortDescriptor(keyPath: \Person.age, ascending: false), "name"])
/// ```
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
    public init<Root: ObjectBase>(keyPath: PartialKeyPath<Root>, ascending: Bool = true) {
        self.init(keyPath: KeyPathNames.joined(keyPath), ascending: ascending)
    }

    /// Sorts by what a property of a projection shows.
    public init<Shown: ProjectionObservable>(keyPath: PartialKeyPath<Shown>, ascending: Bool = true) {
        self.init(keyPath: KeyPathNames.joined(keyPath), ascending: ascending)
    }

    /// The other direction.
    public func reversed() -> SortDescriptor { SortDescriptor(keyPath: keyPath, ascending: !ascending) }

    /// The key of an order of a class; stops the program if the class has no such property.
    func key(_ managed: ManagedClass) -> SortKey {
        SortKey(ColumnPath(keyPath, managed, for: "sorted"), ascending, of: managed, named: keyPath)
    }
}

extension SortDescriptor: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Sorts by a property that is named, small values first.
    public init(stringLiteral keyPath: String) { self.init(keyPath: keyPath) }

    /// The key path and the direction.
    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }
}

extension Results {
    /// Values in the direction of a descriptor, which must name the values themselves.
    func sorted(_ descriptor: SortDescriptor) -> Results {
        if descriptor.keyPath != "self" {
            misuse(
                "\(values.collection.name) holds values, which can be sorted by \"self\", "
                    + "not by \"\(descriptor.keyPath)\"")
        }
        return Results(values.sorted(ascending: descriptor.ascending))
    }
}
