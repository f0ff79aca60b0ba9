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

/// Runs writes in turn, on a thread that is started for the first one and ends when nothing was to do for a while. All
/// that wait are requested at once, so that they share one transaction of the engine.
///
/// Invariant: while nothing is to do, the realm of the thread holds no version of the file.
final class StoreWriter: @unchecked Sendable {
    /// After how many seconds an idle thread ends.
    private static let patience = 5.0

    private let configuration: Realm.Configuration
    private let condition = NSCondition()
    // Guarded by `condition`.
    private var jobs: [WriteJob] = []
    private var isRunning = false

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    func run(_ job: WriteJob) {
        condition.withLock {
            jobs.append(job)
            if isRunning { return condition.signal() }
            isRunning = true
            let thread = Thread { [self] in loop() }
            thread.name = "Strata.write"
            thread.start()
        }
    }

    private func loop() {
        let realm = Result { try Realm(configuration: configuration) }
        let session = try? realm.get().session
        while true {
            session?.rest()
            guard let jobs = next(endsAtOnce: session == nil) else { return }
            do {
                let realm = try realm.get()
                try realm.session.wake()
                run(jobs, realm)
            } catch {
                for job in jobs { job.onEnd(.failure(error)) }
            }
        }
    }

    /// The jobs that came, or come soon; nil to end the thread.
    ///
    /// - Parameter endsAtOnce: the file could not be opened; the next thread tries again.
    private func next(endsAtOnce: Bool) -> [WriteJob]? {
        condition.withLock {
            let end = Date(timeIntervalSinceNow: endsAtOnce ? 0 : Self.patience)
            while jobs.isEmpty && condition.wait(until: end) {}
            if jobs.isEmpty { isRunning = false }
            return jobs.isEmpty ? nil : takeJobs()
        }
    }

    private func takeJobs() -> [WriteJob] {
        defer { jobs = [] }
        return jobs
    }

    private struct Requested {
        let job: WriteJob
        let write: EngineQueuedWrite
    }

    private func run(_ jobs: [WriteJob], _ realm: Realm) {
        var waiting = jobs.compactMap { Self.requested($0, realm.session) }[...]
        while let next = waiting.popFirst() {
            if !Self.run(next, realm), let again = Self.requested(next.job, realm.session) { waiting.append(again) }
            waiting += condition.withLock { takeJobs() }.compactMap { Self.requested($0, realm.session) }
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
