// SPDX-License-Identifier: MIT
// IsolationDomain.swift -- what a session belongs to: a thread, a dispatch queue or an actor.

import Dispatch
import Foundation

/// What a session belongs to. Code that runs in the domain may use the session; its thread may change between two
/// uses.
enum IsolationDomain {
    case thread(UInt)
    case queue(MarkedQueue)
    case actor(ActorReference)

    /// The calling thread.
    static var currentThread: IsolationDomain { .thread(EngineThread.current) }

    static func queue(_ queue: DispatchQueue) -> IsolationDomain { .queue(MarkedQueue(queue)) }

    static func actor(_ actor: any Actor) -> IsolationDomain { .actor(ActorReference(actor)) }

    /// Whether the caller runs in the domain.
    var isCurrent: Bool {
        switch self {
        case .thread(let thread): thread == EngineThread.current
        case .queue(let queue): queue.isCurrent
        case .actor(let actor): actor.isCurrent
        }
    }

    /// Where the caller runs, in a message.
    static var caller: String {
        if Thread.isMainThread { return "on the main thread" }
        return withUnsafeCurrentTask { $0 != nil } ? "in this task" : "on this thread"
    }

    /// The domain in a message.
    var name: String {
        switch self {
        case .thread: "another thread"
        case .queue(let queue): "the dispatch queue \"\(queue.queue.label)\""
        case .actor(let actor): actor.name
        }
    }
}

// MARK: Jobs

extension IsolationDomain {
    /// Whether this is a thread, and no queue nor actor.
    var isThread: Bool { if case .thread = self { true } else { false } }

    var isActor: Bool { if case .actor = self { true } else { false } }

    /// Whether `run` can do anything. The domain must be that of the caller.
    var runsJobs: Bool { !isThread || Thread.isMainThread }

    /// Runs a job in the domain, some time later. For the main thread it is a job of the main queue, which runs if the
    /// program lets it.
    func run(_ job: @escaping @Sendable () -> Void) {
        switch self {
        case .thread: DispatchQueue.main.async(execute: job)
        case .queue(let queue): queue.queue.async(execute: job)
        case .actor(let actor): actor.run(job)
        }
    }
}

extension IsolationDomain: Equatable {
    static func == (left: IsolationDomain, right: IsolationDomain) -> Bool {
        switch (left, right) {
        case (.thread(let left), .thread(let right)): left == right
        case (.queue(let left), .queue(let right)): left.queue === right.queue
        case (.actor(let left), .actor(let right)): left.identity == right.identity
        default: false
        }
    }
}

/// A serial dispatch queue that knows whether the caller runs on it, or on a queue that leads to it.
struct MarkedQueue {
    let queue: DispatchQueue
    private let mark: DispatchSpecificKey<Void>

    init(_ queue: DispatchQueue) {
        self.queue = queue
        mark = Self.lock.withLock {
            if let mark = queue.getSpecific(key: Self.marks) { return mark }
            let mark = DispatchSpecificKey<Void>()
            queue.setSpecific(key: Self.marks, value: mark)
            queue.setSpecific(key: mark, value: ())
            return mark
        }
    }

    var isCurrent: Bool {
        DispatchQueue.getSpecific(key: mark) != nil || (queue === DispatchQueue.main && Thread.isMainThread)
    }

    private static let lock = NSLock()
    /// Under which each queue has the key of its own.
    private static let marks = DispatchSpecificKey<DispatchSpecificKey<Void>>()
}

/// An actor. It is not retained, because it usually holds what refers to it.
struct ActorReference {
    let identity: ObjectIdentifier
    let name: String
    private weak var actor: (any Actor)?

    init(_ actor: any Actor) {
        identity = ObjectIdentifier(actor)
        name = actor === MainActor.shared ? "the main actor" : "the actor \(type(of: actor))"
        self.actor = actor
    }

    /// Whether the caller runs on the actor. When the actor has ended, as it has in its own `deinit`, whoever is left
    /// with something of it is alone.
    var isCurrent: Bool {
        guard let actor else { return true }
        return actor.unownedExecutor.isCurrent
    }
}

extension ActorReference {
    /// Runs a job on the actor, unless it has ended.
    fileprivate func run(_ job: @escaping @Sendable () -> Void) {
        guard let actor else { return }
        Task { await Self.run(job, on: actor) }
    }

    private static func run(_ job: () -> Void, on actor: isolated any Actor) { job() }
}
