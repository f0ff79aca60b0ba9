// SPDX-License-Identifier: MIT
// DefaultConstructible.swift -- types whose `init()` makes the default of a property.

public import Foundation

/// Marks types of properties whose default is what their `init()` makes: 0, false, "", no bytes, an empty collection.
public protocol _DefaultConstructible {
    /// Creates the default.
    init()
}

extension _Persistable where Self: _DefaultConstructible {
    @inlinable
    public static func _default() -> Self { Self() }
}

extension Bool: _DefaultConstructible {}
extension Float: _DefaultConstructible {}
extension Double: _DefaultConstructible {}
extension String: _DefaultConstructible {}
extension Data: _DefaultConstructible {}
extension Decimal128: _DefaultConstructible {}
