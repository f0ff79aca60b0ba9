// SPDX-License-Identifier: MIT
// RealmCollection+Observing.swift -- observing results, lists, sets, inverse links and maps.

public import Dispatch

// MARK: What is observed

extension ManagedCollection {
    func observedSource(_ what: String) -> ObservedSource {
        if isInvalidated { misuse("\(what) is gone and cannot be observed") }
        if nested != nil {
            misuse(
                "\(what) lies inside of a value of any type and cannot be observed by itself; observe the object that "
                    + "has the value")
        }
        return ObservedSource(
            session: session, thing: .collection(table: owner.table, column: column, key: key), root: target,
            collection: self)
    }
}

extension LiveQuery {
    func observedSource(_ what: String) -> ObservedSource {
        if isInvalidated { misuse("\(what) is gone and cannot be observed") }
        if case .results = source {
            misuse("\(what) is filtered behind a limit and cannot be observed; filter before the limit")
        }
        return ObservedSource(session: session, thing: .query(self), root: managed)
    }
}

extension ValueQuery {
    func observedSource(_ what: String) -> ObservedSource {
        var source = collection.observedSource(what)
        source.values = { [self] in isWhole ? collection.values(0..<collection.count) : values }
        return source
    }
}

private func unmanaged(_ what: String) -> Never {
    misuse("\(what) is unmanaged; add its object to a realm to observe it")
}

private func refuseUnmanaged(_ what: String) -> ObservedSource { unmanaged(what) }

extension Results: ObservableSource {
    func observedSource(_ what: String) -> ObservedSource {
        findsObjects ? query.observedSource(what) : values.observedSource(what)
    }
}

extension List: ObservableSource {
    func observedSource(_ what: String) -> ObservedSource { live?.observedSource(what) ?? refuseUnmanaged(what) }
}

extension MutableSet: ObservableSource {
    func observedSource(_ what: String) -> ObservedSource { live?.observedSource(what) ?? refuseUnmanaged(what) }
}

extension Map: ObservableSource {
    func observedSource(_ what: String) -> ObservedSource { live?.observedSource(what) ?? refuseUnmanaged(what) }
}

extension LinkingObjects: ObservableSource {
    func observedSource(_ what: String) -> ObservedSource {
        guard let backlinks else { unmanaged(what) }
        return backlinks.query.observedSource(what)
    }
}

// MARK: Collections

/// Begins to observe a collection in the domain in which the caller runs.
private func begin<C: ObservableSource>(
    _ collection: C?, _ keyPaths: [String]?, _ token: NotificationToken, _ first: @escaping (C) -> Void,
    _ update: @escaping (C, CollectionUpdate) -> Void
) {
    guard let collection else { return }  // deleted before it could be observed
    let what = "a \(C.self)", source = collection.observedSource(what)
    source.session.requireObservable(what)
    let steps = source.steps(keyPaths)
    var values = source.values?() ?? []
    let observation = source.session.observe(source.thing, steps.paths, tellsFirst: true, what) { told in
        switch told {
        case .didChange, .refreshRequired: break
        case .initial:
            values = source.values?() ?? []
            first(collection)
        case .skipped: values = source.values?() ?? []
        case .changes(let changes, _):
            guard let current = source.values else { return update(collection, CollectionUpdate(changes)) }
            let before = values
            values = current()
            let difference = CollectionUpdate(before, values)
            if !difference.isEmpty { update(collection, difference) }
        }
    }
    token.begin(observation, source.session)
}

extension RealmCollection {
    /// Begins to observe what an `AnyRealmCollection` wraps, or the collection itself.
    private func observed(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        guard let source = observable as? any ObservableSource else { unmanaged("a \(Self.self)") }
        return Self.observed(source, keyPaths, on: queue, block)
    }

    private var observable: any RealmCollection<Element> { (self as? AnyRealmCollection<Element>)?.base ?? self }

    /// The collection as the type by which it was observed.
    private static func typed(_ collection: any ObservableSource) -> Self {
        if let same = collection as? Self { return same }
        if let base = collection as? any RealmCollection<Element>, let any = AnyRealmCollection(erasing: base) as? Self {
            return any
        }
        misuse("a \(type(of: collection)) is no \(Self.self)")
    }

    private static func observed<C: ObservableSource>(
        _ collection: C, _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        let token = NotificationToken()
        guard let queue else {
            start(collection, keyPaths, token, block)
            return token
        }
        Strata.observe(collection, "a \(C.self)", on: queue, token) { start($0, keyPaths, $1, block) }
        return token
    }

    private static func start<C: ObservableSource>(
        _ collection: C?, _ keyPaths: [String]?, _ token: NotificationToken,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) {
        begin(collection, keyPaths, token) {
            block(.initial(typed($0)))
        } _: { collection, update in
            block(.update(
                typed(collection), deletions: update.deletions, insertions: update.insertions,
                modifications: update.modifications))
        }
    }

    /// Calls a closure with the collection, some time later, and then whenever it changed: with the positions that were
    /// deleted, inserted and modified.
    ///
    /// ```swift
    /// let token = realm.objects(Dog.self).where { $0.age > 3 }.observe { change in
    ///     switch change {
    ///     case .initial(let dogs): print(dogs.count)
    ///     case .update(let dogs, let deletions, let insertions, let modifications):
    ///         print(dogs.count, deletions, insertions, modifications)
    ///     case .error: break
    ///     }
    /// }
    /// ```
    ///
    /// An object is modified if one of its properties was assigned, or one of an object up to three links away; with key
    /// paths, if what they lead to was. Several commits are told at once, if they came faster than the closure was
    /// called. A delivery costs what was changed, not what there is; except for results that are distinct or limited,
    /// and values that are sorted or filtered, which are found again.
    ///
    /// Stops the program if the collection is unmanaged, frozen or gone, on a thread whose run loop does not
    /// run, and inside of a write that has changed something.
    ///
    /// - Parameters:
    ///   - keyPaths: the properties that make an object count as modified, such as `["name", "owner.name"]`; none of
    ///     them if empty; nil for all.
    ///   - queue: where the closure is called; nil for the domain of the realm.
    ///   - block: is called as long as the token exists.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observed(keyPaths, on: queue, block)
    }

    /// The same on an actor. Returns when the observation has begun.
    ///
    /// - Parameters:
    ///   - keyPaths: the properties that make an object count as modified; nil for all.
    ///   - actor: where the closure is called.
    ///   - isolation: leave it out.
    ///   - block: is called as long as the token exists.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        guard let source = observable as? any ObservableSource else { unmanaged("a \(Self.self)") }
        return await run(Self.starter(source, keyPaths, actor, block), on: actor)
    }

    /// What begins to observe, when it is called on the actor.
    private static func starter<C: ObservableSource, A: Actor>(
        _ collection: C, _ keyPaths: [String]?, _ actor: A,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) -> Transferred<() -> NotificationToken> {
        let elsewhere = ObservedElsewhere(collection, "a \(C.self)")
        return Transferred {
            Strata.observe(elsewhere, on: actor) { collection, token in
                start(collection, keyPaths, token, calling(block, on: actor))
            }
        }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The same with typed key paths.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observed(keyPaths.map { KeyPathNames.joined($0) }, on: queue, block)
    }

    /// The same with typed key paths, on an actor.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A, _isolation isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { KeyPathNames.joined($0) }, on: actor, _isolation: isolation, block)
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// The same with key paths of the projection: an object is modified if what they read was assigned.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observed(ProjectedProperties.of(Element.self).origins(keyPaths), on: queue, block)
    }

    /// The same with key paths of the projection, on an actor.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A, _isolation isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        let origins = ProjectedProperties.of(Element.self).origins(keyPaths)
        return await observe(keyPaths: origins, on: actor, _isolation: isolation, block)
    }
}

// MARK: Maps

extension Map {
    /// Calls a closure with the map, some time later, and then whenever entries changed: with the keys that were
    /// deleted, inserted and modified. An entry is also modified if its object is, or was deleted; see
    /// ``RealmCollection/observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map<Key, Value>>) -> Void
    ) -> NotificationToken {
        let token = NotificationToken()
        guard let queue else {
            Self.start(self, keyPaths, token, block)
            return token
        }
        Strata.observe(self, "a \(Self.self)", on: queue, token) { Self.start($0, keyPaths, $1, block) }
        return token
    }

    /// The same on an actor. Returns when the observation has begun.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Map<Key, Value>>) -> Void
    ) async -> NotificationToken {
        let elsewhere = ObservedElsewhere(self, "a \(Self.self)")
        let start = Transferred {
            Strata.observe(elsewhere, on: actor) { map, token in
                Self.start(map, keyPaths, token, calling(block, on: actor))
            }
        }
        return await run(start, on: actor)
    }

    private static func start(
        _ map: Map?, _ keyPaths: [String]?, _ token: NotificationToken,
        _ block: @escaping (RealmMapChange<Map<Key, Value>>) -> Void
    ) {
        guard let map else { return }
        let what = "a \(Self.self)", source = map.observedSource(what)
        source.session.requireObservable(what)
        let observation = source.session.observe(
            source.thing, source.steps(keyPaths).paths, tellsFirst: true, what
        ) { told in
            switch told {
            case .didChange, .refreshRequired, .skipped: break
            case .initial: block(.initial(map))
            case .changes(let changes, _):
                let keys = map.keys
                block(.update(
                    map, deletions: changes.deletedKeys.map { Key(_mapKey: $0) },
                    insertions: changes.insertions.map { keys[$0] },
                    modifications: changes.modificationsAfter.map { keys[$0] }))
            }
        }
        token.begin(observation, source.session)
    }
}
