// SPDX-License-Identifier: MIT
// ObjectBase+Observing.swift -- observing one object.

public import Dispatch

extension ObjectBase: ObservableSource {
    func observedSource(_ what: String) -> ObservedSource {
        if isInvalidated { misuse("\(what) is gone and cannot be observed") }
        guard _mode == .live, let managed else { misuse("\(what) is unmanaged; add it to a realm to observe it") }
        return ObservedSource(
            session: managed.session, thing: .object(table: managed.table, key: row.key), root: managed)
    }
}

/// The object of a row that is observed.
///
/// An object that was deleted stays gone, although the write is taken back. Its row does not, and then gets another one.
struct ObservedRow<T: ObjectBase> {
    private var object: T
    private let key: UInt64
    private let managed: ManagedClass

    init(_ object: T, _ managed: ManagedClass) {
        self.object = object
        self.managed = managed
        key = object.row.key
    }

    /// The object; nil if the row is gone.
    mutating func found() -> T? {
        // The class of the first one makes the others, too.
        if object._mode == .deleted { object = unsafeDowncast(managed.makeObject(key), to: T.self) }
        return object.isInvalidated ? nil : object
    }
}

/// The values of an object that its observer was told of last.
private final class ObservedObject<T: ObjectBase> {
    private var row: ObservedRow<T>
    private let managed: ManagedClass
    private let steps: KeyPathSteps
    private var values: [String: Any] = [:]

    init(_ object: T, _ managed: ManagedClass, _ steps: KeyPathSteps) {
        row = ObservedRow(object, managed)
        self.managed = managed
        self.steps = steps
        remember()
    }

    /// The object; nil if it is gone.
    var object: T? { row.found() }

    /// Remembers all values that count.
    func remember() { remember(steps.paths == nil ? managed.layout.slots.map(\.property.name) : steps.names) }

    /// The properties that changed; none if all that did are such as another program has added.
    func changes(of object: T, _ changes: EngineChanges, isOwn: Bool) -> [PropertyChange] {
        var names = changes.columns.compactMap { managed.storedProperty(ofColumn: $0)?.name }
        for path in changes.paths where !names.contains(steps.names[path]) { names.append(steps.names[path]) }
        let told = names.map { name in
            PropertyChange(name: name, oldValue: isOwn ? nil : values[name], newValue: object.value(forKey: name))
        }
        remember(names)
        return told
    }

    private func remember(_ names: [String]) {
        guard let object else { return }
        for name in names {
            guard let slot = managed.layout.index(of: name) else { continue }
            let property = managed.layout.slots[slot].property
            if property.isCollection || property.type == .linkingObjects { continue }
            values[name] = object.value(forKey: name)
        }
    }
}

/// What is done with changes of objects, before the type of the object is known.
private func begin<T: ObjectBase>(
    _ object: ObjectBase?, _ keyPaths: [String]?, _ token: NotificationToken,
    _ block: @escaping (ObjectChange<T>) -> Void
) {
    guard let object, !object.isInvalidated else {
        token.invalidate()
        return block(.deleted)  // before it could be observed
    }
    let what = LiveRow.name(object), source = object.observedSource(what)
    guard let managed = source.root, let typed = object as? T else {
        misuse("\(what) is observed as a \(T.self), which it is not")
    }
    source.session.requireObservable(what)
    let steps = source.steps(keyPaths), observed = ObservedObject(typed, managed, steps)
    let observation = source.session.observe(source.thing, steps.paths, tellsFirst: false, what) { told in
        if case .skipped = told { observed.remember() }
        guard case .changes(let changes, let isOwn) = told else { return }
        guard !changes.isGone, let object = observed.object else { return block(.deleted) }
        let properties = observed.changes(of: object, changes, isOwn: isOwn)
        if !properties.isEmpty { block(.change(object, properties)) }
    }
    token.begin(observation, source.session)
}

extension ObjectBase {
    /// Calls a closure whenever properties of the object were assigned, even to the same value, and when it was deleted.
    ///
    /// ```swift
    /// let dog = try realm.write { realm.create(Dog.self) }
    /// let token = dog.observe { (change: ObjectChange<Dog>) in
    ///     switch change {
    ///     case .change(let dog, let properties): print(dog.name, properties.map(\.name))
    ///     case .deleted: print("gone")
    ///     case .error: break
    ///     }
    /// }
    /// ```
    ///
    /// Properties of objects that this one links to do not count, unless a key path names them. A delivery costs a look
    /// for the object among what was changed. Stops the program if the object is unmanaged, frozen or gone, on a thread
    /// whose run loop does not run, and inside of a write that has changed something.
    ///
    /// - Parameters:
    ///   - keyPaths: the properties that count, such as `["name", "owner.name"]`; nil for all of the object itself.
    ///   - queue: where the closure is called; nil for the domain of the realm. If the object is deleted before the
    ///     observation begins there, that is told.
    ///   - block: is called as long as the token exists.
    public final func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        let token = NotificationToken()
        guard let queue else {
            _ = observedSource(LiveRow.name(self))
            begin(self, keyPaths, token, block)
            return token
        }
        Strata.observe(self, LiveRow.name(self), on: queue, token) { begin($0, keyPaths, $1, block) }
        return token
    }

    /// The same with typed key paths.
    public final func observe<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { KeyPathNames.joined($0) }, on: queue, block)
    }

    /// Calls a closure on an actor whenever properties of the object were assigned, and when it was deleted. Returns
    /// when the observation has begun.
    ///
    /// - Parameters:
    ///   - keyPaths: the properties that count; nil for all of the object itself.
    ///   - actor: where the closure is called.
    ///   - isolation: leave it out.
    ///   - block: is called as long as the token exists.
    public final func observe<A: Actor, T: ObjectBase>(
        keyPaths: [String]? = nil, on actor: A, _isolation isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        let elsewhere = ObservedElsewhere(self, LiveRow.name(self))
        let start = Transferred {
            Strata.observe(elsewhere, on: actor) { object, token in
                begin(object, keyPaths, token, calling(block, on: actor))
            }
        }
        return await run(start, on: actor)
    }
}
