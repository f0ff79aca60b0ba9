// SPDX-License-Identifier: MIT
// Report.swift -- what a run measured, as it is written to a file and shown.

import Foundation
import Workload

struct Report: Codable {
    struct Peer: Codable {
        var name: String
        var title: String
    }

    /// What one peer needed for one workload, in the unit of the row.
    struct Cell: Codable {
        var value: Double
        /// The rounds, of which `value` is the median.
        var samples: [Double] = []
        /// The time on a processor, where the value is the time that passed.
        var processor: Double?
        /// On the thread that ran the workload, per operation.
        var allocations: Double?
    }

    struct Row: Codable {
        var name: String
        var title: String
        /// What a figure is and what it is per, such as "ns per object".
        var unit: String
        /// By the names of peers.
        var cells: [String: Cell]
        var targets: [String: Double] = [:]
        /// Targets as so many times the figure of raw LMDB, by the names of peers.
        var ratioTargets: [String: Double] = [:]
        /// A workload, and not a size.
        var isTime = true
        /// More is better.
        var isGain: Bool { name == "bytes-reusable" }
    }

    var n: UInt64
    /// Of workloads that read, and of all others.
    var rounds: UInt32
    var writeRounds: UInt32
    var machine: Machine
    var peers: [Peer]
    var rows: [Row]

    static let c = "strata-c"
    static let swift = "strata-swift"
    static let raw = "lmdb"

    static func read(_ path: String) throws -> [Report] {
        try JSONDecoder().decode([Report].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    static func write(_ reports: [Report], _ path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(reports).write(to: URL(fileURLWithPath: path))
    }

    /// True if a row's target for a peer is reached; nil if there is none.
    func isReached(_ row: Row, _ peer: String) -> Bool? {
        guard let cell = row.cells[peer], let target = row.targets[peer] else { return nil }
        return cell.value <= target
    }

    /// A peer that is not Strata, and its figure.
    struct Other {
        var peer: Peer
        var value: Double
    }

    func isStrata(_ peer: Peer) -> Bool { peer.name == Report.c || peer.name == Report.swift }

    /// The best of the others for a row; nil if none of them has a figure that one is better than.
    func best(_ row: Row) -> Other? {
        guard !row.isGain else { return nil }
        return peers.filter { !isStrata($0) }
            .compactMap { peer in row.cells[peer.name].map { Other(peer: peer, value: $0.value) } }
            .filter { $0.value > 0 }
            .min { $0.value < $1.value }
    }

    /// How many times the best other's figure that of Strata is.
    func toBest(_ row: Row, _ peer: String) -> Double? {
        guard let cell = row.cells[peer], let best = best(row) else { return nil }
        return cell.value / best.value
    }

    /// The rows, those first in which another peer is better: than Strata C, and then than Strata Swift, by how much.
    var rowsByLoss: [Row] {
        func losses(_ rows: [Row], _ peer: String) -> [Row] {
            rows.map { ($0, toBest($0, peer) ?? 0) }.filter { $0.1 > 1 }.sorted { $0.1 > $1.1 }.map(\.0)
        }
        let first = losses(rows, Report.c)
        let others = rows.filter { row in !first.contains { $0.name == row.name } }
        let second = losses(others, Report.swift)
        return first + second + others.filter { row in !second.contains { $0.name == row.name } }
    }

    /// In how many rows another peer is better than one of Strata's.
    func losses(_ peer: String) -> String {
        let ratios = rows.compactMap { toBest($0, peer) }
        return "\(ratios.count { $0 > 1 }) of \(ratios.count)"
    }

    /// How many times raw LMDB's figure that of a peer is.
    func ratio(_ row: Row, _ peer: String) -> Double? {
        guard let cell = row.cells[peer], let raw = row.cells[Report.raw], raw.value > 0 else { return nil }
        return cell.value / raw.value
    }

    /// The same for the target as a ratio.
    func isRatioReached(_ row: Row, _ peer: String) -> Bool? {
        guard let ratio = ratio(row, peer), let target = row.ratioTargets[peer] else { return nil }
        return ratio <= target
    }
}

// MARK: Of a run

extension Report {
    init(_ plan: bench_plan, _ results: UnsafeMutablePointer<bench_results>) {
        n = plan.n
        rounds = plan.rounds
        writeRounds = plan.write_rounds
        machine = Machine(folder: String(cString: plan.folder))
        peers = (0..<Int(plan.peer_count)).map { index in
            let peer = plan.peers[index]!.pointee
            return Peer(name: String(cString: peer.name), title: String(cString: peer.title))
        }
        rows = []
        for index in 0..<BENCH_WORKLOADS.rawValue { addTime(bench_workload(rawValue: index), results) }
        addSizes(results)
    }

    private mutating func addTime(_ workload: bench_workload, _ results: UnsafeMutablePointer<bench_results>) {
        let about = bench_describe(workload).pointee
        let unit = (about.unit == 1 ? "ns" : "µs") + " per " + String(cString: about.operation)
        let title = String(cString: about.title)
        var row = Row(name: String(cString: about.name), title: title, unit: unit, cells: [:])
        for (index, peer) in peers.enumerated() {
            guard let figure = bench_figure_of(results, workload, UInt32(index)), figure.pointee.rounds > 0 else {
                continue
            }
            let rounds = figure.pointee.rounds
            let judged = bench_judged(workload, figure)
            var cell = Cell(value: bench_median(judged, rounds) / about.unit)
            cell.samples = (0..<Int(rounds)).map { judged![$0] / about.unit }
            cell.allocations = figure.pointee.allocations
            let processor = withUnsafeBytes(of: figure.pointee.processor) {
                bench_median($0.bindMemory(to: Double.self).baseAddress, rounds) / about.unit
            }
            if processor.isFinite, processor != cell.value { cell.processor = processor }
            row.cells[peer.name] = cell
        }
        row.aim(c: about.c_target, swift: about.swift_target, raw: about.raw)
        if !row.cells.isEmpty { rows.append(row) }
    }

    private mutating func addSizes(_ results: UnsafeMutablePointer<bench_results>) {
        let mebi = 1_048_576.0
        add("bytes", "size of the file after bulk insert", "bytes per object", (85, 85, 135), results) { $0.inserted }
        let changed = "size of the file after updates and deletes"
        add("bytes-changed", changed, "bytes per object", (180, 180, 369), results) { $0.changed }
        add("bytes-reusable", changed + ", reusable part", "bytes per object", nil, results) {
            $0.changed > 0 ? $0.reusable : -1
        }
        add("peak", "peak memory of the bulk insert", "MiB", (128, 160, 206), results) { $0.peak / mebi }
    }

    private mutating func add(
        _ name: String, _ title: String, _ unit: String, _ targets: (c: Double, swift: Double, raw: Double)?,
        _ results: UnsafeMutablePointer<bench_results>, _ figure: (bench_sizes) -> Double
    ) {
        var row = Row(name: name, title: title, unit: unit, cells: [:], isTime: false)
        if let targets { row.aim(c: targets.c, swift: targets.swift, raw: targets.raw) }
        for (index, peer) in peers.enumerated() {
            let value = figure(bench_sizes_of(results, UInt32(index)).pointee)
            if value > 0 || (name == "bytes-reusable" && value == 0) { row.cells[peer.name] = Cell(value: value) }
        }
        if !row.cells.isEmpty { rows.append(row) }
    }

    /// A figure of the library that is measured outside of this program.
    mutating func add(_ name: String, _ title: String, _ unit: String, _ value: Double, target: Double) {
        rows.append(
            Row(
                name: name, title: title, unit: unit, cells: [Report.c: Cell(value: value)],
                targets: [Report.c: target], isTime: false))
    }
}

extension Report.Row {
    /// Sets the targets. `raw` is what raw LMDB took where they were set, 0 if it is not known: with it, a target is a
    /// ratio, too. A negative target is nothing but a ratio, 0 is none.
    fileprivate mutating func aim(c: Double, swift: Double, raw: Double) {
        for (peer, target) in [(Report.c, c), (Report.swift, swift)] {
            if target > 0 { targets[peer] = target }
            if target < 0 { ratioTargets[peer] = -target }
            if target > 0, raw > 0 { ratioTargets[peer] = target / raw }
        }
    }
}
