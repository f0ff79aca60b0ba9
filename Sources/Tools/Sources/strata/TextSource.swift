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
        read = 0
    }

    /// Calls with the next bytes. False at the end.
    func next(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            if count < 0 { throw Failure(.unavailable, "\(name) cannot be read: \(String(cString: strerror(errno)))") }
            if count == 0 { return false }
            read += UInt64(count)
            try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
            return true
        }
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
