// SPDX-License-Identifier: MIT
// Projection+Observing.swift -- observing what a projection shows.

public import Dispatch

extension Projection: ObservableSource {
    func observedSource(_ what: String) -> ObservedSource { rootObject.observedSource(what) }
}

/// The values of a projection that its observer was told of last.
private final class ObservedProjection<P: ProjectionObservable> {
    private var row: ObservedRow<P.Root>
    private var projected: P
    let properties: [ProjectedProperties.One]
    private var values: [Any?] = []

    init(_ projection: P, _ managed: ManagedClass, _ properties: [ProjectedProperties.One]) {
        row = ObservedRow(projection.rootObject, managed)
        projected = projection
        self.properties = properties
        remember()
    }

    /// The projection; nil if its object is gone.
    var projection: P? {
        guard let root = row.found() else { return nil }
        if projected.rootObject !== root { projected = type(of: projected).init(projecting: root) }
        return projected
    }

    /// Remembers what the projection shows.
    func remember() {
        if let projection { values = properties.map { $0.read(projection) } }
    }

    /// The properties whose values differ, and the collections that were changed.
    ///
    /// - Parameter touched: whether something that a property reads was assigned.
    func changes(
        of projection: P, isOwn: Bool, _ touched: (ProjectedProperties.One) -> Bool
    ) -> [PropertyChange] {
        properties.indices.compactMap { index in
            let property = properties[index]
            guard touched(property) else { return nil }
            let new = property.read(projection), old = values[index]
            values[index] = new
            if let same = Self.isSame(old, new), same { return nil }
            let isValue = Self.isSame(old, new) != nil
            return PropertyChange(name: property.label, oldValue: isOwn || !isValue ? nil : old, newValue: new)
        }
    }

    /// Whether two values are equal; nil if they are collections, which are the same whatever they hold.
    private static func isSame(_ old: Any?, _ new: Any?) -> Bool? {
        switch (old, new) {
        case (nil, nil): return true
        case (nil, _?), (_?, nil): return false
        case (let old?, let new?):
            if old is any AnyProjectedCollection || old is any RealmCollectionBase || old is any RealmKeyedCollection {
                return nil
            }
            guard let old = old as? AnyHashable, let new = new as? AnyHashable else { return false }
            return old == new
        }
    }
}

/// Begins to observe in the domain in which the caller runs.
private func begin<P: ProjectionObservable>(
    _ projection: P?, _ labels: [String]?, _ token: NotificationToken, _ block: @escaping (ObjectChange<P>) -> Void
) {
    guard let projection, !projection.isInvalidated else {
        token.invalidate()
        return block(.deleted)  // before it could be observed
    }
    let what = LiveRow.name(projection.rootObject), source = projection.rootObject.observedSource(what)
    source.session.requireObservable(what)
    let all = ProjectedProperties.of(type(of: projection))
    if let label = labels?.first(where: { all.named($0) == nil }) {
        misuse("\(type(of: projection)) has no property \"\(label)\"; it has \(all.all.map(\.label).sorted())")
    }
    guard let managed = source.root else { misuse("\(what) is not managed") }
    let observed = ObservedProjection(projection, managed, all.all.filter { labels?.contains($0.label) ?? true })
    let steps = source.steps(observed.properties.map(\.origin))
    let observation = source.session.observe(source.thing, steps.paths, tellsFirst: false, what) { told in
        if case .skipped = told { observed.remember() }
        guard case .changes(let changes, let isOwn) = told else { return }
        guard !changes.isGone, let projection = observed.projection else { return block(.deleted) }
        let touched = Set(changes.paths.map { observed.properties[$0].origin })
        let properties = observed.changes(of: projection, isOwn: isOwn) { touched.contains($0.origin) }
        if !properties.isEmpty { block(.change(projection, properties)) }
    }
    token.begin(observation, source.session)
}

extension ProjectionObservable {
    /// Calls a closure whenever what the projection shows is another value, and when its object was deleted.
    ///
    /// The properties are named as the projection names them; exactly those are told of whose values differ, and the
    /// collections that were changed. Besides, it is as ``ObjectBase/observe(keyPaths:on:_:)-([String]?,_,_)``.
    ///
    /// - Parameters:
    ///   - keyPaths: names of properties of the projection; nil for all of them.
    ///   - queue: where the closure is called; nil for the domain of the realm.
    ///   - block: is called as long as the token exists.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        let token = NotificationToken()
        guard let queue else {
            begin(self, keyPaths, token, block)
            return token
        }
        let what = LiveRow.name(rootObject), type = Swift.type(of: self)
        Strata.observe(rootObject, what, on: queue, token) { root, token in
            begin(root.map { type.init(projecting: $0) }, keyPaths, token, block)
        }
        return token
    }

    /// The same with typed key paths of the projection.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: ProjectedProperties.of(type(of: self)).labels(keyPaths), on: queue, block)
    }
}
