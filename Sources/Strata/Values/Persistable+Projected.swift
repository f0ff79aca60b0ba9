// SPDX-License-Identifier: MIT
// Persistable+Projected.swift -- CGFloat.

public import Foundation

/// Stored as a `Double`.
extension CGFloat: CustomPersistable {
    public typealias PersistedType = Double

    /// Creates the number from the stored one.
    public init(persistedValue: Double) { self = CGFloat(persistedValue) }
    /// The number as it is stored.
    public var persistableValue: Double { Double(self) }
}
