// SPDX-License-Identifier: MIT
// Session+Queue.swift -- write transactions that wait without holding a thread.

extension Session {
    /// Requests a write transaction.
    func request() throws(StrataError) -> EngineQueuedWrite {
        requireLive("a queued write is requested")
        checkThread()
        if isReadOnly { misuse("the realm is open for reading only; open it with readOnly = false to write") }
        return try .request(view.store)
    }

    /// Begins a write that was granted, runs a body in it, and hands the changes over to be made durable together with
    /// those of others. Until they are, the session shows the state before them.
    ///
    /// - Returns: nil if the grant was withdrawn. Otherwise what the body returned, and what was handed over, if
    ///   anything was. When the fate of that is known, `ended` must be called.
    func run<Result>(
        _ write: EngineQueuedWrite, _ body: () throws -> Result
    ) throws -> (result: Result, handedOver: HandedOver?)? {
        do {
            guard try begin(write) else {
                write.dropped()
                return nil
            }
        } catch {
            write.dropped()
            throw error
        }
        do {
            let result = try body()
            if isWriting { try commit() }
            if handedOver == nil { write.dropped() }
            return (result, handedOver)
        } catch {
            if isWriting { cancel() }
            if handedOver == nil { write.dropped() }
            throw error
        }
    }

    /// The changes that were handed over are in the file, or will never be.
    func ended(_ handedOver: HandedOver, isKept: Bool) {
        checkThread()
        handedOverCount -= 1
        if !isKept {
            for (managed, first) in zip(classes.all, handedOver.firstCreated) {
                managed.rollBack(handedOver.generation, from: first)
            }
        }
        observers?.willTellOwnChanges()
        _ = refresh()
    }
}

/// Changes that were handed over to be made durable together with those of others.
struct HandedOver {
    /// In which the objects were created.
    let generation: UInt64
    /// The first key that was created, of each class of the session; 0 for none.
    let firstCreated: [UInt64]

    init(_ generation: UInt64, _ firstCreated: [UInt64]) {
        self.generation = generation
        self.firstCreated = firstCreated
    }
}
