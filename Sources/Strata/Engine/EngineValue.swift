// SPDX-License-Identifier: MIT
// EngineValue.swift -- one value in the form of the engine.
//
// A value of the engine does not own its bytes. On the way in they live in a `ValueArena` until the call is done; on
// the way out they live in the file's memory until something changes.

public import CStrata
import Foundation

typealias EngineValue = strata_value

extension strata_value {
    static var null: strata_value { strata_null() }
    @inline(__always)
    static func bool(_ value: Bool) -> strata_value { strata_bool(value) }
    @inline(__always)
    static func int(_ value: Int64) -> strata_value { strata_int(value) }
    @inline(__always)
    static func float(_ value: Float) -> strata_value { strata_float(value) }
    @inline(__always)
    static func double(_ value: Double) -> strata_value { strata_double(value) }
    /// A date, in seconds since the reference date of Foundation.
    @inline(__always)
    static func date(_ value: Double) -> strata_value { strata_date(value) }

    /// A string whose UTF-8 is copied into an arena.
    @inline(__always)
    static func string(_ text: String, _ arena: ValueArena) -> strata_value {
        var text = text
        return text.withUTF8 { utf8 in
            let bytes = arena.copy(UnsafeRawBufferPointer(utf8))
            return strata_string(bytes.assumingMemoryBound(to: CChar.self), utf8.count)
        }
    }

    /// Data whose bytes are copied into an arena.
    static func data(_ data: Data, _ arena: ValueArena) -> strata_value {
        data.withUnsafeBytes { strata_data(arena.copy($0), $0.count) }
    }

    /// Zero, or what is empty, of a type; its bytes live in the arena.
    static func zero(_ type: EngineType, _ arena: ValueArena) -> strata_value {
        switch type {
        case .STRATA_STRING: return .string("", arena)
        case .STRATA_DATA: return .data(Data(), arena)
        default:
            var value = strata_null()
            value.type = type
            return value
        }
    }

    static func uuid(_ bytes: uuid_t) -> strata_value { fixed(.STRATA_UUID, bytes) }
    static func objectId(_ bytes: ObjectIdBytes) -> strata_value { fixed(.STRATA_OBJECT_ID, bytes) }
    static func decimal(_ value: strata_decimal) -> strata_value { strata_decimal_value(value) }

    private static func fixed<Bytes>(_ type: strata_type, _ bytes: Bytes) -> strata_value {
        var value = strata_null()
        value.type = type
        withUnsafeMutableBytes(of: &value.as.fixed) { target in
            withUnsafeBytes(of: bytes) { target.copyMemory(from: $0) }
        }
        return value
    }

    /// A link to the object of the column's own target table; null for the key 0.
    @inline(__always)
    static func link(_ key: UInt64) -> strata_value { strata_link(key) }

    /// A link to an object of whatever table, for columns of any type.
    static func link(_ key: UInt64, of table: UInt32) -> strata_value { strata_mixed_link(table, key) }

    /// What a bookmark has for a key whose path meets a null link.
    static var missingObject: strata_value {
        var value = strata_null()
        value.type = .STRATA_LINK
        return value
    }

    /// Less than 0, 0 or more: the order of numbers of all types. The C function is `strata_mixed_compare`.
    static func order(_ left: strata_value, _ right: strata_value) -> Int {
        var left = left, right = right
        return Int(strata_mixed_compare(&left, &right))
    }
}

/// The twelve bytes of an object identifier.
@usableFromInline
typealias ObjectIdBytes = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)

// MARK: What is in a value

extension strata_value {
    /// What is in a value. Bytes are lent.
    enum Content {
        case null
        case bool(Bool)
        case int(Int64)
        case float(Float)
        case double(Double)
        case date(Double)
        case string(UnsafeRawBufferPointer)
        case data(UnsafeRawBufferPointer)
        case uuid(uuid_t)
        case objectId(ObjectIdBytes)
        case decimal(strata_decimal)
        /// `table` is 0 unless the column is of any type.
        case link(UInt64, table: UInt32)
        /// A list or a map, for an `EngineNestedReader`.
        case nested(UnsafeRawBufferPointer)
        /// Bytes that are stored outside of the row or the collection, and have to be read by another call.
        case outOfLine(OutOfLine, size: Int)
    }

    /// What kind of value is stored outside of its row.
    enum OutOfLine {
        case string, data, nested
    }

    var content: Content {
        switch type {
        case .STRATA_BOOL: .bool(self.as.boolean)
        case .STRATA_INT: .int(self.as.integer)
        case .STRATA_FLOAT: .float(self.as.single)
        case .STRATA_DOUBLE: .double(self.as.real)
        case .STRATA_DATE: .date(self.as.real)
        case .STRATA_STRING: isOutOfLine ? .outOfLine(.string, size: self.as.bytes.size) : .string(lentBytes)
        case .STRATA_DATA: isOutOfLine ? .outOfLine(.data, size: self.as.bytes.size) : .data(lentBytes)
        case .STRATA_UUID: .uuid(withUnsafeBytes(of: self.as.fixed) { $0.load(as: uuid_t.self) })
        case .STRATA_OBJECT_ID: .objectId(withUnsafeBytes(of: self.as.fixed) { $0.load(as: ObjectIdBytes.self) })
        case .STRATA_DECIMAL: .decimal(withUnsafeBytes(of: self.as.fixed) { strata_decimal_load($0.baseAddress) })
        case .STRATA_LINK: .link(self.as.link, table: table)
        case .STRATA_NESTED:
            isOutOfLine ? .outOfLine(.nested, size: self.as.bytes.size) : .nested(lentBytes)
        default: .null
        }
    }

    private var isOutOfLine: Bool { withUnsafePointer(to: self, strata_value_is_outside) }

    private var lentBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self.as.bytes.data, count: self.as.bytes.size)
    }

    /// Whether both are the same value, bit for bit. Their bytes must not be stored outside of their rows.
    func isSame(as other: strata_value) -> Bool {
        if type != other.type || table != other.table { return false }
        return switch type {
        case .STRATA_NULL: true
        case .STRATA_BOOL: self.as.boolean == other.as.boolean
        case .STRATA_FLOAT: self.as.single.bitPattern == other.as.single.bitPattern
        case .STRATA_STRING, .STRATA_DATA, .STRATA_NESTED: hasSameBytes(as: other.lentBytes)
        case .STRATA_UUID, .STRATA_DECIMAL: hasSameBytes(16, as: other)
        case .STRATA_OBJECT_ID: hasSameBytes(12, as: other)
        default: self.as.integer == other.as.integer
        }
    }

    private func hasSameBytes(_ count: Int, as other: strata_value) -> Bool {
        var left = self.as.fixed, right = other.as.fixed
        return memcmp(&left, &right, count) == 0
    }

    /// Whether the bytes of the value, which are not stored outside of its row, are some others.
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard self.as.bytes.size == other.count else { return false }
        guard let left = self.as.bytes.data, let right = other.baseAddress else { return other.isEmpty }
        return memcmp(left, right, other.count) == 0
    }

    /// Whether this is a list or a map.
    var isNested: Bool { type == .STRATA_NESTED }

    /// Whether this is a link that leads somewhere.
    var isLink: Bool { type == .STRATA_LINK }

    /// The key of the object that a link leads to; 0 for null.
    var linkedKey: UInt64 { type == .STRATA_NULL ? 0 : self.as.link }

    /// Whether the value only points to what it is.
    @inlinable
    var hasBytes: Bool { type == .STRATA_STRING || type == .STRATA_DATA || type == .STRATA_NESTED }
}
