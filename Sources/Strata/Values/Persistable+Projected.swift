// SPDX-License-Identifier: MIT
// Persistable+Projected.swift -- CGFloat and enums of the older kind.

public import Foundation

/// Stored as a `Double`.
extension CGFloat: CustomPersistable {
    public typealias PersistedType = Double

    /// Creates the number from the stored one.
    public init(persistedValue: Double) { self = CGFloat(persistedValue) }
    /// The number as it is stored.
    public var persistableValue: Double { Double(self) }
}

/// An enum of the older style of declarations, for `RealmProperty<Kind?>` and `RealmOptional<Kind>`. See
/// ``PersistableEnum``, which is for properties marked with ``Persisted``.
public protocol RealmEnum: RawRepresentable, FailableCustomPersistable
where RawValue: _OptionalPersistable & Hashable, PersistedType == RawValue {}

extension RealmEnum {
    /// The case with a raw value, or nil.
    public init?(persistedValue: RawValue) { self.init(rawValue: persistedValue) }
    /// The raw value.
    public var persistableValue: RawValue { rawValue }
}
