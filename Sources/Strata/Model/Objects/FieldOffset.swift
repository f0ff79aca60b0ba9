// SPDX-License-Identifier: MIT
// FieldOffset.swift -- where an object has the field of a property.
//
// Wrappers of all types have their row at the start and their column number at the end. So the two can be written
// without knowing the type of the value between them.

/// Where an object has the field of a property, in bytes from the start of the object.
@usableFromInline
struct FieldOffset {
    /// Flags of a declaration, above the offset in the column number of an unmanaged wrapper.
    @inlinable static var primaryKey: UInt32 { 1 << 31 }
    @inlinable static var indexed: UInt32 { 1 << 30 }

    /// Where the field starts, and the row of a wrapper is.
    private let startOffset: Int32
    private let column: Int32

    var start: Int { Int(startOffset) }

    /// The offset of a field. If the field is no wrapper, only `start` can be used.
    init(_ offset: Int, _ access: any PersistedAccess.Type) {
        startOffset = Int32(offset)
        column = Int32(offset + (access._wrapperSize ?? 0) - MemoryLayout<UInt32>.size)
    }

    /// Makes a wrapper show a column of a row.
    @inline(__always)
    func attach(_ base: UnsafeMutableRawPointer, _ row: _Row, _ column: UInt32) {
        base.storeBytes(of: row, toByteOffset: Int(startOffset), as: _Row.self)
        base.storeBytes(of: column, toByteOffset: Int(self.column), as: UInt32.self)
    }

    /// Tells the wrapper of an unmanaged object where in the object it is.
    @inline(__always)
    func prepare(_ base: UnsafeMutableRawPointer, _ row: _Row) {
        let flags = base.load(fromByteOffset: Int(column), as: UInt32.self)
        attach(base, row, flags | UInt32(bitPattern: startOffset))
    }

    /// The wrapper of an unmanaged object, which `prepare` has told where it is.
    @inlinable @inline(__always)
    static func wrapper(_ row: _Row, _ column: UInt32) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(row) - ObjectBase.rowOffset + Int(column & (indexed - 1))
    }
}
