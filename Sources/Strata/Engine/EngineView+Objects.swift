// SPDX-License-Identifier: MIT
// EngineView+Objects.swift -- objects and lists by number.

import CStrata

/// What came of an attempt to create an object.
enum Creation {
    case created(UInt64)
    /// Another object, with this key, has the primary key.
    case duplicate(UInt64)
}

extension EngineView {
    /// Creates an object. The corresponding C function is `strata_object_create`.
    func create(in table: UInt32, _ values: UnsafeBufferPointer<strata_value>) throws(StrataError) -> Creation {
        var key: UInt64 = 0
        let status = strata_object_create(handle, table, values.baseAddress, UInt32(values.count), &key, error)
        if status == .STRATA_DUPLICATE { return .duplicate(key) }
        try check(status)
        return .created(key)
    }

    /// The key of the object with a primary key. The corresponding C function is `strata_object_find`.
    func find(in table: UInt32, primary: strata_value) throws(StrataError) -> UInt64? {
        var primary = primary
        var key: UInt64 = 0
        return try check(strata_object_find(handle, table, &primary, &key, error)) ? key : nil
    }

    /// Removes every link to the object and deletes it; false if there is none.
    /// The corresponding C functions are `strata_object_unlink` and `strata_object_delete`.
    @discardableResult
    func unlinkAndDelete(in table: UInt32, _ key: UInt64) throws(StrataError) -> Bool {
        guard try check(strata_object_unlink(handle, table, key, error)) else { return false }
        return try check(strata_object_delete(handle, table, key, error))
    }

    /// Deletes all objects of tables; false, and nothing, if an object elsewhere links to one of them.
    /// The corresponding C function is `strata_tables_clear`.
    func clear(_ tables: [UInt32]) throws(StrataError) -> Bool {
        let status = strata_tables_clear(handle, tables, UInt32(tables.count), error)
        if status == .STRATA_REFERENCED { return false }
        try check(status)
        return true
    }

    /// How many objects a table has. The corresponding C function is `strata_table_size`.
    func size(of table: UInt32) throws(StrataError) -> Int {
        var size: UInt64 = 0
        try check(strata_table_size(handle, table, &size, error))
        return Int(size)
    }

    /// Points a row to an object; false if it is gone. The corresponding C function is `strata_row_bind`.
    @discardableResult
    func bind(_ row: UnsafeMutablePointer<strata_row>, to table: UInt32, _ key: UInt64) throws(StrataError) -> Bool {
        try check(strata_row_bind(handle, table, key, row, error))
    }

    /// Changes a cell; false if the object is gone. The corresponding C function is `strata_row_set`.
    @discardableResult
    func set(
        _ row: UnsafeMutablePointer<strata_row>, _ column: UInt32, _ value: strata_value
    ) throws(StrataError) -> Bool {
        var value = value
        return try check(strata_row_set(row, column, &value, error))
    }

    // The list calls return nil or false if the owner of the list is gone.

    /// The length of a list. The corresponding C function is `strata_collection_size`.
    func listSize(_ row: UnsafeMutablePointer<strata_row>, _ column: UInt32) throws(StrataError) -> Int? {
        var size: UInt64 = 0
        return try check(strata_collection_size(row, column, &size, error)) ? Int(size) : nil
    }

    /// The keys of a part of a list. The corresponding C function is `strata_collection_get`.
    func listKeys(
        _ row: UnsafeMutablePointer<strata_row>, _ column: UInt32, _ range: Range<Int>
    ) throws(StrataError) -> [UInt64] {
        if range.isEmpty { return [] }
        var status = strata_status.STRATA_OK
        let keys = withUnsafeTemporaryAllocation(of: strata_value.self, capacity: range.count) { values in
            status = strata_collection_get(
                row, column, UInt64(range.lowerBound), UInt64(range.count), values.baseAddress, error)
            return status == .STRATA_OK ? values.map(\.as.link) : []
        }
        try check(status)
        return keys
    }

    /// One key of a list. The corresponding C function is `strata_collection_get`.
    func listKey(
        _ row: UnsafeMutablePointer<strata_row>, _ column: UInt32, _ position: Int
    ) throws(StrataError) -> UInt64? {
        var value = strata_null()
        return try check(strata_collection_get(row, column, UInt64(position), 1, &value, error)) ? value.as.link : nil
    }

    /// Inserts keys. The corresponding C function is `strata_list_insert`.
    func listInsert(
        _ row: UnsafeMutablePointer<strata_row>, _ column: UInt32, at position: Int, _ keys: [UInt64]
    ) throws(StrataError) {
        if keys.isEmpty { return }
        let values = keys.map { strata_link($0) }
        try check(strata_list_insert(row, column, UInt64(position), values, UInt64(values.count), error))
    }

    /// Replaces one key. The corresponding C function is `strata_list_set`.
    func listSet(
        _ row: UnsafeMutablePointer<strata_row>, _ column: UInt32, at position: Int, _ key: UInt64
    ) throws(StrataError) {
        var value = strata_link(key)
        try check(strata_list_set(row, column, UInt64(position), &value, error))
    }

    /// Removes a part of a list. The corresponding C function is `strata_collection_remove`.
    func listRemove(
        _ row: UnsafeMutablePointer<strata_row>, _ column: UInt32, _ range: Range<Int>
    ) throws(StrataError) {
        if range.isEmpty { return }
        try check(strata_collection_remove(row, column, UInt64(range.lowerBound), UInt64(range.count), error))
    }

    /// The first position of a key. The corresponding C function is `strata_collection_find`.
    func listFind(
        _ row: UnsafeMutablePointer<strata_row>, _ column: UInt32, _ key: UInt64
    ) throws(StrataError) -> Int? {
        var value = strata_link(key)
        var position: UInt64 = 0
        return try check(strata_collection_find(row, column, &value, 0, &position, error)) ? Int(position) : nil
    }
}
