// SPDX-License-Identifier: MIT
// Rejects.swift -- the file for lines that do not fit.

import CStrata
import Glibc

/// A new file with a line of JSON for each record that was refused: its line, the reason, and the text. It has those of
/// what was committed, and appears with the first commit that has one.
final class Rejects {
    private let file: NewFile
    private var size: off_t = 0
    private var committed: off_t = 0
    /// Why a line could not be written. Then the import ends.
    private(set) var failure: Failure?

    init(_ path: String) throws(Failure) { file = try NewFile(path) }

    func take(_ line: UInt64, _ record: UnsafeRawBufferPointer, _ error: strata_error) -> Bool {
        let object = JSONText.object([
            "line": .uint(line), "reason": .string(text(of: error)),
            "text": .string(String(decoding: record, as: UTF8.self)),
        ])
        let bytes = Array("\(object)\n".utf8)
        let isTaken = bytes.withUnsafeBytes { Terminal.write($0.baseAddress, $0.count, to: file.descriptor) }
        if !isTaken { failure = NewFile.cannotWrite(file.path) }
        size += off_t(bytes.count)
        return isTaken
    }

    /// Before a commit: a crash between the two leaves a line too many, and none too few.
    func keep() throws(Failure) {
        if size == 0 { return }  // and so there is no file either
        try file.appear()
        committed = size
    }

    /// Forgets the lines that came after the last commit.
    func forget() { if ftruncate(file.descriptor, committed) == 0 { size = committed } }
}
