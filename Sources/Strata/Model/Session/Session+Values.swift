// SPDX-License-Identifier: MIT
// Session+Values.swift -- values of the engine in their general form.

import CStrata
import Foundation

extension Session {
    /// The value of a ready row, in its general form.
    func storedValue(
        _ row: UnsafePointer<strata_row>, _ managed: ManagedClass, _ column: UInt32
    ) throws(StrataError) -> _StoredValue {
        let value = try view.value(of: row, column)
        let bytes = value.as.bytes
        switch value.type {
        case .STRATA_STRING where bytes.data == nil && bytes.size > 0:
            return .string(String(decoding: try view.bytes(of: row, column, bytes.size), as: UTF8.self))
        case .STRATA_DATA where bytes.data == nil && bytes.size > 0:
            return .data(try view.bytes(of: row, column, bytes.size))
        case .STRATA_NESTED where bytes.data == nil:
            return try decoded(nested: try view.bytes(of: row, column, bytes.size))
        default: return try decoded(value, managed.possibleTarget(ofColumn: column))
        }
    }

    /// A value whose bytes are at hand, in its general form. `target` is the class that links lead to; nil if a link
    /// names its table.
    func decoded(_ value: strata_value, _ target: ManagedClass?) throws(StrataError) -> _StoredValue {
        switch value.type {
        case .STRATA_BOOL: return .bool(value.as.boolean)
        case .STRATA_INT: return .int(value.as.integer)
        case .STRATA_FLOAT: return .float(value.as.single)
        case .STRATA_DOUBLE: return .double(value.as.real)
        case .STRATA_DATE: return .date(Date(timeIntervalSinceReferenceDate: value.as.real))
        case .STRATA_STRING:
            return .string(String(
                decoding: UnsafeRawBufferPointer(start: value.as.bytes.data, count: value.as.bytes.size), as: UTF8.self))
        case .STRATA_DATA:
            return .data(Data(UnsafeRawBufferPointer(start: value.as.bytes.data, count: value.as.bytes.size)))
        case .STRATA_UUID: return .uuid(UUID(uuid: withUnsafeBytes(of: value.as.fixed) { $0.load(as: uuid_t.self) }))
        case .STRATA_OBJECT_ID:
            return .objectId(ObjectId(bytes: withUnsafeBytes(of: value.as.fixed) { $0.load(as: ObjectId.Bytes.self) }))
        case .STRATA_DECIMAL:
            return .decimal(Decimal128(withUnsafeBytes(of: value.as.fixed) { strata_decimal_load($0.baseAddress) }))
        case .STRATA_LINK:
            return (target ?? managed(table: value.table)).map { .object($0.makeObject(value.as.link)) } ?? .null
        case .STRATA_NESTED: return try decoded(nested: value.as.bytes)
        default: return .null
        }
    }

    /// A list or map inside of a value of any type.
    func decoded(nested bytes: strata_bytes) throws(StrataError) -> _StoredValue {
        try EngineNested.decode(bytes) { (value) throws(StrataError) in try decoded(value, nil) }
    }

    /// A list or map inside of a value of any type.
    func decoded(nested data: Data) throws(StrataError) -> _StoredValue {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(StrataError) in
                try decoded(nested: strata_bytes(data: bytes.baseAddress, size: bytes.count))
            }
        }
        return try result.get()
    }
}
