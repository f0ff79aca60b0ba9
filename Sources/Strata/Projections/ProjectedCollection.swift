// SPDX-License-Identifier: MIT
// ProjectedCollection.swift -- one property of each object in a collection, as a collection.

public import Dispatch

/// Leads from a collection of objects to a collection of one of their properties: `person.friends.projectTo.firstName`.
@dynamicMemberLookup
public struct CollectionElementMapper<Base: RealmCollection> where Base.Element: ObjectBase {
    let base: Base

    /// That property of each object.
    public subscript<Value: RealmCollectionValue>(
        dynamicMember member: KeyPath<Base.Element, Value>
    ) -> ProjectedCollection<Value> {
        ProjectedCollection(ProjectedBase(base, member))
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Leads to a collection of one property of the objects: `friends.projectTo.firstName`. For ``Projected``.
    public var projectTo: CollectionElementMapper<Self> { CollectionElementMapper(base: self) }
}

/// One property of each object of a collection. It is live as that is; writing an element writes the property.
public struct ProjectedCollection<Value: RealmCollectionValue>: _PositionalCollection {
    fileprivate let source: ProjectedSource<Value>

    fileprivate init(_ source: ProjectedSource<Value>) { self.source = source }

    /// The count.
    public var endIndex: Int { source.count }
    /// How many there are.
    public var count: Int { source.count }

    /// The property of the object at a position; stops the program if there is none. Writing needs a write transaction
    /// if the objects are managed.
    public subscript(position: Int) -> Value {
        get { source.value(at: position) }
        nonmutating set { source.set(newValue, at: position) }
    }

    /// The first position of a value, or nil.
    public func index(of value: Value) -> Int? { firstIndex(of: value) }

    /// Walks the values as they are now.
    public func makeIterator() -> AnyIterator<Value> { source.iterator() }

    /// Calls a closure when the collection changes, or the property of one of its objects. See
    /// ``RealmCollection/observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        on queue: DispatchQueue? = nil, _ block: @escaping (RealmCollectionChange<ProjectedCollection<Value>>) -> Void
    ) -> NotificationToken {
        source.observe(queue, block)
    }
}

extension ProjectedCollection: ThreadConfined {
    public var realm: Realm? { source.realm }
    public var isInvalidated: Bool { source.isInvalidated }
    public var isFrozen: Bool { source.isFrozen }
    /// The same for ever, and for every thread.
    public func freeze() -> ProjectedCollection { ProjectedCollection(source.freeze()) }
    /// The live one in a realm of the caller; nil if its object was deleted.
    public func thaw() -> ProjectedCollection? { source.thaw().map { ProjectedCollection($0) } }
    /// Not for use by programs.
    public var _crossing: _Crossing? { nil }
    /// Not for use by programs.
    public static func _crossed(_ crossing: _Crossing, into realm: Realm) -> ProjectedCollection? { nil }
}

extension ProjectedCollection: Equatable, CustomStringConvertible {
    /// True for the same property of the same collection.
    public static func == (left: ProjectedCollection, right: ProjectedCollection) -> Bool {
        left.source.isEqual(right.source)
    }

    /// The values as text.
    public var description: String { "ProjectedCollection<\(Value.self)> \(Array(self))" }
}

/// A `ProjectedCollection` of whatever type.
protocol AnyProjectedCollection {
    var elementPath: AnyKeyPath { get }
}

extension ProjectedCollection: AnyProjectedCollection {
    var elementPath: AnyKeyPath { source.elementPath }
}

/// The collection behind a `ProjectedCollection`, whatever its type.
private class ProjectedSource<Value: RealmCollectionValue> {
    var elementPath: AnyKeyPath { abstract() }
    var count: Int { abstract() }
    var realm: Realm? { abstract() }
    var isInvalidated: Bool { abstract() }
    var isFrozen: Bool { abstract() }
    func value(at position: Int) -> Value { abstract() }
    func set(_ value: Value, at position: Int) { abstract() }
    func iterator() -> AnyIterator<Value> { abstract() }
    func freeze() -> ProjectedSource { abstract() }
    func thaw() -> ProjectedSource? { abstract() }
    func isEqual(_ other: ProjectedSource) -> Bool { abstract() }
    func observe(
        _ queue: DispatchQueue?, _ block: @escaping (RealmCollectionChange<ProjectedCollection<Value>>) -> Void
    ) -> NotificationToken { abstract() }

    private func abstract() -> Never { misuse("a projected collection without a collection") }
}

private final class ProjectedBase<Base: RealmCollection, Value: RealmCollectionValue>: ProjectedSource<Value>
where Base.Element: ObjectBase {
    private let base: Base
    private let path: KeyPath<Base.Element, Value>

    init(_ base: Base, _ path: KeyPath<Base.Element, Value>) {
        self.base = base
        self.path = path
    }

    override var elementPath: AnyKeyPath { path }
    override var count: Int { base.count }
    override var realm: Realm? { base.realm }
    override var isInvalidated: Bool { base.isInvalidated }
    override var isFrozen: Bool { base.isFrozen }

    override func value(at position: Int) -> Value { base[position][keyPath: path] }

    override func set(_ value: Value, at position: Int) {
        guard let writable = path as? ReferenceWritableKeyPath<Base.Element, Value> else {
            misuse("a projected \(KeyPathNames.joined(readBy: path)) cannot be written: its key path can only be read")
        }
        base[position][keyPath: writable] = value
    }

    override func iterator() -> AnyIterator<Value> {
        var objects = base.makeIterator()
        let path = path
        return AnyIterator { objects.next()?[keyPath: path] }
    }

    override func freeze() -> ProjectedSource<Value> { ProjectedBase(base.freeze(), path) }
    override func thaw() -> ProjectedSource<Value>? { base.thaw().map { ProjectedBase($0, path) } }

    override func isEqual(_ other: ProjectedSource<Value>) -> Bool {
        guard let other = other as? ProjectedBase else { return false }
        return base == other.base && path == other.path
    }

    override func observe(
        _ queue: DispatchQueue?, _ block: @escaping (RealmCollectionChange<ProjectedCollection<Value>>) -> Void
    ) -> NotificationToken {
        let path = path
        return base.observe(keyPaths: [KeyPathNames.joined(readBy: path)], on: queue) { change in
            func projected(_ base: Base) -> ProjectedCollection<Value> {
                ProjectedCollection(ProjectedBase(base, path))
            }
            switch change {
            case .initial(let base): block(.initial(projected(base)))
            case .update(let base, let deletions, let insertions, let modifications):
                block(.update(
                    projected(base), deletions: deletions, insertions: insertions, modifications: modifications))
            case .error(let error): block(.error(error))
            }
        }
    }
}
