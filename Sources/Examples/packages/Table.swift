// SPDX-License-Identifier: MIT
// Table.swift -- rows and columns of text, aligned.

struct Table {
    struct Column {
        var title: String
        var isNumeric = false
    }

    var columns: [Column]
    var rows: [[String]] = []

    /// Lines without blanks at their end, two blanks between columns; numbers to the right.
    func lines() -> [String] {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = columns.indices.map { aligned(row[$0], in: widths[$0], right: columns[$0].isNumeric) }
                .joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    private func aligned(_ text: String, in width: Int, right: Bool) -> String {
        let padding = String(repeating: " ", count: width - text.count)
        return right ? padding + text : text + padding
    }
}
