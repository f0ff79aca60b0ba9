// SPDX-License-Identifier: MIT
// StoredValue+Fitting.swift -- results of the engine's arithmetic as values of the type that a program asks for.

extension _StoredValue {
    /// A number in the form of a type of properties, rounded towards zero if that is an integer; anything else is
    /// returned unchanged.
    func fitting(_ type: PropertyType) -> _StoredValue {
        switch (self, type) {
        case (.double(let value), .float): .float(Float(value))
        case (.double(let value), .int): Int64(exactly: value.rounded(.towardZero)).map { .int($0) } ?? self
        case (.double(let value), .decimal128), (.double(let value), .any): .decimal(Decimal128(value))
        case (.int(let value), .decimal128), (.int(let value), .any): .decimal(Decimal128(value))
        case (.int(let value), .double): .double(Double(value))
        case (.int(let value), .float): .float(Float(value))
        case (.decimal(let value), .double): .double(value.doubleValue)
        case (.decimal(let value), .float): .float(Float(value.doubleValue))
        case (.decimal(let value), .int): _StoredValue.double(value.doubleValue).fitting(.int)
        default: self
        }
    }
}

extension _HasPersistedType {
    public static func _fitting(_ result: _StoredValue) -> _StoredValue { result.fitting(_shape.type) }

    /// A result of arithmetic, or a value that was chosen from others, as a value of the type; nil for null, also if
    /// the type is an Optional, and if the type has no such value.
    static func _valueOrNil(_ stored: _StoredValue) -> Self? {
        if case .null = stored { return nil }
        return _value(stored) ?? _value(_fitting(stored))
    }

    /// A sum as a value of the type. Integers wrap around. A sum that the type has no value for is nil if the type is
    /// an Optional, and stops the program otherwise.
    static func _sum(_ stored: _StoredValue) -> Self {
        var fitting = _fitting(stored)
        let type: Any.Type = (PersistedType.self as? any Wrapping.Type)?.wrapped ?? PersistedType.self
        if case .int(let wide) = fitting, let narrow = type as? any FixedWidthInteger.Type {
            fitting = .int(narrow._wrap(wide))
        }
        if let value = _value(fitting) ?? _value(.null) { return value }
        misuse("the sum is \(fitting.text), which is no \(Self.self); add up what the values are stored as")
    }

    /// An average as a value of the type, rounded towards zero if that is an integer; nil for null.
    static func _average(_ stored: _StoredValue) -> Self? {
        if case .null = stored { return nil }
        return _value(_fitting(stored))
    }
}

/// A type that wraps another one, for types that are known only when the program runs.
private protocol Wrapping {
    static var wrapped: Any.Type { get }
}

extension Optional: Wrapping {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}

extension FixedWidthInteger {
    /// An integer after wrapping around to the width of the type.
    fileprivate static func _wrap(_ value: Int64) -> Int64 {
        Int64(truncatingIfNeeded: Self(truncatingIfNeeded: value))
    }
}
