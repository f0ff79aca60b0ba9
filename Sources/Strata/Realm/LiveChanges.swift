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
/// Each change leads in one step from what the loop was told of last to what there is when it asks, however many
/// commits came while it did something else; beyond a thousand of them everything that is still there counts as
/// modified. A loop that nobody cancels ends when what it follows is gone. Observing begins with the loop and ends with
/// it; it costs what `observe` costs, and stops the program where `observe` does.
public struct LiveChanges<Change>: AsyncSequence {
    public typealias Element = Change
    public typealias Failure = Never

    /// Begins to observe.
    let observe: (_ tell: @escaping (Change) -> Void) -> NotificationToken
    /// Whether nothing more can come.
    let isOver: () -> Bool

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(inbox: Inbox(self)) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let inbox: Inbox

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Change? {
            while !Task.isCancelled {
                if let change = inbox.next() { return change }
                if inbox.isOver { break }
                await inbox.signal.wait()
            }
            inbox.end()
            return nil
        }
    }

    /// What a loop is told when it asks. Used in the domain.
    fileprivate final class Inbox {
        let signal = Signal()
        private let changes: LiveChanges
        private var change: Change?
        private var token: NotificationToken?

        init(_ changes: LiveChanges) {
            self.changes = changes
            token = changes.observe { [weak self] in self?.change = $0 }
            token?.hold { [signal] in signal.raise() }
        }

        func next() -> Change? {
            defer { change = nil }
            if change == nil { token?.ask() }
            return change
        }

        var isOver: Bool { token == nil || changes.isOver() }

        func end() { token = nil }
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

extension RealmCollection {
    /// The changes of the collection, as a sequence: first `.initial`, then an `.update` whenever it changed. See
    /// ``LiveChanges``.
    ///
    /// - Parameter keyPaths: the properties that make an object count as modified; nil for all.
    public func changes(keyPaths: [String]? = nil) -> LiveChanges<RealmCollectionChange<Self>> {
        LiveChanges(observe: { observe(keyPaths: keyPaths, $0) }, isOver: { isInvalidated })
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The same with typed key paths.
    public func changes(keyPaths: [PartialKeyPath<Element>]) -> LiveChanges<RealmCollectionChange<Self>> {
        changes(keyPaths: keyPaths.map { KeyPathNames.joined($0) })
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// The same with key paths of the projection.
    public func changes(keyPaths: [PartialKeyPath<Element>]) -> LiveChanges<RealmCollectionChange<Self>> {
        changes(keyPaths: ProjectedProperties.of(Element.self).origins(keyPaths))
    }
}

// MARK: Sections

extension RealmSectionedResult {
    /// The changes of the sections, or of the section, as a sequence: first `.initial`, then an `.update` whenever they
    /// changed. A section may go and come back meanwhile. See ``LiveChanges``.
    ///
    /// - Parameter keyPaths: the properties that make an object count as modified; nil for all.
    public func changes(keyPaths: [String]? = nil) -> LiveChanges<SectionedResultsChange<Self>> {
        LiveChanges(observe: { observe(keyPaths: keyPaths, on: nil, $0) }, isOver: { isInvalidated })
    }
}

// MARK: Maps

extension Map {
    /// The changes of the map, as a sequence: first `.initial`, then an `.update` whenever entries changed. See
    /// ``LiveChanges``.
    ///
    /// - Parameter keyPaths: the properties that make an object count as modified; nil for all.
    public func changes(keyPaths: [String]? = nil) -> LiveChanges<RealmMapChange<Map<Key, Value>>> {
        LiveChanges(observe: { self.observe(keyPaths: keyPaths, $0) }, isOver: { self.isInvalidated })
    }
}

// MARK: Objects

extension ThreadConfined where Self: ObjectBase {
    /// The changes of the object, as a sequence that ends behind `.deleted`. See ``LiveChanges``.
    ///
    /// - Parameter keyPaths: the properties that count; nil for all of the object itself.
    public func changes(keyPaths: [String]? = nil) -> LiveChanges<ObjectChange<Self>> {
        LiveChanges(observe: { self.observe(keyPaths: keyPaths, on: nil, $0) }, isOver: { self.isInvalidated })
    }

    /// The same with typed key paths.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> LiveChanges<ObjectChange<Self>> {
        changes(keyPaths: keyPaths.map { KeyPathNames.joined($0) })
    }
}

extension ProjectionObservable {
    /// The changes of what the projection shows, as a sequence that ends behind `.deleted`. See ``LiveChanges``.
    ///
    /// - Parameter keyPaths: names of properties of the projection; nil for all of them.
    public func changes(keyPaths: [String]? = nil) -> LiveChanges<ObjectChange<Self>> {
        LiveChanges(observe: { self.observe(keyPaths: keyPaths, on: nil, $0) }, isOver: { self.isInvalidated })
    }

    /// The same with key paths of the projection.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> LiveChanges<ObjectChange<Self>> {
        changes(keyPaths: ProjectedProperties.of(Self.self).labels(keyPaths))
    }
}

// MARK: Realms

extension Realm {
    /// What an observer of the realm is told, as a sequence: that it shows another version, or that there is one. See
    /// ``LiveChanges``.
    public func changes() -> LiveChanges<Notification> {
        LiveChanges(observe: { tell in observe { notification, _ in tell(notification) } }, isOver: { false })
    }
}
