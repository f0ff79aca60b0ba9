// SPDX-License-Identifier: MIT
// FoundationResults.swift -- NSNumber and NSDate as results of aggregates.

public import Foundation

extension NSNumber: _HasPersistedType {
    public typealias PersistedType = NSNumber
    /// That of the numbers among which all others are.
    public static var _shape: _PropertyShape { _PropertyShape(.decimal128) }

    /// A decimal number is an `NSDecimalNumber`, with all of its digits; one that is too large or too small for that
    /// is a double, as is an infinity.
    public static func _value(_ stored: _StoredValue) -> Self? {
        switch stored {
        case .int(let value): NSNumber(value: value) as? Self
        case .float(let value): NSNumber(value: value) as? Self
        case .double(let value): NSNumber(value: value) as? Self
        case .decimal(let value): number(value) as? Self
        default: nil
        }
    }

    private static func number(_ value: Decimal128) -> NSNumber {
        // Parsing rounds what has no decimal of Foundation, which is then another value.
        if let decimal = Decimal(string: value.description), Decimal128(decimal) == value {
            return NSDecimalNumber(decimal: decimal)
        }
        return NSNumber(value: value.doubleValue)
    }

    /// Numbers of every type fit.
    public static func _fitting(_ result: _StoredValue) -> _StoredValue { result }
}

extension NSDate: _HasPersistedType {
    public typealias PersistedType = NSDate
    public static var _shape: _PropertyShape { _PropertyShape(.date) }

    public static func _value(_ stored: _StoredValue) -> Self? {
        guard case .date(let date) = stored else { return nil }
        return NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate) as? Self
    }
}
