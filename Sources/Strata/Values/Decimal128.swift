// SPDX-License-Identifier: MIT
// Decimal128.swift -- a decimal number of 34 digits.

public import Foundation

/// A decimal number with up to 34 digits, for amounts that a `Double` cannot hold exactly.
///
/// The format is IEEE 754 decimal128. Exponents reach from -6176 to 6111; there are also two infinities and NaN. A
/// number keeps the zeros it was written with, which show in its text and count for nothing else: `1.0` and `1.00` are
/// equal and hash alike.
///
/// ```swift
/// let price: Decimal128 = "19.90"
/// let total = price * 3          // 59.70
/// ```
///
/// Arithmetic rounds half to even where 34 digits do not suffice, and never traps: `1 / 0` is infinite and `0 / 0` is
/// NaN. Comparisons form a total order: NaN equals itself and is below every other number.
public struct Decimal128: Sendable {
    /// The sixteen bytes of the engine's format: the low half, then the high half.
    @usableFromInline var low: UInt64
    @usableFromInline var high: UInt64

    /// Creates the number 0.
    public init() { self.init(EngineDecimal(Int64(0))) }

    /// Creates a number from text such as "-12.50", "1.5E+20", "Infinity" or "NaN", with "." as the decimal point.
    ///
    /// Digits beyond the 34th are rounded half to even. A number that is too large becomes infinite.
    ///
    /// - Throws: `Realm.Error.invalidInput` if the text is not a number.
    public init(string: String) throws { self.init(try EngineDecimal(parsing: string)) }

    /// Creates a number from an `NSNumber`.
    ///
    /// Integers and decimal numbers are converted exactly, floating-point numbers by their shortest text.
    public init(number: NSNumber) {
        if let decimal = number as? NSDecimalNumber {
            self.init(decimal.decimalValue)
            return
        }
        let engine =
            switch UInt8(bitPattern: number.objCType.pointee) {
            case UInt8(ascii: "f"): EngineDecimal(number.floatValue)
            case UInt8(ascii: "d"): EngineDecimal(number.doubleValue)
            case UInt8(ascii: "Q"), UInt8(ascii: "L"): EngineDecimal(number.uint64Value)
            default: EngineDecimal(number.int64Value)
            }
        self.init(engine)
    }

    /// Creates a number from a value of unknown type: a number of any type, or text. Nil and `NSNull` give NaN. Stops
    /// the program if the value is something else or the text is not a number; see `init(string:)`, which throws.
    public init(value: Any) {
        let value: Any = UntypedValue.isNil(value) ? Self.nan : UntypedValue.unwrap(value)
        guard let number = Self(converting: value) else {
            misuse("\(type(of: value)) \"\(value)\" is not a decimal number; pass a number, or text such as \"1.50\"")
        }
        self = number
    }

    /// Creates a number from an integer. Exact up to 34 digits, rounded half to even beyond.
    public init<Source: BinaryInteger>(_ source: Source) {
        if let number = Int64(exactly: source) {
            self.init(EngineDecimal(number))
        } else if let number = UInt64(exactly: source) {
            self.init(EngineDecimal(number))
        } else {
            self.init(trusted: String(source))
        }
    }

    /// Creates a number from a `Double`, by its text: `0.1` becomes 0.1, not the 55 digits that it stands for.
    ///
    /// The result has the fewest digits, from 15 to 17, that convert back to the same `Double`.
    public init(_ source: Double) { self.init(EngineDecimal(source)) }

    /// Creates a number from a `Float`, by its text, with the fewest digits, from 6 to 9, that convert back.
    public init(_ source: Float) { self.init(EngineDecimal(source)) }

    /// Creates a number from a `Decimal` of Foundation, whose 38 digits are rounded half to even to 34.
    public init(_ source: Decimal) { self.init(trusted: source.description) }

    /// Creates a number from a value of unknown type, if it is a number of any type or the text of one.
    init?(converting value: Any) {
        switch value {
        case let number as Decimal128: self = number
        case let text as String: self.init(text)
        case let number as NSNumber where type(of: value) is AnyClass: self.init(number: number)
        case let number as Double: self.init(number)
        case let number as Float: self.init(number)
        case let number as Decimal: self.init(number)
        case let number as any BinaryInteger: self.init(number)
        default: return nil
        }
    }

    /// Creates a number from text that another type of number made.
    private init(trusted text: String) {
        guard let number = Self(text) else { misuse("\"\(text)\" is not a decimal number") }
        self = number
    }
}

extension Decimal128 {
    /// The smallest finite number, -9.999999999999999999999999999999999E+6144.
    public static var min: Decimal128 { -max }

    /// The largest finite number, 9.999999999999999999999999999999999E+6144.
    public static var max: Decimal128 { Decimal128(low: 0x378d_8e63_ffff_ffff, high: 0x5fff_ed09_bead_87c0) }

    /// The result of operations that have none, such as `0 / 0`.
    public static var nan: Decimal128 { Decimal128(low: 0, high: 0x7c00_0000_0000_0000) }

    /// Larger than every other number.
    public static var infinity: Decimal128 { Decimal128(low: 0, high: 0x7800_0000_0000_0000) }

    /// True if this is not a number.
    public var isNaN: Bool { engine.isNaN }

    /// False: every NaN is a quiet one, which operations pass on.
    public var isSignaling: Bool { false }

    /// False: every NaN is a quiet one, which operations pass on.
    public var isSignalingNaN: Bool { false }

    /// True for both infinities.
    public var isInfinite: Bool { engine.isInfinite }

    /// True unless this is infinite or NaN.
    public var isFinite: Bool { !isNaN && !isInfinite }

    /// True for 0, also for -0 and 0.00.
    public var isZero: Bool { engine.isZero }

    /// True if the number has a minus sign, also for -0. False for NaN.
    public var isSignMinus: Bool { engine.isNegative }

    /// The nearest `Double`; infinite if the number is too large for one.
    public var doubleValue: Double { engine.doubleValue }

    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// The number in the form of the engine.
    var engine: EngineDecimal { EngineDecimal(low, high) }

    /// The number that the engine gives.
    init(_ engine: EngineDecimal) { (low, high) = engine.halves }
}

extension FixedWidthInteger {
    /// Creates an integer from a decimal number, if it is whole and fits: `2.00` does.
    public init?(exactly source: Decimal128) {
        if let number = source.engine.int64Value {
            self.init(exactly: number)
        } else if let number = source.engine.uint64Value {
            self.init(exactly: number)
        } else {
            return nil
        }
    }
}

extension Double {
    /// Creates the `Double` nearest to a decimal number; infinite if the number is too large for one.
    public init(_ source: Decimal128) { self = source.doubleValue }
}
