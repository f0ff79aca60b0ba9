// SPDX-License-Identifier: MIT
// IsolationDomain.swift -- what a session belongs to: a thread, a dispatch queue, an actor, or a closure that reads.

import Dispatch
import Foundation
import Synchronization

/// What a session belongs to. Code that runs in the domain may use the session; its thread may change between two
/// uses.
enum IsolationDomain {
    /// The main thread, the main queue and the main actor are one: when `main` is suspended, the main thread stays
    /// parked, and others run what is left to do there.
    case main
    case thread(UInt)
    case queue(MarkedQueue)
    case actor(ActorReference)
    case closure(RunningClosure)

    /// That of a caller who names none: the main one, or its thread.
    static var here: IsolationDomain { isMain ? .main : .thread(EngineThread.current) }

    static func queue(_ queue: DispatchQueue) -> IsolationDomain {
        let queue = MarkedQueue(queue)
        return queue == .main ? .main : .queue(queue)
    }

    static func actor(_ actor: any Actor) -> IsolationDomain {
        actor === MainActor.shared ? .main : .actor(ActorReference(actor))
    }

    /// Whether the caller runs in the domain.
    var isCurrent: Bool {
        switch self {
        case .main: Self.isMain
        case .thread(let thread): thread == EngineThread.current
        case .queue(let queue): queue.isCurrent
        case .actor(let actor): actor.isCurrent
        case .closure(let closure): closure.isCurrent
        }
    }

    private static var isMain: Bool {
        Thread.isMainThread || MarkedQueue.main.isCurrent || MainActor.sharedUnownedExecutor.isCurrent
    }

    /// Where the caller runs, in a message.
    static var caller: String {
        if isMain { return "on the main actor" }
        return withUnsafeCurrentTask { $0 != nil } ? "in this task" : "on this thread"
    }

    /// The domain in a message.
    var name: String {
        switch self {
        case .main: "the main actor"
        case .thread: "another thread"
        case .queue(let queue): "the dispatch queue \"\(queue.queue.label)\""
        case .actor(let actor): actor.name
        case .closure: "a closure of RealmStore.read, which has ended or runs elsewhere"
        }
    }
}

extension IsolationDomain {
    /// What a session is called among the pins, unless it is given a name.
    var label: String {
        switch self {
        case .main: "main thread"
        case .thread: "thread \(Self.threadNumber)"
        case .queue(let queue): queue.queue.label
        case .actor(let actor): actor.name
        case .closure: "RealmStore"
        }
    }

    /// The number by which the system and its tools call the calling thread; "?" where they do not tell.
    private static var threadNumber: String {
        var path = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/thread-self", &path, path.count)  // gives "4709/task/4711", for example
        let number = path.prefix(max(0, count)).split(separator: CChar(UInt8(ascii: "/"))).last
        return number.map { String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self) } ?? "?"
    }
}

// MARK: Jobs

extension IsolationDomain {
    /// Whether `run` can do anything.
    var runsJobs: Bool {
        switch self {
        case .thread(let thread): ThreadJobs.has(thread)
        case .closure: false
        case .main, .queue, .actor: true
        }
    }

    /// Whether this is a thread, which runs jobs from the moment on when its run loop is asked to; see `ThreadJobs`.
    var isThread: Bool { if case .thread = self { true } else { false } }

    var isMain: Bool { if case .main = self { true } else { false } }

    var isActor: Bool {
        switch self {
        case .main, .actor: true
        case .thread, .queue, .closure: false
        }
    }

    /// Whether this is an actor that is no more.
    var hasEnded: Bool { if case .actor(let actor) = self { actor.hasEnded } else { false } }

    var isClosure: Bool { if case .closure = self { true } else { false } }

    /// Runs a job in the domain, some time later. In the main one it runs if the program lets jobs run there, as it
    /// does by `await` or by running the main loop.
    ///
    /// - Returns: false if the domain has ended, or runs no jobs.
    @discardableResult
    func run(_ job: @escaping @Sendable () -> Void) -> Bool {
        switch self {
        case .closure: return false
        case .thread(let thread): return ThreadJobs.run(job, on: thread)
        case .main: DispatchQueue.main.async(execute: job)
        case .queue(let queue): queue.queue.async(execute: job)
        case .actor(let actor): return actor.run(job)
        }
        return true
    }

    /// Lets nobody run jobs in the domain any more, if it is a thread.
    func endThreadJobs() { if case .thread(let thread) = self { ThreadJobs.end(thread) } }
}

extension IsolationDomain: Equatable {
    static func == (left: IsolationDomain, right: IsolationDomain) -> Bool {
        switch (left, right) {
        case (.main, .main): true
        case (.thread(let left), .thread(let right)): left == right
        case (.queue(let left), .queue(let right)): left == right
        case (.actor(let left), .actor(let right)): left == right
        case (.closure(let left), .closure(let right)): left === right
        default: false
        }
    }
}

/// A serial dispatch queue that knows whether the caller runs on it, or on a queue that leads to it.
///
/// Several objects may stand for one queue, as they do for the main queue; its mark tells it apart.
struct MarkedQueue: Equatable {
    static let main = MarkedQueue(.main)

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

    var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }

    static func == (left: MarkedQueue, right: MarkedQueue) -> Bool { left.mark === right.mark }

    private static let lock = NSLock()
    /// Under which each queue has the key of its own.
    private static let marks = DispatchSpecificKey<DispatchSpecificKey<Void>>()
}

/// An actor. It is not retained, because it usually holds what refers to it.
struct ActorReference: Equatable {
    private let identity: ObjectIdentifier
    let name: String
    private weak var actor: (any Actor)?

    init(_ actor: any Actor) {
        identity = ObjectIdentifier(actor)
        name = "the actor \(type(of: actor))"
        self.actor = actor
    }

    var hasEnded: Bool { actor == nil }

    /// Where an actor lay that has ended, another one may lie.
    static func == (left: ActorReference, right: ActorReference) -> Bool {
        left.identity == right.identity && left.hasEnded == right.hasEnded
    }

    /// Whether the caller runs on the actor. When the actor has ended, as it has in its own `deinit`, whoever is left
    /// with something of it is alone.
    var isCurrent: Bool {
        guard let actor else { return true }
        return actor.unownedExecutor.isCurrent
    }
}

/// A closure that reads with a session that is lent to it; one after the other, on any threads.
final class RunningClosure: Sendable {
    /// The thread on which one runs, or 0.
    private let thread = Atomic<UInt>(0)

    var isCurrent: Bool { thread.load(ordering: .relaxed) == EngineThread.current }

    func begin() { thread.store(EngineThread.current, ordering: .relaxed) }

    func end() { thread.store(0, ordering: .relaxed) }
}

extension ActorReference {
    /// Runs a job on the actor, unless it has ended.
    fileprivate func run(_ job: @escaping @Sendable () -> Void) -> Bool {
        guard let actor else { return false }
        Task { await Self.run(job, on: actor) }
        return true
    }

    private static func run(_ job: () -> Void, on actor: isolated any Actor) { job() }
}
