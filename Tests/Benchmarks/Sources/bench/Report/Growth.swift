// SPDX-License-Identifier: MIT
// Growth.swift -- how costs grow with the number of objects.

/// Reports of the same peers, the smallest first.
struct Growth {
    let reports: [Report]

    /// The figures of a peer for a row, one for each report: of times those on a processor, where they are known, since
    /// what a flush takes says nothing about growth.
    private func figures(_ row: Report.Row, _ peer: String) -> [Double] {
        reports.map { report in
            let cell = report.rows.first { $0.name == row.name }?.cells[peer]
            return cell?.processor ?? cell?.value ?? .nan
        }
    }

    /// What is per operation or per object.
    private var rows: [Report.Row] { reports.first?.rows.filter { $0.unit.contains(" per ") } ?? [] }

    /// Workloads by sizes, and how many times the smallest one's cost the largest one's is.
    func table(isWide: Bool) -> Table {
        var table = Table(header: [""])
        guard let first = reports.first else { return table }
        for peer in first.peers {
            table.header += reports.map { "\(peer.title), \(figure(Double($0.n)))" } + ["growth"]
        }
        for row in rows {
            var cells = [row.label(isWide: isWide)]
            for peer in first.peers {
                let figures = figures(row, peer.name)
                cells += figures.map(figure) + [times(figures[figures.count - 1] / figures[0])]
            }
            table.rows.append(cells)
        }
        return table
    }

    /// Each cost beside that of the smallest size.
    var chart: Chart {
        guard let first = reports.first else { return Chart(title: "", notes: [], series: [], rows: []) }
        let larger = reports.dropFirst()
        var chart = Chart(
            title: "Time on a processor per operation, as so many times that with \(figure(Double(first.n))) objects",
            notes: ["Bars to the right: it grows with the number of objects. Logarithmic."],
            series: first.peers.flatMap { peer in larger.map { "\(peer.title), \(figure(Double($0.n)))" } }, rows: [])
        for row in rows where row.isTime {
            let ratios = first.peers.flatMap { peer -> [Double] in
                let figures = figures(row, peer.name)
                return figures.dropFirst().map { $0 / figures[0] }
            }
            chart.rows.append(Chart.Row(title: row.title, note: "", ratios: ratios))
        }
        return chart
    }
}
