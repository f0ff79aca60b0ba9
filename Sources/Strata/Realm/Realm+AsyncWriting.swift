// SPDX-License-Identifier: MIT
// Realm+AsyncWriting.swift -- write transactions of queues, actors and run loops, which wait without holding a thread.

extension Realm {
    /// Runs a closure inside of a write transaction, on the actor that the realm belongs to, and makes its changes
    /// durable. While the task waits, for other writers and for the disk, no thread waits with it, and the actor runs
    /// other tasks.
    ///
    /// ```swift
    /// @MainActor func buy(_ name: String) async throws {
    ///     let realm = try await Realm()
    ///     try await realm.asyncWrite { realm.add(Dog(value: ["name": name])) }
    /// }
    /// ```
    ///
    /// Writes that wait at the same time share one wait for the disk. Until the changes are durable, which is when this
    /// method returns, the realm shows the state without them; that is what other tasks of the actor see meanwhile.
    /// Otherwise the transaction is as that of ``write(withoutNotifying:_:)``: it is rolled back if the closure throws
    /// or if a change fails, and the closure may end it itself.
    ///
    /// - Parameters:
    ///   - isolation: the actor that the realm belongs to; leave it out.
    ///   - block: makes the changes.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws, or a ``ValidatedObject``; `CancellationError` if the task was cancelled
    ///   before the closure began; otherwise `Realm.Error`: `busy` if the write did not get its turn within
    ///   ``Configuration/busyTimeout``.
    @discardableResult
    public func asyncWrite<Result>(
        _isolation isolation: isolated any Actor = #isolation, _ block: () throws -> Result
    ) async throws -> Result {
        if !session.domain.isActor {
            misuse("asyncWrite needs a realm of an actor; open it with Realm(actor:) or Realm.open(), or use write { }")
        }
        while true {
            try Task.checkCancellation()
            let write = try session.request()
            try await withTaskCancellationHandler {
                try await write.granted().get()
            } onCancel: {
                write.cancel()
            }
            // A grant that was withdrawn is asked for again.
            guard let (result, handedOver) = try session.run(write, block) else { continue }
            guard let handedOver else { return result }
            let outcome = await write.ended()
            session.ended(handedOver, isKept: outcome.isDone)
            try outcome.get()
            return result
        }
    }
}

extension EngineQueuedWrite {
    func granted(_ isolation: isolated (any Actor)? = #isolation) async -> Outcome {
        await withCheckedContinuation { continuation in onGrant { continuation.resume(returning: $0) } }
    }

    func ended(_ isolation: isolated (any Actor)? = #isolation) async -> Outcome {
        await withCheckedContinuation { continuation in onEnd { continuation.resume(returning: $0) } }
    }
}

// MARK: Queues

/// The number of a write that was queued, or of a commit.
public typealias AsyncTransactionId = UInt32

extension Realm {
    /// Runs a block inside of a write transaction, some time later, as a job of the queue that the realm belongs to,
    /// or of the run loop of its thread. Blocks run in the order in which they were passed.
    ///
    /// ```swift
    /// realm.writeAsync { realm.add(Dog(value: ["name": "Rex"])) } onComplete: { error in print(error ?? "done") }
    /// ```
    ///
    /// No thread waits for other writers, nor for the disk. Until the changes are durable, the realm shows the state
    /// without them. The realm stays open until then.
    ///
    /// - Parameters:
    ///   - block: makes the changes.
    ///   - onComplete: is called in the domain of the realm when the changes are durable, or with what went wrong.
    /// - Returns: what ``cancelAsyncWrite(_:)`` takes.
    @discardableResult
    public func writeAsync(
        _ block: @escaping () -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        asyncWrites("writeAsync").append(commits: true, block, onComplete)
    }

    /// Runs a block at the beginning of a write transaction, some time later, as a job of the queue that the realm
    /// belongs to, or of the run loop of its thread. The block ends the transaction by
    /// ``commitAsyncWrite(allowGrouping:_:)``, or by `commitWrite()`; if it does neither, its changes are dropped.
    ///
    /// - Returns: what ``cancelAsyncWrite(_:)`` takes.
    @discardableResult
    public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
        asyncWrites("beginAsyncWrite").append(commits: false, asyncWriteBlock, nil)
    }

    /// Ends the write transaction that is open, and makes its changes durable in the background.
    ///
    /// - Parameters:
    ///   - allowGrouping: without effect: writes that wait at the same time always share one wait for the disk, and
    ///     none waits for another to come.
    ///   - onComplete: is called in the domain of the realm when the changes are durable, or with what went wrong.
    /// - Returns: what ``cancelAsyncWrite(_:)`` takes; the changes are kept even so.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        asyncWrites("commitAsyncWrite").commit(onComplete)
    }

    /// Drops a block that has not begun, or the callback of a commit. Unknown numbers are ignored.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        asyncWrites("cancelAsyncWrite").cancel(asyncTransactionId)
    }

    /// Whether blocks or commits of this realm are under way.
    public var isPerformingAsynchronousWriteOperations: Bool {
        session.hasAsyncWrites && session.asyncWrites.isBusy
    }

    private func asyncWrites(_ name: String) -> AsyncWrites {
        session.requireLive("\(name)")
        session.checkThread()
        if !Autorefresh.shared.followForJobs(session) {
            misuse(
                "\(name) needs a realm of a queue, an actor, the main thread, or a thread whose run loop runs; open it "
                    + "with Realm(queue:)")
        }
        if session.isReadOnly { misuse("the realm is open for reading only; open it with readOnly = false to write") }
        session.hasAsyncWrites = true
        return session.asyncWrites
    }
}
