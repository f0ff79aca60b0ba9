// SPDX-License-Identifier: MIT
// EngineView+Migration.swift -- what separates a file from classes, and migrations.

import CStrata
import Foundation

/// One difference between a file and classes.
struct EngineDifference {
    let kind: strata_difference_kind
    let mark: strata_difference_mark
    let table: String
    /// Of an index: the names of its columns.
    let column: String?
    let stored: String?
    let declared: String?
    /// An added column that may be the removed one.
    let renamed: String?
    let objects: UInt64
}

/// A schema that a file has had.
struct EngineSchemaRecord {
    let version: UInt64
    let hash: UInt64
    let date: Date
    let program: String
    let migration: String
    /// Its tables as text; nil if the file does not keep them.
    let declaration: String?
}

/// Objects for which a migration cannot be finished.
struct EngineFailures {
    /// How many there are.
    let count: Int
    /// The first ones, each with what it breaks a rule with: an object, or how many links lead to it.
    let first: [(key: UInt64, other: UInt64)]

    fileprivate init(_ failures: strata_failures) {
        let number = min(Int(failures.count), Int(STRATA_MAX_FAILURES))
        count = Int(failures.count)
        first = withUnsafeBytes(of: failures.keys) { keys in
            withUnsafeBytes(of: failures.others) { others in
                (0..<number).map {
                    (keys.load(fromByteOffset: $0 * 8, as: UInt64.self),
                     others.load(fromByteOffset: $0 * 8, as: UInt64.self))
                }
            }
        }
    }
}

/// A change of tables and columns.
enum EngineSchemaChange {
    case renameColumn(table: String, from: String, to: String)
    case dropColumn(table: String, column: String)
    case dropTable(String)

    fileprivate func with<R>(_ body: (strata_schema_change) -> R) -> R {
        var change = strata_schema_change()
        switch self {
        case .renameColumn(let table, let from, let to):
            change.kind = .STRATA_RENAME_COLUMN
            return table.withCString { table in
                from.withCString { from in
                    to.withCString { to in
                        (change.table, change.column, change.new_name) = (table, from, to)
                        return body(change)
                    }
                }
            }
        case .dropColumn(let table, let column):
            change.kind = .STRATA_DROP_COLUMN
            return table.withCString { table in
                column.withCString { column in
                    (change.table, change.column) = (table, column)
                    return body(change)
                }
            }
        case .dropTable(let table):
            change.kind = .STRATA_DROP_TABLE
            return table.withCString { table in
                change.table = table
                return body(change)
            }
        }
    }
}

extension EngineView {
    /// Everything that separates the file from tables. The corresponding C function is `strata_differences_find`.
    func differences(from tables: [EngineTable]) throws(StrataError) -> [EngineDifference] {
        var list: OpaquePointer?
        try check(withSpecs(tables) { strata_differences_find(handle, $0, $1, &list, error) })
        defer { strata_differences_free(list) }
        return (0..<strata_differences_count(list)).map { position in
            var found = strata_difference()
            _ = strata_differences_get(list, position, &found)
            return EngineDifference(
                kind: found.kind, mark: found.mark, table: String(cString: found.table),
                column: found.column.map { String(cString: $0) }, stored: found.stored.map { String(cString: $0) },
                declared: found.declared.map { String(cString: $0) },
                renamed: found.renamed.map { String(cString: $0) }, objects: found.objects)
        }
    }

    /// Begins a migration; false if the file needs none. The corresponding C function is `strata_migration_begin`.
    func beginMigration(to tables: [EngineTable], version: UInt64) throws(StrataError) -> Bool {
        try check(withSpecs(tables) { strata_migration_begin(handle, $0, $1, version, error) })
    }

    /// Makes a change inside of a migration. The corresponding C function is `strata_migration_change`.
    func change(_ change: EngineSchemaChange) throws(StrataError) {
        try check(change.with { change in
            var change = change
            return strata_migration_change(handle, &change, error)
        })
    }

    /// Settles the file at the end of a migration. The corresponding C function is `strata_migration_finish`.
    func finishMigration(to tables: [EngineTable], name: String?) throws(StrataError) {
        try check(withSpecs(tables) { specs, count in
            guard let name else { return strata_migration_finish(handle, nil, 0, specs, count, nil, error) }
            return name.withCString { strata_migration_finish(handle, nil, 0, specs, count, $0, error) }
        })
    }

    /// The objects of a table for which the migration cannot be finished: whose keys are not unique, and that would be
    /// embedded without exactly one owner. The corresponding C function is `strata_migration_check`.
    func migrationFailures(
        _ tables: [EngineTable], at position: Int
    ) throws(StrataError) -> (duplicates: EngineFailures, unowned: EngineFailures) {
        var found = strata_migration_failures()
        try check(withSpecs(tables) { strata_migration_check(handle, $0, $1, UInt32(position), &found, error) })
        return (EngineFailures(found.duplicates), EngineFailures(found.unowned))
    }

    /// The tables of a schema that the file has had, as text; nil if it does not keep them. The corresponding C
    /// functions are `strata_declaration_read_history` and `strata_declaration_print`.
    private func declaration(at position: Int) throws(StrataError) -> String? {
        var declaration: OpaquePointer?
        guard try check(strata_declaration_read_history(handle, UInt32(position), &declaration, error)) else {
            return nil
        }
        defer { strata_declaration_free(declaration) }
        let length = strata_declaration_print(declaration, nil, 0)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length + 1) { buffer in
            _ = strata_declaration_print(declaration, buffer.baseAddress, buffer.count)
            return String(decoding: UnsafeRawBufferPointer(buffer).prefix(length), as: UTF8.self)
        }
    }

    /// The schemas that the file has had. The corresponding C function is `strata_schema_history`.
    func schemaHistory() throws(StrataError) -> [EngineSchemaRecord] {
        var all: [EngineSchemaRecord] = []
        var record = strata_schema_record()
        while try check(strata_schema_history(handle, UInt32(all.count), &record, error)) {
            all.append(EngineSchemaRecord(
                version: record.version, hash: record.hash,
                date: Date(timeIntervalSince1970: Double(record.time) / 1_000_000),
                program: withUnsafeBytes(of: record.program) { Self.text($0) },
                migration: withUnsafeBytes(of: record.migration) { Self.text($0) },
                declaration: try declaration(at: all.count)))
        }
        return all
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

extension SchemaDifference.Kind {
    /// The kind that the engine names; nil of a newer one.
    init?(_ kind: strata_difference_kind) {
        switch kind {
        case .STRATA_TABLE_ADDED: self = .classAdded
        case .STRATA_TABLE_EMBEDDED_NOW: self = .classBecameEmbedded
        case .STRATA_TABLE_NOT_EMBEDDED: self = .classIsNoLongerEmbedded
        case .STRATA_COLUMN_ADDED: self = .propertyAdded
        case .STRATA_COLUMN_REMOVED: self = .propertyRemoved
        case .STRATA_COLUMN_RETYPED: self = .typeChanged
        case .STRATA_COLUMN_NULLABLE_NOW: self = .becameOptional
        case .STRATA_COLUMN_PRIMARY_NOW: self = .becamePrimaryKey
        case .STRATA_COLUMN_NOT_PRIMARY: self = .isNoLongerPrimaryKey
        case .STRATA_INDEX_ADDED: self = .indexAdded
        case .STRATA_INDEX_REMOVED: self = .indexRemoved
        @unknown default: return nil
        }
    }
}

extension SchemaDifference.Mark {
    /// The mark that the engine gives.
    init(_ mark: strata_difference_mark) {
        switch mark {
        case .STRATA_DIFFERENCE_FREE: self = .free
        case .STRATA_DIFFERENCE_LOSES: self = .losesData
        case .STRATA_DIFFERENCE_NEEDS_CODE: self = .needsCode
        case .STRATA_DIFFERENCE_REWRITES: self = .rewritesRows
        @unknown default: self = .losesData
        }
    }
}
