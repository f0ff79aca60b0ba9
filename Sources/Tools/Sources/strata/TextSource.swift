// SPDX-License-Identifier: MIT
// TextSource.swift -- text that is imported: a file, or the standard input.

import CStrata
import Glibc

/// A file that is read in pieces; "-" is the standard input.
final class TextSource {
    let name: String
    let size: UInt64?
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 20)
    private(set) var read: UInt64 = 0
    /// How many bytes of the buffer were read ahead, and not given out yet.
    private var ahead = 0

    init(_ path: String) throws(Failure) {
        name = path
        if path == "-" {
            descriptor = STDIN_FILENO
            size = nil
            return
        }
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            throw Failure(.unavailable, "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        var info = stat()
        let isFile = fstat(descriptor, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
        if info.st_mode & S_IFMT == S_IFDIR { throw Failure(.unavailable, "\(path) is a directory") }
        size = isFile ? UInt64(info.st_size) : nil
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// Whether it can be read once more.
    var isRepeatable: Bool { size != nil }

    func rewind() {
        lseek(descriptor, 0, SEEK_SET)
        (read, ahead) = (0, 0)
    }

    /// Reads the next bytes into the buffer; 0 at the end.
    private func fill() throws(Failure) -> Int {
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            if errno == EINTR {
                try Interruption.check()
                continue
            }
            throw Failure(.unavailable, "\(name) cannot be read: \(String(cString: strerror(errno)))")
        }
    }

    /// The bytes that it begins with, as far as they are there; `next` gives them out, too.
    func beginning() throws(Failure) -> ArraySlice<UInt8> {
        if read == 0 && ahead == 0 { ahead = try fill() }
        return buffer[..<ahead]
    }

    /// Calls with the next bytes. False at the end.
    func next(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        let count = try ahead > 0 ? ahead : fill()
        ahead = 0
        if count == 0 { return false }
        read += UInt64(count)
        try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
        return true
    }

    /// All of it, as text.
    func text() throws -> String {
        var bytes: [UInt8] = []
        while try next({ bytes.append(contentsOf: $0) }) {}
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension strata_text_format {
    /// The format that the end of a name stands for.
    init?(path: String) {
        switch path.split(separator: "/").last?.split(separator: ".").last?.lowercased() {
        case "csv": self = .STRATA_TEXT_CSV
        case "tsv", "tab": self = .STRATA_TEXT_PLAIN
        case "json": self = .STRATA_TEXT_DOCUMENT
        case "ndjson", "jsonl": self = .STRATA_TEXT_LINES
        default: return nil
        }
    }

    /// The format of a text that begins like that, if it is JSON: an array is a document, and so is an object that goes
    /// on behind the first line; an object on a line is one of many, unless it is the classes of a document.
    ///
    /// - Parameter linesNameClass: whether each line has to name its class, by a member "$class". A first line that
    ///   names none, and begins with an array, is a document then.
    init?(beginning text: ArraySlice<UInt8>, linesNameClass: Bool) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let blank = Set(" \t\r\n".utf8)
        let text = (text.starts(with: mark) ? text.dropFirst(mark.count) : text).drop { blank.contains($0) }
        let line = text.prefix { $0 != UInt8(ascii: "\n") }
        switch text.first {
        case UInt8(ascii: "["): self = .STRATA_TEXT_DOCUMENT
        case UInt8(ascii: "{"):
            let end = line.last { !blank.contains($0) }
            let isWhole = line.endIndex == text.endIndex || (line.count > 1 && end == UInt8(ascii: "}"))
            let isDocument = !isWhole || (linesNameClass && Self.beginsWithArray(line) && !Self.namesClass(line))
            self = isDocument ? .STRATA_TEXT_DOCUMENT : .STRATA_TEXT_LINES
        default: return nil
        }
    }

    /// Whether the first member of an object is an array.
    private static func beginsWithArray(_ line: ArraySlice<UInt8>) -> Bool {
        let blank = Set(" \t\r".utf8)
        var rest = line.dropFirst().drop { blank.contains($0) }
        guard rest.first == UInt8(ascii: "\"") else { return false }
        rest = rest.dropFirst()
        while let byte = rest.first, byte != UInt8(ascii: "\"") {
            rest = rest.dropFirst(byte == UInt8(ascii: "\\") ? 2 : 1)
        }
        rest = rest.dropFirst().drop { blank.contains($0) }
        guard rest.first == UInt8(ascii: ":") else { return false }
        return rest.dropFirst().drop { blank.contains($0) }.first == UInt8(ascii: "[")
    }

    private static func namesClass(_ line: ArraySlice<UInt8>) -> Bool {
        String(decoding: line, as: UTF8.self).contains("\"$class\"")
    }

    /// The names that options take.
    static let names = ["ndjson", "json", "csv", "plain"]

    init(name: String) throws(Failure) {
        switch name {
        case "csv": self = .STRATA_TEXT_CSV
        case "plain", "tsv": self = .STRATA_TEXT_PLAIN
        case "json": self = .STRATA_TEXT_DOCUMENT
        case "ndjson", "lines": self = .STRATA_TEXT_LINES
        default: throw Failure(.usage, "there is no format '\(name)'; there are ndjson, json, csv and plain")
        }
    }
}
