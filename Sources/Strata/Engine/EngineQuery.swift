// SPDX-License-Identifier: MIT
// EngineQuery.swift -- queries as the engine runs them: source, condition, stages, groups.

import CStrata

/// A query on the objects of one table.
struct EngineQuery {
    /// Which objects the query starts from.
    enum Source {
        case table
        /// The objects in the list, set or map of an object.
        case list(table: UInt32, column: UInt32, key: UInt64)
        /// The objects of the queried table that link to an object through a column.
        case backlinks(column: UInt32, key: UInt64)
        case keys(EngineKeys)
    }

    let table: UInt32
    let source: Source
    let condition: EngineCondition?
    /// Nil for none.
    let stages: EngineStages?
    /// A limit behind the other stages.
    var limit: EngineLimit?
    /// Behind which position of the order the result begins; nil for all of it.
    var after: EngineBookmark?

    /// Lends the query in the form of the engine.
    func lend<R>(_ body: (inout strata_query) throws(StrataError) -> R) throws(StrataError) -> R {
        var query = strata_query()
        query.size = UInt32(MemoryLayout<strata_query>.size)
        query.table = table
        switch source {
        case .table: query.source = .STRATA_SOURCE_TABLE
        case .list(let table, let column, let key):
            query.source = .STRATA_SOURCE_LIST
            (query.origin_table, query.origin_column, query.key) = (table, column, key)
        case .backlinks(let column, let key):
            query.source = .STRATA_SOURCE_BACKLINKS
            (query.origin_table, query.origin_column, query.key) = (table, column, key)
        case .keys(let keys):
            query.source = .STRATA_SOURCE_KEYS
            (query.keys, query.key_count) = (keys.pointer, UInt64(keys.count))
        }
        query.nodes = condition?.nodes.baseAddress
        query.node_count = UInt32(condition?.nodes.count ?? 0)
        defer { withExtendedLifetime(self) {} }  // the memory that is lent belongs to it
        guard let after else { return try lendStages(&query, body) }
        return try withUnsafePointer(to: after.engine) { (bookmark) throws(StrataError) in
            query.after = bookmark
            return try lendStages(&query, body)
        }
    }

    private func lendStages<R>(
        _ query: inout strata_query, _ body: (inout strata_query) throws(StrataError) -> R
    ) throws(StrataError) -> R {
        guard let limit else {
            query.stages = stages?.pointer
            query.stage_count = UInt32(stages?.all.count ?? 0)
            return try body(&query)
        }
        let all = (stages?.all ?? []) + [limit.stage]
        let result: Result<R, StrataError> = all.withUnsafeBufferPointer { all in
            query.stages = all.baseAddress
            query.stage_count = UInt32(all.count)
            return Result { () throws(StrataError) in try body(&query) }
        }
        return try result.get()
    }
}

/// Some of the objects of a result.
struct EngineLimit {
    let skip: Int
    /// Nil for all.
    let count: Int?

    fileprivate var stage: strata_stage {
        var stage = strata_stage()
        stage.kind = .STRATA_STAGE_LIMIT
        stage.skip = UInt64(skip)
        stage.limit = count.map { UInt64($0) } ?? UInt64.max
        return stage
    }
}

/// One key of an order: columns of to-one links, then the column that is compared.
struct EngineSortKey {
    let columns: [UInt32]
    var ascending = true

    fileprivate func engine(_ arena: ValueArena) -> strata_sort {
        var sort = strata_sort()
        (sort.path, sort.path_length) = steps(columns, arena)
        sort.descending = !ascending
        return sort
    }
}

private func steps(_ columns: [UInt32], _ arena: ValueArena) -> (UnsafePointer<strata_step>, UInt32) {
    (arena.copy(columns.map(strata_step_column)), UInt32(columns.count))
}

/// What is done with the objects that meet the condition.
enum EngineStage {
    case sort([EngineSortKey])
    case distinct([EngineSortKey])
    case limit(EngineLimit)
}

/// Stages in the form of the engine. Their memory lives as long as this object.
final class EngineStages {
    fileprivate private(set) var all: [strata_stage] = []
    fileprivate let pointer: UnsafePointer<strata_stage>

    private let arena = ValueArena(size: 512)

    init(_ stages: [EngineStage]) {
        let arena = arena
        all = stages.map { stage in
            var result = strata_stage()
            func set(_ kind: strata_stage_kind, _ keys: [EngineSortKey]) {
                result.kind = kind
                result.keys = arena.copy(keys.map { $0.engine(arena) })
                result.key_count = UInt32(keys.count)
            }
            switch stage {
            case .sort(let keys): set(.STRATA_STAGE_SORT, keys)
            case .distinct(let keys): set(.STRATA_STAGE_DISTINCT, keys)
            case .limit(let limit): result = limit.stage
            }
            return result
        }
        pointer = arena.copy(all)
    }
}

/// A position in an order: behind the object that has these values and this key, which need not exist any more.
struct EngineBookmark {
    fileprivate let engine: strata_bookmark
    private let arena: ValueArena

    /// - Parameter arena: where the bytes of the values live.
    init(_ values: [EngineValue], key: UInt64, _ arena: ValueArena) {
        var bookmark = strata_bookmark()
        bookmark.values = arena.copy(values)
        bookmark.value_count = UInt32(values.count)
        bookmark.key = key
        engine = bookmark
        self.arena = arena
    }
}

/// An aggregate of the objects of a group.
struct EngineMeasure {
    let aggregate: EngineAggregate
    /// Columns of to-one links, then the column of the values; nil for how many objects there are.
    let columns: [UInt32]?

    fileprivate func engine(_ arena: ValueArena) -> strata_measure {
        var measure = strata_measure()
        measure.aggregate = aggregate
        if let columns { (measure.path, measure.path_length) = steps(columns, arena) }
        return measure
    }
}

/// How a query was run.
struct EngineQueryRun {
    /// What was done, in one line.
    let plan: String
    let rowsVisited: Int
    let rowsReturned: Int
    /// How many entries of indexes were walked one by one.
    let entriesVisited: Int

    /// Of a query that was stopped.
    static let stopped = EngineQueryRun()

    private init() {
        plan = "stopped"
        rowsVisited = 0
        rowsReturned = 0
        entriesVisited = 0
    }

    fileprivate init(_ stats: inout strata_query_stats) {
        plan = withUnsafeBytes(of: &stats.plan) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        rowsVisited = Int(stats.rows_visited)
        rowsReturned = Int(stats.rows_returned)
        entriesVisited = Int(stats.entries_visited)
    }
}

extension EngineView {
    /// Runs a query. The corresponding C function is `strata_query_cache_run`.
    func run(_ query: EngineQuery) throws(StrataError) -> EngineKeys {
        let cache = try queries()
        return try query.lend { (query) throws(StrataError) in
            var keys = strata_keys()
            try check(strata_query_cache_run(cache, handle, &query, &keys, nil, error))
            return EngineKeys(keys)
        }
    }

    /// Runs a query and measures how, which takes longer.
    func explainedRun(_ query: EngineQuery) throws(StrataError) -> (EngineKeys, EngineQueryRun) {
        let cache = try queries()
        return try query.lend { (query) throws(StrataError) in
            var keys = strata_keys()
            var stats = strata_query_stats()
            try check(strata_query_cache_run(cache, handle, &query, &keys, &stats, error))
            return (EngineKeys(keys), EngineQueryRun(&stats))
        }
    }

    /// Counts what a query would return. The corresponding C function is `strata_query_cache_count`.
    func count(_ query: EngineQuery) throws(StrataError) -> Int {
        let cache = try queries()
        return try query.lend { (query) throws(StrataError) in
            var count: UInt64 = 0
            try check(strata_query_cache_count(cache, handle, &query, &count, nil, error))
            return Int(count)
        }
    }

    /// Checks a query without running it. The corresponding C function is `strata_query_check`.
    func check(_ query: EngineQuery) throws(StrataError) {
        _ = try query.lend { (query) throws(StrataError) in try check(strata_query_check(handle, &query, error)) }
    }

    /// Groups the objects of a query. The corresponding C function is `strata_query_group`.
    func group(
        _ query: EngineQuery, by keys: [EngineSortKey], _ measures: [EngineMeasure]
    ) throws(StrataError) -> (EngineGroups, EngineQueryRun) {
        let arena = ValueArena(size: 512)
        let sorts = keys.map { $0.engine(arena) }
        let wanted = measures.map { $0.engine(arena) }
        defer { withExtendedLifetime(arena) {} }
        return try query.lend { (query) throws(StrataError) in
            var groups = strata_groups()
            var stats = strata_query_stats()
            try check(
                strata_query_group(
                    handle, &query, sorts, UInt32(sorts.count), wanted, UInt32(wanted.count), &groups, &stats, error))
            return (EngineGroups(groups), EngineQueryRun(&stats))
        }
    }
}
