// SPDX-License-Identifier: MIT
// EngineRow.swift -- the row of one object: where the engine keeps its values, and reading and changing them there.
//
// A row is current as long as its view has not moved since the row was looked up. Only a current row may be read; one
// that is not current is looked up again with `reload()`.

public import CStrata
import Foundation

/// The row of a live object.
public typealias _Row = UnsafeMutablePointer<strata_row>

typealias EngineRow = strata_row

/// What rows compare their epoch with. Each view has one.
typealias EngineViewHead = strata_view_head

extension strata_row {
    /// A row to be filled by a call of the engine.
    static var empty: strata_row { strata_row() }

    /// The row of an object that is looked up when it is first read, because no view was ever in epoch 0.
    static func unbound(_ key: UInt64, of table: UInt32, _ head: UnsafePointer<strata_view_head>) -> strata_row {
        var row = strata_row()
        row.head = head
        row.key = key
        row.table = table
        return row
    }

    /// A row of zeros, empty values and nulls that is never current, so that every read of it takes the slow path.
    static var recording: strata_row {
        var row = strata_row()
        row.block = emptyBlock
        row.head = headOfNoView
        return row
    }

    /// A block of one row and no columns: every column reads as zero, empty or null.
    nonisolated(unsafe) private static let emptyBlock: UnsafePointer<UInt8> = {
        let block = UnsafeMutablePointer<UInt8>.allocate(capacity: Int(STRATA_BLOCK_HEADER))
        block.initialize(repeating: 0, count: Int(STRATA_BLOCK_HEADER))
        block[0] = UInt8(STRATA_BLOCK_FORMAT)
        block[2] = 1
        return UnsafePointer(block)
    }()

    /// The head of no view. No row has its epoch.
    nonisolated(unsafe) static let headOfNoView: UnsafePointer<strata_view_head> = {
        let head = UnsafeMutablePointer<strata_view_head>.allocate(capacity: 1)
        head.initialize(to: strata_view_head(epoch: UInt64.max, owner: 0))
        return UnsafePointer(head)
    }()

    /// The key of the object that a link of a current row leads to; 0 for none.
    mutating func link(_ column: UInt32) -> UInt64 { strata_row_link(&self, column) }
}

/// Whether the object of a row is unmanaged. Its row has a number that no table has.
@inlinable @inline(__always)
func _isUnmanaged(_ row: _Row) -> Bool { row.pointee.table == UInt32.max }

extension UnsafeMutablePointer<strata_row> {
    @inline(__always)
    var key: UInt64 { pointee.key }

    @inline(__always)
    var table: UInt32 { pointee.table }

    @inline(__always)
    var isCurrent: Bool { strata_row_current(self) }

    /// Makes the row that of an object which no realm holds.
    @inline(__always)
    func becomeUnmanaged(_ head: UnsafePointer<strata_view_head>) {
        pointee.head = head
        pointee.table = UInt32.max
    }

    /// Makes the row one that must be looked up before it is read again.
    func forgetBlock() {
        pointee.block = nil
        pointee.epoch = 0
    }

    /// Looks the row up again; false if the object is gone. Stops the program if the file cannot be read, with
    /// `failure` as the beginning of the message. The corresponding C function is `strata_row_reload`.
    @inline(__always)
    func reload(_ failure: @autoclosure () -> String) -> Bool {
        let status = strata_row_reload(self)
        if status.rawValue < 0 { misuse("\(failure()): the engine reports status \(status.rawValue)") }
        return status == .STRATA_OK
    }

    // MARK: Reading a current row

    /// Whether a cell is null.
    func isNull(_ column: UInt32) -> Bool { strata_row_null(self, column) }

    /// The key of the object that a link leads to; 0 for none.
    @inline(__always)
    func link(_ column: UInt32) -> UInt64 { strata_row_link(self, column) }

    func decimal(_ column: UInt32) -> strata_decimal {
        var bytes: (UInt64, UInt64) = (0, 0)
        strata_row_fixed(self, column, &bytes, 16)
        return strata_decimal_load(&bytes)
    }

    /// The bytes of a string or of data, which live until something changes; nil if they are stored outside of the row.
    func bytes(_ column: UInt32) -> UnsafeRawBufferPointer? {
        var bytes = strata_bytes()
        guard strata_row_bytes(self, column, &bytes) else { return nil }
        return UnsafeRawBufferPointer(start: bytes.data, count: bytes.size)
    }

    // MARK: Changing a row in place, which succeeds only if it was changed before in this transaction

    func store(_ value: Int64, _ column: UInt32) -> Bool { strata_row_store_int(self, column, value) }
    func store(_ value: Double, _ column: UInt32) -> Bool { strata_row_store_double(self, column, value) }
    func store(_ value: Float, _ column: UInt32) -> Bool { strata_row_store_float(self, column, value) }
}
