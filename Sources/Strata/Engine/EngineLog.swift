// SPDX-License-Identifier: MIT
// EngineLog.swift -- what the engine tells of events that no call fails with.

import CStrata
import Synchronization

/// Passes warnings of the engine on to the program. Only those about pins: the others are errors that are thrown, too,
/// or tell how long something took.
enum EngineLog {
    private static let handler = Mutex<(@Sendable (String) -> Void)?> { writeToStandardError("Strata: \($0)\n") }

    /// Who is told; nil for nobody.
    static var current: (@Sendable (String) -> Void)? {
        get { handler.withLock { $0 } }
        set { handler.withLock { $0 = newValue } }
    }

    /// Lets the engine tell. The corresponding C function is `strata_log_set`.
    static let begin: Void = strata_log_set({ _, _, subject, message in
        guard subject == .STRATA_LOG_PIN, let message, let current else { return }
        current("\(String(cString: message)): \(waysOut)")
    }, nil, .STRATA_LOG_WARNING)

    /// How programs in Swift let go of a version.
    private static let waysOut =
        "by refresh() or invalidate() where it is used, by an autoreleasepool around its use, or by reading in an "
        + "actor or a RealmStore; what is frozen goes with its last reference"
}
