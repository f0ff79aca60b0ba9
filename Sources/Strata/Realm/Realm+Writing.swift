// SPDX-License-Identifier: MIT
// Realm+Writing.swift -- write transactions.

extension Realm {
    /// Runs a closure inside of a write transaction, and makes its changes durable, as the configuration demands.
    ///
    /// The transaction is rolled back if the closure throws, and if a change fails because of its data or because of
    /// the system: a duplicate primary key, a value that is too large, a full disk. Changes after the failed one then
    /// do nothing, and `write` throws it when the closure ends. The closure may end the transaction itself.
    ///
    /// Blocks until other writers, of all threads and processes, have finished.
    ///
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws, otherwise `Realm.Error`.
    @discardableResult
    public func write<Result>(_ block: () throws -> Result) throws -> Result {
        try session.begin(deferred: false)
        let result: Result
        do {
            result = try block()
        } catch {
            if session.isWriting { session.cancel() }
            throw error
        }
        if session.isWriting { try session.commit() }
        return result
    }

    /// Begins a write transaction at the newest version.
    ///
    /// If that fails, because of a full disk for example, changes do nothing and `commitWrite()` throws the reason.
    /// Blocks until other writers, of all threads and processes, have finished.
    public func beginWrite() {
        do {
            try session.begin(deferred: true)
        } catch {
            session.fail(error)
        }
    }

    /// Makes the changes durable, as the configuration demands, and ends the write transaction.
    ///
    /// - Throws: `Realm.Error` of the first change that failed, or of the commit. The transaction is then rolled back
    ///   and ended nevertheless.
    public func commitWrite() throws { try session.commit() }

    /// Makes every write durable that has been committed until now, by whichever program.
    ///
    /// With full durability they are durable already. With ``Configuration/Durability-swift.enum/relaxed`` call this
    /// after an important write, or when no other write will follow for a while. In memory it does nothing.
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
