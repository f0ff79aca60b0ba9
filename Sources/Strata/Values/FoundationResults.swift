// SPDX-License-Identifier: MIT
// FoundationResults.swift -- NSNumber and NSDate as results of aggregates.

public import Foundation

extension NSNumber: _HasPersistedType {
    public typealias PersistedType = NSNumber
    public static var _shape: _PropertyShape { _PropertyShape(.double) }

    public static func _value(_ stored: _StoredValue) -> Self? {
        switch stored {
        case .int(let value): NSNumber(value: value) as? Self
        case .float(let value): NSNumber(value: value) as? Self
        case .double(let value): NSNumber(value: value) as? Self
        case .decimal(let value): NSNumber(value: value.doubleValue) as? Self
        default: nil
        }
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
