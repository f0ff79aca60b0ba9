// SPDX-License-Identifier: MIT
// EngineView+Objects.swift -- objects by number.

import CStrata
import Foundation

/// What came of an attempt to create an object.
enum Creation {
    case created(UInt64)
    /// Another object, with this key, has the primary key.
    case duplicate(UInt64)
}

extension EngineView {
    /// Creates an object. The corresponding C function is `strata_object_create`.
    func create(in table: UInt32, _ values: UnsafeBufferPointer<EngineValue>) throws(StrataError) -> Creation {
        var key: UInt64 = 0
        let status = strata_object_create(handle, table, values.baseAddress, UInt32(values.count), &key, error)
        if status == .STRATA_DUPLICATE { return .duplicate(key) }
        try check(status)
        return .created(key)
    }

    /// The key of the object with a primary key. The corresponding C function is `strata_object_find`.
    func find(in table: UInt32, primary: EngineValue) throws(StrataError) -> UInt64? {
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

    /// Deletes an object to which nothing links; false if something does, or if there is none. The corresponding C
    /// function is `strata_object_delete`.
    func deleteUnlessLinked(in table: UInt32, _ key: UInt64) throws(StrataError) -> Bool {
        let status = strata_object_delete(handle, table, key, error)
        if status == .STRATA_REFERENCED { return false }
        return try check(status)
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
    func bind(_ row: _Row, to table: UInt32, _ key: UInt64) throws(StrataError) -> Bool {
        try check(strata_row_bind(handle, table, key, row, error))
    }

    /// Changes a cell; false if the object is gone. The corresponding C function is `strata_row_set`.
    @discardableResult
    func set(_ row: _Row, _ column: UInt32, _ value: EngineValue) throws(StrataError) -> Bool {
        var value = value
        return try check(strata_row_set(row, column, &value, error))
    }

    /// Puts bytes behind the end of a string or of data; false if the object is gone. The corresponding C function is
    /// `strata_blob_append`.
    func append(_ bytes: UnsafeRawBufferPointer, to row: _Row, _ column: UInt32) throws(StrataError) -> Bool {
        try check(strata_blob_append(row, column, bytes.baseAddress, bytes.count, error))
    }

    /// Puts bytes over those from an offset on; false if the object is gone. Stops the program if the offset is behind
    /// the end. The corresponding C function is `strata_blob_write`.
    func write(
        _ bytes: UnsafeRawBufferPointer, to row: _Row, _ column: UInt32, at offset: Int
    ) throws(StrataError) -> Bool {
        let status = strata_blob_write(row, column, UInt64(offset), bytes.baseAddress, bytes.count, error)
        if status == .STRATA_RANGE { misuse(failure(status).message) }
        return try check(status)
    }

    /// Whether there is an object.
    func exists(_ key: UInt64, in table: UInt32) throws(StrataError) -> Bool {
        var row = strata_row()
        return try bind(&row, to: table, key)
    }

    /// A single cell of a current row. The corresponding C function is `strata_row_get`.
    func value(of row: _Row, _ column: UInt32) throws(StrataError) -> EngineValue {
        var value = strata_null(), here = here(row)
        try check(strata_row_get(&here, column, &value, error))
        return value
    }

    /// Whether a cell of a current row has a value, bit for bit.
    func isSame(_ row: _Row, _ column: UInt32, as value: EngineValue) throws(StrataError) -> Bool {
        let stored = try self.value(of: row, column)
        guard case .outOfLine(_, let size) = stored.content else { return stored.isSame(as: value) }
        if stored.type != value.type { return false }
        return try bytes(of: row, column, size).withUnsafeBytes { value.hasSameBytes(as: $0) }
    }

    /// The bytes of a cell of a current row that are stored outside of it. The C function is `strata_row_read`.
    func bytes(of row: _Row, _ column: UInt32, _ size: Int) throws(StrataError) -> Data {
        var data = Data(count: size)
        var copied = 0, here = here(row)
        let status = data.withUnsafeMutableBytes {
            strata_row_read(&here, column, 0, $0.baseAddress, size, &copied, error)
        }
        try check(status)
        return data
    }

    /// Copies the bytes of a cell of a current row that are stored outside of it; returns how many. The corresponding C
    /// function is `strata_row_read`.
    func read(_ row: _Row, _ column: UInt32, into buffer: UnsafeMutableRawBufferPointer) throws(StrataError) -> Int {
        var copied = 0, here = here(row)
        try check(strata_row_read(&here, column, 0, buffer.baseAddress, buffer.count, &copied, error))
        return copied
    }

    /// The row as this view reads it. That of a frozen object is one of all threads; it is where it was.
    private func here(_ row: _Row) -> strata_row {
        var here = row.pointee
        if EngineSnapshot.isShared(row) && here.block != nil {
            here.head = head
            here.epoch = head.pointee.epoch
        }
        return here
    }
}
