// SPDX-License-Identifier: MIT
// OptionalProtocol.swift -- Optionals in constraints.

/// `Optional`, for constraints of generic code: `where Value: OptionalProtocol, Value.Wrapped: Dog`.
///
/// Only `Optional` conforms.
public protocol OptionalProtocol<Wrapped> {
    /// The type of the value that may be there.
    associatedtype Wrapped
    /// The value, or nil.
    var _optional: Wrapped? { get }
}

extension Optional: OptionalProtocol {
    @inlinable
    public var _optional: Wrapped? { self }
}
