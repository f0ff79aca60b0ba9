// SPDX-License-Identifier: MIT
// QueryCancellation.swift -- what tells the queries of other threads to stop.

import Synchronization

/// Tells queries to stop, from any thread. See ``Realm/read(until:_:)``.
///
/// ```swift
/// let cancellation = QueryCancellation()
/// Thread.detachNewThread {
///     let realm = try! Realm()
///     let names = try? realm.read(until: cancellation) { realm.objects(Dog.self).map(\.name) }
///     print(names ?? "cancelled")
/// }
/// cancellation.cancel()
/// ```
public final class QueryCancellation: Sendable {
    // Interrupts are stopped, added and removed under the lock: none is stopped for a scope that has ended.
    private struct State {
        var isCancelled = false
        var interrupts: [EngineInterrupt] = []
    }
    private let state = Mutex(State())

    /// Makes one that is not cancelled.
    public init() {}

    /// Stops the queries that run, and those that begin later. Does not wait for their end.
    public func cancel() {
        state.withLock { state in
            state.isCancelled = true
            for interrupt in state.interrupts { interrupt.stop() }
        }
    }

    /// Whether `cancel()` was called.
    public var isCancelled: Bool { state.withLock(\.isCancelled) }

    func add(_ interrupt: EngineInterrupt) { state.withLock { $0.interrupts.append(interrupt) } }

    /// Removes an interrupt once; it was added once for each scope.
    func remove(_ interrupt: EngineInterrupt) {
        state.withLock { state in
            guard let index = state.interrupts.lastIndex(where: { $0 === interrupt }) else { return }
            state.interrupts.remove(at: index)
        }
    }
}
