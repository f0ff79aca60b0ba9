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

    /// Requests the transaction.
    func request(_ session: Session) throws -> EngineQueuedWrite {
        if state.withLock({ $0.isCancelled }) { throw CancellationError() }
        let write = try session.request(within: milliseconds)
        if state.withLock({ state in
            state.write = write
            return state.isCancelled
        }) { write.cancel() }
        return write
    }

    private var milliseconds: UInt32? {
        guard let deadline else { return nil }
        let now = DispatchTime.now()
        return deadline <= now ? 0 : UInt32((deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1)
    }
}

/// Runs writes in turn. All that wait are requested at once, so that they share one transaction of the engine.
enum StoreWriter {
    static func threads(_ configuration: Realm.Configuration) -> RealmThreads<WriteJob> {
        RealmThreads("Strata.write", configuration, limit: 1, share: .max) { realm, jobs, threads in
            run(jobs, realm, more: threads.more)
        }
    }

    private struct Requested {
        let job: WriteJob
        let write: EngineQueuedWrite
    }

    private static func run(_ jobs: [WriteJob], _ realm: Result<Realm, any Error>, more: () -> [WriteJob]) {
        let opened: Realm
        switch realm {
        case .success(let realm): opened = realm
        case .failure(let error):
            for job in jobs { job.onEnd(.failure(error)) }
            return
        }
        var waiting = jobs.compactMap { requested($0, opened.session) }[...]
        while let next = waiting.popFirst() {
            if !run(next, opened), let again = requested(next.job, opened.session) { waiting.append(again) }
            waiting += more().compactMap { requested($0, opened.session) }
        }
    }

    private static func requested(_ job: WriteJob, _ session: Session) -> Requested? {
        do {
            return Requested(job: job, write: try job.request(session))
        } catch {
            job.onEnd(.failure(error))
            return nil
        }
    }

    /// Waits for the turn of a write, and runs it; false if the turn was withdrawn.
    private static func run(_ next: Requested, _ realm: Realm) -> Bool {
        let granted = DispatchSemaphore(value: 0)
        let outcome = Mutex<EngineQueuedWrite.Outcome>(.cancelled)
        next.write.onGrant { answer in
            outcome.withLock { $0 = answer }
            granted.signal()
        }
        granted.wait()
        let job = next.job
        do {
            try outcome.withLock { $0 }.get()
            guard let run = try realm.session.run(next.write, { try job.body(realm) }) else { return false }
            if run.handedOver == nil {
                job.onEnd(.success(()))
            } else {
                next.write.onEnd { outcome in
                    Autorefresh.shared.committed()
                    job.onEnd(Result { try outcome.get() })
                }
            }
        } catch {
            job.onEnd(.failure(error))
        }
        return true
    }
}
