// SPDX-License-Identifier: MIT
// Chart.swift -- bars that tell how many times something is, on a logarithmic scale, as SVG.

import Foundation

/// For each row, a bar per series from 1 to its ratio: to the right if it is above, to the left if it is below.
struct Chart {
    struct Row {
        var title: String
        var note: String
        /// One for each series; those that are not a number have no bar.
        var ratios: [Double]
    }

    var title: String
    var notes: [String]
    var series: [String]
    var rows: [Row]

    private static let colours = ["#2f81f7", "#f0883e", "#3fb950", "#db61a2"]
    private static let labels = 500.0
    private static let width = 1130.0
    private static let bar = 7.0
    private static let gap = 10.0

    private var head: Double { 46 + 16 * Double(notes.count) + 20 }
    private var rowHeight: Double { Self.bar * Double(series.count) + Self.gap }
    private var height: Double { head + rowHeight * Double(rows.count) + 40 }

    /// The powers of ten between which all bars lie.
    private var range: ClosedRange<Double> {
        let powers = rows.flatMap(\.ratios).filter { $0.isFinite && $0 > 0 }.map { log10($0) }
        return floor(min(powers.min() ?? 0, -0.5))...ceil(max(powers.max() ?? 0, 0.5))
    }

    private func x(_ ratio: Double) -> Double {
        let part = (log10(ratio) - range.lowerBound) / (range.upperBound - range.lowerBound)
        return Self.labels + part * (Self.width - Self.labels - 50)
    }

    var svg: String {
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" \
            font-family="system-ui, sans-serif" font-size="12" role="img">
            """,
            "<title>\(escaped(title))</title>",
            """
            <style>
            .back { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e } .grid { stroke: #d1d9e0 }
            .one { stroke: #59636e }
            @media (prefers-color-scheme: dark) {
            .back { fill: #0d1117 } .ink { fill: #f0f6fc } .faint { fill: #9198a1 } .grid { stroke: #3d444d }
            .one { stroke: #9198a1 } }
            </style>
            """,
            "<rect class=\"back\" width=\"\(Self.width)\" height=\"\(height)\"/>",
            text(16, 26, title, "ink", "font-size=\"16\" font-weight=\"600\""),
        ]
        for (index, note) in notes.enumerated() { lines.append(text(16, 46 + 16 * Double(index), note, "faint")) }
        lines += legend + grid
        for (index, row) in rows.enumerated() { lines += bars(row, head + rowHeight * Double(index)) }
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    private var legend: [String] {
        series.enumerated().flatMap { index, name in
            let x = Self.labels + 154 * Double(index)
            return [
                rect(x, head - 24, 10, 10, index),
                text(x + 16, head - 15, name, "ink"),
            ]
        }
    }

    private var grid: [String] {
        let bottom = head + rowHeight * Double(rows.count)
        return stride(from: range.lowerBound, through: range.upperBound, by: 1).flatMap { power in
            let ratio = pow(10, power)
            let at = x(ratio)
            let name = power == 0 ? "equal" : times(ratio)
            return [
                """
                <line class="\(power == 0 ? "one" : "grid")" x1="\(tenth(at))" x2="\(tenth(at))" \
                y1="\(head - 6)" y2="\(bottom)"/>
                """,
                text(at, bottom + 18, name, "faint", "text-anchor=\"middle\""),
            ]
        }
    }

    private func bars(_ row: Row, _ top: Double) -> [String] {
        let middle = top + Self.bar * Double(series.count) / 2 + 4
        var lines = [
            text(16, middle, row.title, "ink"),
            text(Self.labels - 10, middle, row.note, "faint", "text-anchor=\"end\""),
        ]
        for (index, ratio) in row.ratios.enumerated() where ratio.isFinite && ratio > 0 {
            let from = min(x(1), x(ratio))
            let y = top + Self.bar * Double(index)
            lines.append(rect(from, y, max(abs(x(ratio) - x(1)), 1), Self.bar - 1, index))
            let place = ratio < 1 ? "text-anchor=\"end\" " : ""
            lines.append(text(x(ratio) + (ratio < 1 ? -3 : 3), y + 6, times(ratio), "faint", place + "font-size=\"8\""))
        }
        return lines
    }

    private func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ series: Int) -> String {
        let colour = Self.colours[series % Self.colours.count]
        return """
            <rect x="\(tenth(x))" y="\(tenth(y))" width="\(tenth(width))" height="\(tenth(height))" \
            fill="\(colour)"/>
            """
    }

    private func text(_ x: Double, _ y: Double, _ text: String, _ style: String, _ more: String = "") -> String {
        "<text class=\"\(style)\" x=\"\(tenth(x))\" y=\"\(tenth(y))\" \(more)>\(escaped(text))</text>"
    }

    private func tenth(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

extension Report {
    /// Every peer beside Strata's C interface.
    var chart: Chart {
        let others = peers.filter { $0.name != Report.c }
        var chart = Chart(
            title: "Time per operation, as so many times that of Strata's C interface",
            notes: [
                "\(figure(Double(n))) persons. To the right: slower than Strata C. To the left: faster. Logarithmic. "
                    + machine.text,
                "Beside Strata C's figure: is the target reached as a figure, and as a ratio to raw LMDB?",
            ],
            series: others.map(\.title), rows: [])
        for row in rows where row.isTime {
            guard let own = row.cells[Report.c]?.value else { continue }
            let marks = [isReached(row, Report.c), isRatioReached(row, Report.c)].map { $0.map(mark) ?? "\u{2007}" }
            let note = "\(figure(own)) \(row.unit.prefix(2)) \(marks.joined())"
            let ratios = others.map { (row.cells[$0.name]?.value ?? .nan) / own }
            chart.rows.append(Chart.Row(title: row.title, note: note, ratios: ratios))
        }
        return chart
    }
}
