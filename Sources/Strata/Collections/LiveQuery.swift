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
    }

    /// How a query was run.
    struct Run {
        var plan: String
        var rowsVisited: Int
        var rowsReturned: Int
        var entriesVisited: Int
    }

    let session: Session
    let managed: ManagedClass
    let source: Source
    let conditions: [Condition]
    let order: [SortKey]
    let limit: Int?
    private lazy var compiled = CompiledQuery(managed, conditions, order)
    private var keys: (EngineKeys, UInt64)?
    private var known: (Int, UInt64)?

    init(
        _ managed: ManagedClass, _ source: Source = .table, _ conditions: [Condition] = [], _ order: [SortKey] = [],
        limit: Int? = nil
    ) {
        session = managed.session
        self.managed = managed
        self.source = source
        self.conditions = conditions
        self.order = order
        self.limit = limit
        // Now, so that a wrong name is noticed where it is written.
        if !conditions.isEmpty || !order.isEmpty { _ = compiled }
    }

    /// The same query with a further condition.
    func filtered(_ condition: Condition) -> LiveQuery {
        refuseLimit("filtered")
        return LiveQuery(managed, source, conditions + [condition], order)
    }

    /// The same query in another order; the order so far decides among equals.
    func sorted(_ keys: [SortKey]) -> LiveQuery {
        refuseLimit("sorted")
        return LiveQuery(managed, source, conditions, keys + order)
    }

    /// The first objects of the query.
    func limited(to count: Int) -> LiveQuery {
        LiveQuery(managed, source, conditions, order, limit: min(count, limit ?? count))
    }

    private func refuseLimit(_ what: String) {
        if limit != nil { misuse("a result with a limit cannot be \(what); apply limit(_:) last") }
    }

    // MARK: Running

    /// Whether the result is all objects of a class in the order of their keys.
    private var isWholeTable: Bool {
        if case .table = source { conditions.isEmpty && order.isEmpty && limit == nil } else { false }
    }

    private func withQuery<R>(_ body: (inout strata_query) throws(StrataError) -> R) throws(StrataError) -> R {
        var query = strata_query()
        query.size = UInt32(MemoryLayout<strata_query>.size)
        query.table = managed.table
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
        }
        var stages = compiled.sort.map { [$0] } ?? []
        if let limit {
            var stage = strata_stage()
            stage.kind = .STRATA_STAGE_LIMIT
            stage.limit = UInt64(limit)
            stages.append(stage)
        }
        let nodes = compiled.nodes
        let result: Result<R, StrataError> = nodes.withUnsafeBufferPointer { nodes in
            stages.withUnsafeBufferPointer { stages in
                query.nodes = nodes.isEmpty ? nil : nodes.baseAddress
                query.node_count = UInt32(nodes.count)
                query.stages = stages.isEmpty ? nil : stages.baseAddress
                query.stage_count = UInt32(stages.count)
                return Result { () throws(StrataError) in try body(&query) }
            }
        }
        return try result.get()
    }

    /// The keys of the result as it is now.
    func currentKeys() -> EngineKeys {
        session.checkThread { "a query on \(managed.layout.schema.className)" }
        if let (keys, changes) = keys, changes == session.changes { return keys }
        let found = run().0
        keys = (found, session.changes)
        return found
    }

    /// Runs the query and tells how.
    func run() -> (EngineKeys, Run) {
        session.read("the query on \(managed.layout.schema.className)") { () throws(StrataError) in
            if limit == 0 {
                let run = Run(plan: "nothing", rowsVisited: 0, rowsReturned: 0, entriesVisited: 0)
                return (EngineKeys(strata_keys()), run)
            }
            return try withQuery { (query) throws(StrataError) in
                var stats = strata_query_stats()
                let keys = try session.view.run(&query, &stats)
                let plan = withUnsafeBytes(of: &stats.plan) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                return (
                    keys,
                    Run(
                        plan: plan, rowsVisited: Int(stats.rows_visited), rowsReturned: Int(stats.rows_returned),
                        entriesVisited: Int(stats.entries_visited))
                )
            }
        }
    }

    /// How many objects the result has.
    var count: Int {
        session.checkThread { "a query on \(managed.layout.schema.className)" }
        if let (keys, changes) = keys, changes == session.changes { return keys.count }
        if let (count, changes) = known, changes == session.changes { return count }
        let count = session.read("counting \(managed.layout.schema.className)") { () throws(StrataError) in
            if isWholeTable { return try session.view.size(of: managed.table) }
            if limit == 0 { return 0 }
            return try withQuery { (query) throws(StrataError) in try session.view.count(&query) }
        }
        known = (count, session.changes)
        return count
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
        if let (keys, changes) = keys, changes == session.changes {
            return keys.count == 0 ? nil : managed.makeObject(keys[0])
        }
        if isWholeTable { return end(backward: false) }
        let keys = limited(to: 1).currentKeys()
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
        let keys = currentKeys()
        return (0..<keys.count).first { keys[$0] == key }
    }

    /// Walks the objects as they are now.
    func walk() -> ObjectIterator {
        session.checkThread { "a query on \(managed.layout.schema.className)" }
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
        case .table: return false
        case .list(let owner, _, let key): origin = (owner, key)
        case .backlinks(let column, let key): origin = (managed.target(ofColumn: column), key)
        }
        return session.read("reading \(origin.0.layout.schema.className)") { () throws(StrataError) in
            var row = strata_row()
            return try !session.view.bind(&row, to: origin.0.table, origin.1)
        }
    }
}
