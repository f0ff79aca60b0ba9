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
        /// How many the migration fails with; see ``MigrationReport/failures``.
        public internal(set) var failed = 0
    }

    /// An object that a loss or a failure is about, with the values of the property before and after.
    public struct Example: Sendable, Hashable, Codable {
        /// The object by its primary key in the file, "id 7", or by its number there, "object 7".
        public let object: String
        /// The value before, as text, cut off if it is long; nil for nil, and where there is none.
        public let oldValue: String?
        /// The value after.
        public let newValue: String?
    }

    /// Objects of a class with which the migration fails for the same reason.
    public struct Failure: Sendable, Hashable, Codable {
        /// The class.
        public let className: String
        /// The property; nil if it is about whole objects.
        public let property: String?
        /// How many objects there are.
        public let objects: Int
        /// Why the migration fails with them.
        public let reason: String
        /// The first ten.
        public let examples: [Example]
    }

    /// What becomes of the values of a property that goes, or has another type. Objects that are deleted do not count.
    public struct Loss: Sendable, Hashable, Codable {
        /// The class.
        public let className: String
        /// The property.
        public let property: String
        /// How many objects of the file have a value there that is not zero, empty or nil.
        public internal(set) var values = 0
        /// How many of those have such a value in the property of the same name and another type after the migration.
        public internal(set) var filled = 0
        /// How many of those do not. `values` is `filled` and `lost` together.
        public internal(set) var lost = 0
        /// How many of the filled ones are another number than before, or have fewer elements.
        public internal(set) var narrowed = 0
        /// How many were nil and are zero or empty, because the property may no longer be nil.
        public internal(set) var zeroed = 0
        /// The first ten objects that were counted as lost, narrowed or zeroed.
        public internal(set) var examples: [Example] = []
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
    /// Which objects it fails with: all are counted, and the first ones named.
    public let failures: [Failure]
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
        losses: [Loss], failures: [Failure], failure: String?, seconds: TimeInterval, bytesBefore: Int, bytesAfter: Int
    ) {
        self.fromVersion = fromVersion
        self.toVersion = toVersion
        self.differences = differences
        self.counts = failures.reduce(into: counts) { $0[$1.className, default: Counts()].failed += $1.objects }
        self.losses = losses
        self.failures = failures
        self.failure = failure
        self.seconds = seconds
        self.bytesBefore = bytesBefore
        self.bytesAfter = bytesAfter
    }

    /// The report of a file that cannot be read.
    init(failure: String, to version: UInt64) {
        self.init(
            fromVersion: 0, toVersion: version, differences: [], counts: [:], losses: [], failures: [],
            failure: failure, seconds: 0, bytesBefore: 0, bytesAfter: 0)
    }

    /// Whether the migration would succeed, and every value that goes come back as good as it was.
    public var isSafe: Bool { failure == nil && losses.allSatisfy { $0.lost + $0.narrowed == 0 } }
}

extension MigrationReport: CustomStringConvertible {
    /// Several lines, for people.
    public var description: String {
        var lines = ["from schema version \(fromVersion) to \(toVersion):"]
        lines += differences.map { "- \($0)" }
        if differences.isEmpty { lines.append("- the classes are the same") }
        lines += counts.sorted { $0.key < $1.key }.map { name, counts in
            "\(name): \(counts.read) read, \(counts.changed) changed, \(counts.created) created, "
                + "\(counts.deleted) deleted" + (counts.failed == 0 ? "" : ", \(counts.failed) failed")
        }
        lines += losses.flatMap(\.lines) + failures.flatMap(\.lines)
        let time = String(format: "%.3f s, %d bytes before, %d after", seconds, bytesBefore, bytesAfter)
        lines.append(failure.map { "it fails: \($0)" } ?? "it succeeds: \(time)")
        return lines.joined(separator: "\n")
    }
}

extension MigrationReport.Loss {
    fileprivate var lines: [String] {
        let parts = [
            (lost, "go"), (filled, "come back with another type"), (narrowed, "of them narrower than before"),
            (zeroed, "were nil and are zero or empty"),
        ]
        let text = parts.filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return ["\(className).\(property): \(values) values; \(text)"] + examples.map(\.line)
    }
}

extension MigrationReport.Failure {
    fileprivate var lines: [String] {
        let name = property.map { "\(className).\($0)" } ?? className
        return ["\(name): \(objects == 1 ? "1 object" : "\(objects) objects") failed: \(reason)"] + examples.map(\.line)
    }
}

extension MigrationReport.Example {
    fileprivate var line: String {
        if oldValue == nil && newValue == nil { return "    \(object)" }
        return "    \(object): \(oldValue ?? "nil") becomes \(newValue ?? "nil")"
    }
}
