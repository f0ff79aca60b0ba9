// SPDX-License-Identifier: MIT
// Progress.swift -- how far something long is, on the terminal.

import Glibc

/// A line on the error stream that is drawn over, from 200 ms on; nothing if that is no terminal.
final class Progress {
    private let what: String
    private let unit: String
    private let begun = Progress.now
    private var drawn = 0.0
    private let isShown = Terminal.isTerminal(STDERR_FILENO)

    init(_ what: String, unit: String) {
        self.what = what
        self.unit = unit
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
        guard isShown, now - begun > 0.2, now - drawn > 0.1 else { return }
        drawn = now
        let rate = Double(done) / (now - begun)
        var line = "\(what): \(grouped(done))"
        if let all, all > 0 {
            line += " of \(grouped(all)) \(unit), \(Int(100 * Double(done) / Double(all)))%"
            if rate > 0 { line += ", \(Int(Double(all - min(done, all)) / rate) + 1) s left" }
        } else {
            line += " \(unit)"
        }
        line += ", \(grouped(UInt64(rate)))/s"
        Terminal.write("\r" + fitted(line, Terminal.size.columns - 1) + "\u{1B}[K", to: STDERR_FILENO)
    }

    /// Takes the line away.
    func end() {
        if drawn > 0 { Terminal.write("\r\u{1B}[K", to: STDERR_FILENO) }
        drawn = 0
    }
}
