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

    private unowned(unsafe) let session: Session  // which owns this
    private var waiting: [Block] = []
    /// The completions of commits that are under way, by number. A cancelled one is nil.
    private var committing: [UInt32: Completion?] = [:]
    /// Completions that wait for those of the commits before them, so that all are called in the order of the blocks.
    private var late: [(id: UInt32, behind: Set<UInt32>, call: () -> Void)] = []
    private var lastID: UInt32 = 0
    /// How many transactions were granted while another one was open, and are asked for again when that has ended.
    private var postponed = 0
    /// Where the block that runs wants to be told of its commit.
    private var commitOfBlock: (id: UInt32, completion: Completion?)?

    init(_ session: Session) { self.session = session }

    var isBusy: Bool { !waiting.isEmpty || !committing.isEmpty }

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
        if committing[id] != nil { committing[id] = .some(nil) }
        late.removeAll { $0.id == id }
        if commitOfBlock?.id == id { commitOfBlock?.completion = nil }
    }

    func dropWaiting() { waiting = [] }

    /// Drops the blocks that wait, and the completions of all commits.
    func dropAll() {
        waiting = []
        late = []
        for id in committing.keys { committing[id] = .some(nil) }
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
            first.completion?(error)
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
            first.completion?(error)
            return
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
            committing[id] = .some(commit.completion)
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

    /// Calls the completion of a block that has no commit under way, when those of the blocks before it were called.
    private func finish(_ id: UInt32, _ completion: Completion?, _ error: (any Error)?) {
        guard let completion else { return }
        if committing.isEmpty { return completion(error) }
        late.append((id, Set(committing.keys), { completion(error) }))
    }

    /// A commit is not under way any more, and its completion was called.
    private func left(_ id: UInt32) {
        for index in late.indices { late[index].behind.remove(id) }
        while let first = late.first, first.behind.isEmpty {
            late.removeFirst()
            first.call()
        }
    }

    /// Nobody wants the transaction any more.
    private static func refuse(_ write: EngineQueuedWrite, _ outcome: EngineQueuedWrite.Outcome) {
        if outcome.isDone { write.dropped() }
        write.cancel()
    }

    /// The fate of a commit is known. Runs in the domain.
    private func ended(_ id: UInt32, _ handedOver: HandedOver, _ outcome: EngineQueuedWrite.Outcome) {
        session.ended(handedOver, isKept: outcome.isDone)
        guard let completion = committing.removeValue(forKey: id) else { return }
        do {
            try outcome.get()
            completion?(nil)
        } catch {
            completion?(error)
        }
        left(id)
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
        committing[id] = .some(completion)
        let kept = Kept(writes: self, session: session)
        session.domain.run {
            guard let completion = kept.writes.committing.removeValue(forKey: id) else { return }
            completion?(error)
            kept.writes.left(id)
        }
    }
}
