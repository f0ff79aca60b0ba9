// SPDX-License-Identifier: MIT
// PlainCollection.swift -- fast access to elements that need no conversion for the engine.
//
// A lane that is compiled into programs: lists, sets and maps call it from inlined code, with values of the engine.

public import CStrata

/// A managed collection whose elements are neither objects nor values of any type. See `ManagedCollection.plain`.
///
/// What is read is lent: the bytes of a value live until something changes. Every change is recorded by the session, as
/// those of `ManagedCollection` are.
@usableFromInline
struct PlainCollection {
    @usableFromInline let collection: ManagedCollection

    @inlinable @inline(__always)
    init(_ collection: ManagedCollection) { self.collection = collection }

    private var session: Session { collection.session }

    // MARK: Reading

    /// Lends the element at a position, or the value of a map. False if there is none, or if it cannot be read:
    /// `ManagedCollection.value(at:)` says what is wrong.
    @usableFromInline
    func lend(_ position: Int, _ out: UnsafeMutablePointer<strata_value>) -> Bool {
        position >= 0 && lend(position, 1, out)
    }

    /// Lends some elements, from a position on.
    @usableFromInline
    func lend(_ position: Int, _ count: Int, _ out: UnsafeMutablePointer<strata_value>) -> Bool {
        guard collection.isReachable else { return false }
        return strata_collection_get(
            &collection.row, collection.column, UInt64(position), UInt64(count), out, session.view.error) == .STRATA_OK
    }

    /// Lends the value under a key of a map; false if there is none, or if it cannot be read.
    @usableFromInline
    func lend(_ key: String, _ out: UnsafeMutablePointer<strata_value>) -> Bool {
        guard collection.isReachable else { return false }
        var key = key, position: UInt64 = 0
        let status = key.withUTF8 { text in
            strata_map_find(&collection.row, collection.column, bytes(text), &position, session.view.error)
        }
        return status == .STRATA_OK && lend(Int(position), 1, out)
    }

    /// Whether a set holds a value; nil if it cannot be read: `ManagedCollection.position(of:)` says what is wrong.
    @usableFromInline
    func contains(_ value: strata_value) -> Bool? {
        guard collection.isReachable else { return nil }
        var value = value, position: UInt64 = 0
        switch strata_collection_find(&collection.row, collection.column, &value, 0, &position, session.view.error) {
        case .STRATA_OK: return true
        case .STRATA_NOT_FOUND: return false
        default: return nil
        }
    }

    // MARK: Changing lists

    /// Appends an element.
    @usableFromInline
    func append(_ value: strata_value) {
        let size = collection.sizeForChange()
        insert(value, at: size, size)
    }

    /// Appends many elements.
    @usableFromInline
    func append(_ values: Slice<UnsafeMutableBufferPointer<strata_value>>) {
        let size = collection.sizeForChange()
        if values.isEmpty { return }
        guard session.beginChange() else { return }
        let status = strata_list_insert(
            &collection.row, collection.column, UInt64(size), values.base.baseAddress, UInt64(values.count),
            session.view.error)
        end(status, size + values.count)
    }

    /// Inserts an element before a position; stops the program if there is no such position.
    @usableFromInline
    func insert(_ value: strata_value, at position: Int) {
        let size = collection.sizeForChange()
        collection.check(position, below: size + 1)
        insert(value, at: position, size)
    }

    private func insert(_ value: strata_value, at position: Int, _ size: Int) {
        var value = value
        guard session.beginChange() else { return }
        let status = strata_list_insert(
            &collection.row, collection.column, UInt64(position), &value, 1, session.view.error)
        end(status, size + 1)
    }

    /// Replaces an element; stops the program if there is none.
    @usableFromInline
    func set(_ value: strata_value, at position: Int) {
        let size = collection.sizeForChange()
        collection.check(position, below: size)
        var value = value
        guard session.beginChange() else { return }
        end(strata_list_set(&collection.row, collection.column, UInt64(position), &value, session.view.error), size)
    }

    // MARK: Changing sets and maps

    /// Inserts an element into a set, unless the set has it.
    @usableFromInline
    func insertIntoSet(_ value: strata_value) {
        let size = collection.sizeForChange()
        var value = value, position: UInt64 = 0, isNew = false
        guard session.beginChange() else { return }
        let status = strata_set_insert(
            &collection.row, collection.column, &value, &isNew, &position, session.view.error)
        end(status, size + (isNew ? 1 : 0))
    }

    /// Stores a value under a key of a map.
    @usableFromInline
    func set(_ value: strata_value, forKey key: String) {
        _ = collection.sizeForChange()
        if let problem = MapKeys.problem(key) { return collection.fail(StrataError(.invalidInput, problem)) }
        var value = value, key = key
        guard session.beginChange() else { return }
        let status = key.withUTF8 { text in
            strata_map_set(&collection.row, collection.column, bytes(text), &value, session.view.error)
        }
        end(status, nil)
    }

    private func bytes(_ text: UnsafeBufferPointer<UInt8>) -> strata_bytes {
        strata_bytes(data: text.baseAddress, size: text.count)
    }

    /// Ends a change, which was made if `status` says so. The size is nil where it is not known.
    @inline(__always)
    private func end(_ status: strata_status, _ size: Int?) {
        if status != .STRATA_OK { return failed(status) }
        if let size { collection.resized(to: size) }
    }

    @inline(never)
    private func failed(_ status: strata_status) {
        collection.change { () throws(StrataError) in try session.view.check(status) }
    }
}
