// SPDX-License-Identifier: MIT
// ValueTotals.swift -- least, greatest, sum and average of values, without the engine.

import Foundation

/// The least, the greatest, the sum and the average of values. Nulls, and what is no number or date, are ignored.
struct ValueTotals {
    private(set) var least: _StoredValue?
    private(set) var greatest: _StoredValue?
    private var count = 0
    private var integers: Int128 = 0
    private var reals = 0.0
    private var decimals: Decimal128 = 0
    private var hasReals = false
    private var hasDecimals: Bool

    init(_ values: [_StoredValue]) {
        self.init(values, exact: values.contains { if case .decimal = $0 { true } else { false } })
    }

    /// - Parameter exact: whether to add up decimal numbers, to which all others are then converted.
    init(_ values: [_StoredValue], exact: Bool) {
        hasDecimals = exact
        for value in values { add(value) }
    }

    private mutating func add(_ value: _StoredValue) {
        switch value {
        case .int(let integer):
            integers += Int128(integer)
            reals += Double(integer)
            if hasDecimals { decimals = decimals + Decimal128(integer) }
        case .float, .double:
            guard let real = value.real else { return }
            hasReals = true
            reals += real
            if hasDecimals { decimals = decimals + Decimal128(real) }
        case .decimal(let decimal): decimals = decimals + decimal
        case .date: break
        default: return
        }
        if case .date = value {} else { count += 1 }
        if least.map({ _StoredValue.order(value, $0) < 0 }) ?? true { least = value }
        if greatest.map({ _StoredValue.order(value, $0) > 0 }) ?? true { greatest = value }
    }

    /// Whether there was no number.
    var isEmpty: Bool { count == 0 }

    /// The sum. It is a decimal number if decimal numbers are added up, a double if there is a `Float` or `Double`, and
    /// otherwise an integer that wraps around.
    var sum: _StoredValue { hasDecimals ? .decimal(decimals) : hasReals ? .double(reals) : .int(wrapped) }

    private var wrapped: Int64 { Int64(truncatingIfNeeded: integers) }

    /// The average: a decimal number if decimal numbers are added up, and otherwise a double; null if there is no
    /// number. That of integers is rounded once, as in the engine.
    var average: _StoredValue {
        if count == 0 { return .null }
        if hasDecimals { return .decimal(decimals / Decimal128(Int64(count))) }
        if hasReals { return .double(reals / Double(count)) }
        let (whole, rest) = integers.quotientAndRemainder(dividingBy: Int128(count))
        let average = Decimal128(Int64(whole)) + Decimal128(Int64(rest)) / Decimal128(Int64(count))
        return .double(average.doubleValue)
    }
}
