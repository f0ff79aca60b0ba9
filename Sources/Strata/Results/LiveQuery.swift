// SPDX-License-Identifier: MIT
// LiveQuery.swift -- a query on a session, run when its result is needed and again when that may have changed.

import CStrata

/// A query on a session. What it returned is kept until anything changes.
final class LiveQuery {
    /// Which objects the query starts from.
    enum Source {
        case table
        /// The list of the object with that key.
        case list(ManagedClass, column: UInt32, key: UInt64)
        /// What links to the object with that key through a column of the class of the result.
        case backlinks(column: UInt32, key: UInt64)
        /// What another query finds.
        case results(LiveQuery)
        /// The object with that key.
        case one(UInt64)
    }

    /// How a query was run.
    struct Run {
        var plan = ""
        var rowsVisited = 0
        var rowsReturned = 0
        var entriesVisited = 0
    }

    let session: Session
    unowned(unsafe) let managed: ManagedClass  // which the session owns
    let source: Source
    let stages: [QueryStage]
    private let condition: EngineCondition?
    private lazy var engineStages = EngineStages(stages)
    private var keys: (EngineKeys, UInt64)?
    private var known: (Int, UInt64)?

    init(
        _ managed: ManagedClass, _ source: Source = .table, _ condition: EngineCondition? = nil,
        _ stages: [QueryStage] = []
    ) {
        session = managed.session
        self.managed = managed
        self.source = source
        self.condition = condition
        self.stages = stages
    }

    /// Stops the program if the realm belongs to another thread.
    func checkThread() { session.checkThread { "a query on \(managed.layout.schema.className)" } }

    /// The same query with a further condition, asked together with those before: what is equal to others is looked for
    /// among the objects that meet all of them. Only objects beyond a limit are left out before it is asked.
    func filtered(_ predicate: any ConditionSource) -> LiveQuery {
        checkThread()
        return filtered(predicate.condition(managed))
    }

    /// The same with a condition of `where { }`.
    func filtered(_ condition: QueryNode) -> LiveQuery {
        checkThread()
        session.arena.reset()
        if let written = EngineCondition.writing(condition, managed) { return filtered(written) }
        return filtered(ParsedPredicate(condition, session.arena).condition(managed))
    }

    private func filtered(_ other: EngineCondition) -> LiveQuery {
        if stages.isEmpty { return LiveQuery(managed, source, joined(other)) }
        guard let limit = stages.lastIndex(where: { if case .limit = $0 { true } else { false } }) else {
            return LiveQuery(managed, source, joined(other), stages)
        }
        let rest = Array(stages[(limit + 1)...])
        let limited = rest.isEmpty ? self : LiveQuery(managed, source, condition, Array(stages[...limit]))
        return LiveQuery(managed, .results(limited), other, rest)
    }

    /// The condition of this query and another one.
    private func joined(_ other: EngineCondition) -> EngineCondition { condition?.and(other) ?? other }

    /// The first object of the result that meets a condition.
    func first(meeting predicate: any ConditionSource) -> ObjectBase? {
        checkThread()
        let isChosen = stages.contains { if case .distinct = $0 { true } else { false } }
        if isChosen { return LiveQuery(managed, .results(self), predicate.condition(managed)).first }
        return filtered(predicate).first
    }

    /// The same query in another order; the order so far decides among equals.
    func sorted(_ keys: [SortKey]) -> LiveQuery {
        if keys.isEmpty { return self }
        if case .sort(let others)? = stages.last {
            return LiveQuery(managed, source, condition, stages.dropLast() + [.sort(keys + others)])
        }
        return LiveQuery(managed, source, condition, stages + [.sort(keys)])
    }

    /// Only the first of the objects that agree in some properties.
    func distinct(_ paths: [ColumnPath]) -> LiveQuery {
        paths.isEmpty ? self : LiveQuery(managed, source, condition, stages + [.distinct(paths)])
    }

    /// Some of the objects of the query.
    func limited(to count: Int, skip: Int) -> LiveQuery {
        LiveQuery(managed, source, condition, stages + [.limit(skip: skip, count: count)])
    }

    // MARK: Running

    /// Whether the result is all objects of a class in the order of their keys.
    private var isWholeTable: Bool {
        if case .table = source { condition == nil && stages.isEmpty } else { false }
    }

    /// Lends the query to the engine.
    ///
    /// - Parameters:
    ///   - last: one more stage.
    ///   - after: the place in the order behind which the result begins.
    func withQuery<R>(
        last: strata_stage? = nil, after: UnsafePointer<strata_bookmark>? = nil,
        _ body: (inout strata_query) throws(StrataError) -> R
    ) throws(StrataError) -> R {
        var query = strata_query()
        query.size = UInt32(MemoryLayout<strata_query>.size)
        query.table = managed.table
        query.after = after
        var found: EngineKeys?
        switch source {
        case .table: query.source = .STRATA_SOURCE_TABLE
        case .list(let owner, let column, let key):
            query.source = .STRATA_SOURCE_LIST
            query.origin_table = owner.table
            query.origin_column = column
            query.key = key
        case .backlinks(let column, let key):
            query.source = .STRATA_SOURCE_BACKLINKS
            query.origin_table = managed.table
            query.origin_column = column
            query.key = key
        case .results(let other):
            let keys = other.currentKeys()
            query.source = .STRATA_SOURCE_KEYS
            (query.keys, query.key_count) = (keys.pointer, UInt64(keys.count))
            found = keys
        case .one(let key):
            found = EngineKeys(CollectionOfOne(key))
            query.source = .STRATA_SOURCE_KEYS
            (query.keys, query.key_count) = (found?.pointer, 1)
        }
        query.nodes = condition?.nodes.baseAddress
        query.node_count = UInt32(condition?.nodes.count ?? 0)
        defer { withExtendedLifetime((found, self)) {} }  // whose memory is lent
        if stages.isEmpty {
            guard let last else { return try body(&query) }
            return try withUnsafePointer(to: last) { (last) throws(StrataError) in
                query.stages = last
                query.stage_count = 1
                return try body(&query)
            }
        }
        let stages = engineStages.all + (last.map { [$0] } ?? [])
        let result: Result<R, StrataError> = stages.withUnsafeBufferPointer { stages in
            query.stages = stages.baseAddress
            query.stage_count = UInt32(stages.count)
            return Result { () throws(StrataError) in try body(&query) }
        }
        return try result.get()
    }

    /// The keys of the result as it is now.
    func currentKeys() -> EngineKeys {
        checkThread()
        if let (keys, changes) = keys, changes == session.changes { return keys }
        let found: EngineKeys
        if case .backlinks(let column, let key) = source, condition == nil, stages.isEmpty {
            found = managed.keys(linkingThrough: column, to: key) { run() }
        } else {
            found = run()
        }
        keys = (found, session.changes)
        return found
    }

    /// Runs the query.
    func run(last: strata_stage? = nil) -> EngineKeys {
        session.read("the query on \(managed.layout.schema.className)") { () throws(StrataError) in
            try withQuery(last: last) { (query) throws(StrataError) in try session.view.run(&query) }
        }
    }

    /// Runs the query and tells how, which takes longer.
    func explainedRun(last: strata_stage? = nil) -> (EngineKeys, Run) {
        session.read("the query on \(managed.layout.schema.className)") { () throws(StrataError) in
            try withQuery(last: last) { (query) throws(StrataError) in
                var stats = strata_query_stats()
                let keys = try session.view.run(&query, &stats)
                return (keys, Run(&stats))
            }
        }
    }

    /// How many objects the result has.
    var count: Int {
        checkThread()
        if let (keys, changes) = keys, changes == session.changes { return keys.count }
        if let (count, changes) = known, changes == session.changes { return count }
        let count = session.read("counting \(managed.layout.schema.className)") { () throws(StrataError) in
            if isWholeTable { return try session.view.size(of: managed.table) }
            return try withQuery { (query) throws(StrataError) in try session.view.count(&query) }
        }
        known = (count, session.changes)
        return count
    }

    /// Whether the result has no object; found without the others.
    var isEmpty: Bool {
        checkThread()
        let isKnown = keys?.1 == session.changes || known?.1 == session.changes
        return isKnown || isWholeTable ? count == 0 : first == nil
    }

    /// The object at a position; stops the program if there is none.
    func object(at position: Int) -> ObjectBase {
        let keys = currentKeys()
        guard position >= 0, position < keys.count else {
            misuse("index \(position) is outside of the \(keys.count) results of \(managed.layout.schema.className)")
        }
        return managed.makeObject(keys[position])
    }

    /// The first object, found without the others.
    var first: ObjectBase? {
        checkThread()
        if let (keys, changes) = keys, changes == session.changes {
            return keys.count == 0 ? nil : managed.makeObject(keys[0])
        }
        if isWholeTable { return end(backward: false) }
        let keys = run(last: EngineStages.limit(skip: 0, count: 1))
        return keys.count == 0 ? nil : managed.makeObject(keys[0])
    }

    /// The last object.
    var last: ObjectBase? {
        if isWholeTable { return end(backward: true) }
        let keys = currentKeys()
        return keys.count == 0 ? nil : managed.makeObject(keys[keys.count - 1])
    }

    private func end(backward: Bool) -> ObjectBase? {
        var row = strata_row()
        let found = session.read("reading \(managed.layout.schema.className)") { () throws(StrataError) in
            try EngineCursor(session.view, table: managed.table, backward: backward).next(&row)
        }
        return found ? managed.makeObject(row.key) : nil
    }

    /// The position of an object, or nil.
    func position(of object: ObjectBase) -> Int? {
        guard let key = session.keyForComparison(object), object.row.pointee.table == managed.table else { return nil }
        return currentKeys().position(of: key)
    }

    /// Walks the objects as they are now.
    func walk() -> ObjectIterator {
        checkThread()
        if isWholeTable {
            let cursor = session.read("reading \(managed.layout.schema.className)") { () throws(StrataError) in
                try EngineCursor(session.view, table: managed.table)
            }
            return ObjectIterator(.cursor(cursor), managed)
        }
        return ObjectIterator(.keys(currentKeys()), managed)
    }

    /// Whether the object whose list or backlinks the query reads is gone.
    var isInvalidated: Bool {
        let origin: (ManagedClass, UInt64)
        switch source {
        case .table, .one: return false
        case .results(let other): return other.isInvalidated
        case .list(let owner, _, let key): origin = (owner, key)
        case .backlinks(let column, let key): origin = (managed.target(ofColumn: column), key)
        }
        return session.read("reading \(origin.0.layout.schema.className)") { () throws(StrataError) in
            var row = strata_row()
            return try !session.view.bind(&row, to: origin.0.table, origin.1)
        }
    }
}

extension LiveQuery.Run {
    /// What the engine tells.
    init(_ stats: inout strata_query_stats) {
        plan = withUnsafeBytes(of: &stats.plan) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        rowsVisited = Int(stats.rows_visited)
        rowsReturned = Int(stats.rows_returned)
        entriesVisited = Int(stats.entries_visited)
    }
}
