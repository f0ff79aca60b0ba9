// SPDX-License-Identifier: MIT
// EngineNested.swift -- lists and maps inside of a value of any type: building their bytes, and reading them.

import CStrata
import Foundation

/// Builds the bytes of a list or a map. Calls come in the order of the contents; each list and map that is begun must
/// be ended.
final class EngineNestedBuilder {
    private let handle: OpaquePointer
    private let arena: ValueArena
    private var error = strata_error()

    /// - Parameter arena: where keys and the result live.
    init(_ arena: ValueArena) {
        guard let handle = strata_nested_make() else { misuse("there is no memory") }
        self.handle = handle
        self.arena = arena
    }

    deinit { strata_nested_free(handle) }

    /// Begins a list: the outermost one, an element of a list, or the value under a key of a map. The corresponding C
    /// function is `strata_nested_begin_list`.
    func beginList(_ key: String?) throws(StrataError) { try begin(key, strata_nested_begin_list) }

    /// Begins a map, as `beginList` begins a list. The corresponding C function is `strata_nested_begin_map`.
    func beginMap(_ key: String?) throws(StrataError) { try begin(key, strata_nested_begin_map) }

    private func begin(
        _ key: String?,
        _ function: (OpaquePointer?, UnsafePointer<strata_bytes>?, UnsafeMutablePointer<strata_error>?) -> strata_status
    ) throws(StrataError) {
        if var key = key.map(bytes) {
            try check(function(handle, &key, &error))
        } else {
            try check(function(handle, nil, &error))
        }
    }

    /// Ends the list or the map that was begun last. The corresponding C function is `strata_nested_end`.
    func end() throws(StrataError) { try check(strata_nested_end(handle, &error)) }

    /// Adds a single value. The corresponding C functions are `strata_nested_append` and `strata_nested_put`.
    func add(_ value: EngineValue, _ key: String?) throws(StrataError) {
        var value = value
        if let key {
            try check(strata_nested_put(handle, bytes(key), &value, &error))
        } else {
            try check(strata_nested_append(handle, &value, &error))
        }
    }

    /// The value, with its bytes in the arena. The corresponding C function is `strata_nested_finish`.
    func finish() throws(StrataError) -> EngineValue {
        var value = strata_null()
        try check(strata_nested_finish(handle, &value, &error))
        let bytes = value.as.bytes
        value.as.bytes.data = arena.copy(UnsafeRawBufferPointer(start: bytes.data, count: bytes.size))
        return value
    }

    private func bytes(_ key: String) -> strata_bytes {
        var key = key
        return key.withUTF8 { strata_bytes(data: arena.copy(UnsafeRawBufferPointer($0)), size: $0.count) }
    }

    private func check(_ status: strata_status) throws(StrataError) {
        if status.rawValue < 0 { throw StrataError(status, &error) }
    }
}

/// Reads what is in a list or a map, one level deep. The bytes must outlive it.
struct EngineNestedReader {
    private var iterator = strata_nested_iterator()
    let isMap: Bool

    /// The corresponding C function is `strata_nested_open`.
    init(_ bytes: UnsafeRawBufferPointer) throws(StrataError) {
        var error = strata_error()
        let status = strata_nested_open(
            strata_bytes(data: bytes.baseAddress, size: bytes.count), &iterator, &error)
        if status != .STRATA_OK { throw StrataError(status, &error) }
        isMap = iterator.kind == .STRATA_MAP
    }

    /// The next value, and its key, which is empty in a list; nil at the end. The corresponding C function is
    /// `strata_nested_next`.
    mutating func next() throws(StrataError) -> (key: String, value: EngineValue)? {
        var key = strata_bytes(), value = strata_null()
        let status = strata_nested_next(&iterator, &key, &value)
        if status == .STRATA_END { return nil }
        if status != .STRATA_OK { throw StrataError(.invalidDatabase, "a nested value is damaged") }
        if !isMap { return ("", value) }
        return (String(decoding: UnsafeRawBufferPointer(start: key.data, count: key.size), as: UTF8.self), value)
    }
}
