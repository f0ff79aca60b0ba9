// SPDX-License-Identifier: MIT
// EngineQueuedWrite.swift -- a write transaction that waits for its turn, and for the disk, without holding a thread.

import CStrata
import Foundation
import Synchronization

/// A write transaction that was requested. The corresponding C functions are those of `strata_queue.h`.
///
/// Every step has one listener, which is called on a thread of the engine and must only pass the word on.
final class EngineQueuedWrite: Sendable {
    /// What a listener hears.
    enum Outcome: Sendable {
        case done
        case cancelled
        case failed(StrataError)
    }
    typealias Listener = @Sendable (Outcome) -> Void

    /// The functions that take it may be called on every thread.
    fileprivate struct Handle: @unchecked Sendable { let pointer: OpaquePointer }

    private struct State {
        var handle: Handle?
        var granted: Outcome?
        var ended: Outcome?
        var onGrant: Listener?
        var onEnd: Listener?
    }
    private let state = Mutex(State())
    private let url: URL?

    private init(_ url: URL?) { self.url = url }

    /// Requests a write. May be called on every thread. The corresponding C function is `strata_store_request`.
    ///
    /// - Parameter milliseconds: how long it may wait for its turn; nil for as long as the store was opened with.
    static func request(
        _ store: EngineStore, within milliseconds: UInt32? = nil
    ) throws(StrataError) -> EngineQueuedWrite {
        let path = store.path
        let write = EngineQueuedWrite(path.isEmpty ? nil : URL(fileURLWithPath: path))
        var out: OpaquePointer?
        var error = strata_error()
        // The calls retain what they call. The last of them releases it.
        let context = Unmanaged.passRetained(write)
        let status = strata_store_request(
            store.handle, milliseconds ?? STRATA_STORE_WAIT,
            { context, status, error in EngineQueuedWrite.called(context, status, error, isGrant: true) },
            { context, status, error in EngineQueuedWrite.called(context, status, error, isGrant: false) },
            context.toOpaque(), &out, &error)
        guard status == .STRATA_OK, let out else {
            context.release()
            throw StrataError(status, &error, write.url)
        }
        let handle = Handle(pointer: out)
        write.state.withLock { $0.handle = handle }
        return write
    }

    deinit { strata_queued_write_free(handle?.pointer) }

    private static func called(
        _ context: UnsafeMutableRawPointer?, _ status: strata_status, _ error: UnsafePointer<strata_error>?,
        isGrant: Bool
    ) {
        guard let context else { return }
        let retained = Unmanaged<EngineQueuedWrite>.fromOpaque(context)
        let write = retained.takeUnretainedValue()
        let outcome: Outcome
        switch status {
        case .STRATA_OK: outcome = .done
        case .STRATA_CANCELLED: outcome = .cancelled
        default:
            var copy = error?.pointee ?? strata_error()
            outcome = .failed(StrataError(status, &copy, write.url))
        }
        let listener: Listener? = write.state.withLock { state in
            if isGrant { state.granted = outcome } else { state.ended = outcome }
            defer { if isGrant { state.onGrant = nil } else { state.onEnd = nil } }
            return isGrant ? state.onGrant : state.onEnd
        }
        if !isGrant || status != .STRATA_OK { retained.release() }
        listener?(outcome)
    }

    /// No further call comes. Must be called once for a write that was granted and is not handed over.
    func dropped() { Unmanaged.passUnretained(self).release() }

    /// Drops the write, unless it has begun. May be called on every thread.
    func cancel() {
        if let handle { strata_queued_write_cancel(handle.pointer) }
    }

    /// Calls a listener when the write was granted, or was not.
    func onGrant(_ listener: @escaping Listener) {
        let known = state.withLock { state in
            if state.granted == nil { state.onGrant = listener }
            return state.granted
        }
        if let known { listener(known) }
    }

    /// Calls a listener when the changes are durable, or have failed to become so.
    func onEnd(_ listener: @escaping Listener) {
        let known = state.withLock { state in
            if state.ended == nil { state.onEnd = listener }
            return state.ended
        }
        if let known { listener(known) }
    }

    fileprivate var handle: Handle? { state.withLock { $0.handle } }
}

extension EngineQueuedWrite.Outcome {
    var isDone: Bool { if case .done = self { true } else { false } }

    /// Throws what went wrong.
    func get() throws {
        switch self {
        case .done: break
        case .cancelled: throw CancellationError()
        case .failed(let error): throw error
        }
    }
}

extension EngineView {
    /// Begins a write that was granted; false if the grant was withdrawn, so that the write has to be requested again.
    func begin(_ write: EngineQueuedWrite) throws(StrataError) -> Bool {
        let status = strata_view_begin_granted(handle, write.handle?.pointer, error)
        if status == .STRATA_BUSY { return false }
        try check(status)
        return true
    }
}
