// SPDX-License-Identifier: MIT
// QueryExplanation.swift -- how a query was run.

/// How a query was run.
public struct QueryExplanation: Sendable, CustomStringConvertible {
    /// What was done, in one line, such as "index age = 42, then filter".
    public let plan: String
    /// Objects whose values were looked at.
    public let rowsVisited: Int
    /// Objects found.
    public let rowsReturned: Int
    /// Entries of indexes that were walked one by one.
    public let indexEntriesVisited: Int

    /// Whether an index was used.
    public var usesIndex: Bool { plan.contains("index") || plan.contains("primary key") }

    init(_ run: EngineQueryRun) {
        plan = run.plan
        rowsVisited = run.rowsVisited
        rowsReturned = run.rowsReturned
        indexEntriesVisited = run.entriesVisited
    }

    /// One line.
    public var description: String {
        "\(plan): \(rowsVisited) rows and \(indexEntriesVisited) index entries visited, \(rowsReturned) rows returned"
    }
}

extension Results where Element: _ObjectElement {
    /// Runs the query and reports how it was run.
    ///
    /// ```swift
    /// print(people.where { $0.age == 42 }.explain())
    /// // index age = 42: 0 rows and 12 index entries visited, 12 rows returned
    /// ```
    public func explain() -> QueryExplanation { QueryExplanation(query.explainedRun().1) }
}
