// SPDX-License-Identifier: MIT
// EngineView+Collections.swift -- lists, sets and maps by column.
//
// The row that a call is given need not be current: the engine looks it up, and stores in it where the object is.

import CStrata
import Foundation

extension EngineView {
    /// How many elements or keys one call of the engine reads.
    private static var batch: Int { 256 }

    // MARK: All

    /// The size of a collection; nil if its owner is gone. The corresponding C function is `strata_collection_size`.
    func size(of row: _Row, _ column: UInt32) throws(StrataError) -> Int? {
        var size: UInt64 = 0
        return try check(strata_collection_size(row, column, &size, error)) ? Int(size) : nil
    }

    /// Visits the elements, or the values of a map, of a range that exists. The bytes of a value live until something
    /// changes. The corresponding C function is `strata_collection_get`.
    func visit(
        _ row: _Row, _ column: UInt32, _ range: Range<Int>,
        _ body: (EngineValue, Int) throws(StrataError) -> Void
    ) throws(StrataError) {
        if range.count == 1 {
            var value = strata_value()
            let status = strata_collection_get(row, column, UInt64(range.lowerBound), 1, &value, error)
            guard try check(status) else { return }
            return try body(value, range.lowerBound)
        }
        let room = UnsafeMutablePointer<strata_value>.allocate(capacity: min(range.count, Self.batch))
        defer { room.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let count = min(Self.batch, range.upperBound - position)
            let status = strata_collection_get(row, column, UInt64(position), UInt64(count), room, error)
            guard try check(status) else { return }
            for index in 0..<count { try body(room[index], position + index) }
            position += count
        }
    }

    /// The bytes of an element that is stored outside of the collection. The corresponding C function is
    /// `strata_collection_read`.
    func bytes(of row: _Row, _ column: UInt32, _ position: Int, _ size: Int) throws(StrataError) -> Data {
        var data = Data(count: size)
        var copied = 0
        let status = data.withUnsafeMutableBytes { buffer in
            strata_collection_read(row, column, UInt64(position), 0, buffer.baseAddress, buffer.count, &copied, error)
        }
        try check(status)
        data.removeSubrange(copied...)
        return data
    }

    /// The first position of an element, or of a value of a map; nil if there is none. The corresponding C function is
    /// `strata_collection_find`.
    func find(_ value: EngineValue, in row: _Row, _ column: UInt32) throws(StrataError) -> Int? {
        var value = value
        var position: UInt64 = 0
        return try check(strata_collection_find(row, column, &value, 0, &position, error)) ? Int(position) : nil
    }

    /// Removes elements, or entries of a map. The corresponding C function is `strata_collection_remove`.
    func remove(_ range: Range<Int>, from row: _Row, _ column: UInt32) throws(StrataError) {
        if range.isEmpty { return }
        try check(strata_collection_remove(row, column, UInt64(range.lowerBound), UInt64(range.count), error))
    }

    /// The positions of the elements, or of the values of a map, in an order: that of the collection if `ascending` is
    /// nil. The corresponding C function is `strata_collection_order`.
    func order(
        _ row: _Row, _ column: UInt32, ascending: Bool?, isDistinct: Bool
    ) throws(StrataError) -> EngineKeys {
        var options: UInt32 = ascending == nil ? UInt32(STRATA_UNSORTED) : 0
        if ascending == false { options |= UInt32(STRATA_DESCENDING) }
        if isDistinct { options |= UInt32(STRATA_DISTINCT) }
        var keys = strata_keys()
        try check(strata_collection_order(row, column, options, &keys, error))
        return EngineKeys(keys)
    }

    /// The positions of the elements, or of the values of a map, that meet a condition, in the order of the collection.
    /// The corresponding C function is `strata_collection_select`.
    func select(_ row: _Row, _ column: UInt32, _ condition: EngineCondition) throws(StrataError) -> EngineKeys {
        var keys = strata_keys()
        defer { withExtendedLifetime(condition) {} }  // the nodes belong to it
        try check(
            strata_collection_select(
                row, column, condition.nodes.baseAddress, UInt32(condition.nodes.count), &keys, error))
        return EngineKeys(keys)
    }

    /// The same of a list or a map in a value of a column of any type, or in one of its elements. The corresponding C
    /// function is `strata_nested_select`.
    func select(
        nested value: EngineValue, in table: UInt32, _ column: UInt32, _ condition: EngineCondition
    ) throws(StrataError) -> EngineKeys {
        var keys = strata_keys()
        defer { withExtendedLifetime(condition) {} }  // the nodes belong to it
        try check(
            strata_nested_select(
                handle, table, column, value.as.bytes, condition.nodes.baseAddress, UInt32(condition.nodes.count),
                &keys, error))
        return EngineKeys(keys)
    }

    /// One aggregate of a collection. The corresponding C function is `strata_collection_total`.
    func total(_ row: _Row, _ column: UInt32, _ aggregate: EngineAggregate) throws(StrataError) -> EngineValue {
        var value = strata_null()
        try check(strata_collection_total(row, column, aggregate, &value, error))
        return value
    }

    // MARK: Lists

    /// Inserts elements before a position. The corresponding C function is `strata_list_insert`.
    func insert(
        _ values: [EngineValue], into row: _Row, _ column: UInt32, at position: Int
    ) throws(StrataError) {
        if values.isEmpty { return }
        try check(strata_list_insert(row, column, UInt64(position), values, UInt64(values.count), error))
    }

    /// Replaces an element. The corresponding C function is `strata_list_set`.
    func set(
        _ value: EngineValue, in row: _Row, _ column: UInt32, at position: Int
    ) throws(StrataError) {
        var value = value
        try check(strata_list_set(row, column, UInt64(position), &value, error))
    }

    // MARK: Sets

    /// Inserts elements that the set does not have. The corresponding C function is `strata_set_insert`.
    func insert(_ values: [EngineValue], intoSet row: _Row, _ column: UInt32) throws(StrataError) {
        var position: UInt64 = 0
        var isNew = false
        for value in values {
            var value = value
            try check(strata_set_insert(row, column, &value, &isNew, &position, error))
        }
    }

    // MARK: Maps

    /// The position of a key, or nil. The corresponding C function is `strata_map_find`.
    func find(key: String, in row: _Row, _ column: UInt32) throws(StrataError) -> Int? {
        var key = key
        var position: UInt64 = 0
        let status = key.withUTF8 { strata_map_find(row, column, strata_bytes($0), &position, error) }
        return try check(status) ? Int(position) : nil
    }

    /// The keys of a range that exists. The corresponding C function is `strata_map_keys`.
    func keys(of row: _Row, _ column: UInt32, _ range: Range<Int>) throws(StrataError) -> [String] {
        var result: [String] = []
        result.reserveCapacity(range.count)
        let room = UnsafeMutablePointer<strata_bytes>.allocate(capacity: Self.batch)
        defer { room.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let count = min(Self.batch, range.upperBound - position)
            guard try check(strata_map_keys(row, column, UInt64(position), UInt64(count), room, error)) else { break }
            for index in 0..<count {
                let bytes = UnsafeRawBufferPointer(start: room[index].data, count: room[index].size)
                result.append(String(decoding: bytes, as: UTF8.self))
            }
            position += count
        }
        return result
    }

    /// Puts a value under a key. The corresponding C function is `strata_map_set`.
    func set(
        _ value: EngineValue, in row: _Row, _ column: UInt32, forKey key: String
    ) throws(StrataError) {
        var key = key
        var value = value
        let status = key.withUTF8 { strata_map_set(row, column, strata_bytes($0), &value, error) }
        try check(status)
    }
}

extension strata_bytes {
    /// Lends the bytes of a text.
    fileprivate init(_ text: UnsafeBufferPointer<UInt8>) {
        self.init(data: UnsafeRawPointer(text.baseAddress), size: text.count)
    }
}
