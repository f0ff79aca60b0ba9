// SPDX-License-Identifier: MIT
// OpeningCancellation.swift -- what tells an opening on another thread that nobody waits for it any more.

import Synchronization

/// Ends the migration of an opening that a task or the program has given up. Used from any thread.
final class OpeningCancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }
}

extension Realm.Configuration {
    /// The same, whose opening can be cancelled.
    func cancelled(by cancellation: OpeningCancellation) -> Realm.Configuration {
        var configuration = self
        configuration.cancellation = cancellation
        return configuration
    }
}
