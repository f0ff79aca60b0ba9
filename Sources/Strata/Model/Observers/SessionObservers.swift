// SPDX-License-Identifier: MIT
// SessionObservers.swift -- who observes a session, and telling them.

/// What is observed.
enum ObservedThing {
    case realm
    case query(LiveQuery)
    case collection(table: UInt32, column: UInt32, key: UInt64)
    case object(table: UInt32, key: UInt64)
}

/// Who observes a session. There is none while nobody does.
///
/// Observers are told when the session has moved on: by a refresh, at the beginning of a write, or some time after a
/// commit of its own, in a job of its domain. Observers of the realm as a whole come first, then the others in the order
/// in which they came. A block may do everything, also write, observe, and let go of observers: the engine knows who has
/// been told of what. One that is held is woken instead, and told when it asks.
final class SessionObservers {
    private let session: Unmanaged<Session>
    /// Made when something is observed that the engine looks at.
    private var engine: EngineObservers?
    private var all: [Observation] = []
    private var last = 0
    /// A job was given to the domain that will tell.
    private var isScheduled = false
    /// The session has committed something of which not everybody has been told.
    private var hasOwnChanges = false
    /// The session is gone, or nobody observes it any more.
    private var isClosed = false
    /// The commit that observers of the realm were told of last.
    private var shown: UInt64
    /// Somebody was told at the beginning of the write that is open, and changed something: the others do not know yet
    /// what there was before.
    private var wasBrokenOff = false
    /// How many deliveries are going on, one inside of the other.
    private var deliveries = 0
    /// One of them tells of changes that the session has made. What it has not told yet may be told by one inside of it.
    private var isTellingOwn = false

    init(_ session: Session) {
        self.session = .passUnretained(session)
        shown = session.committedVersion
    }

    /// Whether somebody is told at this moment. The session then stays where it is, but for a write, so that positions
    /// fit what the collection shows.
    var isTelling: Bool { deliveries > 0 }

    private var live: Session? { isClosed ? nil : session.takeUnretainedValue() }

    // MARK: Coming and going

    /// Adds an observer; fails with `STRATA_WRITING` inside of a write that has changed something.
    ///
    /// - Parameter tellsFirst: whether it is told what there is at first.
    func add(
        _ thing: ObservedThing, _ paths: EngineKeyPaths, tellsFirst: Bool, _ block: @escaping (Observed) -> Void
    ) throws(StrataError) -> Observation {
        last += 1
        let observation = Observation(last, thing, try observer(thing, paths, last), tellsFirst: tellsFirst, block)
        all.append(observation)
        observation.query?.observation = observation
        if tellsFirst { schedule() }
        return observation
    }

    private func observer(
        _ thing: ObservedThing, _ paths: EngineKeyPaths, _ number: Int
    ) throws(StrataError) -> EngineObserver? {
        if case .realm = thing { return nil }
        guard let live else { return nil }
        let engine: EngineObservers
        if let made = self.engine { engine = made } else { engine = try EngineObservers(live.view) }
        self.engine = engine
        switch thing {
        case .realm: return nil
        case .query(let query): return try engine.observe(query.engineQuery(), paths, number)
        case .collection(let table, let column, let key):
            return try engine.observe(collection: column, of: key, in: table, paths, number)
        case .object(let table, let key): return try engine.observe(object: key, in: table, paths, number)
        }
    }

    func remove(_ observation: Observation) {
        guard let index = all.firstIndex(where: { $0 === observation }) else { return }
        all.remove(at: index)
        if let query = observation.query { query.observation = all.last { $0.observes(query) } }
        if let observer = observation.engine { engine?.remove(observer) }
        if all.isEmpty { close() }
    }

    /// Ends all observations.
    func removeAll() {
        for observation in all {
            observation.isActive = false
            observation.query?.observation = nil
        }
        all = []
        close()
    }

    /// Must be called when adding the first one failed.
    func closeIfEmpty() { if all.isEmpty { close() } }

    /// Nobody observes any more.
    private func close() {
        let session = live
        isClosed = true
        engine = nil
        session?.observers = nil
    }

    // MARK: Results

    /// The result of an observed query as the session shows it, if its observer knows it.
    func result(of observation: Observation) -> EngineObservedResult? {
        guard let engine, let observer = observation.engine else { return nil }
        return engine.result(of: observer)
    }

    // MARK: Telling

    /// Tells everybody of what they do not know yet. Must be called when the session shows a commit, or has begun a
    /// write and changed nothing. If somebody who is told changes something in a write that stays open, the others are
    /// told when that has ended.
    ///
    /// - Parameter tellsFirst: whether those who are new are told what there is; not at the beginning of a write.
    func tell(tellsFirst: Bool = true) {
        deliveries += 1
        defer { deliveries -= 1 }
        if let version = live?.committedVersion, version != shown {
            shown = version
            tellRealm(.didChange)
        }
        guard let engine, !hasChanges, !isInvalidated else { return breakOff() }
        let new = tellsFirst ? all.filter(\.isNew) : []
        // What was handed over may be shown before its writer is told that it is in the file.
        let wasTellingOwn = isTellingOwn
        isTellingOwn = isTellingOwn || isOwn
        defer { isTellingOwn = wasTellingOwn }
        let isOwn = isTellingOwn
        hasOwnChanges = false
        do {
            try engine.advance()
            while let changes = try engine.next() {
                if let observation = all.first(where: { $0.number == changes.number }) {
                    tell(observation, changes, isOwn)
                }
                if isClosed || isInvalidated { return }
                if hasChanges { break }
            }
            // Who is told may write, and those who are new may be told in there.
            for observation in new where observation.isNew && !isClosed {
                if let wake = observation.wake { wake() } else { try tellFirst(observation) }
            }
        } catch {
            failed(error)
        }
        breakOff()
    }

    /// Tells what there is, unless a write is open that has changed something; then that is told behind it.
    private func tellFirst(_ observation: Observation) throws(StrataError) {
        if hasChanges || isInvalidated { return }
        try skipWhatIsNew(observation)
        observation.tell(.initial)
    }

    /// Somebody who was told has invalidated the realm, which shows nothing until it is used again.
    private var isInvalidated: Bool { live?.isResting == true }

    /// Whether a write is open that has changed something, of which nobody is told.
    private var hasChanges: Bool { live?.hasChanged == true }

    private func breakOff() { if hasChanges { wasBrokenOff = true } }

    private func tell(_ observation: Observation, _ changes: EngineChanges, _ isOwn: Bool) {
        if changes.isHeld {
            if isOwn { observation.hasOwnChanges = true }
            observation.wake?()
        } else if !observation.isNew {
            observation.tell(.changes(changes, isOwn: isOwn))
        }
    }

    /// What there is will be told at first.
    private func skipWhatIsNew(_ observation: Observation) throws(StrataError) {
        observation.isNew = false
        if let observer = observation.engine, observation.isActive { try engine?.skip(observer) }
    }

    /// Whether the session has made some of the changes.
    private var isOwn: Bool { hasOwnChanges || live.map { $0.handedOverCount != 0 } == true }

    // MARK: Asking

    /// Tells an observer only when it asks. An observer of the realm as a whole is told, and then woken.
    ///
    /// - Parameter wake: is called when there may be something to tell.
    func hold(_ observation: Observation, _ wake: @escaping () -> Void) {
        observation.wake = wake
        if let observer = observation.engine { engine?.hold(observer) }
    }

    /// Tells an observer that is held how to get from what it was told of last to what the session shows, in one step.
    /// While the session writes nothing is told: the observer is woken when the write has ended.
    func ask(_ observation: Observation) {
        guard let live, let engine, let observer = observation.engine, observation.isActive, !live.isWriting else {
            return
        }
        live.checkDomain()
        let isOwn = observation.hasOwnChanges || self.isOwn
        observation.hasOwnChanges = false
        do {
            if observation.isNew {
                try skipWhatIsNew(observation)
                return observation.tell(.initial)
            }
            guard let changes = try engine.ask(observer) else { return }
            observation.tell(.changes(changes, isOwn: isOwn))
        } catch {
            failed(error)
        }
    }

    /// A query that a program stopped is told of the next time.
    private func failed(_ error: StrataError) {
        if error.code != .interrupted { misuse("observing failed: \(error.message)") }
    }

    private func tellRealm(_ observed: Observed, except silent: [Observation] = []) {
        for observation in all where observation.engine == nil && !silent.contains(where: { $0 === observation }) {
            observation.tell(observed)
            observation.wake?()
        }
    }

    /// The session has committed. Observers of the realm are told at once, the others in a job.
    ///
    /// - Parameter silent: who is told nothing of it.
    func committed(except silent: [Observation]) {
        do {
            // Whoever does not know yet what there was before the write is told of both. The first one that is skipped
            // makes the engine look at the write, and then others are behind by that.
            for observation in silent.filter({ !$0.isNew && !(wasBrokenOff && $0.engine?.isBehind == true) }) {
                guard let observer = observation.engine else { continue }
                try engine?.skip(observer)
                observation.tell(.skipped)
            }
        } catch {
            failed(error)
        }
        wasBrokenOff = false
        hasOwnChanges = true
        shown = live?.committedVersion ?? shown
        tellRealm(.didChange, except: silent)
        if engine != nil { schedule() }
    }

    /// A write was cancelled. Those who asked meanwhile are still to be told, and everybody if it has moved the session.
    func cancelled() {
        wasBrokenOff = false
        if engine != nil || live?.committedVersion != shown { schedule() }
    }

    /// What the session will move to has changes of its own, of a write that was queued.
    func willTellOwnChanges() { hasOwnChanges = true }

    /// There may be a newer commit, and the session does not move on by itself. False if that is not known yet.
    func refreshRequired() -> Bool {
        guard let live, !live.isResting else { return true }
        live.checkThread()
        if live.view.isNewest { return true }
        let isBehind = live.view.isBehind
        if isBehind { tellRealm(.refreshRequired) }
        return isBehind
    }

    // MARK: Jobs

    private func schedule() {
        if isScheduled { return }
        guard let live else { return }
        isScheduled = true
        nonisolated(unsafe) let observers = self
        live.domain.run { observers.runJob() }
    }

    private func runJob() {
        isScheduled = false
        guard let live, !live.isWriting else { return }  // the end of the write schedules another one
        if live.autorefresh {
            _ = live.refresh()
        } else {
            live.checkThread()
            tell()
        }
    }
}
