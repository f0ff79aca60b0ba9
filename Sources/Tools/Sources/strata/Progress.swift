// SPDX-License-Identifier: MIT
// Progress.swift -- how far something long is, on the terminal.

import Glibc

/// A line on the error stream that is drawn over, from 200 ms on; nothing if that is no terminal. The variable
/// STRATA_PROGRESS says after how many milliseconds instead, and then every state is drawn.
final class Progress {
    private let what: String
    private let unit: String
    private let begun = Progress.now
    private var drawn = 0.0
    let isShown: Bool
    private let delay: Double, pause: Double

    /// - Parameter isShown: false for none, as where the terminal shows the answer meanwhile.
    init(_ what: String, unit: String, isShown: Bool = true) {
        self.what = what
        self.unit = unit
        self.isShown = isShown && Terminal.isTerminal(STDERR_FILENO)
        let given = Terminal.environment("STRATA_PROGRESS").flatMap { Double($0) }.map { $0 / 1000 }
        (delay, pause) = given.map { ($0, 0) } ?? (0.2, 0.1)
    }

    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    var seconds: Double { Progress.now - begun }

    /// Shows how much is done; of how much, if that is known.
    func update(_ done: UInt64, of all: UInt64?) {
        let now = Progress.now
        guard isShown, now - begun > delay, now - drawn > pause else { return }
        drawn = now
        let rate = Double(done) / (now - begun)
        var line = "\(what): \(shown(done))"
        if let all, all > 0 {
            line += " of \(shown(all))\(isSize ? "" : " \(unit)"), \(Int(100 * Double(done) / Double(all)))%"
            if rate > 0 && done < all { line += ", \(Int(Double(all - done) / rate) + 1) s left" }
        } else if !isSize {
            line += " \(unit)"
        }
        line += ", \(shown(UInt64(rate)))/s"
        Terminal.write("\r" + fitted(line, Terminal.size.columns - 1) + "\u{1B}[K", to: STDERR_FILENO)
    }

    private var isSize: Bool { unit == "bytes" }

    private func shown(_ amount: UInt64) -> String { isSize ? sized(amount) : grouped(amount) }

    /// Takes the line away.
    func end() {
        if drawn > 0 { Terminal.write("\r\u{1B}[K", to: STDERR_FILENO) }
        drawn = 0
    }
}
