// SPDX-License-Identifier: MIT
// BackgroundThread.swift -- a thread that says when the system does not start it.

import Foundation

/// A thread of the library. Foundation's `Thread` says nothing when the system refuses one, and its closure never runs.
enum BackgroundThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs a closure on a new thread.
    ///
    /// - Parameter purpose: what it is for, in the message of the error.
    static func start(for purpose: String, _ body: @escaping @Sendable () -> Void) throws(StrataError) {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<Work>.fromOpaque(context!).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        if code != 0 {
            work.release()
            let why = String(cString: strerror(code))
            throw StrataError(.fail, "\(purpose): the system starts no further thread (\(why))", systemCode: code)
        }
        pthread_detach(thread)
    }
}
