// SPDX-License-Identifier: MIT
// LiveChanges.swift -- changes as a sequence that a task loops over. An addition to Realm's API.

import Synchronization

/// The changes of something live, one after the other, for a loop in the domain that the realm belongs to: an actor or
/// the main actor.
///
/// ```swift
/// for await change in realm.objects(Dog.self).changes() {
///     switch change {
///     case .initial(let dogs), .update(let dogs, _, _, _): print(dogs.count)
///     case .error: break
///     }
///     break  // or go on until the task is cancelled
/// }
/// ```
///
/// Each change leads from what the loop was told of last to what there is when it asks: those that come while it does
/// something else are merged. A loop that nobody cancels ends when what it follows is gone. Observing begins with the
/// loop and ends with it; it costs what `observe` costs, and stops the program where `observe` does.
public struct LiveChanges<Change>: AsyncSequence {
    public typealias Element = Change
    public typealias Failure = Never

    /// Begins to observe.
    let observe: (_ tell: @escaping (Change) -> Void) -> NotificationToken
    /// Both as one; nil if nothing is left of them.
    let merge: (Change, Change) -> Change?
    /// Whether nothing more can come.
    let isOver: () -> Bool

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(inbox: Inbox(self)) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let inbox: Inbox

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Change? {
            while true {
                if let change = inbox.take() { return change }
                if Task.isCancelled || inbox.isOver { return inbox.end() }
                await inbox.signal.wait()
            }
        }
    }

    /// What a loop has not been told of. Used in the domain.
    fileprivate final class Inbox {
        let signal = Signal()
        private let changes: LiveChanges
        private var change: Change?
        private var token: NotificationToken?

        init(_ changes: LiveChanges) {
            self.changes = changes
            token = changes.observe { [weak self] in self?.put($0) }
        }

        private func put(_ new: Change) {
            change = if let change { changes.merge(change, new) } else { new }
            signal.raise()
        }

        func take() -> Change? {
            defer { change = nil }
            return change
        }

        var isOver: Bool { token == nil || changes.isOver() }

        func end() -> Change? {
            token = nil
            return nil
        }
    }
}

/// Lets one task wait until something has happened.
private final class Signal: Sendable {
    private struct State {
        var isRaised = false
        var waiting: CheckedContinuation<Void, Never>?
    }
    private let state = Mutex(State())

    func raise() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            state.isRaised = state.waiting == nil
            return state.waiting
        }
        waiting?.resume()
    }

    /// Returns when it was raised since the last time, or when the task is cancelled.
    func wait(isolation actor: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let wasRaised = state.withLock { state in
                    defer { state.isRaised = false }
                    if !state.isRaised { state.waiting = continuation }
                    return state.isRaised
                }
                if wasRaised { continuation.resume() }
            }
        } onCancel: {
            raise()
        }
    }
}

// MARK: Collections

extension RealmCollectionChange {
    fileprivate static func merge(_ first: Self, _ second: Self) -> Self? {
        guard case .update(_, let deletions, let insertions, let modifications) = first,
            case .update(let collection, let laterDeletions, let laterInsertions, let laterModifications) = second
        else { return first }
        let both = CollectionUpdate(deletions: deletions, insertions: insertions, modifications: modifications)
            .merged(with: CollectionUpdate(
                deletions: laterDeletions, insertions: laterInsertions, modifications: laterModifications))
        if both.isEmpty { return nil }
        return .update(
            collection, deletions: both.deletions, insertions: both.insertions, modifications: both.modifications)
    }
}

extension RealmCollection {
    /// The changes of the collection, as a sequence: first `.initial`, then an `.update` whenever it changed. See
    /// ``LiveChanges``.
    ///
    /// - Parameter keyPaths: the properties that make an object count as modified; nil for all.
    public func changes(keyPaths: [String]? = nil) -> LiveChanges<RealmCollectionChange<Self>> {
        LiveChanges(
            observe: { observe(keyPaths: keyPaths, $0) }, merge: { .merge($0, $1) }, isOver: { isInvalidated })
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The same with typed key paths.
    public func changes(keyPaths: [PartialKeyPath<Element>]) -> LiveChanges<RealmCollectionChange<Self>> {
        changes(keyPaths: keyPaths.map { KeyPathNames.joined($0) })
    }
}

// MARK: Maps

extension RealmMapChange {
    fileprivate static func merge(_ first: Self, _ second: Self) -> Self? {
        guard case .update(_, let deletions, let insertions, let modifications) = first,
            case .update(let map, let laterDeletions, let laterInsertions, let laterModifications) = second
        else { return first }
        let gone = Set(deletions), laterGone = Set(laterDeletions)
        let come = Set(insertions), laterCome = Set(laterInsertions)
        let changed = Set(modifications).union(laterModifications).union(gone.intersection(laterCome))
            .subtracting(come).subtracting(laterGone)
        let goneInAll = gone.subtracting(laterCome).union(laterGone.subtracting(come))
        let comeInAll = come.subtracting(laterGone).union(laterCome.subtracting(gone))
        if goneInAll.isEmpty && comeInAll.isEmpty && changed.isEmpty { return nil }
        return .update(
            map, deletions: goneInAll.inOrder, insertions: comeInAll.inOrder, modifications: changed.inOrder)
    }
}

extension Set where Element: _MapKey {
    fileprivate var inOrder: [Element] { sorted { $0._mapKey < $1._mapKey } }
}

extension Map {
    /// The changes of the map, as a sequence: first `.initial`, then an `.update` whenever entries changed. See
    /// ``LiveChanges``.
    ///
    /// - Parameter keyPaths: the properties that make an object count as modified; nil for all.
    public func changes(keyPaths: [String]? = nil) -> LiveChanges<RealmMapChange<Map<Key, Value>>> {
        LiveChanges(
            observe: { self.observe(keyPaths: keyPaths, $0) }, merge: { .merge($0, $1) },
            isOver: { self.isInvalidated })
    }
}

// MARK: Objects

extension ObjectChange {
    fileprivate static func merge(_ first: Self, _ second: Self) -> Self? {
        guard case .change(_, var properties) = first, case .change(let object, let later) = second else {
            return second
        }
        for property in later {
            guard let index = properties.firstIndex(where: { $0.name == property.name }) else {
                properties.append(property)
                continue
            }
            let oldValue = properties[index].oldValue
            properties[index] = PropertyChange(name: property.name, oldValue: oldValue, newValue: property.newValue)
        }
        return .change(object, properties)
    }
}

extension ThreadConfined where Self: ObjectBase {
    /// The changes of the object, as a sequence that ends behind `.deleted`. See ``LiveChanges``.
    ///
    /// - Parameter keyPaths: the properties that count; nil for all of the object itself.
    public func changes(keyPaths: [String]? = nil) -> LiveChanges<ObjectChange<Self>> {
        LiveChanges(
            observe: { self.observe(keyPaths: keyPaths, on: nil, $0) }, merge: { .merge($0, $1) },
            isOver: { self.isInvalidated })
    }

    /// The same with typed key paths.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> LiveChanges<ObjectChange<Self>> {
        changes(keyPaths: keyPaths.map { KeyPathNames.joined($0) })
    }
}

// MARK: Realms

extension Realm {
    /// What an observer of the realm is told, as a sequence: that it shows another version, or that there is one. See
    /// ``LiveChanges``.
    public func changes() -> LiveChanges<Notification> {
        LiveChanges(
            observe: { tell in observe { notification, _ in tell(notification) } }, merge: { $1 }, isOver: { false })
    }
}
