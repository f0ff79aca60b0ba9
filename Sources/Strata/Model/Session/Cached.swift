// SPDX-License-Identifier: MIT
// Cached.swift -- a value that was read from a realm, until anything in the realm changes.

/// A value that is valid as long as nothing changes in its session.
///
/// Invariant: it is given out only while `Session.changeCount` is what it was when the value was stored.
struct Cached<Value> {
    private var value: Value?
    private var changeCount: UInt64

    /// Nothing yet.
    init() {
        value = nil
        changeCount = 0  // which no session has
    }

    init(_ value: Value, _ session: Session) {
        self.value = value
        changeCount = session.changeCount
    }

    /// The value, unless something has changed since it was stored.
    @inline(__always)
    func current(_ session: Session) -> Value? { changeCount == session.changeCount ? value : nil }
}
