// SPDX-License-Identifier: MIT

func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
}

func isLetter(_ byte: UInt8) -> Bool {
    let lower = byte | 0x20
    return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
}

/// Space, tab, and the line ends inside a folded field.
func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
        || byte == UInt8(ascii: "\r")
}

extension ArraySlice<UInt8> {
    /// The same bytes without blanks at either end.
    var trimmed: ArraySlice<UInt8> {
        var from = startIndex
        var to = endIndex
        while from < to, isBlank(self[from]) { from += 1 }
        while to > from, isBlank(self[to - 1]) { to -= 1 }
        return self[from..<to]
    }

    /// The first line, without blanks at either end.
    var firstLine: ArraySlice<UInt8> {
        self[..<(firstIndex(of: UInt8(ascii: "\n")) ?? endIndex)].trimmed
    }
}
