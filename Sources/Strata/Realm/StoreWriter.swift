// SPDX-License-Identifier: MIT
// StoreWriter.swift -- the writes of a RealmStore, on one thread, grouped.

import Foundation
import Synchronization

/// A write that was passed to a store.
final class WriteJob: @unchecked Sendable {
    let body: @Sendable (Realm) throws -> Void
    /// When it must have got its turn; nil for as long as the store was opened with, from when it is requested.
    private let deadline: DispatchTime?
    /// Is called once. Set before the job is passed on.
    var onEnd: (Result<Void, any Error>) -> Void = { _ in }
    /// The request, or nil before; and whether the job was cancelled.
    private let state = Mutex<(write: EngineQueuedWrite?, isCancelled: Bool)>((nil, false))

    init(_ milliseconds: UInt32?, _ body: @escaping @Sendable (Realm) throws -> Void) {
        deadline = milliseconds.map { .now() + .milliseconds(Int($0)) }
        self.body = body
    }

    /// Drops the job, unless it has begun.
    func cancel() {
        let write = state.withLock { state in
            state.isCancelled = true
            return state.write
        }
        write?.cancel()
    }

    /// Requests the transaction. Calls `onGrant` when its turn has come, on a thread of the engine; otherwise the job
    /// ends as soon as it cannot have a turn any more, whatever the writer does meanwhile.
    func request(
        _ store: EngineStore, _ onGrant: @escaping @Sendable (EngineQueuedWrite) -> Void,
        orElse onRefusal: @escaping @Sendable () -> Void
    ) {
        @Sendable func refuse(_ error: any Error) {
            onRefusal()
            onEnd(.failure(error))
        }
        if state.withLock({ $0.isCancelled }) { return refuse(CancellationError()) }
        do {
            let write = try EngineQueuedWrite.request(store, within: milliseconds)
            if state.withLock({ state in
                state.write = write
                return state.isCancelled
            }) { write.cancel() }
            write.onGrant { outcome in
                do {
                    try outcome.get()
                    onGrant(write)
                } catch {
                    refuse(error)
                }
            }
        } catch {
            refuse(error)
        }
    }

    private var milliseconds: UInt32? {
        guard let deadline else { return nil }
        let now = DispatchTime.now()
        return deadline <= now ? 0 : UInt32((deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1)
    }
}

/// Runs writes in turn, on a thread that is started for the first one and ends when nothing was to do for a while. Each
/// is requested at once, so that those that wait share a transaction of the engine, and have their deadlines there.
///
/// Invariant: while nothing is to do, the realm of the thread holds no version of the file.
final class StoreWriter: @unchecked Sendable {
    /// After how many seconds an idle thread ends.
    private static let patience = 5.0

    private struct Granted {
        let job: WriteJob
        let write: EngineQueuedWrite
    }

    private let configuration: Realm.Configuration
    private let condition = NSCondition()
    /// Nil when it is closed.
    private var store: EngineStore?
    // Guarded by `condition`.
    private var granted: [Granted] = []
    /// How many wait for their turn. The thread does not end meanwhile.
    private var waiting = 0
    private var isRunning = false
    /// How many threads have the file open. One that ends may do so beside the next one.
    private var threads = 0
    /// The one that runs jobs.
    private var thread: pthread_t?
    /// Nobody passes jobs any more.
    private var isClosed = false

    init(_ configuration: Realm.Configuration, _ store: EngineStore) {
        (self.configuration, self.store) = (configuration, store)
    }

    func run(_ job: WriteJob) {
        if configuration.readOnly {
            misuse("the realm is open for reading only; open it with readOnly = false to write")
        }
        do {
            try condition.withLock {
                if !isRunning { try startThread() }
                waiting += 1
            }
        } catch {
            job.onEnd(.failure(error))
            return
        }
        request(job)
    }

    /// With the lock held.
    private func startThread() throws(StrataError) {
        let purpose = "writing to \(configuration.fileURL?.path ?? "a realm in memory")"
        try BackgroundThread.start(for: purpose) { [self] in
            condition.withLock { thread = pthread_self() }
            loop()
            condition.withLock {
                threads -= 1
                if let other = thread, pthread_equal(other, pthread_self()) != 0 { thread = nil }
                condition.broadcast()
            }
        }
        isRunning = true
        threads += 1
    }

    /// Ends the thread, and waits until it has closed the file. While jobs are not done it does not wait: they end it.
    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
            if let thread, pthread_equal(thread, pthread_self()) != 0 { return }  // the last job let go of the store
            while threads > 0 && waiting == 0 && granted.isEmpty { condition.wait() }
            if threads == 0 { store = nil }  // what runs of the thread still holds this writer for a moment
        }
    }

    /// The job counts as waiting already.
    private func request(_ job: WriteJob) {
        guard let store else { misuse("a write is passed to a RealmStore that is gone") }
        job.request(store) { [self] write in
            condition.withLock {
                waiting -= 1
                granted.append(Granted(job: job, write: write))
                condition.broadcast()
            }
        } orElse: { [self] in
            condition.withLock {
                waiting -= 1
                condition.broadcast()
            }
        }
    }

    private func loop() {
        var realm = try? Realm(configuration: configuration)
        realm?.session.rest()
        while let first = next() {
            var next: Granted? = first
            do {
                if realm == nil { realm = try Realm(configuration: configuration) }
                try realm?.session.wake()
            } catch {
                refuse(first, error)
                next = nil
            }
            while let granted = next, let realm {
                if !Self.run(granted, realm) {
                    condition.withLock { waiting += 1 }
                    request(granted.job)
                }
                next = condition.withLock { takeGranted() }
            }
            realm?.session.rest()
        }
    }

    /// The first that has its turn; nil to end the thread.
    private func next() -> Granted? {
        condition.withLock {
            var isLate = false
            while true {
                if let first = takeGranted() { return first }
                if (isLate || isClosed) && waiting == 0 {
                    isRunning = false
                    return nil
                }
                isLate = !condition.wait(until: Date(timeIntervalSinceNow: Self.patience))
            }
        }
    }

    private func takeGranted() -> Granted? { granted.isEmpty ? nil : granted.removeFirst() }

    private func refuse(_ granted: Granted, _ error: any Error) {
        granted.write.cancel()
        granted.write.dropped()
        granted.job.onEnd(.failure(error))
    }

    /// Runs a write whose turn has come; false if the turn was withdrawn.
    private static func run(_ next: Granted, _ realm: Realm) -> Bool {
        let job = next.job
        do {
            guard let run = try realm.session.run(next.write, { try job.body(realm) }) else { return false }
            if run.handedOver == nil {
                job.onEnd(.success(()))
            } else {
                next.write.onEnd { outcome in job.onEnd(Result { try outcome.get() }) }
            }
        } catch {
            job.onEnd(.failure(error))
        }
        return true
    }
}
