// SPDX-License-Identifier: MIT
// Lines.swift -- what is typed, line by line.

import Foundation

/// The lines of the standard input, read on a thread of their own, so that nobody waits for the one who types.
func inputLines() -> AsyncStream<String> {
    AsyncStream { continuation in
        Thread.detachNewThread {
            var rest = Data()
            while case let more = FileHandle.standardInput.availableData, !more.isEmpty {
                rest += more
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            continuation.finish()
        }
    }
}
