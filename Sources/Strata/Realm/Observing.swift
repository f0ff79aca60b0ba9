// SPDX-License-Identifier: MIT
// Observing.swift -- beginning to observe: here, on a queue, or on an actor.

import Dispatch

/// What has to be known to observe something live.
struct ObservedSource {
    let session: Session
    let thing: ObservedThing
    /// The class of the objects; nil of values.
    let root: ManagedClass?
    /// The collection, if there is one.
    var collection: ManagedCollection?
    /// Of values that are chosen or ordered: all of them, to be compared.
    var values: (() -> [_StoredValue])?

    /// The properties that count; stops the program if a path names none.
    func steps(_ keyPaths: [String]?) -> KeyPathSteps {
        if let root { return KeyPathSteps(keyPaths, root) }
        guard let collection else { return KeyPathSteps(nil, session.classes.all[0]) }
        return KeyPathSteps(keyPaths, onValuesOf: collection)
    }
}

/// What can be observed.
protocol ObservableSource: ThreadConfined {
    /// Stops the program if it cannot be observed where it is.
    ///
    /// - Parameter what: what it is, in messages.
    func observedSource(_ what: String) -> ObservedSource
}

extension Observed {
    /// Whether the realm was invalidated after the observation began. Then what is observed shows nothing any more, and
    /// no positions fit it; that it is gone can still be told.
    fileprivate func isMissed(since begun: UInt64, _ invalidatedAt: UInt64) -> Bool {
        switch self {
        case .initial, .skipped: begun < invalidatedAt
        case .changes(let changes, _): begun < invalidatedAt && !changes.isGone
        case .didChange, .refreshRequired: false
        }
    }
}

extension Session {
    /// Begins to observe; stops the program where that is not possible.
    func observe(
        _ thing: ObservedThing, _ paths: EngineKeyPaths, tellsFirst: Bool, _ what: @autoclosure () -> String,
        _ block: @escaping (Observed) -> Void
    ) -> Observation {
        requireObservable(what())
        let observers = self.observers ?? SessionObservers(self)
        self.observers = observers
        let begun = generation
        do {
            let observation = try observers.add(thing, paths, tellsFirst: tellsFirst) { [unowned self] told in
                if !told.isMissed(since: begun, invalidatedAt) { block(told) }
            }
            Autorefresh.shared.hurry(self)
            return observation
        } catch {
            observers.closeIfEmpty()
            misuse("observing \(what()) failed: \(error.message)")
        }
    }

    /// Stops the program if nothing of the session can be observed.
    func requireObservable(_ what: String) {
        if isFrozen { misuse("\(what) is frozen and never changes; observe what thaw() gives") }
        checkThread { what }
        if isReadOnly { misuse("\(what) is in a realm that is open for reading only, which is not told of changes") }
        if !Autorefresh.shared.followForJobs(self) {
            misuse(
                "\(what) is observed on a thread of its own, where nobody can be told; observe on the main actor, in an "
                    + "actor, on a dispatch queue that the realm was opened for, with `on:`, or in what the run loop of "
                    + "the thread runs")
        }
        if isQueued {
            misuse(
                "\(what) is observed inside of asyncWrite and the like, which may share a transaction with other writes; "
                    + "observe before the write, or after it")
        }
        if hasChanged {
            misuse("\(what) is observed in a write that has changed something; observe before the write, or after it")
        }
    }
}

/// Something that is observed, on its way to the queue or actor where it will be.
struct ObservedElsewhere<Confined: ObservableSource>: @unchecked Sendable {
    /// The class of an object, which may be a subclass of `Confined`.
    private let type: Confined.Type
    private let crossing: _Crossing
    private let configuration: Realm.Configuration

    init(_ confined: Confined, _ what: String) {
        let source = confined.observedSource(what)
        source.session.checkThread { what }
        if source.session.isFrozen { misuse("\(what) is frozen and never changes; observe what thaw() gives") }
        guard let configuration = source.session.configuration as? Realm.Configuration,
            let crossing = confined._crossing
        else { misuse("\(what) is gone and cannot be observed") }
        type = Swift.type(of: confined)
        self.crossing = crossing
        self.configuration = configuration
    }

    /// The same in a domain in which the caller runs; nil if it was deleted meanwhile.
    func found(in domain: IsolationDomain) -> Confined? {
        do {
            let session = try SessionCache.session(configuration, for: domain)
            return type._crossed(crossing, into: Realm(session, configuration))
        } catch {
            misuse("observing failed, because the realm cannot be opened: \(error.message)")
        }
    }
}

/// Passes something to another domain, where alone it is used.
struct Transferred<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// Observes on a queue, and returns at once.
func observe<Confined: ObservableSource>(
    _ confined: Confined, _ what: String, on queue: DispatchQueue, _ token: NotificationToken,
    _ begin: @escaping (Confined?, NotificationToken) -> Void
) {
    let elsewhere = ObservedElsewhere(confined, what)
    let begin = Transferred { token in begin(elsewhere.found(in: .queue(queue)), token) }
    // The token is not kept by what waits: a token that is gone ends the observation before it begins.
    weak let waiting = token
    queue.async {
        guard let token = waiting, token.isWaiting else { return }
        begin.value(token)
    }
}

/// What calls a closure of an actor, on which the caller runs.
func calling<A: Actor, Change>(
    _ block: @Sendable @escaping (isolated A, Change) -> Void, on actor: A
) -> (Change) -> Void {
    { change in
        let change = Transferred(change)
        actor.assumeIsolated { block($0, change.value) }
    }
}

/// Runs on an actor what begins to observe there.
func run<A: Actor>(_ start: Transferred<() -> NotificationToken>, on actor: isolated A) -> NotificationToken {
    Task.isCancelled ? .inert : start.value()
}

/// Observes on an actor, on which the caller runs.
func observe<Confined: ObservableSource, A: Actor>(
    _ elsewhere: ObservedElsewhere<Confined>, on actor: A,
    _ begin: (Confined?, NotificationToken) -> Void
) -> NotificationToken {
    let token = NotificationToken()
    begin(elsewhere.found(in: .actor(actor)), token)
    return token
}
