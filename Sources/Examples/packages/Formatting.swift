// SPDX-License-Identifier: MIT
// Formatting.swift -- numbers, sizes and times for people.

import Foundation

/// `63666` as `63,666`.
func grouped(_ number: Int) -> String {
    var digits = String(number.magnitude)
    var end = digits.index(digits.endIndex, offsetBy: -3, limitedBy: digits.startIndex)
    while let comma = end, comma > digits.startIndex {
        digits.insert(",", at: comma)
        end = digits.index(comma, offsetBy: -3, limitedBy: digits.startIndex)
    }
    return number < 0 ? "-" + digits : digits
}

/// `1 row`, `2 rows`.
func counted(_ number: Int, _ noun: String, plural: String? = nil) -> String {
    "\(grouped(number)) \(number == 1 ? noun : plural ?? noun + "s")"
}

/// Bytes in the largest unit that leaves a whole number in front, with one digit after it.
func size(_ bytes: Int) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    var value = Double(bytes)
    var unit = 0
    while value >= 1024, unit < units.count - 1 {
        value /= 1024
        unit += 1
    }
    return unit == 0 ? "\(bytes) B" : String(format: "%.1f %@", value, units[unit])
}

func time(_ duration: Duration) -> String {
    let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    if seconds >= 1 { return String(format: "%.2f s", seconds) }
    if seconds >= 0.001 { return String(format: "%.1f ms", seconds * 1e3) }
    return String(format: "%.0f us", seconds * 1e6)
}

/// `text` cut to `width` characters.
func shortened(_ text: String, to width: Int) -> String {
    text.count <= width ? text : text.prefix(width - 1) + "\u{2026}"
}
