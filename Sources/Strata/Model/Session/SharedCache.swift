// SPDX-License-Identifier: MIT
// SharedCache.swift -- a value of a frozen realm that is found once, for all threads.

import Synchronization

/// A value that is set once, by whichever thread finds it first. Reading it takes no lock.
///
/// The value must be one that threads may share: what is in it must not change.
struct SharedCache<Value>: ~Copyable {
    private final class Box {
        let value: Value
        init(_ value: Value) { self.value = value }
    }
    private let box = AtomicLazyReference<Box>()

    var value: Value? { box.load()?.value }

    /// Sets the value unless another thread was faster; gives what is set.
    func set(_ value: Value) -> Value { box.storeIfNil(Box(value)).value }
}
