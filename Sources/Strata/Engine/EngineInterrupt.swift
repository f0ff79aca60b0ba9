// SPDX-License-Identifier: MIT
// EngineInterrupt.swift -- what ends the queries of a view before they are complete.

import CStrata

/// Ends the queries of a view. May be used from every thread, and must outlive the views that have it.
final class EngineInterrupt: @unchecked Sendable {
    fileprivate let handle: OpaquePointer

    /// The corresponding C function is `strata_interrupt_make`.
    init() throws(StrataError) {
        var error = strata_error()
        var out: OpaquePointer?
        let status = strata_interrupt_make(&out, &error)
        guard status == .STRATA_OK, let out else { throw StrataError(status, &error) }
        handle = out
    }

    deinit { strata_interrupt_free(handle) }

    /// Ends what runs and what begins, until `reset()`. The corresponding C function is `strata_interrupt_stop`.
    func stop() { strata_interrupt_stop(handle) }

    /// Sets a deadline. The corresponding C function is `strata_interrupt_after`.
    func stop(afterMilliseconds milliseconds: UInt64) { strata_interrupt_after(handle, milliseconds) }

    /// Sets how many steps may be taken from now on. The corresponding C function is `strata_interrupt_after_steps`.
    func stop(afterSteps steps: UInt64) { strata_interrupt_after_steps(handle, steps) }

    /// Forgets the stop, the deadline, and the steps. The corresponding C function is `strata_interrupt_reset`.
    func reset() { strata_interrupt_reset(handle) }

    /// The steps that were taken since the last `reset()`. The corresponding C function is `strata_interrupt_steps`.
    var steps: UInt64 { strata_interrupt_steps(handle) }
}

extension EngineView {
    /// Gives the view an interrupt, or takes it away. The corresponding C function is `strata_view_set_interrupt`.
    func setInterrupt(_ interrupt: EngineInterrupt?) throws(StrataError) {
        try check(strata_view_set_interrupt(handle, interrupt?.handle, error))
    }
}
