// SPDX-License-Identifier: MIT
// NotificationToken.swift -- what keeps an observer, and ends it.

import Synchronization

/// Keeps a closure that is told of changes. It is told nothing more once the token is gone, so that the token has to be
/// kept as long as the closure is wanted. It keeps the realm open, too.
///
/// Thread: any. A closure that runs at this moment, on another thread, goes on to its end.
public final class NotificationToken: Sendable, Hashable {
    /// The observation, with the session that it keeps. Used in the domain of the session.
    private struct Active: @unchecked Sendable {
        let observation: Observation
        let session: Session

        func end() {
            observation.isActive = false
            session.observers?.remove(observation)
        }
    }
    private enum State {
        /// It will begin in another domain.
        case waiting
        case active(Active)
        case ended
    }
    private let state: Mutex<State>

    /// A token of an observation that is still to begin.
    init() { state = Mutex(.waiting) }

    init(_ observation: Observation, _ session: Session) {
        state = Mutex(.active(Active(observation: observation, session: session)))
    }

    /// Whether both are the same token.
    public static func == (left: NotificationToken, right: NotificationToken) -> Bool { left === right }

    /// Hashes the identity of the token.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// A token that observes nothing.
    static var inert: NotificationToken {
        let token = NotificationToken()
        token.invalidate()
        return token
    }

    deinit { invalidate() }

    /// Ends the observation: the closure is not called again, not even with what has happened already.
    ///
    /// - Returns: whether it had not been ended before.
    @discardableResult
    public func invalidate() -> Bool {
        let before = state.withLock { state in
            let before = state
            state = .ended
            return before
        }
        switch before {
        case .ended: return false
        case .waiting: return true
        case .active(let active):
            if active.session.domain.isCurrent {
                active.session.checkThread()
                active.end()
            } else {
                active.session.domain.run { active.end() }
            }
            return true
        }
    }

    /// Begins, unless it has been ended; in the domain of the session.
    func begin(_ observation: Observation, _ session: Session) {
        let active = Active(observation: observation, session: session)
        let isWanted = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .active(active)
            return true
        }
        if !isWanted { active.end() }
    }

    // MARK: Holding

    /// Holds the observer, which has begun: it is told when it asks. Must be called in its domain.
    ///
    /// - Parameter wake: is called when there may be something to tell.
    func hold(_ wake: @escaping () -> Void) {
        if let active { active.session.observers?.hold(active.observation, wake) }
    }

    /// Tells the observer, which is held, what it does not know yet. Must be called in its domain.
    func ask() {
        if let active { active.session.observers?.ask(active.observation) }
    }

    private var active: Active? { state.withLock { if case .active(let active) = $0 { active } else { nil } } }

    /// Whether it may begin.
    var isWaiting: Bool { state.withLock { if case .waiting = $0 { true } else { false } } }

    /// The observation in a session; nil if it has ended. Stops the program if it is one of another session.
    func observation(in session: Session) -> Observation? {
        state.withLock { state in
            guard case .active(let active) = state else { return nil }
            if active.session !== session {
                misuse(
                    "withoutNotifying was given a token of another realm, or of another thread, queue or actor; give "
                        + "it those of what this realm observes")
            }
            return active.observation
        }
    }
}
