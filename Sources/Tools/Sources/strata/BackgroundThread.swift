// SPDX-License-Identifier: MIT
// BackgroundThread.swift -- threads that nobody waits for.

import Glibc

/// Runs something on a thread of its own. False if there can be no further thread.
func runInBackground(_ body: @escaping () -> Void) -> Bool {
    final class Box {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    let failed = pthread_create(
        &thread, nil,
        { context in
            Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
            return nil
        }, box.toOpaque())
    if failed != 0 {
        box.release()
        return false
    }
    pthread_detach(thread)
    return true
}
