// SPDX-License-Identifier: MIT
// ThreadScope.swift -- what a thread keeps open although the program holds no reference to it.
//
// Where Realm comes from, a realm that nobody holds lives on until the pool around it is drained. Programs rely on it
// without knowing: they begin a write on a realm that they do not keep, and open realms in memory again and again.

import Foundation

/// What a thread keeps open until the end of an `autoreleasepool`, or until the thread ends: sessions while they write,
/// and the stores in memory that were opened in a pool.
///
/// Invariant: a scope is used by its thread only. The scopes of a thread are a stack; the lowest one is that of the
/// thread itself.
final class ThreadScope {
    private let outer: ThreadScope?
    private var sessions: [Session] = []
    /// Stores in memory by their names.
    private var stores: [String: EngineStore] = [:]
    /// How many key paths are read from prototypes; see `KeyPathRecorder`.
    var recordings: Int
    /// What the thread runs in its run loop, once it was asked to; of the scope of the thread itself.
    var jobs: ThreadJobs?

    private init(in outer: ThreadScope?) {
        self.outer = outer
        recordings = outer?.recordings ?? 0
    }

    /// The innermost scope of the calling thread. It is released when the thread ends.
    static var current: ThreadScope {
        if let scope = existing { return scope }
        let scope = ThreadScope(in: nil)
        makeCurrent(scope)
        return scope
    }

    /// Runs a body in a scope of its own, which ends with the body.
    static func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = current
        makeCurrent(ThreadScope(in: outer))
        defer { makeCurrent(outer) }
        return try body()
    }

    /// Keeps a session that begins to write.
    func keep(_ session: Session) { sessions.append(session) }

    /// Keeps a store in memory open until a pool ends. The scope of the thread does not: the thread may be one of a
    /// server, that never ends.
    func keep(_ store: EngineStore, named name: String) {
        if outer != nil && stores[name] == nil { stores[name] = store }
    }

    /// Forgets a session that has ended its write.
    func release(_ session: Session) {
        if let index = sessions.lastIndex(where: { $0 === session }) {
            sessions.remove(at: index)
        } else {
            outer?.release(session)
        }
    }

    deinit { jobs?.threadEnds() }

    // MARK: The thread

    /// The scope of the calling thread itself, which ends with the thread.
    static var ofThread: ThreadScope {
        var scope = current
        while let outer = scope.outer { scope = outer }
        return scope
    }

    /// Where each thread has its innermost scope, which the slot retains.
    private static let slot: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { scope in
            if let scope { Unmanaged<ThreadScope>.fromOpaque(scope).release() }
        }
        if status != 0 { misuse("the process has used up its keys of thread-specific values") }
        return key
    }()

    private static var existing: ThreadScope? {
        pthread_getspecific(slot).map { Unmanaged<ThreadScope>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Replaces the innermost scope. What the former one kept is released, unless it is the outer of the new one.
    private static func makeCurrent(_ scope: ThreadScope) {
        let former = pthread_getspecific(slot)
        pthread_setspecific(slot, Unmanaged.passRetained(scope).toOpaque())
        if let former { Unmanaged<ThreadScope>.fromOpaque(former).release() }
    }
}
