// SPDX-License-Identifier: MIT
// Progress.swift -- how far the import is, on standard error.

import Foundation

/// Shows a bar where standard error is a terminal, and one line per finished step everywhere.
final class Progress {
    private let isTerminal: Bool
    private let clock = ContinuousClock()
    private var start: ContinuousClock.Instant
    private var title = ""
    private var total = 0
    /// The bar is drawn again when this many are done.
    private var next = 0

    init(isTerminal: Bool = isatty(STDERR_FILENO) == 1) {
        self.isTerminal = isTerminal
        start = clock.now
    }

    /// Begins a step of `total` parts; 0 if that is not known.
    func begin(_ title: String, total: Int = 0) {
        self.title = title
        self.total = total
        start = clock.now
        next = 0
        advance(to: 0)
    }

    /// The step has turned out to have `total` parts.
    func expect(_ total: Int) {
        self.total = total
        next = 0
    }

    /// `done` parts are done. Costs a comparison, unless the bar has to move.
    func advance(to done: Int) {
        if done >= next { draw(done) }
    }

    /// Ends the step and says what it did.
    func end(_ result: String) {
        next = .max
        if isTerminal { write("\r\u{1B}[K") }
        write("\(result) (\(time(clock.now - start)))\n")
    }

    /// A line between steps.
    func note(_ text: String) {
        if isTerminal { write("\r\u{1B}[K") }
        write(text + "\n")
    }

    private func draw(_ done: Int) {
        guard isTerminal else {
            next = .max
            return
        }
        next = total == 0 ? .max : done + max(1, total / 200)
        let width = 30
        let filled = total == 0 ? 0 : min(width, done * width / total)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        let percent = total == 0 ? "" : " \(min(100, done * 100 / total))%"
        write("\r\u{1B}[K[\(bar)] \(title)\(percent)")
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
