// SPDX-License-Identifier: MIT
// EngineDecimal.swift -- the engine's functions on decimal numbers.

import CStrata

extension Decimal128 {
    /// The number as the engine takes it.
    var engine: strata_decimal { strata_decimal(low: low, high: high) }

    /// Takes a number from the engine.
    init(_ engine: strata_decimal) {
        low = engine.low
        high = engine.high
    }
}

/// The engine's functions on decimal numbers, one call each.
enum EngineDecimal {
    /// The corresponding C function is `strata_decimal_parse`.
    static func parse(_ text: String) throws(StrataError) -> Decimal128 {
        var text = text
        var value = strata_decimal()
        var error = strata_error()
        let status = text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { strata_decimal_parse($0.baseAddress, $0.count, &value, &error) }
        }
        guard status == .STRATA_OK else { throw StrataError(.invalidInput, message(of: error)) }
        return Decimal128(value)
    }

    /// The corresponding C function is `strata_decimal_print`.
    static func print(_ value: Decimal128) -> String {
        String(unsafeUninitializedCapacity: STRATA_DECIMAL_TEXT) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { strata_decimal_print(value.engine, $0.baseAddress) }
        }
    }

    /// The corresponding C function is `strata_decimal_from_int64`.
    static func make(_ value: Int64) -> Decimal128 { Decimal128(strata_decimal_from_int64(value)) }

    /// The corresponding C function is `strata_decimal_from_uint64`.
    static func make(_ value: UInt64) -> Decimal128 { Decimal128(strata_decimal_from_uint64(value)) }

    /// The corresponding C function is `strata_decimal_from_double`.
    static func make(_ value: Double) -> Decimal128 { Decimal128(strata_decimal_from_double(value)) }

    /// The corresponding C function is `strata_decimal_from_float`.
    static func make(_ value: Float) -> Decimal128 { Decimal128(strata_decimal_from_float(value)) }

    /// The corresponding C function is `strata_decimal_to_double`.
    static func double(_ value: Decimal128) -> Double { strata_decimal_to_double(value.engine) }

    /// The corresponding C function is `strata_decimal_to_int64`.
    static func int64(_ value: Decimal128) -> Int64? {
        var out: Int64 = 0
        return strata_decimal_to_int64(value.engine, &out) ? out : nil
    }

    /// The corresponding C function is `strata_decimal_to_uint64`.
    static func uint64(_ value: Decimal128) -> UInt64? {
        var out: UInt64 = 0
        return strata_decimal_to_uint64(value.engine, &out) ? out : nil
    }

    /// The corresponding C function is `strata_decimal_add`.
    static func add(_ left: Decimal128, _ right: Decimal128) -> Decimal128 {
        Decimal128(strata_decimal_add(left.engine, right.engine))
    }

    /// The corresponding C function is `strata_decimal_subtract`.
    static func subtract(_ left: Decimal128, _ right: Decimal128) -> Decimal128 {
        Decimal128(strata_decimal_subtract(left.engine, right.engine))
    }

    /// The corresponding C function is `strata_decimal_multiply`.
    static func multiply(_ left: Decimal128, _ right: Decimal128) -> Decimal128 {
        Decimal128(strata_decimal_multiply(left.engine, right.engine))
    }

    /// The corresponding C function is `strata_decimal_divide`.
    static func divide(_ left: Decimal128, _ right: Decimal128) -> Decimal128 {
        Decimal128(strata_decimal_divide(left.engine, right.engine))
    }

    /// The corresponding C function is `strata_decimal_negate`.
    static func negate(_ value: Decimal128) -> Decimal128 { Decimal128(strata_decimal_negate(value.engine)) }

    /// The corresponding C function is `strata_decimal_abs`.
    static func magnitude(_ value: Decimal128) -> Decimal128 { Decimal128(strata_decimal_abs(value.engine)) }

    /// The corresponding C function is `strata_decimal_compare`.
    static func compare(_ left: Decimal128, _ right: Decimal128) -> Int32 {
        strata_decimal_compare(left.engine, right.engine)
    }

    /// The corresponding C function is `strata_decimal_reduce`.
    static func reduce(_ value: Decimal128) -> Decimal128 { Decimal128(strata_decimal_reduce(value.engine)) }

    /// The corresponding C function is `strata_decimal_is_nan`.
    static func isNaN(_ value: Decimal128) -> Bool { strata_decimal_is_nan(value.engine) }

    /// The corresponding C function is `strata_decimal_is_infinite`.
    static func isInfinite(_ value: Decimal128) -> Bool { strata_decimal_is_infinite(value.engine) }

    /// The corresponding C function is `strata_decimal_is_negative`.
    static func isNegative(_ value: Decimal128) -> Bool { strata_decimal_is_negative(value.engine) }

    /// The corresponding C function is `strata_decimal_is_zero`.
    static func isZero(_ value: Decimal128) -> Bool { strata_decimal_is_zero(value.engine) }

    private static func message(of error: strata_error) -> String {
        withUnsafeBytes(of: error.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
