// SPDX-License-Identifier: MIT
// Autorefresh.swift -- realms of queues, actors and the main thread move on by themselves.

import Dispatch
import Foundation
import Synchronization

/// Moves sessions on to new commits, each in its domain: as a job of its actor or queue. So a session shows other
/// objects only after the code that uses it was suspended or has ended, and one that nobody uses holds no old version
/// of the file.
///
/// Sessions of threads are not moved: nobody else may touch them while their thread may use them. Those of the main
/// actor are told without hurry until a job has run there, because in many programs none ever does.
final class Autorefresh: @unchecked Sendable {
    static let shared = Autorefresh()

    /// How often commits of other processes are looked for, in seconds; two reads of memory for each realm.
    private static let tick = 0.02
    /// The same while no follower is prompt.
    private static let idleTick = 1.0

    private struct Follower {
        let number: Int
        let session: WeakReference<Session>
        let domain: IsolationDomain
        let store: EngineStore
        /// The newest commit when the session was last told.
        var told: UInt64
        /// A job was given to the domain and has not begun.
        var isTold = false
        /// Whether the domain runs jobs for certain.
        var isPrompt: Bool
    }

    /// How many followers are prompt.
    private let prompt = Atomic(0)
    private let condition = NSCondition()
    // Guarded by `condition`.
    private var followers: [Follower] = []
    private var isRunning = false
    private var commits = 0
    private var lastNumber = 0

    /// Lets a session follow, if its domain can run a job. It must be forgotten before it ends.
    func follow(_ session: Session) {
        guard session.domain.runsJobs else { return }
        let store = session.view.store
        condition.withLock {
            lastNumber += 1
            followers.append(Follower(
                number: lastNumber, session: WeakReference(session), domain: session.domain, store: store,
                told: store.newest, isPrompt: !session.domain.isMain))
            if !session.domain.isMain { prompt.add(1, ordering: .relaxed) }
            if !isRunning {
                isRunning = true
                let thread = Thread { [self] in run() }
                thread.name = "Strata.refresh"
                thread.start()
            } else {
                condition.signal()
            }
        }
    }

    /// Tells a session without delay from now on: somebody observes it.
    func hurry(_ session: Session) {
        condition.withLock {
            let address = Unmanaged.passUnretained(session).toOpaque()
            guard let index = followers.firstIndex(where: { $0.session.refers(to: address) }) else { return }
            if followers[index].isPrompt { return }
            followers[index].isPrompt = true
            prompt.add(1, ordering: .relaxed)
            condition.signal()
        }
    }

    func forget(_ session: UnsafeMutableRawPointer) {
        // What a follower holds is released behind the lock.
        let gone = condition.withLock {
            let gone = followers.filter { $0.session.refers(to: session) }
            followers.removeAll { $0.session.refers(to: session) }
            for follower in gone where follower.isPrompt { prompt.subtract(1, ordering: .relaxed) }
            if followers.isEmpty { condition.signal() }
            return gone
        }
        withExtendedLifetime(gone) {}
    }

    /// Looks at once, because this process has committed. If no follower is prompt, the next tick will do.
    func committed() {
        if prompt.load(ordering: .relaxed) == 0 { return }
        condition.withLock {
            commits += 1
            condition.signal()
        }
    }

    private func run() {
        var seen = 0
        while true {
            let late: [Follower]? = condition.withLock {
                if followers.isEmpty {
                    isRunning = false
                    return nil
                }
                let tick = followers.contains(where: \.isPrompt) ? Self.tick : Self.idleTick
                if commits == seen { _ = condition.wait(until: Date(timeIntervalSinceNow: tick)) }
                seen = commits
                return markLate()
            }
            guard let late else { return }
            for follower in late {
                let number = follower.number
                follower.domain.run { self.refresh(number) }
            }
        }
    }

    /// Who has to be told of a commit.
    private func markLate() -> [Follower] {
        var late: [Follower] = []
        for index in followers.indices where !followers[index].isTold {
            let newest = followers[index].store.newest
            if newest == followers[index].told { continue }
            followers[index].told = newest
            followers[index].isTold = true
            late.append(followers[index])
        }
        return late
    }

    /// Runs in the domain of the session.
    private func refresh(_ number: Int) {
        let session: Session? = condition.withLock {
            guard let index = followers.firstIndex(where: { $0.number == number }) else { return nil }
            followers[index].isTold = false
            if !followers[index].isPrompt {
                followers[index].isPrompt = true
                prompt.add(1, ordering: .relaxed)
            }
            return followers[index].session.target
        }
        guard let session, !session.isWriting else { return }
        var hasCaughtUp = true
        if !session.autorefresh {
            hasCaughtUp = session.observers?.refreshRequired() ?? true
        } else if !session.isResting || session.observers != nil {
            _ = session.refresh()
            hasCaughtUp = session.isWriting || session.isResting || session.view.isNewest
        }
        if !hasCaughtUp { tellAgain(number) }
    }

    /// The session could not move to the newest commit, which is written, but not durable yet.
    private func tellAgain(_ number: Int) {
        condition.withLock {
            guard let index = followers.firstIndex(where: { $0.number == number }) else { return }
            followers[index].told = 0
        }
    }
}
