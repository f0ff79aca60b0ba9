// SPDX-License-Identifier: MIT
// LoopThread.swift -- a thread with a run loop, for tests.

import Foundation

/// A thread that runs its run loop until it is told to end.
final class LoopThread: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var bodies: [() -> Void] = []
    private var isOver = false
    private let ended = DispatchSemaphore(value: 0)

    init() {
        Thread.detachNewThread { [self] in
            let timer = Timer(timeInterval: 0.002, repeats: true) { [self] _ in
                for body in lock.withLock({ taken() }) { body() }
            }
            RunLoop.current.add(timer, forMode: .default)
            while !lock.withLock({ isOver }) {
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
            }
            timer.invalidate()
            // What the thread keeps for its end lives a little longer than this.
            ended.signal()
        }
    }

    private func taken() -> [() -> Void] {
        defer { bodies = [] }
        return bodies
    }

    /// Has the run loop run a body, and waits for it.
    func run<R>(_ body: @escaping () throws -> R) throws -> R {
        nonisolated(unsafe) var result: Result<R, any Error>?
        let done = DispatchSemaphore(value: 0)
        lock.withLock {
            bodies.append {
                result = Result { try body() }
                done.signal()
            }
        }
        done.wait()
        return try result!.get()
    }

    /// Ends the thread.
    func end() {
        lock.withLock { isOver = true }
        ended.wait()
    }
}
