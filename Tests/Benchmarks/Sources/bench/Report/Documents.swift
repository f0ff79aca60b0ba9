// SPDX-License-Identifier: MIT
// Documents.swift -- the parts of a page that a run writes.

import Foundation

/// Writes what a run measured, and perhaps one that grew, between the marks of a page, and their charts beside it. A
/// mark is a line such as `<!-- compare -->`, and the part ends at `<!-- end -->`.
func writeDocuments(_ page: String, _ compare: String, _ growth: String?) throws {
    guard let report = try Report.read(compare).first else { fail("\(compare) is empty") }
    let growth = try growth.map { Growth(reports: try Report.read($0)) }
    let charts = URL(fileURLWithPath: page).deletingLastPathComponent()
    var text = try String(contentsOfFile: page, encoding: .utf8)
    replace("compare", with: introduction(report) + "\n\n" + report.table(isWide: true).markdown, in: &text)
    replace("processor", with: report.processor.markdown, in: &text)
    replace("allocations", with: report.allocations.markdown, in: &text)
    if let growth { replace("growth", with: growth.table(isWide: true).markdown, in: &text) }
    try write(text, page)
    try write(report.chart.svg, charts.appendingPathComponent("performance.svg").path)
    if let growth { try write(growth.chart.svg, charts.appendingPathComponent("growth.svg").path) }
}

private func introduction(_ report: Report) -> String {
    """
    \(figure(Double(report.n))) persons; medians of \(report.rounds) rounds, of \(report.writeRounds) where files \
    are changed.
    \(report.machine.text).
    Another peer is better than Strata's C interface in \(report.losses(Report.c)) lines, and than its Swift interface
    in \(report.losses(Report.swift)): those lines come first.
    Targets reached in C: \(report.score(Report.c)); in Swift: \(report.score(Report.swift)).
    """
}

private func replace(_ mark: String, with part: String, in text: inout String) {
    guard let start = text.range(of: "<!-- \(mark) -->\n"),
        let end = text.range(of: "<!-- end -->", range: start.upperBound..<text.endIndex)
    else { fail("the page has no part \(mark)") }
    text.replaceSubrange(start.upperBound..<end.lowerBound, with: part + "\n")
}
