// SPDX-License-Identifier: MIT
// EngineObservers.swift -- observers of queries, collections and objects.

import CStrata

extension EngineStep {
    /// To the objects of a table that link here through a column.
    static func backlinks(table: UInt32, column: UInt32) -> EngineStep {
        var step = strata_step()
        step.kind = .STRATA_STEP_BACKLINKS
        (step.table, step.column) = (table, column)
        return step
    }
}

/// Which properties count as modified: nil stands for all.
typealias EngineKeyPaths = [[EngineStep]]?

/// An observer of the engine. Used in the domain of its view, and only until it is removed.
struct EngineObserver {
    fileprivate let handle: OpaquePointer

    /// The corresponding C function is `strata_observer_is_behind`.
    var isBehind: Bool { strata_observer_is_behind(handle) }
}

/// What an observer has to tell.
struct EngineChanges {
    /// The number that was given to the observer.
    let number: Int
    let isGone: Bool
    /// The observer is held, and has to be asked.
    let isHeld: Bool
    let deletions: [Int]
    let insertions: [Int]
    /// Positions before, and after.
    let modifications: [Int]
    let modificationsAfter: [Int]
    /// Of a map.
    let deletedKeys: [String]
    /// Of an object: columns that were assigned, and which key paths led to something that was.
    let columns: [UInt32]
    let paths: [Int]

    fileprivate init(_ number: Int, _ changes: strata_changes) {
        self.number = number
        isGone = changes.flags & UInt32(STRATA_CHANGES_GONE) != 0
        isHeld = changes.flags & UInt32(STRATA_CHANGES_HELD) != 0
        deletions = Self.positions(changes.deletions, changes.deletion_count)
        insertions = Self.positions(changes.insertions, changes.insertion_count)
        modifications = Self.positions(changes.modifications, changes.modification_count)
        modificationsAfter = Self.positions(changes.modifications_after, changes.modification_count)
        deletedKeys = changes.deleted_keys.map { keys in
            (0..<Int(changes.deletion_count)).map { index in
                String(decoding: UnsafeRawBufferPointer(start: keys[index].data, count: keys[index].size), as: UTF8.self)
            }
        } ?? []
        columns = Array(UnsafeBufferPointer(start: changes.columns, count: Int(changes.column_count)))
        paths = UnsafeBufferPointer(start: changes.paths, count: Int(changes.path_count)).map { Int($0) }
    }

    private static func positions(_ start: UnsafePointer<UInt64>?, _ count: UInt64) -> [Int] {
        UnsafeBufferPointer(start: start, count: Int(count)).map { Int($0) }
    }
}

/// All observers of a view. Used in the domain of the view.
final class EngineObservers {
    private let view: EngineView
    private let handle: OpaquePointer

    /// The corresponding C function is `strata_observers_open`.
    init(_ view: EngineView) throws(StrataError) {
        var out: OpaquePointer?
        let status = strata_observers_open(view.handle, &out, view.error)
        guard status == .STRATA_OK, let out else { throw StrataError(status, view.error) }
        self.view = view
        handle = out
    }

    deinit { strata_observers_close(handle) }

    // MARK: Making observers

    /// The corresponding C function is `strata_observe_query`.
    func observe(_ query: EngineQuery, _ paths: EngineKeyPaths, _ number: Int) throws(StrataError) -> EngineObserver {
        try make(paths, number) { (paths, context, out) throws(StrataError) in
            try query.lend { (query) throws(StrataError) in
                strata_observe_query(handle, &query, paths, context, &out, view.error)
            }
        }
    }

    /// The corresponding C function is `strata_observe_collection`.
    func observe(
        collection column: UInt32, of key: UInt64, in table: UInt32, _ paths: EngineKeyPaths, _ number: Int
    ) throws(StrataError) -> EngineObserver {
        try make(paths, number) { (paths, context, out) throws(StrataError) in
            strata_observe_collection(handle, table, key, column, paths, context, &out, view.error)
        }
    }

    /// The corresponding C function is `strata_observe_object`.
    func observe(
        object key: UInt64, in table: UInt32, _ paths: EngineKeyPaths, _ number: Int
    ) throws(StrataError) -> EngineObserver {
        try make(paths, number) { (paths, context, out) throws(StrataError) in
            strata_observe_object(handle, table, key, paths, context, &out, view.error)
        }
    }

    private func make(
        _ paths: EngineKeyPaths, _ number: Int,
        _ body: (UnsafePointer<strata_key_paths>, UnsafeMutableRawPointer?, inout OpaquePointer?) throws(StrataError)
            -> strata_status
    ) throws(StrataError) -> EngineObserver {
        let steps = paths.map { Array($0.joined()) } ?? []
        let result: Result<EngineObserver, StrataError> = steps.withUnsafeBufferPointer { steps in
            var next = steps.baseAddress
            let all = paths?.map { path in
                defer { next = next?.advanced(by: path.count) }
                return strata_key_path(steps: next, length: UInt32(path.count))
            }
            return (all ?? []).withUnsafeBufferPointer { all in
                var paths = strata_key_paths(paths: all.baseAddress, count: UInt32(all.count), all: paths == nil)
                return Result { () throws(StrataError) in
                    var out: OpaquePointer?
                    let status = try body(&paths, UnsafeMutableRawPointer(bitPattern: number), &out)
                    guard status == .STRATA_OK, let out else { throw StrataError(status, view.error) }
                    return EngineObserver(handle: out)
                }
            }
        }
        return try result.get()
    }

    /// The corresponding C function is `strata_observer_remove`.
    func remove(_ observer: EngineObserver) { strata_observer_remove(observer.handle) }

    // MARK: Telling

    /// The corresponding C function is `strata_observers_advance`.
    func advance() throws(StrataError) {
        let status = strata_observers_advance(handle, view.error)
        if status != .STRATA_OK { throw StrataError(status, view.error) }
    }

    /// What the next observer has to tell; nil if there is none. The corresponding C function is
    /// `strata_observers_next`.
    func next() throws(StrataError) -> EngineChanges? {
        var changes = strata_changes_blank()
        var out: OpaquePointer?
        let status = strata_observers_next(handle, &out, &changes, view.error)
        if status == .STRATA_END { return nil }
        guard status == .STRATA_OK, let out else { throw StrataError(status, view.error) }
        return EngineChanges(Int(bitPattern: strata_observer_context(out)), changes)
    }

    /// The corresponding C function is `strata_observer_hold`.
    func hold(_ observer: EngineObserver) { strata_observer_hold(observer.handle) }

    /// What an observer has to tell; nil if that is nothing. The corresponding C function is `strata_observer_ask`.
    func ask(_ observer: EngineObserver) throws(StrataError) -> EngineChanges? {
        var changes = strata_changes_blank()
        let status = strata_observer_ask(observer.handle, &changes, view.error)
        if status == .STRATA_END { return nil }
        if status != .STRATA_OK { throw StrataError(status, view.error) }
        return EngineChanges(Int(bitPattern: strata_observer_context(observer.handle)), changes)
    }

    /// The result of an observed query, if its observer knows it. The corresponding C function is `strata_observer_size`.
    func result(of observer: EngineObserver) -> EngineObservedResult? {
        var count: UInt64 = 0
        guard strata_observer_size(observer.handle, &count, nil) == .STRATA_OK else { return nil }
        return EngineObservedResult(observers: self, observer: observer, count: Int(count))
    }

    /// The corresponding C function is `strata_observer_skip`.
    func skip(_ observer: EngineObserver) throws(StrataError) {
        let status = strata_observer_skip(observer.handle, view.error)
        if status != .STRATA_OK { throw StrataError(status, view.error) }
    }
}

/// The result of a query as an observer knows it, which takes no run of the query. Used at once: it ends with the next
/// change.
struct EngineObservedResult {
    fileprivate let observers: EngineObservers
    fileprivate let observer: EngineObserver
    let count: Int

    /// The key at a position, which must exist. The corresponding C function is `strata_observer_keys`.
    func key(at position: Int) -> UInt64? {
        var key: UInt64 = 0
        return strata_observer_keys(observer.handle, UInt64(position), 1, &key, nil) == .STRATA_OK ? key : nil
    }

    /// The keys at some positions, which must exist. The corresponding C function is `strata_observer_keys`.
    func keys(_ positions: Range<Int>) -> EngineKeys? {
        EngineKeys(count: positions.count) { keys in
            strata_observer_keys(
                observer.handle, UInt64(positions.lowerBound), UInt64(positions.count), keys, nil) == .STRATA_OK
        }
    }

    /// The position of an object, or nil. The corresponding C function is `strata_observer_find`.
    func position(of key: UInt64) -> Int? {
        var position: UInt64 = 0
        return strata_observer_find(observer.handle, key, &position, nil) == .STRATA_OK ? Int(position) : nil
    }
}
