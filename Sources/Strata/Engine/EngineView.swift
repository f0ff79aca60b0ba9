// SPDX-License-Identifier: MIT
// EngineView.swift -- one consistent state of a store, and its write transaction.

import CStrata
import Foundation

/// A view of a store. Belongs to the thread that made it, or adopted it last; rows must not outlive it.
final class EngineView {
    let store: EngineStore
    let handle: OpaquePointer
    /// Used by every call, because initialising 500 bytes for each call would cost more than most calls.
    let error: UnsafeMutablePointer<strata_error>
    /// The prepared queries of the view; nil before the first query.
    @exclusivity(unchecked) private var cache: OpaquePointer?

    /// Opens a view at the newest commit. The corresponding C function is `strata_view_open`.
    init(_ store: EngineStore) throws(StrataError) {
        let error = UnsafeMutablePointer<strata_error>.allocate(capacity: 1)
        error.initialize(to: strata_error())
        var out: OpaquePointer?
        let status = strata_view_open(store.handle, &out, error)
        guard status == .STRATA_OK, let out else {
            defer { error.deallocate() }
            throw StrataError(status, error)
        }
        self.store = store
        self.handle = out
        self.error = error
    }

    /// Opens a view of the calling thread on a frozen one. The corresponding C function is `strata_view_open_frozen`.
    init(_ store: EngineStore, frozen: OpaquePointer) throws(StrataError) {
        let error = UnsafeMutablePointer<strata_error>.allocate(capacity: 1)
        error.initialize(to: strata_error())
        var out: OpaquePointer?
        let status = strata_view_open_frozen(frozen, &out, error)
        guard status == .STRATA_OK, let out else {
            defer { error.deallocate() }
            throw StrataError(status, error)
        }
        self.store = store
        self.handle = out
        self.error = error
    }

    deinit {
        strata_query_cache_free(cache)
        strata_view_close(handle)
        error.deallocate()
    }

    /// What live rows compare their epoch with.
    var head: UnsafePointer<EngineViewHead> { UnsafePointer(handle) }

    /// The prepared queries of the view, by their shape. One thread at a time uses them, as it does the view. The
    /// corresponding C function is `strata_query_cache_make`.
    func queries() throws(StrataError) -> OpaquePointer? {
        if cache == nil { try check(strata_query_cache_make(&cache, error)) }
        return cache
    }

    /// Whether the view belongs to the calling thread.
    @inline(__always)
    var isOfThisThread: Bool { head.pointee.owner == strata_thread() }

    /// Makes the calling thread the owner. The corresponding C function is `strata_view_adopt`.
    func adopt() {
        let status = strata_view_adopt(handle, error)
        if status != .STRATA_OK { misuse(failure(status).message) }
    }

    /// Whether nobody has written a newer commit than the view shows. The corresponding C function is
    /// `strata_view_is_newest`.
    var isNewest: Bool { strata_view_is_newest(handle) }

    /// Whether there is a newer commit to which the view can move. The corresponding C functions are `strata_view_token` and
    /// `strata_store_wait`.
    var isBehind: Bool {
        var token = strata_token()
        return strata_view_token(handle, &token, error) == .STRATA_OK
            && strata_store_wait(store.handle, &token, 0, nil, error) == .STRATA_OK
    }

    /// Gives the snapshot back, until a thread adopts the view and refreshes it. The corresponding C function is
    /// `strata_view_rest`.
    func rest() { strata_view_rest(handle) }

    /// The view for calls that must not retain it. The view must outlive it.
    var unretained: UnretainedView { UnretainedView(head: head, handle: handle, error: error) }

    /// Throws if `status` is a failure, or stops the program if the failure is a mistake of the program. Otherwise
    /// returns true for `STRATA_OK`, and false for other answers.
    @discardableResult
    func check(_ status: strata_status) throws(StrataError) -> Bool {
        if status.rawValue >= 0 { return status == .STRATA_OK }
        switch status {
        case .STRATA_MISUSE, .STRATA_NOT_WRITING, .STRATA_WRITING, .STRATA_WRONG_THREAD, .STRATA_AFTER_FORK:
            misuse(failure(status).message)
        default: throw failure(status)
        }
    }

    /// The error that a call has just reported.
    func failure(_ status: strata_status) -> StrataError {
        let path = store.path
        return StrataError(status, error, path.isEmpty ? nil : URL(fileURLWithPath: path))
    }

    /// Writes what the view shows, its uncommitted changes too, to a new file. The corresponding C function is
    /// `strata_view_copy`.
    func copy(to path: String) throws(StrataError) { try check(strata_view_copy(handle, path, error)) }

    // MARK: Transactions

    /// Moves to the newest commit; true if that was another one. The C function is `strata_view_refresh`.
    func refresh() throws(StrataError) -> Bool {
        var changed = false
        try check(strata_view_refresh(handle, &changed, error))
        return changed
    }

    /// Lets the view never move to a version in which these tables, or the first of their columns, are gone. The
    /// corresponding C function is `strata_view_keep_columns`.
    ///
    /// - Parameter columns: how many of each table, which may have more that nobody uses.
    func keep(_ tables: [UInt32], columns: [UInt32]) throws(StrataError) {
        try check(tables.withUnsafeBufferPointer { tables in
            columns.withUnsafeBufferPointer { columns in
                strata_view_keep_columns(
                    handle, tables.baseAddress, columns.baseAddress, UInt32(tables.count), error)
            }
        })
    }

    /// Begins a write transaction. The corresponding C function is `strata_view_begin`.
    func begin() throws(StrataError) { try check(strata_view_begin(handle, error)) }

    /// Begins a write transaction if that is possible in time. The C function is `strata_view_begin_within`.
    func begin(within milliseconds: UInt32) throws(StrataError) {
        try check(strata_view_begin_within(handle, milliseconds, error))
    }

    /// Makes the changes durable. The corresponding C function is `strata_view_commit`.
    func commit() throws(StrataError) { try check(strata_view_commit(handle, error)) }

    /// Makes every commit durable, also if the store was opened with relaxed durability. The corresponding C function
    /// is `strata_store_flush`.
    func flush() throws(StrataError) { try check(strata_store_flush(store.handle, error)) }

    /// Drops the changes. The corresponding C function is `strata_view_cancel`.
    func cancel() { strata_view_cancel(handle) }

    /// Number of the commit that the view shows. The corresponding C function is `strata_view_version`.
    var version: UInt64 { strata_view_version(handle) }

    /// Reads and checks everything. The corresponding C function is `strata_verify`.
    func verify() throws(StrataError) -> EngineVerification {
        var report = strata_verify_report()
        try check(strata_verify(handle, &report, error))
        return EngineVerification(
            tables: Int(report.tables), rows: Int(report.rows), indexEntries: Int(report.index_entries),
            links: Int(report.links))
    }
}

/// How much a verification has read.
struct EngineVerification {
    let tables: Int
    let rows: Int
    let indexEntries: Int
    let links: Int
}

/// A view without its lifetime, for paths on which a retain for each object would cost more than the rest.
struct UnretainedView {
    let head: UnsafePointer<EngineViewHead>
    fileprivate let handle: OpaquePointer
    let error: UnsafeMutablePointer<strata_error>

    /// Whether the view belongs to the calling thread.
    @inline(__always)
    var isOfThisThread: Bool { head.pointee.owner == strata_thread() }

    /// Points rows to objects by their keys. The corresponding C function is `strata_rows_bind`.
    @inline(__always)
    func bind(_ rows: _Row, to table: UInt32, _ keys: UnsafePointer<UInt64>, _ count: Int) {
        let status = strata_rows_bind(handle, table, keys, count, rows, error)
        if status != .STRATA_OK { failedWalk(status) }
    }

    /// How many links lead through a column of `origin` to an object. The corresponding C function is
    /// `strata_backlinks_count`.
    func backlinkCount(
        _ key: UInt64, of table: UInt32, from origin: UInt32, _ column: UInt32
    ) throws(StrataError) -> Int {
        var count: UInt64 = 0
        let status = strata_backlinks_count(handle, table, key, origin, column, &count, error)
        if status.rawValue < 0 { throw StrataError(status, error) }
        return Int(count)
    }

    @inline(never)
    func failedWalk(_ status: strata_status) -> Never {
        misuse("walking over objects failed: \(StrataError(status, error).message)")
    }
}
