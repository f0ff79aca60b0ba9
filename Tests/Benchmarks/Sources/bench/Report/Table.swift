// SPDX-License-Identifier: MIT
// Table.swift -- rows of text in columns, for terminals and for documents.

/// A table whose first column is text and whose others are figures.
struct Table {
    var header: [String]
    var rows: [[String]] = []

    /// Columns of equal width.
    var plain: String {
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        return ([header] + rows).map { cells in
            zip(cells, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + padding : padding + cell.0
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    var markdown: String {
        let rule = ["---"] + header.dropFirst().map { _ in "---:" }
        return ([header, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }
}

/// Three significant digits or all of the integer ones, in groups of three.
func figure(_ value: Double) -> String {
    if value.isNaN { return "-" }
    if value < 99.95 {
        let digits = value < 0.995 ? 2 : 1
        let scale = digits == 2 ? 100.0 : 10
        let scaled = Int((value * scale).rounded())
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: Int(scale))
        let fraction = String(rest)
        return "\(whole)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
    var digits = String(Int(value.rounded()))
    var groups: [String] = []
    while digits.count > 3 {
        groups.insert(String(digits.suffix(3)), at: 0)
        digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
}

/// A ratio, such as "2.5x" or "1/20".
func times(_ ratio: Double) -> String {
    if ratio.isNaN || ratio == 0 { return "-" }
    if ratio < 0.15 { return "1/\(Int((1 / ratio).rounded()))" }
    return ratio < 9.95 ? figure(ratio) + "x" : "\(figure(ratio.rounded()).replacing(".0", with: ""))x"
}

/// A ratio that is held against another one, such as "0.21x" or "18x".
func share(_ ratio: Double) -> String {
    let hundredths = Int((ratio * 100).rounded())
    if hundredths >= 1000 { return times(ratio) }
    let rest = String(hundredths % 100)
    return "\(hundredths / 100)." + String(repeating: "0", count: 2 - rest.count) + rest + "x"
}

func mark(_ isReached: Bool) -> String { isReached ? "✓" : "✗" }

extension Report.Row {
    func label(isWide: Bool) -> String { "\(title), " + (isWide ? unit : String(unit.prefix { $0 != " " })) }
}

extension Report {
    /// Workloads by peers, those first in which another peer is better: how many times the best other's figure Strata's
    /// are; medians; Strata's with its target, and with the ratio to raw LMDB and the target for that; those of SQLite
    /// and GRDB also as so many times that of Strata C.
    ///
    /// A wide table says what each figure is per; in a narrow one the first word of that has to do.
    func table(isWide: Bool) -> Table {
        var table = Table(header: ["", "C, Swift to the best other"])
        for peer in peers {
            table.header.append(peer.title)
            if isStrata(peer) { table.header += ["target", "to raw LMDB, target"] }
        }
        for row in rowsByLoss { table.rows.append([row.label(isWide: isWide), comparison(row, isWide)] + cells(row)) }
        return table
    }

    /// Such as "8.02x, 18x raw LMDB"; what is above 1 stands out in a document.
    private func comparison(_ row: Row, _ isDocument: Bool) -> String {
        guard let best = best(row) else { return "" }
        let ratios = [Report.c, Report.swift].compactMap { toBest(row, $0) }.map { ratio in
            ratio > 1 && isDocument ? "**\(share(ratio))**" : share(ratio)
        }
        return ratios.joined(separator: ", ") + " " + best.peer.title
    }

    private func cells(_ row: Row) -> [String] {
        var cells: [String] = []
        let own = row.cells[Report.c]?.value
        for peer in peers {
            let value = row.cells[peer.name]?.value
            let text = value.map(figure) ?? "-"
            if isStrata(peer) {
                cells.append(text)
                cells += [judgement(row, peer.name), ratioJudgement(row, peer.name)]
            } else if peer.name != Report.raw, let value, let own, !row.targets.isEmpty || row.isTime {
                cells.append("\(text) (\(times(value / own)))")
            } else {
                cells.append(text)
            }
        }
        return cells
    }

    private func judgement(_ row: Row, _ peer: String) -> String {
        guard let target = row.targets[peer], let isReached = isReached(row, peer) else { return "" }
        return "\(figure(target)) \(mark(isReached))"
    }

    private func ratioJudgement(_ row: Row, _ peer: String) -> String {
        guard let ratio = ratio(row, peer) else { return "" }
        guard let target = row.ratioTargets[peer], let isReached = isRatioReached(row, peer) else {
            return share(ratio)
        }
        return "\(share(ratio)), \(share(target)) \(mark(isReached))"
    }

    /// Allocations per operation, of the workloads in which anybody makes any.
    var allocations: Table {
        var table = Table(header: ["allocations"] + peers.map(\.title))
        for row in rows where row.isTime {
            let counts = peers.map { row.cells[$0.name]?.allocations }
            if counts.allSatisfy({ ($0 ?? 0) < 0.005 }) { continue }
            table.rows.append(["\(row.title), \(row.unit.dropFirst(3))"] + counts.map { $0.map(figure) ?? "-" })
        }
        return table
    }

    /// Time on a processor, of the workloads that are judged by the time that passed.
    var processor: Table {
        var table = Table(header: ["of which on a processor"] + peers.map(\.title))
        for row in rows {
            let times = peers.map { row.cells[$0.name]?.processor }
            if times.contains(where: { $0 != nil }) {
                table.rows.append([row.label(isWide: false)] + times.map { $0.map(figure) ?? "-" })
            }
        }
        return table
    }

    /// How many targets of a peer are reached: as figures, and as ratios.
    func score(_ peer: String) -> String {
        let figures = rows.compactMap { isReached($0, peer) }
        let ratios = rows.compactMap { isRatioReached($0, peer) }
        return "\(figures.count { $0 }) of \(figures.count) as figures and "
            + "\(ratios.count { $0 }) of \(ratios.count) as ratios"
    }
}
