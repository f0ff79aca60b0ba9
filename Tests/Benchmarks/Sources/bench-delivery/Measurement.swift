// SPDX-License-Identifier: MIT
// Measurement.swift -- all deliveries, and the tables of what they took.

import Foundation

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Nanoseconds of deliveries: from the commit to the closure, and to read the object there.
struct Times {
    var delivering: [Int] = []
    var reading: [Int] = []

    static func += (left: inout Times, right: Times) {
        left.delivering += right.delivering
        left.reading += right.reading
    }
}

struct Measurement {
    static let warmUp = 20
    static let deliveries = 100
    let options: Options
    private var random: SeededNumbers
    private let populations: [Population]
    /// Nanoseconds of all rounds.
    private var times: [Cell: Times] = [:]

    /// Fills the files.
    init(_ options: Options) throws {
        self.options = options
        var random = SeededNumbers(seed: options.seed)
        populations = try options.sizes.map { try Population($0, in: options.folder, &random) }
        self.random = random
    }

    /// Sizes, ways and kinds take turns, so that all of them meet what else the machine does.
    mutating func run() throws {
        for _ in 0..<options.rounds {
            for population in populations {
                for way in options.ways {
                    for kind in options.kinds {
                        let cell = Cell(kind: kind, way: way, count: population.count)
                        do {
                            times[cell, default: Times()] += try measure(cell, population)
                        } catch {
                            throw Failure("seed \(options.seed), \(cell): \(error)")
                        }
                    }
                }
            }
        }
    }

    private mutating func measure(_ cell: Cell, _ population: Population) throws -> Times {
        let person = population.member(&random)
        let observer = try Observer(cell.kind, of: person, in: population.file, on: cell.way.queue)
        let writer = try cell.way.writer(beside: observer, population.file)
        let steps = (0..<Self.warmUp + Self.deliveries).map { _ in population.step(cell.kind, of: person, &random) }
        var times = Times()
        for (number, step) in steps.enumerated() {
            try writer.begin(step.assignment)
            guard let delivery = observer.next() else { throw Failure("nothing was told of \(step.assignment)") }
            guard delivery.change == step.told else { throw Failure("told \(delivery.change), not \(step.told)") }
            guard delivery.found == step.assignment else {
                throw Failure("found \(delivery.found as Any), not \(step.assignment)")
            }
            let committed = try writer.committed()
            if number < Self.warmUp { continue }
            times.delivering.append(delivery.time - committed)
            times.reading.append(delivery.reading)
        }
        try observer.end()
        return times
    }

    // MARK: Tables

    func print() {
        let sizes = options.sizes.map { $0.formatted() }.joined(separator: " / ")
        for (title, share) in [("median", 50), ("90 of 100", 90)] {
            table("\(title), µs, \(sizes)") { kind, way in
                figures(kind, way, share).map { String(Int(($0 / 1000).rounded())) }.joined(separator: " / ")
            }
        }
        table("to read the object there, median, µs, \(sizes)") { kind, way in
            if kind == .object { return "-" }
            return figures(kind, way, 50, \.reading).map { String(format: "%.1f", $0 / 1000) }.joined(separator: " / ")
        }
        guard options.sizes.count > 1 else { return }
        table("median, so many times that of \(options.sizes[0].formatted())") { kind, way in
            let figures = figures(kind, way, 50)
            // Below zero nothing can be said, nor below what the clock takes.
            return figures.min()! < 500 ? "-" : String(format: "%.1f", figures[1] / figures[0])
        }
    }

    /// A percentile for each size.
    private func figures(
        _ kind: Kind, _ way: Way, _ percent: Int, _ times: KeyPath<Times, [Int]> = \.delivering
    ) -> [Double] {
        options.sizes.map { size in
            let sorted = self.times[Cell(kind: kind, way: way, count: size)]![keyPath: times].sorted()
            return Double(sorted[sorted.count * percent / 100])
        }
    }

    private func table(_ title: String, _ figure: (Kind, Way) -> String) {
        func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        let rule = "|---|" + String(repeating: "---:|", count: options.ways.count)
        let rows = options.kinds.map { kind in line([kind.title] + options.ways.map { figure(kind, $0) }) }
        Swift.print((["", line([title] + options.ways.map(\.title)), rule] + rows).joined(separator: "\n"))
    }
}
