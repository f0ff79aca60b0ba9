// SPDX-License-Identifier: MIT
// Autorefresh.swift -- realms of queues, actors, the main thread and run loops move on by themselves.

import Foundation

/// Moves sessions on to new commits, each in its domain: as a job of its actor, queue or run loop. So a session shows
/// other objects only after the code that uses it was suspended or has ended, and one that nobody uses holds no old
/// version of the file.
///
/// Sessions of threads are not moved: nobody else may touch them while their thread may use them. Those of a thread
/// that runs a run loop are, from the moment on when one of them is observed or writes in the background. Those of the
/// main actor are told without hurry until a job has run there, because in many programs none ever does.
final class Autorefresh: @unchecked Sendable {
    static let shared = Autorefresh()

    private struct Follower {
        let session: WeakReference<Session>
        let domain: IsolationDomain
        /// What watches for it.
        let number: Int
    }
    private let lock = NSLock()
    // Guarded by `lock`.
    private var followers: [Follower] = []

    /// Lets a session follow, if its domain can run a job. It must be forgotten before it ends.
    func follow(_ session: Session) {
        lock.withLock { if session.domain.runsJobs { add(session) } }
    }

    private func add(_ session: Session) {
        let domain = session.domain, store = session.view.store
        let number = CommitWatch.shared.watch(store, after: store.newest, isPrompt: !domain.isMain) { number in
            domain.run { self.refresh(number) }
        }
        followers.append(Follower(session: WeakReference(session), domain: domain, number: number))
    }

    /// Lets the sessions of the calling thread follow, this one among them, if the run loop of the thread runs; false
    /// if no job can be run in the domain of the session. Must be called where a job will be needed.
    func followForJobs(_ session: Session) -> Bool {
        let domain = session.domain
        if !domain.isThread { return domain.runsJobs }
        if session.onClose == nil { return false }  // nobody would forget it
        let all = [session] + SessionCache.sessions(of: domain)
        return lock.withLock {
            guard ThreadJobs.begin({ self.threadEnds(domain) }) else { return false }
            for session in all where !followers.contains(where: isOf(session)) { add(session) }
            return true
        }
    }

    /// The thread of a domain ends, and calls this. Nobody can use its sessions any more. They follow nothing, nor does
    /// a realm that is opened get one of them: another thread may get the number of this one.
    private func threadEnds(_ domain: IsolationDomain) {
        let following = lock.withLock { followers.filter { $0.domain == domain }.compactMap(\.session.target) }
        for session in following + SessionCache.sessions(of: domain) {
            if session.isWriting { session.cancel() }  // before code of the program runs as its blocks go
            if session.hasAsyncWrites { session.asyncWrites.dropAll() }
            session.observers?.removeAll()
            session.invalidate()
            session.onClose?()
        }
    }

    private func follower(of session: Session) -> Follower? { lock.withLock { followers.first(where: isOf(session)) } }

    /// Without holding sessions: the last holder of one ends it, which takes the lock.
    private func isOf(_ session: Session) -> (Follower) -> Bool {
        let address = Unmanaged.passUnretained(session).toOpaque()
        return { $0.session.refers(to: address) }
    }

    /// Tells a session without delay from now on: somebody observes it.
    func hurry(_ session: Session) {
        if let follower = follower(of: session) { CommitWatch.shared.hasten(follower.number) }
    }

    func forget(_ session: UnsafeMutableRawPointer) {
        let gone = lock.withLock {
            let gone = followers.filter { $0.session.refers(to: session) }
            followers.removeAll { $0.session.refers(to: session) }
            // Actors are not compared here: one that ends meanwhile would end its sessions, which takes the lock.
            for domain in gone.map(\.domain) where domain.isThread {
                if !followers.contains(where: { $0.domain == domain }) { domain.endThreadJobs() }
            }
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
