// SPDX-License-Identifier: MIT
// Decimal128+Text.swift -- literals, text and coding.

import Foundation

extension Decimal128: LosslessStringConvertible {
    /// Creates a number from text, if it is the text of one. See `init(string:)`, which throws.
    public init?(_ description: String) {
        guard let number = try? Decimal128(string: description) else { return nil }
        self = number
    }

    /// The text, with the zeros the number was written with: "1.00", "-0.000001", "1E-7", "1.5E+20", "Infinity", "NaN".
    public var description: String { engine.text }

    /// The text; the same as `description`.
    public var stringValue: String { description }
}

extension Decimal128: ExpressibleByIntegerLiteral {
    /// Creates a number from an integer literal.
    public init(integerLiteral value: Int64) { self.init(EngineDecimal(value)) }
}

extension Decimal128: ExpressibleByFloatLiteral {
    /// Creates a number from a literal such as `0.1`. The compiler makes it a `Double` first, so that only 15 digits
    /// are safe: write longer numbers as text, `"3.14159265358979323846"`.
    public init(floatLiteral value: Double) { self.init(EngineDecimal(value)) }
}

extension Decimal128: ExpressibleByStringLiteral {
    /// Creates a number from a text literal such as `"19.90"`; stops the program if it is not the text of a number.
    public init(stringLiteral value: String) {
        guard let number = try? Decimal128(string: value) else {
            misuse("\"\(value)\" is not a decimal number; write one such as \"19.90\"")
        }
        self = number
    }
}

extension Decimal128: Codable {
    /// Reads the text of a number, or a number.
    ///
    /// Up to 34 digits are exact, in text and in numbers of JSON whose exponents are from -128 to 127; numbers of other
    /// exponents pass through a `Double`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            self = try Self(numberIn: container)
            return
        }
        guard let number = Decimal128(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is not a decimal number")
        }
        self = number
    }

    /// Reads a number. A decoder says only after trying whether it has one of a type; what it says of the last is
    /// thrown.
    private init(numberIn container: any SingleValueDecodingContainer) throws {
        if let number = try? container.decode(Decimal.self), !number.isNaN {
            self.init(number)
        } else if let number = try? container.decode(Int64.self) {
            self.init(number)
        } else if let number = try? container.decode(UInt64.self) {
            self.init(number)
        } else {
            self.init(try container.decode(Double.self))
        }
    }

    /// Writes the text of the number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
