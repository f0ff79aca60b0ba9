// SPDX-License-Identifier: MIT
// FileQuery.swift -- a query that is ready to run on a file.

import CStrata

/// A query and everything it points to.
final class FileQuery {
    let table: Table
    private let file: StoreFile
    private var query = strata_query_blank()
    private var condition: UnsafeMutablePointer<strata_condition>?
    private var stages: UnsafeMutablePointer<strata_stage>
    private var sorts: UnsafeMutablePointer<strata_sort>?
    private var steps: [UnsafeMutablePointer<strata_step>] = []

    init(_ text: QueryText, _ catalog: Catalog, _ file: StoreFile) throws(Failure) {
        table = try catalog.table(text.className)
        self.file = file
        stages = .allocate(capacity: 2)
        stages.initialize(repeating: strata_stage(), count: 2)
        query.table = table.number
        if let predicate = text.condition { try resolve(predicate, column: text.conditionColumn) }
        if !text.sorts.isEmpty { try sort(text.sorts, catalog) }
        if text.limit != nil || text.skip > 0 {
            var stage = strata_stage()
            stage.kind = .STRATA_STAGE_LIMIT
            (stage.skip, stage.limit) = (text.skip, text.limit ?? .max)
            append(stage)
        }
        query.stages = UnsafePointer(stages)
        try call { strata_query_check(file.view, &query, $0) }
    }

    /// What links to an object through a property.
    init(
        backlinksTo key: UInt64, through property: Property, of origin: Table, skip: UInt64, limit: UInt64,
        _ file: StoreFile
    )
        throws(Failure)
    {
        table = origin
        self.file = file
        stages = .allocate(capacity: 2)
        stages.initialize(repeating: strata_stage(), count: 2)
        query.source = .STRATA_SOURCE_BACKLINKS
        query.table = origin.number
        query.origin_table = origin.number
        query.origin_column = property.number
        query.key = key
        var stage = strata_stage()
        stage.kind = .STRATA_STAGE_LIMIT
        (stage.skip, stage.limit) = (skip, limit)
        append(stage)
        query.stages = UnsafePointer(stages)
        try call { strata_query_check(file.view, &query, $0) }
    }

    convenience init(_ text: String, _ file: StoreFile) throws(Failure) {
        try self.init(QueryText(text), Catalog(file), file)
    }

    deinit {
        strata_condition_free(condition)
        stages.deallocate()
        sorts?.deallocate()
        steps.forEach { $0.deallocate() }
    }

    private func append(_ stage: strata_stage) {
        stages[Int(query.stage_count)] = stage
        query.stage_count += 1
    }

    /// Errors of predicates say at which column; the column is that of the condition, and is moved to that of the
    /// query.
    private func resolve(_ text: String, column: Int) throws(Failure) {
        var predicate: OpaquePointer?
        defer { strata_predicate_free(predicate) }
        do {
            try call { error in text.withBytes { strata_predicate_parse($0, $1, nil, 0, &predicate, error) } }
            try call { strata_predicate_resolve(predicate, file.view, table.number, nil, 0, &condition, $0) }
        } catch {
            throw Mistake.moved(error, by: column)
        }
        if let condition {
            query.nodes = condition.pointee.nodes
            query.node_count = condition.pointee.node_count
        }
    }

    private func sort(_ keys: [QueryText.Sort], _ catalog: Catalog) throws(Failure) {
        let list = UnsafeMutablePointer<strata_sort>.allocate(capacity: keys.count)
        sorts = list
        for (index, key) in keys.enumerated() {
            let path = UnsafeMutablePointer<strata_step>.allocate(capacity: key.path.count)
            steps.append(path)
            var owner = table
            for (position, name) in key.path.enumerated() {
                let property = try owner.property(name)
                path[position] = strata_step_column(property.number)
                if position + 1 == key.path.count { break }
                guard let target = property.target, property.isSingle, let next = catalog.table(number: target) else {
                    throw Failure(.usage, "'\(key.path.joined(separator: "."))': \(owner.name).\(name) is no link")
                }
                owner = next
            }
            list[index] = strata_sort(
                path: UnsafePointer(path), path_length: UInt32(key.path.count), descending: key.isDescending)
        }
        var stage = strata_stage()
        stage.kind = .STRATA_STAGE_SORT
        stage.key_count = UInt32(keys.count)
        stage.keys = UnsafePointer(list)
        append(stage)
    }

    /// Whether it is all objects of the class, as they lie in the file.
    var isWholeTable: Bool { query.node_count == 0 && query.stage_count == 0 }

    /// How it was run last, in one line.
    private(set) var plan = ""

    /// Calls with the keys of the objects in the result.
    func run<Result>(_ body: (UnsafeBufferPointer<UInt64>) throws -> Result) throws -> Result {
        var keys = strata_keys()
        var stats = strata_query_stats()
        try call { strata_query_run(file.view, &query, &keys, &stats, $0) }
        plan = withUnsafeBytes(of: stats.plan) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        defer { strata_keys_free(&keys) }
        return try body(UnsafeBufferPointer(start: keys.data, count: Int(keys.count)))
    }

    func count() throws(Failure) -> UInt64 {
        var count: UInt64 = 0
        try call { strata_query_count(file.view, &query, &count, nil, $0) }
        return count
    }

    /// What running it took.
    func explain() throws(Failure) -> strata_query_stats {
        var stats = strata_query_stats()
        var keys = strata_keys()
        try call { strata_query_run(file.view, &query, &keys, &stats, $0) }
        strata_keys_free(&keys)
        return stats
    }

    /// Why there are no facets of a property; nil if there are.
    static func refusesFacets(_ property: Property) -> String? {
        if property.isSingle && property.type != .STRATA_MIXED && property.type != .STRATA_DATA { return nil }
        return "'\(property.name)' holds several values, values of any type, or data"
    }

    /// The commonest values of a property in the result, and a histogram of numbers.
    ///
    /// - Parameter path: the property, or the links that lead to it before it.
    func facet<Result>(
        of path: [Property], values: UInt32, bins: UInt32, _ body: (strata_facet) throws -> Result
    ) throws -> Result {
        var steps = path.map { strata_step_column($0.number) }
        var options = strata_facet_options_blank()
        options.most_values = values
        options.most_bins = bins
        var facet = strata_facet()
        try call { strata_query_facet(file.view, &query, &steps, UInt32(steps.count), &options, &facet, $0) }
        defer { strata_facet_free(&facet) }
        return try body(facet)
    }

    /// Observes the result.
    func observe(_ observers: OpaquePointer) throws(Failure) -> OpaquePointer? {
        var paths = strata_key_paths()
        paths.all = true
        var observer: OpaquePointer?
        try call { strata_observe_query(observers, &query, &paths, nil, &observer, $0) }
        return observer
    }
}

/// Mistakes in text, with their place.
enum Mistake {
    /// "at column 4: ..." in a part of a text, as "at column 17: ..." in the whole.
    static func moved(_ failure: Failure, by columns: Int) -> Failure {
        let mark = "at column "
        guard failure.message.hasPrefix(mark) else { return failure }
        let digits = failure.message.dropFirst(mark.count).prefix { $0.isNumber }
        guard let column = Int(digits) else { return failure }
        let rest = failure.message.dropFirst(mark.count + digits.count)
        return Failure(failure.exit, "\(mark)\(column + columns)\(rest)")
    }

    /// The text with a caret under the column that a message names; nil if it names none.
    static func marked(_ text: String, _ message: String) -> String? {
        let mark = "at column "
        let scalars = text.unicodeScalars
        guard message.hasPrefix(mark), let column = Int(message.dropFirst(mark.count).prefix { $0.isNumber }),
            column >= 1, column <= scalars.count + 1, !scalars.contains("\n")
        else { return nil }
        let before = width(of: TextTable.visible(String(scalars.prefix(column - 1))))
        return "  \(text)\n  \(String(repeating: " ", count: before))^"
    }
}
