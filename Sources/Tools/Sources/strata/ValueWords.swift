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
        let text = printed(value)
        switch value.type {
        case .STRATA_BOOL, .STRATA_INT: return (.raw(text), text)
        case .STRATA_FLOAT:
            let single = value.as.single
            return single.isFinite ? (.raw(text), "float(\(single))") : (.string(text), nil)
        case .STRATA_DOUBLE:
            let real = value.as.real
            return real.isFinite ? (.raw(text), "double(\(real))") : (.string(text), nil)
        case .STRATA_DATE:
            return (.string(text), value.as.real.isFinite ? "date(\(value.as.real))" : nil)
        case .STRATA_STRING:
            let whole = UnsafeRawBufferPointer(start: value.as.bytes.data, count: value.as.bytes.size)
            if whole.count > most { return (.string(beginning(of: whole, most) + "…"), nil) }
            let text = String(decoding: whole, as: UTF8.self)
            return (.string(text), ObjectKey.quoted(text))
        case .STRATA_LINK: return (.raw("{\"$key\":\(value.as.link)}"), nil)
        case .STRATA_DECIMAL: return (.string(text), "decimal('\(text)')")
        case .STRATA_UUID: return (.string(text), "uuid('\(text)')")
        case .STRATA_OBJECT_ID: return (.string(text), "objectId('\(text)')")
        default: return (.null, value.type == .STRATA_NULL ? "nil" : nil)
        }
    }

    /// As exports have it.
    private static func printed(_ value: strata_value) -> String {
        var text = [CChar](repeating: 0, count: Int(STRATA_VALUE_TEXT))
        let count = withUnsafePointer(to: value) { strata_value_print($0, &text) }
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Ends before a letter that would be cut.
    private static func beginning(of bytes: UnsafeRawBufferPointer, _ most: Int) -> String {
        var end = most
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
