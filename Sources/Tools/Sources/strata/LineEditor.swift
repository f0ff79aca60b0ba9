// SPDX-License-Identifier: MIT
// LineEditor.swift -- a line that a person types, with history and completion.

import Glibc

/// Reads lines from a terminal. What is typed can be edited: arrows, Home, End, Delete, Ctrl-A, E, K, U and W; arrows
/// up and down go through the history, Tab completes, Ctrl-C drops the line and Ctrl-D ends.
struct LineEditor {
    private(set) var history: [String]
    /// What may stand in place of the last word of some text.
    let complete: (String) -> [String]

    init(history: [String], complete: @escaping (String) -> [String]) {
        self.history = history
        self.complete = complete
    }

    private enum Key {
        case text(Character)
        case enter, tab, backspace, delete, left, right, up, down, home, end, cut, clear, word, drop, stop
    }

    /// The next line; nil at the end.
    mutating func read(_ prompt: String) -> String? {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return readLine() }
        var raw = before
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        defer { tcsetattr(STDIN_FILENO, TCSADRAIN, &before) }
        var line: [Character] = []
        var caret = 0
        var place = history.count
        var unfinished = ""
        func show(_ text: String) {
            line = Array(text)
            caret = line.count
        }
        while true {
            draw(prompt, line, caret)
            guard let key = nextKey() else { return nil }
            switch key {
            case .text(let character):
                line.insert(character, at: caret)
                caret += 1
            case .backspace where caret > 0:
                caret -= 1
                line.remove(at: caret)
            case .delete where caret < line.count: line.remove(at: caret)
            case .left: caret = max(0, caret - 1)
            case .right: caret = min(line.count, caret + 1)
            case .home: caret = 0
            case .end: caret = line.count
            case .cut: line.removeSubrange(caret...)
            case .clear:
                line.removeSubrange(..<caret)
                caret = 0
            case .word:
                while caret > 0, line[caret - 1] == " " {
                    caret -= 1
                    line.remove(at: caret)
                }
                while caret > 0, line[caret - 1] != " " {
                    caret -= 1
                    line.remove(at: caret)
                }
            case .up where place > 0:
                if place == history.count { unfinished = String(line) }
                place -= 1
                show(history[place])
            case .down where place < history.count:
                place += 1
                show(place == history.count ? unfinished : history[place])
            case .tab: completeWord(&line, &caret)
            case .drop:
                Terminal.write("^C\r\n")
                show("")
            case .stop where line.isEmpty:
                Terminal.write("\r\n")
                return nil
            case .enter:
                Terminal.write("\r\n")
                let text = String(line)
                if !text.trimmed.isEmpty && history.last != text { history.append(text) }
                return text
            default: break
            }
        }
    }

    private func completeWord(_ line: inout [Character], _ caret: inout Int) {
        let before = String(line[..<caret])
        let word = before.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
        let found = complete(before).filter { $0.lowercased().hasPrefix(word.lowercased()) }
        guard let first = found.first else { return }
        let common = found.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        if common.count > word.count {
            let ending = Array(common) + (found.count == 1 ? [" "] : [])
            line.replaceSubrange((caret - word.count)..<caret, with: ending)
            caret += ending.count - word.count
        } else if found.count > 1 {
            Terminal.write("\r\n" + found.prefix(60).map(TextTable.visible).joined(separator: "  ") + "\r\n")
        }
    }

    /// The part of the line around the caret that fits.
    private func draw(_ prompt: String, _ line: [Character], _ caret: Int) {
        let room = max(10, Terminal.size.columns - width(of: prompt) - 1)
        var first = 0
        while width(of: String(line[first..<caret])) > room { first += 1 }
        let shown = fitted(String(line[first...]), room)
        let back = width(of: prompt) + width(of: String(line[first..<caret]))
        Terminal.write("\r\(prompt)\(shown)\u{1B}[K\r\u{1B}[\(back)C")
    }

    // MARK: - Keys

    private func nextByte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            return count == 1 ? byte : nil
        }
    }

    private func nextKey() -> Key? {
        guard let byte = nextByte() else { return nil }
        switch byte {
        case 1: return .home
        case 3: return .drop
        case 4: return .stop
        case 5: return .end
        case 8, 127: return .backspace
        case 9: return .tab
        case 10, 13: return .enter
        case 11: return .cut
        case 21: return .clear
        case 23: return .word
        case 27: return escapeKey()
        case 0..<32: return .text(" ")
        default: return character(byte).map { .text($0) }
        }
    }

    private func escapeKey() -> Key? {
        guard let bracket = nextByte(), bracket == UInt8(ascii: "[") || bracket == UInt8(ascii: "O") else {
            return .left
        }
        guard let code = nextByte() else { return nil }
        switch code {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return .right
        case UInt8(ascii: "D"): return .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        default:
            let last = nextByte()
            return code == UInt8(ascii: "3") && last == UInt8(ascii: "~") ? .delete : .right
        }
    }

    private func character(_ first: UInt8) -> Character? {
        var bytes = [first]
        let more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0
        for _ in 0..<more {
            guard let byte = nextByte() else { return nil }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self).first
    }
}

extension String {
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0.0 == $0.1 }.map(\.0))
    }
}
