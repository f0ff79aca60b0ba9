// SPDX-License-Identifier: MIT
// TextTable.swift -- rows and columns for people.

/// A table of texts. A nil is a null.
struct TextTable {
    let names: [String]
    let rows: [[String?]]
    /// The columns of numbers, which stand on the right.
    var rightColumns: Set<Int> = []

    /// No column is narrower than this if it does not fit.
    private static let narrowest = 8, widest = 60

    /// Lines for a terminal of that width. Columns that do not fit are left out, and named in the last line.
    func text(width limit: Int, style: Style) -> String {
        let widths = columnWidths(limit)
        var lines: [String] = []
        let shown = widths.count
        lines.append(
            line((0..<shown).map { style.bold(cell(names[$0], widths[$0], right: rightColumns.contains($0))) }))
        for row in rows {
            lines.append(
                line(
                    (0..<shown).map { column in
                        let right = rightColumns.contains(column)
                        guard let text = row[column] else { return style.dim(cell("-", widths[column], right: right)) }
                        return cell(Self.visible(text), widths[column], right: right)
                    }))
        }
        if shown < names.count {
            lines.append(style.dim("(not shown: \(names[shown...].joined(separator: ", ")); choose with --columns)"))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func line(_ cells: [String]) -> String {
        var line = cells.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }

    private func cell(_ text: String, _ width: Int, right: Bool) -> String {
        fitted(text, width).padded(to: width, right: right)
    }

    /// Line ends and the like as signs that take one place: nothing in a file commands the terminal, or turns the order
    /// of what stands on it around.
    static func visible(_ text: String) -> String {
        if !text.unicodeScalars.contains(where: { isControl($0.value) }) { return text }
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 10: out.append("⏎")
            case 9: out.append("→")
            case let value where isControl(value): out.append("·")
            default: out.append(scalar)
            }
        }
        return String(out)
    }

    private static func isControl(_ value: UInt32) -> Bool {
        switch value {
        case 0..<32, 127...159, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: return true
        default: return false
        }
    }

    private func columnWidths(_ limit: Int) -> [Int] {
        var widths = names.indices.map { column in
            let cells = rows.map { width(of: Self.visible($0[column] ?? "-")) }
            return min(Self.widest, max(width(of: names[column]), cells.max() ?? 0))
        }
        while widths.reduce(0, +) + 2 * (widths.count - 1) > limit {
            let widest = widths.max() ?? 0
            if widest > Self.narrowest, let column = widths.firstIndex(of: widest) {
                widths[column] -= 1
            } else if widths.count > 1 {
                widths.removeLast()
            } else {
                break
            }
        }
        return widths
    }
}
