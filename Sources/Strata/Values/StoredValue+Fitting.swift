// SPDX-License-Identifier: MIT
// StoredValue+Fitting.swift -- results of the engine's arithmetic as values of the type that a program asks for.

extension _StoredValue {
    /// A number in the form of a type of properties; anything else is returned unchanged.
    func fitting(_ type: PropertyType) -> _StoredValue {
        switch (self, type) {
        case (.double(let value), .float): .float(Float(value))
        case (.double(let value), .int): Int64(exactly: value.rounded(.towardZero)).map { .int($0) } ?? self
        case (.double(let value), .decimal128), (.double(let value), .any): .decimal(Decimal128(value))
        case (.int(let value), .decimal128), (.int(let value), .any): .decimal(Decimal128(value))
        case (.int(let value), .double): .double(Double(value))
        case (.int(let value), .float): .float(Float(value))
        case (.decimal(let value), .double): .double(value.doubleValue)
        default: self
        }
    }
}

extension _Persistable {
    /// A value of the type; nil for null, also if the type is an Optional.
    static func _valueOrNil(_ stored: _StoredValue) -> Self? {
        if case .null = stored { return nil }
        return _value(stored)
    }

    /// A sum as a value of the type. Integers wrap around.
    static func _sum(_ stored: _StoredValue) -> Self {
        var fitting = stored.fitting(_shape.type)
        if case .int(let wide) = fitting, let narrow = Self.self as? any FixedWidthInteger.Type {
            fitting = .int(narrow._wrap(wide))
        }
        return _value(fitting) ?? _default()
    }
}

extension FixedWidthInteger {
    /// An integer after wrapping around to the width of the type.
    fileprivate static func _wrap(_ value: Int64) -> Int64 {
        Int64(truncatingIfNeeded: Self(truncatingIfNeeded: value))
    }
}
