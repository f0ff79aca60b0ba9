// SPDX-License-Identifier: MIT
// ValueWords.swift -- a value of the engine in words.

import CStrata

/// A value as it is shown, and as a condition has it.
struct ValueWords {
    let shown: JSONText
    /// Nil for what conditions cannot name, or is too long.
    let literal: String?

    /// - Parameter most: bytes of a string that are shown.
    init(_ value: strata_value, upTo most: Int = .max) { (shown, literal) = Self.words(value, most) }

    private static func words(_ value: strata_value, _ most: Int) -> (JSONText, String?) {
        switch value.type {
        case .STRATA_NULL: return (.null, "nil")
        case .STRATA_BOOL: return (.bool(value.as.boolean), "\(value.as.boolean)")
        case .STRATA_INT: return (.int(value.as.integer), "\(value.as.integer)")
        case .STRATA_FLOAT:
            let single = value.as.single
            return (number(Double("\(single)") ?? 0), single.isFinite ? "float(\(single))" : nil)
        case .STRATA_DOUBLE:
            return (number(value.as.real), value.as.real.isFinite ? "double(\(value.as.real))" : nil)
        case .STRATA_DATE:
            return (.string(date(value.as.real)), value.as.real.isFinite ? "date(\(value.as.real))" : nil)
        case .STRATA_STRING:
            let whole = UnsafeRawBufferPointer(start: value.as.bytes.data, count: value.as.bytes.size)
            if whole.count > most { return (.string(beginning(of: whole, most) + "…"), nil) }
            let text = String(decoding: whole, as: UTF8.self)
            return (.string(text), ObjectKey.quoted(text))
        case .STRATA_LINK: return (.uint(value.as.link), nil)
        case .STRATA_DECIMAL:
            let text = decimal(value)
            return (.string(text), "decimal('\(text)')")
        case .STRATA_UUID:
            let digits = hexadecimal(value, count: 16)
            let text = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
            return (.string(text), "uuid('\(text)')")
        case .STRATA_OBJECT_ID:
            let text = String(hexadecimal(value, count: 12))
            return (.string(text), "objectId('\(text)')")
        default: return (.null, nil)
        }
    }

    /// As exports have them, which write as text what is no number of JSON.
    private static func number(_ value: Double) -> JSONText {
        value.isFinite ? .double(value) : .string(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }

    /// Ends before a letter that would be cut.
    private static func beginning(of bytes: UnsafeRawBufferPointer, _ most: Int) -> String {
        var end = most
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    private static func date(_ seconds: Double) -> String {
        let since1970 = ((seconds + 978_307_200) * 1e6).rounded()
        if !(abs(since1970) < 2e17) { return "@\(seconds)" }
        let (_, part) = Int64(since1970).quotientAndRemainder(dividingBy: 1_000_000)
        let fraction = part < 0 ? part + 1_000_000 : part
        let text = dateText(microseconds: Int64(since1970) - fraction)
        if fraction == 0 { return text }
        var digits = String(1_000_000 + fraction).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(text).\(digits)"
    }

    private static func hexadecimal(_ value: strata_value, count: Int) -> [Character] {
        withUnsafeBytes(of: value.as.fixed) { bytes in
            bytes.prefix(count).flatMap { Array(($0 < 16 ? "0" : "") + String($0, radix: 16)) }
        }
    }

    private static func decimal(_ value: strata_value) -> String {
        let number = withUnsafeBytes(of: value.as.fixed) { strata_decimal_load($0.baseAddress) }
        var text = [CChar](repeating: 0, count: Int(STRATA_DECIMAL_TEXT))
        let count = strata_decimal_print(number, &text)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
