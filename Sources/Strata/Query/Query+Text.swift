// SPDX-License-Identifier: MIT
// Query+Text.swift -- conditions on strings and data.

import CStrata
public import struct Foundation.Data

/// How strings are compared.
public struct StringOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int
    /// Makes options of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// ASCII and Latin-1 letters are equal in both cases.
    public static let caseInsensitive = StringOptions(rawValue: 1)
}

/// Types that are texts or bytes, and their Optionals.
public protocol _QueryText: _Persistable {}

extension String: _QueryText {}
extension Data: _QueryText {}
extension Optional: _QueryText where Wrapped: _QueryText & _OptionalPersistable {}

extension Query where T: _QueryText {
    /// The value contains the text; an empty text, or nil, is contained in nothing.
    public func contains(_ text: T, options: StringOptions = []) -> Query<Bool> {
        compare(.STRATA_CONTAINS, text, options)
    }

    /// The value starts with the text; nothing starts with an empty text or nil.
    public func starts(with text: T, options: StringOptions = []) -> Query<Bool> {
        compare(.STRATA_BEGINS_WITH, text, options)
    }

    /// The value ends with the text; nothing ends with an empty text or nil.
    public func ends(with text: T, options: StringOptions = []) -> Query<Bool> {
        compare(.STRATA_ENDS_WITH, text, options)
    }

    /// The value equals the text.
    public func equals(_ text: T, options: StringOptions = []) -> Query<Bool> {
        compare(.STRATA_EQUAL, [T._stored(text)], caseInsensitive: options.contains(.caseInsensitive))
    }

    /// The value does not equal the text.
    public func notEquals(_ text: T, options: StringOptions = []) -> Query<Bool> {
        compare(.STRATA_NOT_EQUAL, [T._stored(text)], caseInsensitive: options.contains(.caseInsensitive))
    }

    private func compare(_ op: strata_operator, _ text: T, _ options: StringOptions) -> Query<Bool> {
        let stored = T._stored(text)
        if case .null = stored { return Query<Bool>(Condition.none) }
        return compare(op, [stored], caseInsensitive: options.contains(.caseInsensitive))
    }
}
