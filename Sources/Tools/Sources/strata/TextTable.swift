// SPDX-License-Identifier: MIT
// TextTable.swift -- rows and columns for people.

/// A table of texts. A nil is a null.
struct TextTable {
    let names: [String]
    let rows: [[String?]]
    /// The columns of numbers, which stand on the right.
    var rightColumns: Set<Int> = []
    /// Whether a text that is too long goes on in the next line, instead of being cut.
    var wraps = false

    /// Lines for a terminal of that width. Columns that do not fit are left out, and named in the last line.
    func text(width limit: Int, style: Style) -> String {
        var layout = TableLayout(names: names, rightColumns: rightColumns, limit: limit, style: style)
        layout.wraps = wraps
        layout.fit(rows)
        return layout.head + rows.map(layout.line).joined() + layout.foot
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

    /// The same of text in lines, which stay lines.
    static func visibleLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { visible(String($0)) }.joined(separator: "\n")
    }

    private static func isControl(_ value: UInt32) -> Bool {
        switch value {
        case 0..<32, 127...159, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: return true
        default: return false
        }
    }
}

/// How wide the columns of a table are, on a terminal of some width.
struct TableLayout {
    let names: [String]
    let rightColumns: Set<Int>
    let limit: Int
    let style: Style
    /// See ``TextTable``.
    var wraps = false
    /// Of the columns that are shown: the first ones that fit.
    private var widths: [Int] = []

    init(names: [String], rightColumns: Set<Int>, limit: Int, style: Style) {
        self.names = names.map(TextTable.visible)
        self.rightColumns = rightColumns
        self.limit = limit
        self.style = style
    }

    /// No column is narrower than this if it does not fit.
    private static let narrowest = 8, widest = 60

    /// Makes room for rows. Columns become wider as far as there is space, and never fewer than after the first call.
    mutating func fit(_ rows: [[String?]]) {
        let shown = widths.isEmpty ? names.count : widths.count
        var found = (0..<shown).map { column in
            let cells = rows.map { width(of: TextTable.visible($0[column] ?? "-")) }
            return min(wraps ? .max : Self.widest, max(width(of: names[column]), cells.max() ?? 0))
        }
        if !widths.isEmpty {
            for column in 0..<shown { found[column] = max(found[column], widths[column]) }
        }
        while found.reduce(0, +) + 2 * (found.count - 1) > limit {
            let widest = found.max() ?? 0
            if widest > Self.narrowest, let column = found.firstIndex(of: widest) {
                found[column] -= 1
            } else if found.count > 1 && widths.isEmpty {
                found.removeLast()
            } else {
                break
            }
        }
        widths = found
    }

    /// The line of names.
    var head: String {
        joined(widths.indices.map { style.bold(cell(names[$0], $0)) })
    }

    func line(_ row: [String?]) -> String {
        if wraps { return wrapped(row) }
        return joined(
            widths.indices.map { column in
                row[column].map { cell(TextTable.visible($0), column) } ?? style.dim(cell("-", column))
            })
    }

    /// A row in as many lines as its longest text takes.
    private func wrapped(_ row: [String?]) -> String {
        let texts = widths.indices.map { column in
            row[column].map { pieces(of: TextTable.visible($0), widths[column]) } ?? []
        }
        let count = max(1, texts.map(\.count).max() ?? 1)
        return (0..<count).map { line in
            joined(
                widths.indices.map { column in
                    if texts[column].indices.contains(line) { return cell(texts[column][line], column) }
                    return row[column] == nil && line == 0 ? style.dim(cell("-", column)) : cell("", column)
                })
        }.joined()
    }

    /// What is not shown, if that is something.
    var foot: String {
        if widths.count == names.count { return "" }
        let missing = names[widths.count...].joined(separator: ", ")
        return style.dim("(not shown: \(missing); choose with --columns)") + "\n"
    }

    private func joined(_ cells: [String]) -> String {
        var line = cells.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }

    private func cell(_ text: String, _ column: Int) -> String {
        fitted(text, widths[column]).padded(to: widths[column], right: rightColumns.contains(column))
    }
}

/// Pieces of a text that are at most so wide, and begin at words as far as these are not wider.
private func pieces(of text: String, _ limit: Int) -> [String] {
    var pieces: [String] = []
    var current = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
        if !current.isEmpty && width(of: current) + 1 + width(of: String(word)) > limit {
            pieces.append(current)
            current = ""
        }
        current += (current.isEmpty ? "" : " ") + word
        while width(of: current) > limit {
            var end = current.startIndex
            while width(of: String(current[...end])) <= limit { end = current.index(after: end) }
            if end == current.startIndex { end = current.index(after: end) }
            pieces.append(String(current[..<end]))
            current = String(current[end...])
        }
    }
    return pieces + (current.isEmpty && !pieces.isEmpty ? [] : [current])
}
