// SPDX-License-Identifier: MIT
// ThreadJobs.swift -- jobs that a thread runs in its run loop.

import Foundation
import Synchronization

/// The jobs that wait for a thread which is not the main one. It runs them in its run loop.
///
/// A timer stands in the run loop. It keeps the loop going, and whoever has a job moves its date to wake the loop,
/// which `RunLoop.perform` of Foundation for Linux does not.
///
/// Invariants: a job that was taken is run, by the timer or when the thread ends, and none is taken after that. The
/// date of the timer is moved only under the lock, and the timer has left the run loop before that is gone.
final class ThreadJobs: @unchecked Sendable {
    typealias Job = @Sendable () -> Void

    private let thread: UInt
    private let ended: () -> Void
    private let lock = NSLock()
    // Guarded by `lock`.
    private var waiting: [Job] = []
    /// The timer that runs the jobs; nil while none are taken.
    private var timer: Timer?
    /// One that has run them, and leaves the run loop when that runs it again.
    private var leaving: Timer?

    private init(_ thread: UInt, _ ended: @escaping () -> Void) {
        self.thread = thread
        self.ended = ended
    }

    /// Takes a job, unless the thread runs none.
    private func append(_ job: @escaping Job) -> Bool {
        lock.withLock {
            guard let timer else { return false }
            waiting.append(job)
            timer.fireDate = Date()
            return true
        }
    }

    /// Takes jobs from now on. Must be called on the thread.
    private func begin() {
        let isBack = lock.withLock {
            (self.timer, leaving) = (leaving, nil)
            return self.timer != nil
        }
        if isBack { return }
        // It also looks once a second, for when the clock is set back while the date is moved.
        let timer = Timer(timeInterval: 1, repeats: true) { [unowned self] timer in fired(timer) }
        lock.withLock { self.timer = timer }
        RunLoop.current.add(timer, forMode: .common)
    }

    /// Takes no more jobs. The timer runs those that wait, and leaves the run loop: only the thread itself can take it
    /// out in a way that the loop notices.
    private func end() {
        lock.withLock {
            timer?.fireDate = Date()
            (timer, leaving) = (nil, timer ?? leaving)
        }
    }

    /// The thread ends, and calls this.
    func threadEnds() {
        if Self.of(thread) === self { ended() }
        lock.withLock {
            timer?.invalidate()
            leaving?.invalidate()
            (timer, leaving) = (nil, nil)
        }
        Self.all.withLock { if $0[thread] === self { $0[thread] = nil } }
        runAll()
    }

    /// Runs what waits now. A job that comes meanwhile lets the run loop do something else first.
    private func fired(_ timer: Timer) {
        for job in lock.withLock({ taken() }) { job() }
        let isCurrent = lock.withLock {
            if timer === self.timer && !waiting.isEmpty { timer.fireDate = Date() }
            if timer === leaving { leaving = nil }
            return timer === self.timer
        }
        if isCurrent { return }
        timer.invalidate()
        runAll()
    }

    private func runAll() {
        while case let jobs = lock.withLock({ taken() }), !jobs.isEmpty {
            for job in jobs { job() }
        }
    }

    private func taken() -> [Job] {
        defer { waiting = [] }
        return waiting
    }

    // MARK: Threads

    /// Those of the threads that take jobs, by the number of the thread.
    private static let all = Mutex<[UInt: ThreadJobs]>([:])

    private static func of(_ thread: UInt) -> ThreadJobs? { all.withLock { $0[thread] } }

    /// Whether a thread takes jobs.
    static func has(_ thread: UInt) -> Bool { of(thread) != nil }

    /// Lets the calling thread take jobs from now on, if its run loop runs; false if it does not.
    ///
    /// - Parameter ended: is called on the thread when that ends, and takes jobs; the same each time.
    static func begin(_ ended: @escaping () -> Void) -> Bool {
        let thread = EngineThread.current
        if has(thread) { return true }
        // Only code that the run loop runs is sure that it goes on to run.
        guard RunLoop.current.currentMode != nil else { return false }
        let scope = ThreadScope.ofThread
        let jobs = scope.jobs ?? ThreadJobs(thread, ended)
        scope.jobs = jobs
        jobs.begin()
        all.withLock { $0[thread] = jobs }
        return true
    }

    /// Lets a thread take no more jobs, and its run loop end. May be called on every thread.
    static func end(_ thread: UInt) {
        all.withLock { $0.removeValue(forKey: thread) }?.end()
    }

    /// Has a job run on a thread; false if that takes none.
    static func run(_ job: @escaping Job, on thread: UInt) -> Bool { of(thread)?.append(job) ?? false }
}
