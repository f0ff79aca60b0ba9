// SPDX-License-Identifier: MIT
// EngineLog.swift -- what the engine tells of events that no call fails with.

import CStrata
import Synchronization

/// Passes what the engine tells on to the program: everything to the logger, and the warnings about pins to the handler
/// of warnings, which is told by default. The others are errors that are thrown, too, or tell how long something took.
enum EngineLog {
    private static let handler = Mutex<(@Sendable (String) -> Void)?> { writeToStandardError("Strata: \($0)\n") }

    /// Who is told; nil for nobody.
    static var current: (@Sendable (String) -> Void)? {
        get { handler.withLock { $0 } }
        set { handler.withLock { $0 = newValue } }
    }

    /// Lets the engine tell. The corresponding C function is `strata_log_set`.
    static let begin: Void = strata_log_set({ _, level, subject, message in
        guard let message else { return }
        let isPin = subject == .STRATA_LOG_PIN
        let text = { String(cString: message) + (isPin ? ": \(waysOut)" : "") }
        RealmLogger.shared.log(level: LogLevel(level), message: text())
        if isPin, let current { current(text()) }
    }, nil, .STRATA_LOG_INFO)

    /// How programs in Swift let go of a version.
    private static let waysOut =
        "by refresh() or invalidate() where it is used, by an autoreleasepool around its use, or by reading in an "
        + "actor or a RealmStore; what is frozen goes with its last reference"
}

extension LogLevel {
    /// The level of what the engine tells.
    fileprivate init(_ level: strata_log_level) {
        switch level {
        case .STRATA_LOG_ERROR: self = .error
        case .STRATA_LOG_WARNING: self = .warn
        case .STRATA_LOG_INFO: self = .info
        @unknown default: self = .info
        }
    }
}
