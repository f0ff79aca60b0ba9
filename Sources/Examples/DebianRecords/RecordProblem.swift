// SPDX-License-Identifier: MIT

/// Why a record was skipped, and where.
public struct RecordProblem: Error, Equatable, Sendable, CustomStringConvertible {
    public let file: String
    /// Counted from 1.
    public let line: Int
    public let reason: String

    public var description: String { "\(file):\(line): \(reason)" }
}
