// SPDX-License-Identifier: MIT
// EngineView+Catalog.swift -- tables and columns: declaring them, and their numbers by name.

import CStrata

/// A column: as a class declares it, or as the file has it.
struct EngineColumn {
    let name: String
    let type: EngineType
    let collection: EngineCollectionKind
    let isNullable: Bool
    let isPrimaryKey: Bool
    let isIndexed: Bool
    /// The table that links lead to.
    let target: String?

    fileprivate var flags: UInt32 {
        (isNullable ? UInt32(STRATA_COLUMN_NULLABLE) : 0)
            | (isPrimaryKey ? UInt32(STRATA_COLUMN_PRIMARY) : isIndexed ? UInt32(STRATA_COLUMN_INDEXED) : 0)
    }
}

/// A table as a class declares it.
struct EngineTable {
    let name: String
    let isEmbedded: Bool
    let columns: [EngineColumn]
    /// The names of the columns of each compound index.
    let indexes: [[String]]
}

extension EngineView {
    /// Makes the file hold the tables. The corresponding C function is `strata_schema_apply`.
    func apply(_ tables: [EngineTable], version: UInt64) throws(StrataError) {
        try check(withSpecs(tables) { strata_schema_apply(handle, $0, $1, version, error) })
    }

    /// Calls with tables as the engine takes them.
    func withSpecs(
        _ tables: [EngineTable], _ body: (UnsafePointer<strata_table_spec>?, UInt32) -> strata_status
    ) -> strata_status {
        let names = CNames()
        var columns: [UnsafeMutableBufferPointer<strata_column_spec>] = []
        defer { columns.forEach { $0.deallocate() } }
        var specs: [strata_table_spec] = []
        for table in tables {
            let buffer = UnsafeMutableBufferPointer<strata_column_spec>.allocate(capacity: table.columns.count)
            columns.append(buffer)
            for (index, column) in table.columns.enumerated() {
                var spec = strata_column_spec()
                spec.name = names.make(column.name)
                spec.type = column.type
                spec.collection = column.collection
                spec.flags = column.flags
                spec.target = column.target.map(names.make)
                buffer.initializeElement(at: index, to: spec)
            }
            var spec = strata_table_spec()
            spec.name = names.make(table.name)
            spec.flags = table.isEmbedded ? UInt32(STRATA_TABLE_EMBEDDED) : 0
            spec.column_count = UInt32(table.columns.count)
            spec.columns = UnsafePointer(buffer.baseAddress)
            spec.index_count = UInt32(table.indexes.count)
            spec.indexes = names.array(table.indexes.map { index in
                strata_index_spec(column_count: UInt32(index.count), columns: names.array(index.map { names.make($0) }))
            })
            specs.append(spec)
        }
        return withExtendedLifetime(names) {
            specs.withUnsafeBufferPointer { body($0.baseAddress, UInt32($0.count)) }
        }
    }

    /// The number of a table, or nil. The corresponding C function is `strata_table_find`.
    func table(named name: String) -> UInt32? {
        var table: UInt32 = 0
        return strata_table_find(handle, name, &table) == .STRATA_OK ? table : nil
    }

    /// The version of a file that never had a schema.
    static let noSchema = UInt64.max

    /// The version of the schema in the file. The corresponding C function is `strata_schema_version`.
    var schemaVersion: UInt64 { strata_schema_version(handle) }

    /// The number of a column, or nil. The corresponding C function is `strata_column_find`.
    func column(named name: String, of table: UInt32) -> UInt32? {
        var column: UInt32 = 0
        return strata_column_find(handle, table, name, &column) == .STRATA_OK ? column : nil
    }

    /// How many columns a table ever had. The corresponding C function is `strata_table_get`.
    func columnCount(of table: UInt32) -> Int {
        var info = strata_table_info()
        return strata_table_get(handle, table, &info) == .STRATA_OK ? Int(info.column_count) : 0
    }

    /// The name of a table. The corresponding C function is `strata_table_get`.
    func tableName(_ table: UInt32) -> String? {
        var info = strata_table_info()
        return strata_table_get(handle, table, &info) == .STRATA_OK ? String(cString: info.name) : nil
    }

    /// Whether a table holds embedded objects. The corresponding C function is `strata_table_get`.
    func isEmbedded(_ table: UInt32) -> Bool {
        var info = strata_table_info()
        return strata_table_get(handle, table, &info) == .STRATA_OK && info.flags & UInt32(STRATA_TABLE_EMBEDDED) != 0
    }

    /// A column that was not dropped. The corresponding C function is `strata_column_get`.
    func column(_ column: UInt32, of table: UInt32) -> EngineColumn? {
        var info = strata_column_info()
        guard strata_column_get(handle, table, column, &info) == .STRATA_OK else { return nil }
        let name = String(cString: info.name)
        if name.isEmpty { return nil }
        return EngineColumn(
            name: name, type: info.type, collection: info.collection,
            isNullable: info.flags & UInt32(STRATA_COLUMN_NULLABLE) != 0,
            isPrimaryKey: info.flags & UInt32(STRATA_COLUMN_PRIMARY) != 0,
            isIndexed: info.flags & UInt32(STRATA_COLUMN_INDEXED) != 0,
            target: info.type == .STRATA_LINK ? tableName(info.target) : nil)
    }

    /// How many tables the file holds, those of unknown classes included.
    var tableCount: UInt32 { strata_table_count(handle) }
}

/// Zero-terminated copies of names, and arrays, which live as long as this object.
private final class CNames {
    private var pointers: [UnsafeMutablePointer<CChar>] = []
    private var arrays: [UnsafeMutableRawPointer] = []

    func make(_ name: String) -> UnsafePointer<CChar> {
        let bytes = name.utf8CString
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { pointer[index] = byte }
        pointers.append(pointer)
        return UnsafePointer(pointer)
    }

    /// A copy of an array, which lives as long as the names.
    func array<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(1, elements.count))
        _ = copy.initialize(from: elements)
        arrays.append(UnsafeMutableRawPointer(copy.baseAddress.unsafelyUnwrapped))
        return UnsafePointer(copy.baseAddress.unsafelyUnwrapped)
    }

    deinit {
        pointers.forEach { $0.deallocate() }
        arrays.forEach { $0.deallocate() }
    }
}
