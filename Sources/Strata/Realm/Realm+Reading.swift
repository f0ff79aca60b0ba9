// SPDX-License-Identifier: MIT
// Realm+Reading.swift -- reads that end in time, or when they are cancelled. An addition to Realm's API.

extension Realm {
    /// Runs a closure whose queries must end in time.
    ///
    /// ```swift
    /// do {
    ///     let old = try realm.read(within: 0.5) { realm.objects(Dog.self).filter("name LIKE '*x*'").count }
    ///     print(old)
    /// } catch Realm.Error.interrupted {
    ///     // it would have taken longer
    /// }
    /// ```
    ///
    /// At the deadline the query that runs is stopped, and so is every query that begins later. A stopped query finds
    /// nothing: until the closure ends, its result is empty, a sum is 0, and an element that is asked for by its
    /// position has default values; an object is unmanaged. Then this method throws, whatever the closure returned or
    /// threw, so that nothing of it is used by mistake. Results that were stopped are looked up anew afterwards.
    ///
    /// Only queries are stopped: conditions, orders, groups, totals. Loops over what was found, and all other code, are
    /// not. A write transaction that begins in the closure fails if a query was or is stopped, because its changes
    /// could rest on the empty result. One that began before is not touched: catch the error in it, or let it roll
    /// back.
    ///
    /// Scopes may be nested; each query has the time that all of them allow.
    ///
    /// - Parameters:
    ///   - seconds: how long all queries of the closure may take, from now on; 0 stops every one.
    ///   - block: reads.
    /// - Returns: what the closure returns.
    /// - Throws: `Realm.Error`: `interrupted` if a query was stopped, with a message that names it; otherwise what the
    ///   closure throws.
    @discardableResult
    public func read<Result>(within seconds: Double, _ block: () throws -> Result) throws -> Result {
        try session.limitingQueries(.milliseconds(EngineStore.milliseconds(seconds)), block)
    }

    /// Runs a closure whose queries may take so many steps together. A step is a row, an element of a collection, an
    /// entry of an index, or the like: unlike a deadline, that does not depend on how busy the machine is.
    ///
    /// What becomes of a stopped query is told at ``read(within:_:)``.
    ///
    /// - Throws: `Realm.Error`: `interrupted` if a query was stopped; otherwise what the closure throws.
    @discardableResult
    public func read<Result>(steps: Int, _ block: () throws -> Result) throws -> Result {
        try session.limitingQueries(.steps(UInt64(max(0, steps))), block)
    }

    /// Runs a closure whose queries another thread can stop.
    ///
    /// What becomes of a stopped query is told at ``read(within:_:)``.
    ///
    /// - Throws: `CancellationError` if a query was stopped; otherwise what the closure throws.
    @discardableResult
    public func read<Result>(until cancellation: QueryCancellation, _ block: () throws -> Result) throws -> Result {
        try session.limitingQueries(.cancellation(cancellation), block)
    }

    /// Runs a closure whose queries stop when the task is cancelled. The closure itself does not wait for anything, and
    /// runs where the caller does.
    ///
    /// ```swift
    /// func oldest(_ realm: Realm) async throws -> String? {
    ///     try await realm.cancellable { realm.objects(Dog.self).sorted(by: \.age).last?.name }
    /// }
    /// ```
    ///
    /// What becomes of a stopped query is told at ``read(within:_:)``.
    ///
    /// - Throws: `CancellationError` if a query was stopped; otherwise what the closure throws.
    @discardableResult
    public func cancellable<Result>(
        isolation: isolated (any Actor)? = #isolation, _ block: () throws -> Result
    ) async throws -> Result {
        let cancellation = QueryCancellation()
        return try await withTaskCancellationHandler(
            operation: {
                _ = isolation  // a closure runs where its function does only if it captures that
                return try read(until: cancellation, block)
            }, onCancel: { cancellation.cancel() }, isolation: isolation)
    }
}
