// SPDX-License-Identifier: MIT
// TableStream.swift -- a table of any length, written while its rows come.

/// Takes the plain columns of an export piece by piece, with the line of names first, and writes a table. It holds some
/// rows only: columns are as wide as the first of them need, and become wider if later ones need that and there is
/// space.
final class TableStream {
    /// Rows that are measured at a time.
    private static let most = 1000
    private let output: PagedOutput
    private let style: Style
    /// Which of the names are those of columns that stand on the right.
    private let isRight: (String) -> Bool
    private var layout: TableLayout?
    private var rows: [[String?]] = []
    /// The beginning of a line.
    private var rest: [UInt8] = []
    private var isFirst = true

    init(_ output: PagedOutput, style: Style, isRight: @escaping (String) -> Bool) {
        self.output = output
        self.style = style
        self.isRight = isRight
    }

    /// False if nobody reads any more.
    func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        var bytes = piece[...]
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            rest.append(contentsOf: bytes[..<end])
            let fields = plainFields(String(decoding: rest, as: UTF8.self))
            rest.removeAll(keepingCapacity: true)
            bytes = bytes[(end + 1)...]
            if layout == nil {
                begin(fields.map { $0 ?? "" })
                continue
            }
            rows.append(fields)
            if rows.count == Self.most && !flush() { return false }
        }
        rest.append(contentsOf: bytes)
        return true
    }

    private func begin(_ names: [String]) {
        let right = Set(names.indices.filter { isRight(names[$0]) })
        layout = TableLayout(names: names, rightColumns: right, limit: Terminal.size.columns, style: style)
    }

    private func flush() -> Bool {
        layout?.fit(rows)
        guard let layout else { return true }
        let text = (isFirst ? layout.head : "") + rows.map(layout.line).joined()
        isFirst = false
        rows.removeAll(keepingCapacity: true)
        return output.write(text)
    }

    /// Writes the rest.
    func finish() {
        if !rows.isEmpty || isFirst, !flush() { return }
        if let layout { _ = output.write(layout.foot) }
    }
}
