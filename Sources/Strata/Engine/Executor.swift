// SPDX-License-Identifier: MIT
// Executor.swift -- which executor the caller runs on.

import CConcurrency

extension UnownedSerialExecutor {
    /// Whether the caller runs on the executor.
    var isCurrent: Bool {
        let words = unsafeBitCast(self, to: (UnsafeRawPointer?, UnsafeRawPointer?).self)
        return strata_executor_is_current(words.0, words.1)
    }
}
