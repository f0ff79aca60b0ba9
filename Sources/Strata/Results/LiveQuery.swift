// SPDX-License-Identifier: MIT
// LiveQuery.swift -- a query on a session, run when its result is needed and again when that may have changed.

/// A query on a session. Its result is cached until anything changes.
final class LiveQuery {
    /// Which objects the query starts from.
    enum Source {
        case table
        /// The collection of the object with a key.
        case list(ManagedClass, column: UInt32, key: UInt64)
        /// The objects that link to the object with a key through a column of the class of the result.
        case backlinks(column: UInt32, key: UInt64)
        /// The objects that another query finds.
        case results(LiveQuery)
        /// The object with a key.
        case one(UInt64)
    }

    let session: Session
    unowned(unsafe) let managed: ManagedClass  // which the session owns
    let source: Source
    let stages: [QueryStage]
    /// The generation of the object that the query reads from, or the one in which the query was made. Queries that are
    /// made from this one have the same.
    private let generation: UInt64
    let condition: EngineCondition?
    private lazy var engineStages = EngineStages(stages.map(\.engine))
    private var cachedKeys = Cached<EngineKeys>()
    private var cachedCount = Cached<Int>()
    /// The result of a query on a frozen session.
    private let frozenKeys = SharedCache<EngineKeys>()
    /// One who observes the query, who often knows its result.
    weak var observation: Observation?
    /// The position behind that of the object which was asked for last.
    @exclusivity(unchecked) private var following = -1
    /// A loop over the result that is at `following`, if objects were asked for one after the other.
    @exclusivity(unchecked) private var walk = Cached<ObjectIterator>()

    /// - Parameter generation: of the object that the query reads from; nil if it reads from none.
    init(
        _ managed: ManagedClass, _ source: Source = .table, _ condition: EngineCondition? = nil,
        _ stages: [QueryStage] = [], generation: UInt64? = nil
    ) {
        session = managed.session
        self.generation = generation ?? managed.session.generation
        self.managed = managed
        self.source = source
        self.condition = condition
        self.stages = stages
    }

    /// Stops the program if the realm belongs to another thread.
    func checkThread() { session.checkThread { "a query on \(managed.name)" } }

    /// The same query with a further condition. It is tested together with the earlier conditions, before `distinct`
    /// leaves out equal objects. Only a limit comes first: the condition is tested on the objects within the limit.
    func filtered(_ predicate: any ConditionSource) -> LiveQuery {
        checkThread()
        return filtered(predicate.valid(managed))
    }

    /// The same with a condition that may be wrong: fails where the other one stops the program, at once or when the
    /// result is needed.
    func filtered(checking predicate: any ConditionSource) throws(StrataError) -> LiveQuery {
        checkThread()
        let condition = try predicate.condition(managed)
        // Further conditions are joined by an AND, so that it has to be possible inside of one.
        let joined = LiveQuery(managed, .table, EngineCondition(.and, [condition]))
        do throws(StrataError) {
            try session.view.check(joined.engineQuery())
        } catch {
            throw session.wrongOrStopped(error, "the query on \(managed.name)")
        }
        return filtered(condition)
    }

    /// The same with a condition of `where { }`, on the fast road if possible.
    func filtered(_ condition: QueryNode) -> LiveQuery {
        checkThread()
        session.arena.reset()
        if let written = EngineCondition.writing(condition, managed) { return filtered(written) }
        let parsed = ParsedPredicate.valid { () throws(StrataError) in try ParsedPredicate(condition, session.arena) }
        return filtered(parsed.valid(managed))
    }

    private func filtered(_ other: EngineCondition) -> LiveQuery {
        if stages.isEmpty { return derived(joined(other)) }
        guard let limit = stages.lastIndex(where: { if case .limit = $0 { true } else { false } }) else {
            return derived(joined(other), stages)
        }
        let rest = Array(stages[(limit + 1)...])
        let limited = rest.isEmpty ? self : derived(condition, Array(stages[...limit]))
        return limited.searched(other, rest)
    }

    /// A query of the same objects.
    private func derived(_ condition: EngineCondition?, _ stages: [QueryStage] = []) -> LiveQuery {
        LiveQuery(managed, source, condition, stages, generation: generation)
    }

    /// A query of the objects that this one finds.
    private func searched(_ condition: EngineCondition, _ stages: [QueryStage] = []) -> LiveQuery {
        LiveQuery(managed, .results(self), condition, stages, generation: generation)
    }

    /// The condition of this query and another one.
    private func joined(_ other: EngineCondition) -> EngineCondition { condition?.and(other) ?? other }

    /// The first object of the result that meets a condition.
    func first(meeting predicate: any ConditionSource) -> ObjectBase? {
        checkThread()
        let isChosen = stages.contains { if case .distinct = $0 { true } else { false } }
        if isChosen { return searched(predicate.valid(managed)).first }
        return filtered(predicate).first
    }

    /// The query in another order. Objects that are equal in it keep their order so far.
    func sorted(_ keys: [SortKey]) -> LiveQuery {
        if keys.isEmpty { return self }
        if case .sort(let others)? = stages.last {
            return derived(condition, stages.dropLast() + [.sort(keys + others)])
        }
        return derived(condition, stages + [.sort(keys)])
    }

    /// Only the first of the objects that agree in some properties.
    func distinct(_ paths: [ColumnPath]) -> LiveQuery {
        paths.isEmpty ? self : derived(condition, stages + [.distinct(paths)])
    }

    /// Some of the objects of the query.
    func limited(to count: Int, skip: Int) -> LiveQuery {
        derived(condition, stages + [.limit(skip: skip, count: count)])
    }

    // MARK: Running

    /// Whether the result is all objects of a class in the order of their keys.
    private var isWholeTable: Bool {
        if case .table = source { condition == nil && stages.isEmpty && !isKnownGone } else { false }
    }

    /// The query in the form of the engine.
    ///
    /// - Parameters:
    ///   - limit: a further limit.
    ///   - after: behind which position of the order the result begins.
    func engineQuery(limit: EngineLimit? = nil, after: EngineBookmark? = nil) -> EngineQuery {
        EngineQuery(
            table: managed.table, source: engineSource, condition: condition,
            stages: stages.isEmpty ? nil : session.isFrozen ? EngineStages(stages.map(\.engine)) : engineStages,
            limit: limit, after: after)
    }

    private var engineSource: EngineQuery.Source {
        if isKnownGone { return .keys(.none) }
        return switch source {
        case .table: .table
        case .list(let owner, let column, let key): .list(table: owner.table, column: column, key: key)
        case .backlinks(let column, let key): .backlinks(column: column, key: key)
        case .results(let other): .keys(other.currentKeys())
        case .one(let key): .keys(EngineKeys(CollectionOfOne(key)))
        }
    }

    /// The keys of the present result.
    func currentKeys() -> EngineKeys {
        checkThread()
        if let keys = knownKeys { return keys }
        let keys: EngineKeys
        if let result = observedResult, let known = result.keys(0..<result.count) {
            keys = known
        } else if case .backlinks(let column, let key) = source, condition == nil, stages.isEmpty, !isKnownGone {
            keys = managed.keys(linkingThrough: column, to: key) { run() }
        } else {
            keys = run()
        }
        if session.isFrozen { return session.isStopped ? keys : frozenKeys.set(keys) }
        cachedKeys = Cached(keys, session)
        return keys
    }

    /// The keys of the present result, if they were found before.
    private var knownKeys: EngineKeys? { session.isFrozen ? frozenKeys.value : cachedKeys.current(session) }

    /// The present result, if an observer knows it. So a program that is told of changes reads the objects at their
    /// positions, and nothing is run for that.
    private var observedResult: EngineObservedResult? {
        guard let observation, let observers = session.observers, !isKnownGone else { return nil }
        return observers.result(of: observation)
    }

    /// Runs the query.
    private func run(limit: EngineLimit? = nil) -> EngineKeys {
        session.search("the query on \(managed.name)", orElse: .none) { () throws(StrataError) in
            try session.view.run(engineQuery(limit: limit))
        }
    }

    /// Runs the query and measures how, which takes longer.
    func explainedRun(limit: EngineLimit? = nil) -> (EngineKeys, EngineQueryRun) {
        session.search("the query on \(managed.name)", orElse: (.none, .stopped)) { () throws(StrataError) in
            try session.view.explainedRun(engineQuery(limit: limit))
        }
    }

    /// How many objects the result has.
    var count: Int {
        checkThread()
        if !isWholeTable {
            if let known = knownKeys?.count ?? observedResult?.count { return known }
            // Where it may be stopped, a loop has to find as many. A loop over a table is not stopped.
            if session.isLimited || isShort { return currentKeys().count }
        }
        if !session.isFrozen, let count = cachedCount.current(session) { return count }
        let count = session.search("counting \(managed.name)", orElse: 0) { () throws(StrataError) in
            isWholeTable ? try session.view.size(of: managed.table) : try session.view.count(engineQuery())
        }
        if !session.isFrozen { cachedCount = Cached(count, session) }
        return count
    }

    /// Whether at most some hundred objects are found. Whoever counts them is about to read them, as `map` does, and to
    /// count them and then to find them would ask everything twice.
    private var isShort: Bool {
        stages.contains { if case .limit(_, let count?) = $0 { count <= 1000 } else { false } }
    }

    /// Whether the result has no object; found without the others.
    var isEmpty: Bool {
        checkThread()
        let isKnown =
            knownKeys != nil || observedResult != nil || !session.isFrozen && cachedCount.current(session) != nil
        return isKnown || isWholeTable ? count == 0 : first == nil
    }

    /// The object at a position; stops the program if there is none. From the second of several positions that follow
    /// each other, objects come from a loop, which looks up some rows ahead and makes few objects.
    func object(at position: Int) -> ObjectBase {
        checkThread()
        if !session.isFrozen, position == following, let walk = walk.current(session) {
            following += 1  // first, because making an object runs code of the program, which may ask again
            if let object = walk.nextObject() { return object }
            following = position
        }
        return general(position)
    }

    @inline(never)
    private func general(_ position: Int) -> ObjectBase {
        if knownKeys == nil, let object = observedObject(at: position) { return object }
        let keys = currentKeys()
        guard position >= 0, position < keys.count else {
            if session.isStopped { return managed.layout.type.init() }
            misuse("index \(position) is outside of the \(keys.count) results of \(managed.name)")
        }
        // The same position again, such as `results[i].a + results[i].b`, leaves the loop where it is.
        if !session.isFrozen, position != following - 1 {
            walk = position == following
                ? Cached(ObjectIterator(.keys(keys), managed, from: position + 1), session) : Cached()
            following = position + 1
        }
        return managed.makeObject(keys[position])
    }

    /// The object at a position of a result that an observer knows; nil if none does, or there is no such position. Only
    /// for a loop some keys are copied, those that follow.
    private func observedObject(at position: Int) -> ObjectBase? {
        guard let result = observedResult, position >= 0, position < result.count else { return nil }
        if position == following, let keys = result.keys(position..<min(position + Self.keysAtOnce, result.count)) {
            walk = Cached(ObjectIterator(.keys(keys), managed, from: 1), session)
            following = position + 1
            return managed.makeObject(keys[0])
        }
        if position != following - 1 {
            walk = Cached()
            following = position + 1
        }
        return result.key(at: position).map(managed.makeObject)
    }

    private static var keysAtOnce: Int { 256 }

    /// The first object, found without the others.
    var first: ObjectBase? {
        checkThread()
        if let keys = knownKeys { return keys.count == 0 ? nil : managed.makeObject(keys[0]) }
        if isWholeTable { return end(backward: false) }
        if let result = observedResult { return result.count == 0 ? nil : result.key(at: 0).map(managed.makeObject) }
        let keys = run(limit: EngineLimit(skip: 0, count: 1))
        return keys.count == 0 ? nil : managed.makeObject(keys[0])
    }

    /// The last object.
    var last: ObjectBase? {
        checkThread()
        if isWholeTable { return end(backward: true) }
        if knownKeys == nil, let result = observedResult {
            return result.count == 0 ? nil : result.key(at: result.count - 1).map(managed.makeObject)
        }
        let keys = currentKeys()
        return keys.count == 0 ? nil : managed.makeObject(keys[keys.count - 1])
    }

    private func end(backward: Bool) -> ObjectBase? {
        let key = session.read("reading \(managed.name)") { () throws(StrataError) in
            try EngineCursor(session.view, table: managed.table, backward: backward).nextKey()
        }
        return key.map(managed.makeObject)
    }

    /// All objects that it finds now.
    var objects: [ObjectBase] {
        let keys = currentKeys()
        return (0..<keys.count).map { managed.makeObject(keys[$0]) }
    }

    /// The position of an object, or nil.
    func position(of object: ObjectBase) -> Int? {
        guard let key = session.keyForComparison(object), object.row.table == managed.table else { return nil }
        if knownKeys == nil, let result = observedResult { return result.position(of: key) }
        return currentKeys().position(of: key)
    }

    /// Walks the objects that it finds now.
    func iterator() -> ObjectIterator {
        checkThread()
        if isWholeTable {
            let cursor = session.read("reading \(managed.name)") { () throws(StrataError) in
                try EngineCursor(session.view, table: managed.table)
            }
            return ObjectIterator(.cursor(cursor), managed)
        }
        return ObjectIterator(.keys(currentKeys()), managed)
    }

    // MARK: Invalidation

    /// The object whose list or backlinks the query reads.
    private var origin: (managed: ManagedClass, key: UInt64)? {
        switch source {
        case .table, .one: nil
        case .list(let owner, _, let key): (owner, key)
        case .backlinks(let column, let key): (managed.target(ofColumn: column), key)
        case .results(let other): other.origin
        }
    }

    /// Whether the realm was invalidated since the query was made, or the write rolled back that created the object
    /// which the query reads. Such a query finds nothing.
    private var isKnownGone: Bool {
        generation < session.invalidatedAt || origin.map { $0.managed.isKnownGone($0.key, generation) } ?? false
    }

    /// Whether the realm was invalidated since the query was made, or the object is gone whose list or backlinks the
    /// query reads.
    var isInvalidated: Bool {
        checkThread()
        if isKnownGone { return true }
        guard let origin else { return false }
        return session.read("reading \(origin.managed.name)") { () throws(StrataError) in
            try !session.view.exists(origin.key, in: origin.managed.table)
        }
    }
}
