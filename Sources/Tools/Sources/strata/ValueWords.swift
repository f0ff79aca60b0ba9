// SPDX-License-Identifier: MIT
// ValueWords.swift -- a value of the engine in words.

import CStrata

/// A value as it is shown, and as a condition has it.
struct ValueWords {
    let shown: JSONText
    /// Nil for what conditions cannot name, or is too long.
    let literal: String?

    init(_ value: strata_value) { (shown, literal) = Self.words(value) }

    private static func words(_ value: strata_value) -> (JSONText, String?) {
        switch value.type {
        case .STRATA_NULL: return (.null, "nil")
        case .STRATA_BOOL: return (.bool(value.as.boolean), "\(value.as.boolean)")
        case .STRATA_INT: return (.int(value.as.integer), "\(value.as.integer)")
        case .STRATA_FLOAT: return (.double(Double(value.as.single)), "float(\(value.as.single))")
        case .STRATA_DOUBLE: return (.double(value.as.real), "double(\(value.as.real))")
        case .STRATA_DATE: return (.string(date(value.as.real)), "date(\(value.as.real))")
        case .STRATA_STRING:
            let most = 200
            let bytes = UnsafeRawBufferPointer(start: value.as.bytes.data, count: min(value.as.bytes.size, most))
            let text = String(decoding: bytes, as: UTF8.self)
            return (.string(text), value.as.bytes.size > most ? nil : ObjectKey.quoted(text))
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

    private static func date(_ seconds: Double) -> String {
        let since1970 = (seconds + 978_307_200) * 1e6
        return abs(since1970) < 2e17 ? dateText(microseconds: Int64(since1970)) : "@\(seconds)"
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
