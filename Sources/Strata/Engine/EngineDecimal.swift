// SPDX-License-Identifier: MIT
// EngineDecimal.swift -- arithmetic, comparison and text of decimal numbers, which the engine does.

import CStrata

/// A decimal number of 34 digits: sixteen bytes in the format of IEEE 754.
typealias EngineDecimal = strata_decimal

extension strata_decimal {
    /// A number out of its two halves.
    init(_ low: UInt64, _ high: UInt64) { self.init(low: low, high: high) }

    /// The low half, then the high half.
    var halves: (low: UInt64, high: UInt64) { (low, high) }

    /// The corresponding C function is `strata_decimal_parse`.
    init(parsing text: String) throws(StrataError) {
        var text = text
        var value = strata_decimal()
        var error = strata_error()
        let status = text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { strata_decimal_parse($0.baseAddress, $0.count, &value, &error) }
        }
        guard status == .STRATA_OK else { throw StrataError(.invalidInput, StrataError(status, &error).message) }
        self = value
    }

    /// The corresponding C function is `strata_decimal_print`.
    var text: String {
        String(unsafeUninitializedCapacity: STRATA_DECIMAL_TEXT) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { strata_decimal_print(self, $0.baseAddress) }
        }
    }

    // MARK: Conversion. The corresponding C functions are `strata_decimal_from_int64` and the like.

    init(_ value: Int64) { self = strata_decimal_from_int64(value) }
    init(_ value: UInt64) { self = strata_decimal_from_uint64(value) }
    init(_ value: Double) { self = strata_decimal_from_double(value) }
    init(_ value: Float) { self = strata_decimal_from_float(value) }

    var doubleValue: Double { strata_decimal_to_double(self) }

    /// The integer; nil if the number is not whole or too large.
    var int64Value: Int64? {
        var out: Int64 = 0
        return strata_decimal_to_int64(self, &out) ? out : nil
    }

    /// The integer; nil if the number is not whole, negative or too large.
    var uint64Value: UInt64? {
        var out: UInt64 = 0
        return strata_decimal_to_uint64(self, &out) ? out : nil
    }

    // MARK: Arithmetic. The corresponding C functions are `strata_decimal_add` and the like.

    static func + (left: Self, right: Self) -> Self { strata_decimal_add(left, right) }
    static func - (left: Self, right: Self) -> Self { strata_decimal_subtract(left, right) }
    static func * (left: Self, right: Self) -> Self { strata_decimal_multiply(left, right) }
    static func / (left: Self, right: Self) -> Self { strata_decimal_divide(left, right) }
    static prefix func - (value: Self) -> Self { strata_decimal_negate(value) }
    var magnitude: Self { strata_decimal_abs(self) }

    // MARK: Order

    /// Less than 0, 0 or more. The corresponding C function is `strata_decimal_compare`.
    static func order(_ left: Self, _ right: Self) -> Int { Int(strata_decimal_compare(left, right)) }

    /// The same number without trailing zeros, so that equal numbers have equal bytes. The corresponding C function is
    /// `strata_decimal_reduce`.
    var reduced: Self { strata_decimal_reduce(self) }

    var isNaN: Bool { strata_decimal_is_nan(self) }
    var isInfinite: Bool { strata_decimal_is_infinite(self) }
    var isNegative: Bool { strata_decimal_is_negative(self) }
    var isZero: Bool { strata_decimal_is_zero(self) }
}
