// SPDX-License-Identifier: MIT
// Realm+Writing.swift -- write transactions.

extension Realm {
    /// Runs a closure inside of a write transaction, and makes its changes durable, as the configuration demands.
    ///
    /// The transaction is rolled back if the closure throws, and if a change fails because of its data or because of
    /// the system: a duplicate primary key, a value that is too large, a full disk. Changes after the failed one then
    /// do nothing, and `write` throws it when the closure ends. At its end a ``ValidatedObject`` may also refuse what
    /// became of it. The closure may end the transaction itself.
    ///
    /// Blocks until other writers, of all threads and processes, have finished. Writers get their turn in the order in
    /// which they came. If it takes longer than ``Configuration/busyTimeout``, `Realm.Error.busy` is thrown.
    ///
    /// - Parameters:
    ///   - tokens: observers of this thread that are not told of the changes.
    ///   - block: makes the changes.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws, or a ``ValidatedObject``; otherwise `Realm.Error`.
    @discardableResult
    public func write<Result>(
        withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
    ) throws -> Result {
        try session.begin(deferred: false)
        return try finish(withoutNotifying: tokens, block)
    }

    /// Does what `write` does, if other writers let it begin in time.
    ///
    /// ```swift
    /// do {
    ///     try realm.write(within: 0) { realm.add(Dog(value: ["name": "Rex"])) }
    /// } catch Realm.Error.busy {
    ///     // somebody writes just now
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - seconds: how long it waits for other writers, of all threads and processes; 0 only tries.
    ///   - tokens: observers of this thread that are not told of the changes.
    ///   - block: makes the changes.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws, or a ``ValidatedObject``; otherwise `Realm.Error`: `busy` if the write did
    ///   not begin in time.
    @discardableResult
    public func write<Result>(
        within seconds: Double, withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
    ) throws -> Result {
        try session.begin(deferred: false, within: EngineStore.milliseconds(seconds))
        return try finish(withoutNotifying: tokens, block)
    }

    /// Runs the closure in the write transaction that was begun, and ends that.
    private func finish<Result>(
        withoutNotifying tokens: [NotificationToken], _ block: () throws -> Result
    ) throws -> Result {
        let result: Result
        do {
            result = try block()
        } catch {
            if session.isWriting { session.cancel() }
            throw error
        }
        if session.isWriting { try commitWrite(withoutNotifying: tokens) }
        return result
    }

    /// Begins a write transaction at the newest version.
    ///
    /// If that fails, because of a full disk for example, changes do nothing and `commitWrite()` throws the reason.
    /// Blocks until other writers, of all threads and processes, have finished; after ``Configuration/busyTimeout`` it
    /// has failed.
    ///
    /// The transaction is open, and the realm with it, until `commitWrite()` or `cancelWrite()` ends it, on this or on
    /// another `Realm` that this thread opened of it. No other writer gets further until then. If the program forgets
    /// the realm, the changes are dropped at the end of the `autoreleasepool` in which it began, or of the thread.
    /// `write { }` cannot be forgotten, and also ends when an error is thrown.
    public func beginWrite() {
        do {
            try session.begin(deferred: true)
        } catch {
            session.fail(error)
        }
    }

    /// Makes the changes durable, as the configuration demands, and ends the write transaction.
    ///
    /// - Parameter tokens: observers of this thread that are not told of the changes.
    /// - Throws: `Realm.Error` of the first change that failed, or of the commit, or what a ``ValidatedObject`` throws.
    ///   The transaction is then rolled back and ended nevertheless.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        try session.commit(except: tokens.compactMap { $0.observation(in: session) })
    }

    /// Makes every write durable that has been committed until now, by whichever program.
    ///
    /// With full and logged durability they are durable already. With ``Configuration/Durability-swift.enum/relaxed``
    /// and ``Configuration/Durability-swift.enum/deferred`` call this after an important write, or when no other write
    /// will follow for a while. In memory it does nothing.
    ///
    /// - Throws: `Realm.Error`: `fileOperationFailed` if the disk fails, after which the file has to be closed and
    ///   opened again; `fileAccess` if the realm is open for reading only.
    public func flush() throws {
        session.checkThread()
        try session.view.flush()
    }

    /// Drops the changes and ends the write transaction. Objects that it created become invalid.
    public func cancelWrite() { session.cancel() }
}
