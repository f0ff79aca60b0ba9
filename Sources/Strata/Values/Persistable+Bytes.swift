// SPDX-License-Identifier: MIT
// Persistable+Bytes.swift -- String and Data as persisted types.
//
// A lane that is compiled into programs: reading and lending a value is inlined.

public import CStrata
public import Foundation

extension String: _OptionalPersistable, _PrimaryKey, _Indexable {
    public typealias PersistedType = String
    public static var _shape: _PropertyShape { _PropertyShape(.string) }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> String {
        var bytes = strata_bytes()
        guard strata_row_bytes(row, column, &bytes) else { return _readLargeString(row, column, bytes.size) }
        return _copy(bytes)
    }

    /// The text of some UTF-8. A short text is written directly into the new string, which takes half the time.
    @inlinable @inline(__always)
    static func _copy(_ bytes: strata_bytes) -> String {
        let bytes = UnsafeRawBufferPointer(start: bytes.data, count: bytes.size)
        if bytes.count > 15 { return String(decoding: bytes, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: bytes.count) { text in
            UnsafeMutableRawBufferPointer(text).copyMemory(from: bytes)
            return bytes.count
        }
    }

    @inlinable
    public static func _decode(_ value: strata_value) -> String? {
        let bytes = value.as.bytes
        guard value.type == .STRATA_STRING, value.table == 0 else { return nil }
        return _copy(bytes)
    }

    @inlinable
    public static func _lend<R>(_ value: String, _ body: (strata_value) -> R) -> R? {
        var value = value
        return value.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { $0.baseAddress.map { body(strata_string($0, text.count)) } }
        }
    }

    public static func _stored(_ value: String) -> _StoredValue { .string(value) }

    public static func _value(_ stored: _StoredValue) -> String? {
        if case .string(let value) = stored { value } else { nil }
    }
}

extension Data: _OptionalPersistable {
    public typealias PersistedType = Data
    public static var _shape: _PropertyShape { _PropertyShape(.data) }

    @inlinable
    public static func _read(_ row: _Row, _ column: UInt32) -> Data {
        var bytes = strata_bytes()
        guard strata_row_bytes(row, column, &bytes) else { return _readLargeData(row, column, bytes.size) }
        return Data(UnsafeRawBufferPointer(start: bytes.data, count: bytes.size))
    }

    @inlinable
    public static func _decode(_ value: strata_value) -> Data? {
        let bytes = value.as.bytes
        guard value.type == .STRATA_DATA, value.table == 0 else { return nil }
        return Data(UnsafeRawBufferPointer(start: bytes.data, count: bytes.size))
    }

    @inlinable
    public static func _lend<R>(_ value: Data, _ body: (strata_value) -> R) -> R? {
        value.withUnsafeBytes { bytes in bytes.baseAddress.map { body(strata_data($0, bytes.count)) } }
    }

    public static func _stored(_ value: Data) -> _StoredValue { .data(value) }

    public static func _value(_ stored: _StoredValue) -> Data? {
        if case .data(let value) = stored { value } else { nil }
    }
}

// The size is that of strata_row_bytes(), which gives at most STRATA_MAX_VALUE, whatever a damaged file claims.

/// Reads a string that is stored outside of its row.
@usableFromInline @inline(never)
func _readLargeString(_ row: _Row, _ column: UInt32, _ size: Int) -> String {
    String(unsafeUninitializedCapacity: size) { text in
        LiveRow.read(row, column, into: UnsafeMutableRawBufferPointer(text))
    }
}

/// Reads data that is stored outside of its row.
@usableFromInline @inline(never)
func _readLargeData(_ row: _Row, _ column: UInt32, _ size: Int) -> Data {
    var data = Data(count: size)
    let count = data.withUnsafeMutableBytes { LiveRow.read(row, column, into: $0) }
    data.removeSubrange(count...)
    return data
}
