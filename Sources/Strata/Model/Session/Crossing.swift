// SPDX-License-Identifier: MIT
// Crossing.swift -- objects, collections and queries on their way from one session of a store to another.

/// An object, a collection or a query without its session. Tables, columns and keys have the same numbers in all
/// sessions of a store.
///
/// Immutable, and of values and conditions that are immutable, too, so that every thread may use it.
struct Crossing: @unchecked Sendable {
    fileprivate indirect enum Form {
        case object(table: UInt32, key: UInt64, isDynamic: Bool)
        case collection(table: UInt32, column: UInt32, key: UInt64)
        case nested(NestedForm)
        case links(origin: UInt32, column: UInt32, target: UInt32, key: UInt64)
        case query(QueryForm)
        case values(ValueForm)
    }
    fileprivate let form: Form
    /// The file, or the name in memory.
    fileprivate let store: EngineStore
    /// The commit that the session showed.
    fileprivate let version: UInt64

    fileprivate init(_ form: Form, _ session: Session) {
        session.checkThread()
        self.form = form
        store = session.view.store
        version = session.view.version
    }

    /// Lets a session go on to the commit at which the journey began, unless somebody is told of changes at this
    /// moment; false if it is one of another store.
    func canEnd(in session: Session) -> Bool {
        guard session.view.store.handle == store.handle else { return false }
        if !session.isWriting && session.view.version < version { _ = session.refreshUnlessTelling() }
        return true
    }
}

// MARK: Objects

extension ObjectBase {
    /// The object without its session; nil if it is unmanaged or gone.
    final var crossing: Crossing? {
        guard _mode == .live, let managed, !isInvalidated else { return nil }
        return Crossing(.object(table: managed.table, key: row.key, isDynamic: self is DynamicObject), managed.session)
    }
}

extension Crossing {
    /// The object in a session, as one of the class of its table, which may be a subclass of `type`; nil if it was
    /// deleted meanwhile. Stops the program if the session does not hold the class.
    func object<T: ObjectBase>(in session: Session, as type: T.Type) -> T? {
        guard case .object(let table, let key, let isDynamic) = form else { return nil }
        let managed = isDynamic || type == DynamicObject.self
            ? session.view.tableName(table).map(session.classes.dynamic) : session.classes.of(table: table)
        guard let managed, session.exists(key, in: managed) else { return nil }
        if let object = managed.makeObject(key) as? T { return object }
        _ = session.classes.of(type)
        misuse("\(managed.name) is not in the schema of this realm; add it to objectTypes of the configuration")
    }
}

// MARK: Collections

/// A list or a map inside of a value of any type without its session: the property, which element of that holds the
/// value, and the steps from there.
private struct NestedForm {
    let table: UInt32
    let column: UInt32
    let key: UInt64
    let element: NestedStep?
    let path: [NestedStep]
    let isMap: Bool
    /// Whether it may have been somewhere else before the write that was open.
    let mayHaveMoved: Bool
}

extension ManagedCollection {
    fileprivate convenience init?(_ table: UInt32, _ column: UInt32, _ key: UInt64, _ session: Session) {
        guard let owner = session.classes.of(table: table) else { return nil }
        self.init(owner, key, column, generation: session.generation)
    }

    /// The collection without its session; nil if its object is gone, or the value in which it is nested.
    var crossing: Crossing? {
        guard size != nil else { return nil }
        guard let nested else { return Crossing(.collection(table: owner.table, column: column, key: key), session) }
        return Crossing(
            .nested(
                NestedForm(
                    table: owner.table, column: column, key: key, element: nested.root.element, path: nested.path,
                    isMap: nested.isMap, mayHaveMoved: session.isWriting && session.nested.haveMoved)),
            session)
    }
}

extension Crossing {
    /// The collection in a session; nil if it was deleted meanwhile. A nested one is the one at the same position, or
    /// under the same key.
    func collection(in session: Session) -> ManagedCollection? {
        let collection: ManagedCollection?
        switch form {
        case .collection(let table, let column, let key):
            collection = ManagedCollection(table, column, key, session)
        case .nested(let form):
            if form.mayHaveMoved && session.version < version { return nil }
            collection = ManagedCollection(form.table, form.column, form.key, session).map {
                ManagedCollection(NestedCollection(NestedRoot($0, form.element), form.path, isMap: form.isMap))
            }
        default: return nil
        }
        return collection?.size == nil ? nil : collection
    }
}

extension Backlinks {
    /// The links without their session.
    var crossing: Crossing {
        let (origin, target) = (origin.takeUnretainedValue(), target.takeUnretainedValue())
        return Crossing(.links(origin: origin.table, column: column, target: target.table, key: key), session)
    }
}

extension Crossing {
    /// The links in a session; nil if the object was deleted to which they lead.
    func links(in session: Session) -> Backlinks? {
        guard case .links(let origin, let column, let target, let key) = form,
            let origin = session.classes.of(table: origin), let target = session.classes.of(table: target),
            session.exists(key, in: target)
        else { return nil }
        return Backlinks(origin, column, to: target, key)
    }
}

extension Session {
    fileprivate func exists(_ key: UInt64, in managed: ManagedClass) -> Bool {
        read("reading \(managed.name)") { () throws(StrataError) in try view.exists(key, in: managed.table) }
    }
}

// MARK: Queries

/// A query without its session.
private struct QueryForm {
    indirect enum Source {
        case table
        case list(table: UInt32, column: UInt32, key: UInt64)
        case backlinks(column: UInt32, key: UInt64)
        case results(QueryForm)
        case one(UInt64)
    }
    let table: UInt32
    let source: Source
    let condition: EngineCondition?
    let stages: [QueryStage]
}

extension LiveQuery {
    /// The query without its session; nil if the object is gone whose collection it reads.
    var crossing: Crossing? { isInvalidated ? nil : Crossing(.query(form), session) }

    private var form: QueryForm {
        let source: QueryForm.Source =
            switch self.source {
            case .table: .table
            case .list(let owner, let column, let key): .list(table: owner.table, column: column, key: key)
            case .backlinks(let column, let key): .backlinks(column: column, key: key)
            case .results(let other): .results(other.form)
            case .one(let key): .one(key)
            }
        return QueryForm(
            table: managed.table, source: source, condition: condition, stages: stages.map(\.withoutClasses))
    }

    fileprivate convenience init?(_ form: QueryForm, _ session: Session) {
        guard let managed = session.classes.of(table: form.table) else { return nil }
        let source: Source
        switch form.source {
        case .table: source = .table
        case .list(let table, let column, let key):
            guard let owner = session.classes.of(table: table) else { return nil }
            source = .list(owner, column: column, key: key)
        case .backlinks(let column, let key): source = .backlinks(column: column, key: key)
        case .results(let form):
            guard let other = LiveQuery(form, session) else { return nil }
            source = .results(other)
        case .one(let key): source = .one(key)
        }
        self.init(managed, source, form.condition, form.stages)
    }
}

extension Crossing {
    /// The query in a session; nil if the object was deleted meanwhile whose collection it reads.
    func query(in session: Session) -> LiveQuery? {
        guard case .query(let form) = form, let query = LiveQuery(form, session) else { return nil }
        return query.isInvalidated ? nil : query
    }
}

/// A query for values without its session.
private struct ValueForm {
    let collection: Crossing
    let condition: EngineCondition?
    let isDistinct: Bool
    let ascending: Bool?
}

extension ValueQuery {
    /// The query without its session; nil if the object is gone whose collection it reads.
    var crossing: Crossing? {
        collection.crossing.map {
            Crossing(
                .values(ValueForm(
                    collection: $0, condition: condition, isDistinct: isDistinct, ascending: ascending)),
                collection.session)
        }
    }
}

extension Crossing {
    /// The query for values in a session; nil if the object was deleted meanwhile whose collection it reads.
    func values(in session: Session) -> ValueQuery? {
        guard case .values(let form) = form, let collection = form.collection.collection(in: session) else {
            return nil
        }
        return ValueQuery(collection, form.condition, isDistinct: form.isDistinct, ascending: form.ascending)
    }
}
