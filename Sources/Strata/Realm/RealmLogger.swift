// SPDX-License-Identifier: MIT
// RealmLogger.swift -- what the library tells of events that no call fails with.

import Synchronization

/// How much a ``RealmLogger`` is told: everything of a level and of those before it.
public enum LogLevel: Int, Sendable, Hashable, CaseIterable, Comparable, CustomStringConvertible {
    /// Nothing.
    case off
    /// Not used: the library does not end the program.
    case fatal
    /// A file can no longer be written, or is damaged.
    case error
    /// Something waited for a second or more; a version of the file is kept and makes it grow; a migration without a
    /// block dropped values.
    case warn
    /// A file was created, compacted, migrated or flushed when it was opened.
    case info
    /// Which differences a migration found.
    case detail
    /// Not used yet, nor is what follows.
    case debug
    case trace
    case all

    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    /// The name.
    public var description: String {
        switch self {
        case .off: "off"
        case .fatal: "fatal"
        case .error: "error"
        case .warn: "warn"
        case .info: "info"
        case .detail: "detail"
        case .debug: "debug"
        case .trace: "trace"
        case .all: "all"
        }
    }
}

/// Is told of events that no call fails with.
///
/// ```swift
/// RealmLogger.shared = RealmLogger(level: .info) { level, message in print(level, message) }
/// ```
///
/// The shared logger has the level `off` at first, and prints to the standard error when its level is raised. Where
/// `RealmSwift` is imported, its name is `Logger`, as in Realm.
///
/// Thread: any. The function is called on the thread on which something happens, by several at a time, and must not use
/// a realm.
public final class RealmLogger: Sendable {
    private let current: Mutex<LogLevel>
    private let function: @Sendable (LogLevel, String) -> Void

    /// A logger that calls a function with messages up to a level.
    public init(level: LogLevel = .info, function: (@Sendable (LogLevel, String) -> Void)? = nil) {
        current = Mutex(level)
        self.function = function ?? { level, message in writeToStandardError("Strata: \(level): \(message)\n") }
    }

    /// The same, under the label of Realm.
    public convenience init(level: LogLevel, logFunction: @escaping @Sendable (LogLevel, String) -> Void) {
        self.init(level: level, function: logFunction)
    }

    /// Up to which level it is told.
    public var level: LogLevel {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// Tells of an event, if its level is wanted.
    public func log(level: LogLevel, message: @autoclosure () -> String) {
        if level != .off && level <= self.level { function(level, message()) }
    }

    private static let sharedLogger = Mutex(RealmLogger(level: .off))

    /// The logger that the library tells.
    public static var shared: RealmLogger {
        get { sharedLogger.withLock { $0 } }
        set { sharedLogger.withLock { $0 = newValue } }
    }
}
