// SPDX-License-Identifier: MIT
// Autorefresh.swift -- realms of queues, actors and the main thread move on by themselves.

import Foundation

/// Moves sessions on to new commits, each in its domain: as a job of its actor or queue. So a session shows other
/// objects only after the code that uses it was suspended or has ended, and one that nobody uses holds no old version
/// of the file.
///
/// Sessions of threads are not moved: nobody else may touch them while their thread may use them. Those of the main
/// actor are told without hurry until a job has run there, because in many programs none ever does.
final class Autorefresh: @unchecked Sendable {
    static let shared = Autorefresh()

    private struct Follower {
        let session: WeakReference<Session>
        /// What watches for it.
        let number: Int
    }
    private let lock = NSLock()
    // Guarded by `lock`.
    private var followers: [Follower] = []

    /// Lets a session follow, if its domain can run a job. It must be forgotten before it ends.
    func follow(_ session: Session) {
        guard session.domain.runsJobs else { return }
        let domain = session.domain, store = session.view.store
        lock.withLock {
            let number = CommitWatch.shared.watch(store, after: store.newest, isPrompt: !domain.isMain) { number in
                domain.run { self.refresh(number) }
            }
            followers.append(Follower(session: WeakReference(session), number: number))
        }
    }

    /// Tells a session without delay from now on: somebody observes it.
    func hurry(_ session: Session) {
        let address = Unmanaged.passUnretained(session).toOpaque()
        let follower = lock.withLock { followers.first { $0.session.refers(to: address) } }
        if let follower { CommitWatch.shared.hasten(follower.number) }
    }

    func forget(_ session: UnsafeMutableRawPointer) {
        let gone = lock.withLock {
            let gone = followers.filter { $0.session.refers(to: session) }
            followers.removeAll { $0.session.refers(to: session) }
            return gone
        }
        for follower in gone { CommitWatch.shared.end(follower.number) }
    }

    /// Runs in the domain of the session.
    private func refresh(_ number: Int) {
        CommitWatch.shared.willLook(number)
        CommitWatch.shared.hasten(number)
        let session = lock.withLock { followers.first { $0.number == number }?.session.target }
        guard let session, !session.isWriting else { return }
        if !refresh(session) { CommitWatch.shared.tellAgain(number) }
    }

    /// False if the session could not move to the newest commit.
    private func refresh(_ session: Session) -> Bool {
        if !session.autorefresh { return session.observers?.refreshRequired() ?? true }
        if session.isResting && session.observers == nil { return true }
        _ = session.refresh()
        return session.isWriting || session.isResting || session.outdated != nil || session.view.isNewest
    }
}
