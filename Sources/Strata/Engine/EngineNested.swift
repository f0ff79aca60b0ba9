// SPDX-License-Identifier: MIT
// EngineNested.swift -- lists and maps inside of values of any type.

import CStrata

/// Lists and maps inside of values of any type, on their way into and out of the engine.
final class EngineNested {
    private let builder: OpaquePointer
    private let arena: ValueArena
    private var error = strata_error()

    private init(_ arena: ValueArena) {
        guard let builder = strata_nested_make() else { misuse("there is no memory") }
        self.builder = builder
        self.arena = arena
    }

    deinit { strata_nested_free(builder) }

    /// A list or a map as the engine takes it. The bytes live in `arena`. The corresponding C functions are
    /// `strata_nested_begin_list` and the like.
    static func encode(_ stored: _StoredValue, _ arena: ValueArena) throws(StrataError) -> strata_value {
        let nested = EngineNested(arena)
        try nested.add(stored, under: nil)
        var value = strata_null()
        try nested.check(strata_nested_finish(nested.builder, &value, &nested.error))
        let bytes = value.as.bytes
        value.as.bytes.data = arena.copy(UnsafeRawBufferPointer(start: bytes.data, count: bytes.size))
        return value
    }

    /// Adds one value: to a list if `key` is nil.
    private func add(_ stored: _StoredValue, under key: strata_bytes?) throws(StrataError) {
        switch stored {
        case .elements(let values):
            try begin(key, strata_nested_begin_list)
            for value in values { try addEntry(value, nil) }
            try check(strata_nested_end(builder, &error))
        case .entries(let entries):
            try begin(key, strata_nested_begin_map)
            for (key, value) in entries { try addEntry(value, bytes(key)) }
            try check(strata_nested_end(builder, &error))
        default: throw StrataError(.invalidInput, "\(stored.text) is no list and no dictionary")
        }
    }

    private func addEntry(_ stored: _StoredValue, _ key: strata_bytes?) throws(StrataError) {
        switch stored {
        case .elements, .entries: return try add(stored, under: key)
        default: break
        }
        guard var value = try stored.encodedAny(arena) else {
            throw StrataError(.invalidInput, "\(stored.text) cannot be an element of a value of any type")
        }
        if let key {
            try check(strata_nested_put(builder, key, &value, &error))
        } else {
            try check(strata_nested_append(builder, &value, &error))
        }
    }

    private func begin(
        _ key: strata_bytes?,
        _ function: (OpaquePointer?, UnsafePointer<strata_bytes>?, UnsafeMutablePointer<strata_error>?) -> strata_status
    ) throws(StrataError) {
        if var key {
            try check(function(builder, &key, &error))
        } else {
            try check(function(builder, nil, &error))
        }
    }

    private func bytes(_ key: String) -> strata_bytes {
        var key = key
        return key.withUTF8 { strata_bytes(data: arena.copy(UnsafeRawBufferPointer($0)), size: $0.count) }
    }

    private func check(_ status: strata_status) throws(StrataError) {
        if status.rawValue < 0 { throw StrataError(status, &error) }
    }

    /// The contents of a nested value: `.elements` or `.entries`. The corresponding C functions are
    /// `strata_nested_open` and `strata_nested_next`.
    static func decode(
        _ bytes: strata_bytes, _ decode: (strata_value) throws(StrataError) -> _StoredValue
    ) throws(StrataError) -> _StoredValue {
        var iterator = strata_nested_iterator()
        var error = strata_error()
        let status = strata_nested_open(bytes, &iterator, &error)
        if status != .STRATA_OK { throw StrataError(status, &error) }
        var values: [_StoredValue] = []
        var entries: [(key: String, value: _StoredValue)] = []
        var key = strata_bytes(), value = strata_null()
        let isMap = iterator.kind == .STRATA_MAP
        while true {
            let status = strata_nested_next(&iterator, &key, &value)
            if status == .STRATA_END { break }
            if status != .STRATA_OK { throw StrataError(.invalidDatabase, "a nested value is damaged") }
            let stored = value.type == .STRATA_NESTED ? try Self.decode(value.as.bytes, decode) : try decode(value)
            if isMap {
                let name = String(decoding: UnsafeRawBufferPointer(start: key.data, count: key.size), as: UTF8.self)
                entries.append((name, stored))
            } else {
                values.append(stored)
            }
        }
        return isMap ? .entries(entries) : .elements(values)
    }
}
