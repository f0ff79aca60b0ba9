// SPDX-License-Identifier: MIT
// CommitWatch.swift -- the thread that looks for new commits, for all who want to be told.

import Foundation
import Synchronization

/// Tells of the newest commits of stores, of whichever process.
///
/// There is one thread for all, while somebody watches. It sleeps until a store is written to; watchers without hurry
/// are looked at once a second instead, so that nobody has to wake it for them.
final class CommitWatch: Sendable {
    static let shared = CommitWatch()

    /// How often watchers are looked at whose stores the waiter does not tell of, in seconds: two reads of memory each.
    private static let tick = 0.02
    /// When a watcher is told again of a commit that it could not see yet, in seconds.
    private static let retryTick = 0.002
    /// The same for watchers without hurry.
    private static let idleTick = 1.0

    private struct Watcher {
        let number: Int
        let store: EngineStore
        /// The newest commit when it was last told. Its number may be there before it can be seen, so that it is
        /// compared only where the waiter does not tell.
        var told: UInt64
        /// It has not been looked at yet.
        var isNew = true
        /// When it has to be told of that again, in seconds of the system's uptime.
        var retry: TimeInterval?
        /// It was told and has not begun to look.
        var isBusy = false
        var isPrompt = false
        /// Whether the waiter follows the store for it.
        var isWaitedFor = false
        let tell: @Sendable (Int) -> Void

        mutating func hasten(_ waiter: EngineWaiter) {
            isPrompt = true
            isWaitedFor = waiter.add(store)
        }

        mutating func isLate(_ changed: OpaquePointer?, _ newest: UInt64, _ now: TimeInterval) -> Bool {
            defer { isNew = false }
            if let retry, retry <= now { return true }
            return isWaitedFor && !isNew ? store.handle == changed : newest != told
        }
    }

    private struct State {
        var watchers: [Watcher] = []
        var isRunning = false
        var lastNumber = 0

        /// How long the waiter may wait, in seconds; nil for ever.
        var tick: TimeInterval? {
            if watchers.contains(where: { $0.retry != nil }) { return CommitWatch.retryTick }
            if watchers.contains(where: { $0.isPrompt && !$0.isWaitedFor }) { return CommitWatch.tick }
            return watchers.allSatisfy(\.isPrompt) ? nil : CommitWatch.idleTick
        }

        /// Who has to be told of a commit.
        ///
        /// - Parameter store: has a newer one, says the waiter.
        mutating func markLate(_ store: OpaquePointer?) -> [Watcher] {
            var late: [Watcher] = []
            let now = ProcessInfo.processInfo.systemUptime
            for index in watchers.indices where !watchers[index].isBusy {
                let newest = watchers[index].store.newest
                if !watchers[index].isLate(store, newest, now) { continue }
                watchers[index].told = newest
                watchers[index].retry = nil
                watchers[index].isBusy = true
                late.append(watchers[index])
            }
            return late
        }
    }

    private let state = Mutex(State())
    private let waiter = EngineWaiter()

    /// Begins to watch a store.
    ///
    /// - Parameters:
    ///   - newest: the number of the commit that the caller knows, ``EngineStore/newest``.
    ///   - isPrompt: whether it is told without delay.
    ///   - tell: is called with the number on the thread of the watch, and again only after ``willLook(_:)``.
    /// - Returns: a number that names the watcher.
    func watch(
        _ store: EngineStore, after newest: UInt64, isPrompt: Bool, _ tell: @escaping @Sendable (Int) -> Void
    ) -> Int {
        let (number, mustStart) = state.withLock { state in
            state.lastNumber += 1
            var watcher = Watcher(number: state.lastNumber, store: store, told: newest, tell: tell)
            if isPrompt { watcher.hasten(waiter) }
            state.watchers.append(watcher)
            defer { state.isRunning = true }
            return (state.lastNumber, !state.isRunning)
        }
        if mustStart { startThread() } else { waiter.wake() }
        return number
    }

    /// Where the system refuses a thread, those who watch are told late: it is asked again after a second.
    private func startThread() {
        do throws(StrataError) {
            try BackgroundThread.start(for: "watching for commits") { [self] in
                Thread.current.name = "Strata.commits"
                run()
            }
        } catch {
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.idleTick) { [self] in startThread() }
        }
    }

    /// Tells a watcher without delay from now on.
    func hasten(_ number: Int) {
        let wasIdle = state.withLock { state in
            let index = state.watchers.firstIndex { $0.number == number && !$0.isPrompt }
            guard let index else { return false }
            state.watchers[index].hasten(waiter)
            return true
        }
        if wasIdle { waiter.wake() }
    }

    /// A watcher that was told begins to look. Of commits after that it is told again.
    func willLook(_ number: Int) {
        state.withLock { state in
            guard let index = state.watchers.firstIndex(where: { $0.number == number }) else { return }
            state.watchers[index].isBusy = false
        }
    }

    /// A watcher could not see the newest commit yet: it is written, but not durable.
    func tellAgain(_ number: Int) {
        state.withLock { state in
            guard let index = state.watchers.firstIndex(where: { $0.number == number }) else { return }
            state.watchers[index].retry = ProcessInfo.processInfo.systemUptime + Self.retryTick
        }
        waiter.wake()
    }

    /// Ends watching. ``watch(_:after:isPrompt:_:)`` may still be calling.
    func end(_ number: Int) {
        // What the watcher holds is released behind the lock.
        let gone = state.withLock { state in
            state.watchers.firstIndex { $0.number == number }.map { state.watchers.remove(at: $0) }
        }
        guard let gone else { return }
        if gone.isWaitedFor { waiter.remove(gone.store) }
        waiter.wake()
    }

    private func run() {
        while true {
            let tick: TimeInterval?? = state.withLock { state in
                if !state.watchers.isEmpty { return .some(state.tick) }
                state.isRunning = false
                return nil
            }
            guard let tick else { return }
            let changed = waiter.wait(tick)
            for watcher in state.withLock({ $0.markLate(changed) }) { watcher.tell(watcher.number) }
        }
    }
}

// MARK: Waiting for one commit

extension EngineStore {
    /// Waits until the newest commit has another number, or until the task is cancelled; holds no thread meanwhile.
    func changed(since newest: UInt64) async {
        let wait = OneCommit()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard wait.begin(continuation) else { return continuation.resume() }
                wait.watched(by: CommitWatch.shared.watch(self, after: newest, isPrompt: true) { _ in wait.end() })
            }
        } onCancel: {
            wait.end()
        }
    }
}

/// A task that waits for one commit.
private final class OneCommit: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, Never>?
        var number: Int?
        var hasEnded = false
    }
    private let state = Mutex(State())

    /// False if it has ended before.
    func begin(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        state.withLock { state in
            if !state.hasEnded { state.continuation = continuation }
            return !state.hasEnded
        }
    }

    func watched(by number: Int) {
        let hasEnded = state.withLock { state in
            state.number = number
            return state.hasEnded
        }
        if hasEnded { CommitWatch.shared.end(number) }
    }

    /// May be called several times.
    func end() {
        let (continuation, number) = state.withLock { state in
            state.hasEnded = true
            defer { state.continuation = nil }
            return (state.continuation, state.number)
        }
        if let number { CommitWatch.shared.end(number) }
        continuation?.resume()
    }
}
