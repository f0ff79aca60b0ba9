// SPDX-License-Identifier: MIT
// Decimal128+Arithmetic.swift -- sums, products, quotients, order.

extension Decimal128: SignedNumeric {
    /// The number 0.
    public static var zero: Decimal128 { Decimal128() }

    /// Creates a number from an integer, if it needs no rounding.
    public init?<Source: BinaryInteger>(exactly source: Source) {
        if Int64(exactly: source) == nil {
            guard String(source.magnitude).dropFirst(34).allSatisfy({ $0 == "0" }) else { return nil }
        }
        self.init(source)
        if isInfinite { return nil }
    }

    /// The number without its sign.
    public var magnitude: Decimal128 { Decimal128(engine.magnitude) }

    /// Changes the sign.
    public mutating func negate() { self = -self }

    /// The number with the other sign.
    public static prefix func - (operand: Decimal128) -> Decimal128 { Decimal128(-operand.engine) }

    /// The sum, rounded half to even to 34 digits.
    public static func + (left: Decimal128, right: Decimal128) -> Decimal128 { Decimal128(left.engine + right.engine) }

    /// The difference, rounded half to even to 34 digits.
    public static func - (left: Decimal128, right: Decimal128) -> Decimal128 { Decimal128(left.engine - right.engine) }

    /// The product, rounded half to even to 34 digits.
    public static func * (left: Decimal128, right: Decimal128) -> Decimal128 { Decimal128(left.engine * right.engine) }

    /// The quotient, rounded half to even to 34 digits. Division by 0 gives an infinity, or NaN for `0 / 0`.
    public static func / (left: Decimal128, right: Decimal128) -> Decimal128 { Decimal128(left.engine / right.engine) }

    /// Adds a number.
    public static func += (left: inout Decimal128, right: Decimal128) { left = left + right }

    /// Subtracts a number.
    public static func -= (left: inout Decimal128, right: Decimal128) { left = left - right }

    /// Multiplies by a number.
    public static func *= (left: inout Decimal128, right: Decimal128) { left = left * right }

    /// Divides by a number.
    public static func /= (left: inout Decimal128, right: Decimal128) { left = left / right }
}

extension Decimal128: Comparable {
    /// Compares as numbers: `1.0` equals `1.00`, `-0` equals `0`, and NaN equals NaN.
    public static func == (left: Decimal128, right: Decimal128) -> Bool {
        EngineDecimal.order(left.engine, right.engine) == 0
    }

    /// Compares as numbers; NaN is below every other number.
    public static func < (left: Decimal128, right: Decimal128) -> Bool {
        EngineDecimal.order(left.engine, right.engine) < 0
    }
}

extension Decimal128: Strideable {
    /// The difference to another number, rounded half to even to 34 digits.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }

    /// The number that is `distance` away, rounded half to even to 34 digits.
    ///
    /// ```swift
    /// let prices = Array(stride(from: Decimal128("0.10"), through: "0.30", by: "0.10"))  // 0.10, 0.20, 0.30
    /// ```
    public func advanced(by distance: Decimal128) -> Decimal128 { self + distance }
}

extension Decimal128: Hashable {
    /// Equal numbers hash alike, whatever zeros they are written with.
    public func hash(into hasher: inout Hasher) {
        let one = Decimal128(engine.reduced)
        hasher.combine(one.low)
        hasher.combine(one.high)
    }
}
