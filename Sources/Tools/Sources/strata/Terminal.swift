// SPDX-License-Identifier: MIT
// Terminal.swift -- where output goes: terminals, pipes, pagers.

import Glibc

enum Terminal {
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Columns and lines of the terminal.
    static var size: (columns: Int, lines: Int) {
        if let columns = environment("COLUMNS").flatMap({ Int($0) }), columns >= 20 {
            return (columns, environment("LINES").flatMap { Int($0) } ?? 24)
        }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether colours may be used on a stream, unless the command line says otherwise.
    static func allowsColor(_ descriptor: Int32) -> Bool {
        isTerminal(descriptor) && environment("NO_COLOR") == nil && environment("TERM") != "dumb"
    }

    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        var text = text
        let isTaken = text.withUTF8 { write($0.baseAddress, $0.count, to: descriptor) }
        if isTaken || descriptor != STDOUT_FILENO || errno == EPIPE { return }
        note("strata: \(cannotAnswer())")
        exit(Exit.unavailable.rawValue)
    }

    /// Why the standard output did not take an answer, right after that.
    static func cannotAnswer() -> String { "the answer cannot be written: \(String(cString: strerror(errno)))" }

    /// Writes all bytes. False if nobody takes them any more.
    static func write(_ bytes: UnsafeRawPointer?, _ count: Int, to descriptor: Int32) -> Bool {
        guard var next = bytes else { return true }
        var left = count
        while left > 0 {
            let written = Glibc.write(descriptor, next, left)
            if written < 0 && errno == EINTR { continue }
            if written <= 0 { return false }
            next += written
            left -= written
        }
        return true
    }

    /// Tells the person at the terminal something, in which may be text of anybody: names, values, what a file says.
    static func note(_ text: String, after styled: String = "") {
        write("\(styled)\(TextTable.visibleLines(text))\n", to: STDERR_FILENO)
    }

    /// Asks. Nil without a terminal, where nobody answers.
    static func ask(_ question: String) -> String? {
        guard isTerminal(STDIN_FILENO), isTerminal(STDERR_FILENO) else { return nil }
        write(TextTable.visibleLines(question) + " ", to: STDERR_FILENO)
        return readLine() ?? ""
    }

    /// Asks for a yes. Without a terminal nobody can say it.
    static func confirm(_ question: String) -> Bool {
        let answer = ask(question + " [y/N]")?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// Writes lines of CSV or plain columns, in which may be text of anybody: as it is to all that is no terminal.
    static func write(columns text: String) { write(isTerminal(STDOUT_FILENO) ? visible(columns: text) : text) }

    /// Lines of CSV or plain columns, with their tabs, as a terminal may show them.
    static func visible(columns text: String) -> String {
        text.split(separator: "\t", omittingEmptySubsequences: false).map { TextTable.visibleLines(String($0)) }
            .joined(separator: "\t")
    }

    /// Shows text that is made of what is in a file; as it is to all that is no terminal.
    static func show(file text: String, paging: Bool) {
        show(isTerminal(STDOUT_FILENO) ? TextTable.visibleLines(text) : text, paging: paging)
    }

    /// Shows text, by the pager if it is longer than the terminal is high.
    static func show(_ text: String, paging: Bool) {
        let output = PagedOutput(paging: paging)
        _ = output.write(text)
        output.close()
    }
}

/// How wide text is on a terminal, in columns.
func width(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { sum, scalar in
        if scalar.isASCII { return sum + (scalar.value < 32 || scalar.value == 127 ? 0 : 1) }
        return sum + columns(of: scalar)
    }
}

/// Marks take no column, signs of East Asian scripts and pictures two: Unicode Standard Annex 11.
private func columns(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
        return 2
    default: return 1
    }
}

/// The beginning of a text that is at most so wide, with an ellipsis if something is missing.
func fitted(_ text: String, _ columns: Int) -> String {
    if width(of: text) <= columns { return text }
    var result = ""
    var used = 0
    for character in text {
        let more = width(of: String(character))
        if used + more > columns - 1 { break }
        result.append(character)
        used += more
    }
    return result + "…"
}

extension String {
    func padded(to columns: Int, right: Bool = false) -> String {
        let missing = String(repeating: " ", count: max(0, columns - width(of: self)))
        return right ? missing + self : self + missing
    }
}

/// The styles of output, as escape sequences of terminals; nothing where colours are off.
struct Style {
    let isOn: Bool

    func bold(_ text: String) -> String { isOn ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
    func dim(_ text: String) -> String { isOn ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
    func red(_ text: String) -> String { isOn ? "\u{1B}[31m\(text)\u{1B}[0m" : text }
    func green(_ text: String) -> String { isOn ? "\u{1B}[32m\(text)\u{1B}[0m" : text }
    func yellow(_ text: String) -> String { isOn ? "\u{1B}[33m\(text)\u{1B}[0m" : text }
}

/// A count with separators, as people read it.
func grouped(_ number: UInt64) -> String {
    let digits = Array(String(number))
    var out = ""
    for (index, digit) in digits.enumerated() {
        if index > 0 && (digits.count - index).isMultiple(of: 3) { out.append(",") }
        out.append(digit)
    }
    return out
}

/// A size in bytes, as people read it.
func sized(_ bytes: UInt64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var value = Double(bytes)
    var unit = 0
    while value >= 1024 && unit + 1 < units.count { (value, unit) = (value / 1024, unit + 1) }
    if unit == 0 { return "\(bytes) B" }
    let tenths = (value * 10).rounded() / 10
    return tenths >= 100 ? "\(Int(tenths.rounded())) \(units[unit])" : "\(tenths) \(units[unit])"
}
