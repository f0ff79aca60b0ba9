// SPDX-License-Identifier: MIT
// Freezing.swift -- realms, objects and collections that never change and may be read by every thread.

extension Realm {
    /// A realm that shows for ever what this one shows; while this one writes, what it showed before.
    ///
    /// ```swift
    /// let frozen = realm.freeze()
    /// let people = frozen.objects(Person.self)  // may be read by every thread, by many at once
    /// ```
    ///
    /// As long as a frozen realm, object or collection exists, the file keeps what it shows, and grows by what is
    /// changed meanwhile: see ``pins()`` and ``Configuration/maximumNumberOfActiveVersions``. Writes on it stop the
    /// program. A frozen realm is returned as it is.
    ///
    /// Inside of `asyncWrite` and the like, which share a transaction with others, nothing can be frozen.
    public func freeze() -> Realm { isFrozen ? self : Realm(session.freeze(), configuration) }

    /// The live realm of the caller: of its queue or actor if this realm was opened for that, or if one is open there;
    /// otherwise of its thread. A live realm is returned as it is.
    public func thaw() -> Realm {
        if !isFrozen { return self }
        do {
            let own = session.domain
            let domain = own.isCurrent && !own.hasEnded ? own : SessionCache.domainOfCaller(configuration)
            return Realm(try SessionCache.session(configuration, for: domain, mayBeBehind: true), configuration)
        } catch {
            misuse("thaw() cannot open the realm on this thread: \(error.message)")
        }
    }

    /// What ``ThreadConfined/freeze()`` of an object or a collection gives.
    public func freeze<Confined: ThreadConfined>(_ obj: Confined) -> Confined { obj.freeze() }

    /// What ``ThreadConfined/thaw()`` of an object or a collection gives.
    public func thaw<Confined: ThreadConfined>(_ obj: Confined) -> Confined? { obj.thaw() }
}

extension ThreadConfined {
    /// The same as it is now, for ever, and for every thread; while its realm writes, as it was before the write.
    ///
    /// What is frozen may be read by many threads at once. What is found through it is frozen, too. See
    /// ``Realm/freeze()``. A frozen object or collection is returned as it is. Stops the program if it is unmanaged, is
    /// gone, or was made by the write that is open; also for a list or map inside of a value of any type, if that write
    /// has inserted, removed or moved elements of such lists or maps.
    public func freeze() -> Self {
        if isFrozen { return self }
        if isInvalidated { misuse("a \(Self.self) that is gone cannot be frozen; check isInvalidated first") }
        guard let realm else { misuse("an unmanaged \(Self.self) cannot be frozen; add it to a realm first") }
        guard let crossing = _crossing, let frozen = Self._crossed(crossing, into: realm.freeze()) else {
            misuse(
                "a \(Self.self) that was made, or moved inside of a value of any type, by the write that is open cannot "
                    + "be frozen; freeze it after the commit")
        }
        return frozen
    }

    /// The live object or collection in a realm of the caller, see ``Realm/thaw()``; nil if it was deleted since. A
    /// live one is returned as it is. Of a list or map inside of a value of any type, it is the one that is now at the
    /// same position or under the same key. Stops the program if it is unmanaged.
    public func thaw() -> Self? {
        guard let realm else {
            if isInvalidated { return nil }
            misuse("an unmanaged \(Self.self) cannot be thawed; add it to a realm first")
        }
        if !isFrozen { return self }
        return _crossing.flatMap { Self._crossed($0, into: realm.thaw()) }
    }
}

extension Realm {
    /// Whoever keeps a version of the file. While it is kept, the space that later writes freed cannot be used again:
    /// so when a file grows, the oldest pin is often the reason.
    public struct Pin: Sendable, Hashable {
        /// The process that holds it.
        public let process: Int
        /// What the realm is called, see ``Realm/setLabel(_:)``; if it was given no name, what it belongs to, such as
        /// "main thread", "thread 4711", or the name of a queue or an actor. "frozen" for what was frozen; empty if it
        /// belongs to another process.
        public let label: String
        /// The seconds for which it has been held; nil if it belongs to another process.
        public let age: Double?
        /// How many versions there were since; of another process, an estimate.
        public let versionsBehind: Int
    }

    /// The versions of the file that realms and frozen objects of all processes hold, the oldest first. A realm of
    /// which nothing was read yet, or since ``invalidate()``, holds none.
    ///
    /// - Throws: `Realm.Error` if the file cannot be read.
    public func pins() throws -> [Pin] { try session.view.store.pins() }

    /// Names the realm in ``pins()``, by at most 31 bytes.
    public func setLabel(_ label: String) { session.setLabel(label) }
}
