// SPDX-License-Identifier: MIT
// RealmSnapshots.swift -- what a closure reads, again after each commit. An addition to Realm's API.

/// What a closure reads from a ``RealmStore``, again whenever something was committed, by whichever process.
///
/// ```swift
/// let store = try await RealmStore()
/// for try await count in store.snapshots(of: { realm in realm.objects(Dog.self).count }) {
///     print(count)
///     break  // or go on until the task is cancelled
/// }
/// ```
///
/// The first value comes at once. A loop that is busy misses versions in between and goes on with the newest. It ends
/// when its task is cancelled, and when the closure throws, which the loop then does, too. While it waits it holds
/// neither a thread nor a version of the file.
///
/// Thread: any; each loop reads by itself.
public struct RealmSnapshots<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = any Error

    fileprivate let readers: ReaderPool
    fileprivate let read: @Sendable (Realm) throws -> Value
    fileprivate let isSame: @Sendable (Value, Value) -> Bool

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(snapshots: self) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private struct Seen: Sendable {
            let value: Value
            /// The number of the commit that it was read from; nil if there is a newer one, which is written, but not
            /// durable.
            let commit: UInt64?
        }
        fileprivate let snapshots: RealmSnapshots
        private var seen: Seen?
        private var isOver = false

        fileprivate init(snapshots: RealmSnapshots) { self.snapshots = snapshots }

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> Value? {
            while !isOver {
                do {
                    let before = seen
                    if let before { try await snapshots.wait(behind: before.commit) }
                    let now = try await snapshots.look()
                    seen = Seen(value: now.value, commit: now.commit)
                    if let before, snapshots.isSame(before.value, now.value) { continue }
                    return now.value
                } catch {
                    isOver = true
                    if !(error is CancellationError) { throw error }
                }
            }
            return nil
        }
    }

    /// Waits for a newer commit; a moment if there is one already, but not to be seen yet.
    fileprivate func wait(behind commit: UInt64?) async throws {
        if let commit {
            await readers.store.changed(since: commit)
        } else {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    @concurrent fileprivate func look() async throws -> (value: Value, commit: UInt64?) {
        try await readers.read { realm in
            let view = realm.session.view, newest = view.store.newest, isNewest = view.isNewest
            return (try read(realm), isNewest ? newest : nil)
        }
    }
}

extension RealmStore {
    /// What a closure reads, again after each commit. It costs a call of the closure for each commit that is looked at,
    /// whatever that has changed.
    ///
    /// - Parameter read: reads a version. It is called as ``read(_:)`` calls it.
    public func snapshots<Value: Sendable>(
        of read: @escaping @Sendable (Realm) throws -> Value
    ) -> RealmSnapshots<Value> {
        RealmSnapshots(readers: readers, read: read, isSame: { _, _ in false })
    }

    /// The same without values that are equal to the one before.
    public func snapshots<Value: Sendable & Equatable>(
        of read: @escaping @Sendable (Realm) throws -> Value
    ) -> RealmSnapshots<Value> {
        RealmSnapshots(readers: readers, read: read, isSame: { $0 == $1 })
    }
}
