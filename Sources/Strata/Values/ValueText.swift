// SPDX-License-Identifier: MIT
// ValueText.swift -- values of properties as text, in the descriptions of objects and collections.

import Foundation

/// An object or a collection: it has parts that are shown as text.
protocol NestedText {
    /// The text, with parts to a depth; `ValueText.tooDeep` if that is 0.
    func text(depth: Int) -> String
}

/// Values of properties as text.
enum ValueText {
    /// How deep the parts of an object or a collection are shown. Each link and each collection is one step.
    static let depth = 5
    /// Shown instead of what lies deeper.
    static let tooDeep = "<Maximum depth exceeded>"
    /// How many bytes of data are shown.
    private static let bytes = 24

    /// A value as it is stored, with its parts to a depth. Truth values are shown as 1 and 0, whole numbers without a
    /// point, whatever their type.
    static func text(_ value: Any?, depth: Int) -> String {
        guard let value, !UntypedValue.isNil(value) else { return "(null)" }
        switch UntypedValue.unwrap(value) {
        case let nested as any NestedText: return nested.text(depth: depth)
        case let data as Data: return text(data)
        case let flag as Bool: return flag ? "1" : "0"
        case let number as Double: return withoutPoint("\(number)")
        case let number as Float: return withoutPoint("\(number)")
        case let other: return "\(other)"
        }
    }

    private static func withoutPoint(_ number: String) -> String {
        number.hasSuffix(".0") ? String(number.dropLast(2)) : number
    }

    /// The first bytes in hexadecimal, and how many there are.
    private static func text(_ data: Data) -> String {
        let digits = data.prefix(bytes).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return "<\(digits) — \(data.count) total bytes>"
    }
}
