// SPDX-License-Identifier: MIT
// EngineWaiter.swift -- waiting for the commits of several stores.

import CStrata
import Foundation

/// Waits for the commits of stores, of whichever process. May be used from every thread.
final class EngineWaiter: @unchecked Sendable {
    private let handle: OpaquePointer

    /// The corresponding C function is `strata_waiter_open`. Stops the program if there is no memory.
    init() {
        var out: OpaquePointer?
        var error = strata_error()
        let status = strata_waiter_open(&out, &error)
        guard status == .STRATA_OK, let out else { misuse(StrataError(status, &error).message) }
        handle = out
    }

    deinit { strata_waiter_close(handle) }

    /// Follows a store; false if it cannot, for want of memory or of reader slots. The corresponding C function is
    /// `strata_waiter_add`.
    func add(_ store: EngineStore) -> Bool {
        var error = strata_error()
        return strata_waiter_add(handle, store.handle, &error) == .STRATA_OK
    }

    /// The corresponding C function is `strata_waiter_remove`.
    func remove(_ store: EngineStore) { strata_waiter_remove(handle, store.handle) }

    /// Waits until a store has a newer commit, until ``wake()``, or for some seconds; nil stands for ever. It may end
    /// sooner. The corresponding C function is `strata_waiter_next`.
    ///
    /// - Returns: the ``EngineStore/handle`` of a store whose newest commit everybody sees from now on.
    func wait(_ seconds: TimeInterval?) -> OpaquePointer? {
        var error = strata_error()
        var store: OpaquePointer?
        let milliseconds = seconds.map { min(EngineStore.milliseconds($0), .max - 1) }
        _ = strata_waiter_next(handle, milliseconds ?? .max, &store, &error)
        return store
    }

    /// The corresponding C function is `strata_waiter_wake`.
    func wake() { strata_waiter_wake(handle) }
}
