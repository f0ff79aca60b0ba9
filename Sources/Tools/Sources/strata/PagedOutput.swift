// SPDX-License-Identifier: MIT
// PagedOutput.swift -- an answer for people, which goes through a pager if it is long.

import Glibc

/// Text for the standard output. It is held until it is clear whether it fits on the terminal; what does not goes to a
/// pager, piece by piece as it comes.
final class PagedOutput {
    private let mayPage: Bool
    private let room = Terminal.size.lines
    private var held = ""
    private var lines = 0
    private var pager: UnsafeMutablePointer<FILE>?
    /// There is no pager.
    private var isDirect = false
    /// What Ctrl-C did before.
    private var before: __sighandler_t?

    /// - Parameter paging: false for no pager, whatever comes.
    init(paging: Bool) { mayPage = paging && Terminal.isTerminal(STDOUT_FILENO) }

    deinit { close() }

    /// False if nobody reads any more.
    func write(_ text: String) -> Bool {
        guard mayPage, !isDirect else {
            Terminal.write(text)
            return true
        }
        if let pager { return Self.write(text, to: pager) }
        held += text
        lines += text.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
        if lines < room { return true }
        signal(SIGPIPE, SIG_IGN)
        let command = Terminal.environment("PAGER") ?? "less -FIRX"
        pager = Self.isThere(command) ? popen(command, "w") : nil
        // In a pager Ctrl-C is a key like others; when it ends, it takes no more.
        if pager != nil { before = signal(SIGINT, SIG_IGN) }
        defer { held = "" }
        guard let pager else {
            Terminal.write(held)
            isDirect = true
            return true
        }
        return Self.write(held, to: pager)
    }

    /// Whether the program is there that a command begins with. What the shell alone understands is left to it.
    private static func isThere(_ command: String) -> Bool {
        guard let program = command.split(separator: " ").first.map(String.init) else { return false }
        if program.contains(where: { "=$`'\"\\;|&<>(){}~*?".contains($0) }) { return true }
        if program.contains("/") { return access(program, X_OK) == 0 }
        let folders = (Terminal.environment("PATH") ?? "/usr/bin:/bin").split(separator: ":")
        return folders.contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    private static func write(_ text: String, to pager: UnsafeMutablePointer<FILE>) -> Bool {
        var text = text
        return text.withUTF8 { fwrite($0.baseAddress, 1, $0.count, pager) == $0.count }
    }

    /// Writes what is held, and waits until the pager ends.
    func close() {
        if !held.isEmpty { Terminal.write(held) }
        held = ""
        guard let pager else { return }
        pclose(pager)
        signal(SIGINT, before)
        self.pager = nil
    }
}
