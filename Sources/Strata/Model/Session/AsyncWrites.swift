// SPDX-License-Identifier: MIT
// AsyncWrites.swift -- blocks that wait for a write transaction of their session.

/// The blocks that a session will run in write transactions, in their order, and the commits that are under way.
///
/// Used in the domain of the session only. While anything is under way, it keeps the session alive.
final class AsyncWrites {
    typealias Completion = ((any Error)?) -> Void

    private struct Block {
        let id: UInt32
        /// Whether changes that the block leaves uncommitted are kept.
        let commits: Bool
        let body: () -> Void
        let completion: Completion?
    }

    /// A block that has run, or a commit, whose completion was not called yet.
    private struct Ending {
        let id: UInt32
        /// Nil if it was cancelled, or called.
        var completion: Completion?
        /// Whether its fate is known.
        var isKnown = false
        /// What went wrong.
        var error: (any Error)?
    }

    private unowned(unsafe) let session: Session  // which owns this
    private var waiting: [Block] = []
    /// In the order in which their completions are called, which is that of the blocks. Those before `called` are done.
    private var endings: [Ending] = []
    private var called = 0
    private var lastID: UInt32 = 0
    /// How many transactions were granted while another one was open, and are asked for again when that has ended.
    private var postponed = 0
    /// Where the block that runs wants to be told of its commit.
    private var commitOfBlock: (id: UInt32, completion: Completion?)?

    init(_ session: Session) { self.session = session }

    var isBusy: Bool { !waiting.isEmpty || called < endings.count }

    private func nextID() -> UInt32 {
        lastID &+= 1
        return lastID
    }

    /// Lets a block wait for its transaction.
    func append(commits: Bool, _ body: @escaping () -> Void, _ completion: Completion?) -> UInt32 {
        let id = nextID()
        waiting.append(Block(id: id, commits: commits, body: body, completion: completion))
        request()
        return id
    }

    /// Drops a block that waits, or the completion of a commit.
    func cancel(_ id: UInt32) {
        waiting.removeAll { $0.id == id }
        if let index = endings.lastIndex(where: { $0.id == id }) { endings[index].completion = nil }
        if commitOfBlock?.id == id { commitOfBlock?.completion = nil }
    }

    func dropWaiting() { waiting = [] }

    /// Drops the blocks that wait, and the completions of all commits.
    func dropAll() {
        waiting = []
        for index in endings.indices { endings[index].completion = nil }
    }

    /// A transaction of the session has ended.
    func writeEnded() {
        let count = waiting.isEmpty ? 0 : postponed
        postponed = 0
        for _ in 0..<count { request() }
    }

    // MARK: Running

    /// Asks for one more transaction. There are at least as many on their way as blocks wait, so that each block runs,
    /// and which transaction it gets does not matter.
    private func request() {
        let kept = Kept(writes: self, session: session)
        do {
            let write = try session.request()
            write.onGrant { outcome in
                let runs = kept.session.domain.run { kept.writes.granted(write, outcome) }
                if !runs { Self.refuse(write, outcome) }
            }
        } catch {
            let first = waiting.removeFirst()
            finish(first.id, first.completion, error)
        }
    }

    /// Lets the domain take what it owns with a job.
    private struct Kept: @unchecked Sendable {
        let writes: AsyncWrites
        let session: Session
    }

    /// A transaction was granted, or was not. Runs in the domain.
    private func granted(_ write: EngineQueuedWrite, _ outcome: EngineQueuedWrite.Outcome) {
        if waiting.isEmpty { return Self.refuse(write, outcome) }
        switch outcome {
        case .done where session.isWriting:
            postponed += 1
            return Self.refuse(write, outcome)
        case .done: break
        case .cancelled: return request()
        case .failed(let error):
            let first = waiting.removeFirst()
            return finish(first.id, first.completion, error)
        }
        let block = waiting[0]
        var isBegun = false
        do {
            let run = try session.run(write) {
                isBegun = true
                waiting.removeFirst()
                block.body()
                if !block.commits && session.isWriting { session.cancel() }
            }
            guard let run else { return request() }  // withdrawn
            let commit = commitOfBlock ?? (block.id, block.completion)
            commitOfBlock = nil
            guard let handedOver = run.handedOver else { return finish(commit.id, commit.completion, nil) }
            let id = commit.id
            endings.append(Ending(id: id, completion: commit.completion))
            let kept = Kept(writes: self, session: session)
            write.onEnd { outcome in
                kept.session.domain.run { kept.writes.ended(id, handedOver, outcome) }
            }
        } catch {
            if !isBegun { waiting.removeFirst() }
            let commit = commitOfBlock ?? (block.id, block.completion)
            commitOfBlock = nil
            finish(commit.id, commit.completion, error)
        }
    }

    /// The fate of a block is known that has no commit under way.
    private func finish(_ id: UInt32, _ completion: Completion?, _ error: (any Error)?) {
        endings.append(Ending(id: id, completion: completion))
        end(at: endings.count - 1, error)
    }

    /// The fate of a commit is known. Commits end in their order, for the most part.
    private func end(_ id: UInt32, _ error: (any Error)?) {
        guard let index = endings[called...].firstIndex(where: { $0.id == id && !$0.isKnown }) else { return }
        end(at: index, error)
    }

    /// Calls the completions that nothing before them holds back any more.
    private func end(at index: Int, _ error: (any Error)?) {
        endings[index].isKnown = true
        endings[index].error = error
        while called < endings.count, endings[called].isKnown {
            let next = endings[called]
            endings[called].completion = nil
            called += 1
            dropCalled()
            next.completion?(next.error)
        }
    }

    /// Forgets those whose completions were called, as soon as they are half of all.
    private func dropCalled() {
        if 2 * called < endings.count { return }
        endings.removeFirst(called)
        called = 0
    }

    /// Nobody wants the transaction any more.
    private static func refuse(_ write: EngineQueuedWrite, _ outcome: EngineQueuedWrite.Outcome) {
        if outcome.isDone { write.dropped() }
        write.cancel()
    }

    /// The fate of a commit is known. Runs in the domain.
    private func ended(_ id: UInt32, _ handedOver: HandedOver, _ outcome: EngineQueuedWrite.Outcome) {
        session.ended(handedOver, isKept: outcome.isDone)
        do {
            try outcome.get()
            end(id, nil)
        } catch {
            end(id, error)
        }
    }

    /// Commits the transaction that is open: that of the block which runs, or one that was begun otherwise.
    func commit(_ completion: Completion?) -> UInt32 {
        let id = nextID()
        do {
            let isQueued = session.isQueued
            try session.commit()
            if isQueued {
                commitOfBlock = (id, completion)
            } else {
                complete(id, completion, nil)
            }
        } catch {
            complete(id, completion, error)
        }
        return id
    }

    /// Calls a completion some time later.
    private func complete(_ id: UInt32, _ completion: Completion?, _ error: (any Error)?) {
        endings.append(Ending(id: id, completion: completion))
        let kept = Kept(writes: self, session: session)
        session.domain.run { kept.writes.end(id, error) }
    }
}
