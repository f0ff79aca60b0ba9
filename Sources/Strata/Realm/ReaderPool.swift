// SPDX-License-Identifier: MIT
// ReaderPool.swift -- realms that are lent to the closures of a RealmStore that read.

import Foundation
import Synchronization

/// A realm for each processor. A closure runs where its task does, with a realm that nobody else has meanwhile; to hand
/// it over to another thread would take two switches of threads. Whoever comes when all are lent waits, and holds no
/// thread.
///
/// Invariant: a realm that is not lent holds no version of the file.
final class ReaderPool: Sendable {
    private struct Reader: @unchecked Sendable {
        let realm: Realm
        let domain: RunningClosure

        init(_ configuration: Realm.Configuration) throws(StrataError) {
            domain = RunningClosure()
            domain.begin()
            realm = Realm(try SessionCache.session(configuration, for: .closure(domain)), configuration)
            end()
        }

        func begin() throws(StrataError) {
            domain.begin()
            try realm.session.wake()
        }

        func end() {
            realm.session.rest()
            domain.end()
        }
    }

    private struct State {
        var idle: [Reader] = []
        var waiting: [CheckedContinuation<Reader, Never>] = []
    }
    private let state: Mutex<State>
    /// So many reads give way to other tasks once: a task that always finds a realm would never let go of its thread.
    private static let readsAtOnce = 64
    private let reads = Atomic<Int>(0)
    let store: EngineStore

    /// Blocks.
    init(_ configuration: Realm.Configuration) throws {
        var state = State()
        for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { state.idle.append(try Reader(configuration)) }
        store = state.idle[0].realm.session.view.store
        self.state = Mutex(state)
    }

    /// Runs a closure with the newest version, unless the task is cancelled before.
    func read<Result>(_ body: (Realm) throws -> Result) async throws -> Result {
        if reads.wrappingAdd(1, ordering: .relaxed).newValue % Self.readsAtOnce == 0 { await Task.yield() }
        let reader = await take()
        defer { giveBack(reader) }
        try Task.checkCancellation()
        defer { reader.end() }
        try reader.begin()
        return try body(reader.realm)
    }

    private func take() async -> Reader {
        if let reader = state.withLock({ $0.idle.popLast() }) { return reader }
        return await withCheckedContinuation { continuation in
            let reader = state.withLock { state in
                if let reader = state.idle.popLast() { return reader as Reader? }
                state.waiting.append(continuation)
                return nil
            }
            if let reader { continuation.resume(returning: reader) }
        }
    }

    private func giveBack(_ reader: Reader) {
        let next = state.withLock { state in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() as CheckedContinuation<Reader, Never>? }
            state.idle.append(reader)
            return nil
        }
        next?.resume(returning: reader)
    }
}
