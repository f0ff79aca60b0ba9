// SPDX-License-Identifier: MIT
// Edits.swift -- pieces of a text that are replaced, and what stands around them.

/// Replacements in a text, by offsets in bytes of the text as it was. What is not replaced stays byte by byte.
struct Edits {
    private let source: [UInt8]
    private var pieces: [(range: Range<Int>, text: String)] = []

    init(_ source: String) { self.source = Array(source.utf8) }

    var isEmpty: Bool { pieces.isEmpty }

    mutating func replace(_ range: Range<Int>, with text: String) { pieces.append((range, text)) }

    mutating func insert(_ text: String, at offset: Int) { replace(offset..<offset, with: text) }

    mutating func remove(_ range: Range<Int>) { replace(range, with: "") }

    /// Puts a comment on a line of its own above the line of an offset, as far in as that one; the same one
    /// only once, also if it stands there already.
    mutating func insertComment(_ text: String, above offset: Int) {
        let (line, place) = (indentation(offset) + "// \(text)\n", lineStart(offset))
        if let above = lineAbove(place), words(above) == "// \(text)" { return }
        if !pieces.contains(where: { $0.range.lowerBound == place && $0.text == line }) { insert(line, at: place) }
    }

    /// The space at the beginning of the line of an offset.
    func indentation(_ offset: Int) -> String {
        let space = source[lineStart(offset)...].prefix(while: isSpace)
        return String(decoding: space, as: UTF8.self)
    }

    /// Removes what stands alone on its lines with these lines, and one of two blank lines that meet. Of lines that it
    /// shares with other text, that text stays.
    mutating func removeLines(of range: Range<Int>) {
        let start = lineStart(range.lowerBound)
        let end = lineEnd(range.upperBound)
        guard isBlank(start..<range.lowerBound), isBlank(range.upperBound..<end) else { return removeInside(range) }
        guard let above = lineAbove(start), isBlank(above) else { return remove(start..<end) }
        let below = end..<lineEnd(end)
        remove(isBlank(below) || isClosing(below) ? above.lowerBound..<end : start..<end)
    }

    /// Removes a piece that shares its lines, and the space between it and its neighbour.
    private mutating func removeInside(_ range: Range<Int>) {
        let before = lineStart(range.lowerBound)..<range.lowerBound
        let behind = range.upperBound..<lineEnd(range.upperBound)
        if isBlank(behind) {
            let space = source[before].reversed().prefix(while: isSpace).count
            return remove(range.lowerBound - space..<range.upperBound)
        }
        let end = range.upperBound + source[behind].prefix(while: isSpace).count
        let last = lineStart(range.upperBound)
        guard last > range.lowerBound else { return remove(range.lowerBound..<end) }
        // A comment above what follows is inserted at the beginning of that line, so that the removal is two pieces.
        remove((isBlank(before) ? before.lowerBound : range.lowerBound)..<last)
        remove(last + indentation(last).utf8.count..<end)
    }

    /// The text with all replacements. One that begins inside of another is left out; two removals that overlap are
    /// one. Where several declarations went that stood together, their blank lines do not meet.
    func applied() -> String {
        var text: [UInt8] = []
        var done = 0
        var removes = false
        let sorted = pieces.enumerated().sorted {
            ($0.element.range.lowerBound, $0.element.range.isEmpty ? 0 : 1, $0.offset)
                < ($1.element.range.lowerBound, $1.element.range.isEmpty ? 0 : 1, $1.offset)
        }
        for (_, piece) in sorted {
            guard piece.range.lowerBound >= done else {
                if removes, piece.text.isEmpty { done = max(done, piece.range.upperBound) }
                continue
            }
            if done < piece.range.lowerBound { closeGap(&text, before: done) }
            text += source[done..<piece.range.lowerBound]
            text += Array(piece.text.utf8)
            done = piece.range.upperBound
            removes = piece.text.isEmpty
        }
        closeGap(&text, before: done)
        return String(decoding: text + source[done...], as: UTF8.self)
    }

    /// Removes a blank line at the end of what is written already, if another one, or the end of a type, comes next.
    private func closeGap(_ text: inout [UInt8], before offset: Int) {
        let newline = UInt8(ascii: "\n")
        guard offset > 0, lineStart(offset) == offset, offset < source.count, text.suffix(2) == [newline, newline]
        else { return }
        let below = offset..<lineEnd(offset)
        if isBlank(below) || isClosing(below) { text.removeLast() }
    }

    // MARK: Lines

    private func lineStart(_ offset: Int) -> Int {
        (source[..<offset].lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
    }

    private func lineEnd(_ offset: Int) -> Int {
        source[offset...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? source.count
    }

    private func lineAbove(_ start: Int) -> Range<Int>? {
        start > 0 ? lineStart(start - 1)..<start : nil
    }

    private func words(_ line: Range<Int>) -> String {
        let text = String(decoding: source[line], as: UTF8.self)
        return String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }

    private func isBlank(_ line: Range<Int>) -> Bool { words(line).isEmpty }

    private func isClosing(_ line: Range<Int>) -> Bool { words(line) == "}" }

    private func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
