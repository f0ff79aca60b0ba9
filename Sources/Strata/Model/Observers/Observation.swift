// SPDX-License-Identifier: MIT
// Observation.swift -- one who observes a session, or something of it.

/// What an observer is told.
enum Observed {
    /// What there is at first; of collections only.
    case initial
    case changes(EngineChanges, isOwn: Bool)
    /// There are changes that the program knows of. What is shown now is what it was told of last.
    case skipped
    /// Of the realm.
    case didChange
    case refreshRequired
}

/// One who observes a session, or something of it. Used in the domain of the session.
final class Observation {
    let number: Int
    /// Nil for the realm as a whole.
    let engine: EngineObserver?
    /// What is observed, if that is a query.
    private(set) weak var query: LiveQuery?
    private let queryIdentity: ObjectIdentifier?
    /// Whether what there is at first is still to be told.
    var isNew: Bool
    /// False as soon as the program wants to be told no more.
    var isActive = true
    /// Of one that is held: is called when it should ask.
    var wake: (() -> Void)?
    /// Of one that is held: whether the session has made some of the changes that are still to be told.
    var hasOwnChanges = false
    private let block: (Observed) -> Void

    init(
        _ number: Int, _ thing: ObservedThing, _ engine: EngineObserver?, tellsFirst: Bool,
        _ block: @escaping (Observed) -> Void
    ) {
        self.number = number
        if case .query(let query) = thing {
            self.query = query
            queryIdentity = ObjectIdentifier(query)
        } else {
            queryIdentity = nil
        }
        self.engine = engine
        isNew = tellsFirst
        self.block = block
    }

    /// Whether it observes a query; of others that is known without a look at theirs, which would take longer.
    func observes(_ query: LiveQuery) -> Bool { queryIdentity == ObjectIdentifier(query) && self.query === query }

    func tell(_ observed: Observed) { if isActive { block(observed) } }
}
