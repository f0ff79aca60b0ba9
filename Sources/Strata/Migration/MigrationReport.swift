// SPDX-License-Identifier: MIT
// MigrationReport.swift -- what a migration does to a file.

public import Foundation

/// What a migration does to a file, as a rehearsal found out. See ``Realm/rehearseMigration(for:)``.
public struct MigrationReport: Sendable, Hashable, Codable {
    /// What was done with the objects of a class.
    public struct Counts: Sendable, Hashable, Codable {
        /// How many the block was called with.
        public internal(set) var read = 0
        /// How many of these calls changed something.
        public internal(set) var changed = 0
        /// How many were created.
        public internal(set) var created = 0
        /// How many were deleted.
        public internal(set) var deleted = 0
    }

    /// Values that go because their property goes, or has another type.
    public struct Loss: Sendable, Hashable, Codable {
        /// The class.
        public let className: String
        /// The property.
        public let property: String
        /// How many objects of the file have a value there that is not zero, empty or nil.
        public let values: Int
        /// How many have such a value in the property of the same name and another type after the migration.
        public let filled: Int
    }

    /// The version of the file.
    public let fromVersion: UInt64
    /// The version of the classes.
    public let toVersion: UInt64
    /// What separates the file from the classes.
    public let differences: [SchemaDifference]
    /// What the block did, by class.
    public let counts: [String: Counts]
    /// Which values go.
    public let losses: [Loss]
    /// The failure with which the migration would end, and what to do about it; nil if it would succeed.
    public let failure: String?
    /// How long it took.
    public let seconds: TimeInterval
    /// The size of the file before it, in bytes.
    public let bytesBefore: Int
    /// The size of the file after it, in bytes.
    public let bytesAfter: Int

    init(
        fromVersion: UInt64, toVersion: UInt64, differences: [SchemaDifference], counts: [String: Counts],
        losses: [Loss], failure: String?, seconds: TimeInterval, bytesBefore: Int, bytesAfter: Int
    ) {
        self.fromVersion = fromVersion
        self.toVersion = toVersion
        self.differences = differences
        self.counts = counts
        self.losses = losses
        self.failure = failure
        self.seconds = seconds
        self.bytesBefore = bytesBefore
        self.bytesAfter = bytesAfter
    }

    /// The report of a file that cannot be read.
    init(failure: String, to version: UInt64) {
        self.init(
            fromVersion: 0, toVersion: version, differences: [], counts: [:], losses: [], failure: failure, seconds: 0,
            bytesBefore: 0, bytesAfter: 0)
    }

    /// Whether the migration would succeed, and lose no value that it did not put back.
    public var isSafe: Bool { failure == nil && losses.allSatisfy { $0.filled >= $0.values } }
}

extension MigrationReport: CustomStringConvertible {
    /// Several lines, for people.
    public var description: String {
        var lines = ["from schema version \(fromVersion) to \(toVersion):"]
        lines += differences.map { "- \($0)" }
        if differences.isEmpty { lines.append("- the classes are the same") }
        lines += counts.sorted { $0.key < $1.key }.map { name, counts in
            "\(name): \(counts.read) read, \(counts.changed) changed, \(counts.created) created, "
                + "\(counts.deleted) deleted"
        }
        lines += losses.map { loss in
            "\(loss.className).\(loss.property): \(loss.values) values go"
                + (loss.filled == 0 ? "" : ", \(loss.filled) come back with another type")
        }
        let time = String(format: "%.3f s, %d bytes before, %d after", seconds, bytesBefore, bytesAfter)
        lines.append(failure.map { "it fails: \($0)" } ?? "it succeeds: \(time)")
        return lines.joined(separator: "\n")
    }
}
