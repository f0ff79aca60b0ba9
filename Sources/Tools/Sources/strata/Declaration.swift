// SPDX-License-Identifier: MIT
// Declaration.swift -- schemas: as text, of files, and the differences between them.

import CStrata

final class Declaration {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    init(text: String) throws(Failure) {
        var out: OpaquePointer?
        try call { error in text.withBytes { strata_declaration_parse($0, $1, &out, error) } }
        handle = out!
    }

    init(_ file: StoreFile) throws(Failure) {
        var out: OpaquePointer?
        try call { strata_declaration_read(file.view, &out, $0) }
        handle = out!
    }

    /// What a file had in a version of its schema, when that was changed last.
    init(_ file: StoreFile, at version: UInt64) throws(Failure) {
        let history = try schemaHistory(of: file)
        guard let position = history.lastIndex(where: { $0.version == version }) else {
            let versions = history.map(\.version).reduce(into: [UInt64]()) { if $0.last != $1 { $0.append($1) } }
            let known = versions.suffix(20).map { "\($0)" }.joined(separator: ", ")
            throw Failure(
                .usage,
                "\(file.path) never had version \(version) of a schema"
                    + (known.isEmpty ? "; it has no history" : "; its history tells of \(known)"))
        }
        var out: OpaquePointer?
        _ = try isAnswered { strata_declaration_read_history(file.view, UInt32(position), &out, $0) }
        guard let out else {
            throw Failure(
                .unavailable,
                "\(file.path) does not keep the classes of version \(version): a library that did not keep them wrote "
                    + "it, or it had \(STRATA_MAX_HISTORY_CLASSES) other schemas before, or these take more than "
                    + "\(grouped(UInt64(STRATA_MAX_CLASSES_SIZE))) bytes")
        }
        handle = out
    }

    /// What a path has: a store, or text.
    convenience init(path: String) throws {
        if path != "-", let file = try? StoreFile(path) {
            try self.init(file)
            return
        }
        try self.init(text: TextSource(path).text())
    }

    deinit { strata_declaration_free(handle) }

    var version: UInt64? {
        let version = strata_declaration_version(handle)
        return version == UInt64.max ? nil : version
    }

    var tables: UnsafeBufferPointer<strata_table_spec> {
        var count: UInt32 = 0
        let tables = strata_declaration_tables(handle, &count)
        return UnsafeBufferPointer(start: tables, count: Int(count))
    }

    var text: String {
        let length = strata_declaration_print(handle, nil, 0)
        return String(unsafeUninitializedCapacity: length + 1) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { strata_declaration_print(handle, $0.baseAddress, length + 1) }
        }
    }

    /// Makes the file hold the tables; the version of the file stays unless another one is given.
    func apply(to file: StoreFile, version: UInt64) throws(Failure) {
        let tables = tables
        try call { strata_schema_apply(file.view, tables.baseAddress, UInt32(tables.count), version, $0) }
    }

    func differences(from file: StoreFile) throws(Failure) -> [Difference] {
        var list: OpaquePointer?
        let tables = tables
        try call { strata_differences_find(file.view, tables.baseAddress, UInt32(tables.count), &list, $0) }
        defer { strata_differences_free(list) }
        return (0..<strata_differences_count(list)).compactMap { position in
            var found = strata_difference()
            return strata_differences_get(list, position, &found) == .STRATA_OK ? Difference(found) : nil
        }
    }
}

extension Declaration {
    /// Those that migrating the file would settle, and the classes that only the file has.
    func allDifferences(from file: StoreFile) throws(Failure) -> [Difference] {
        let names = Set(tables.map { String(cString: $0.name) })
        return try differences(from: file)
            + Catalog(file).tables.filter { !names.contains($0.name) }.map(Difference.init(onlyIn:))
    }
}

/// The schemas that a file has had, in this order; which one stands at which position is that of the engine.
func schemaHistory(of file: StoreFile) throws(Failure) -> [strata_schema_record] {
    var records: [strata_schema_record] = []
    while true {
        var record = strata_schema_record()
        let position = UInt32(records.count)
        if try !isAnswered({ strata_schema_history(file.view, position, &record, $0) }) { return records }
        records.append(record)
    }
}

/// Something that separates a file from a schema.
struct Difference {
    /// Nil: the declaration says nothing of the class.
    let kind: strata_difference_kind?
    let table: String
    let column: String?
    private(set) var what: String
    private(set) var mark: String
    let stored: String?
    private(set) var declared: String?
    private(set) var hint: String?
    private(set) var isFree: Bool

    init(_ found: strata_difference) {
        kind = found.kind
        let table = String(cString: found.table)
        let column = found.column.map { String(cString: $0) }
        let kinds: [strata_difference_kind: String] = [
            .STRATA_TABLE_ADDED: "class is new", .STRATA_TABLE_EMBEDDED_NOW: "class becomes embedded",
            .STRATA_TABLE_NOT_EMBEDDED: "class is embedded no more", .STRATA_COLUMN_ADDED: "property is new",
            .STRATA_COLUMN_REMOVED: "property goes", .STRATA_COLUMN_RETYPED: "property has another type",
            .STRATA_COLUMN_NULLABLE_NOW: "property may be null now",
            .STRATA_COLUMN_PRIMARY_NOW: "becomes the primary key",
            .STRATA_COLUMN_NOT_PRIMARY: "is the primary key no more", .STRATA_INDEX_ADDED: "index is new",
            .STRATA_INDEX_REMOVED: "index goes",
        ]
        (self.table, self.column) = (table, column)
        what = "\(table)\(column.map { ".\($0)" } ?? ""): \(kinds[found.kind] ?? "differs")"
        isFree = found.mark == .STRATA_DIFFERENCE_FREE || found.mark == .STRATA_DIFFERENCE_REWRITES
        mark =
            switch found.mark {
            case .STRATA_DIFFERENCE_FREE: "free"
            case .STRATA_DIFFERENCE_REWRITES: "rewrites some of \(grouped(found.objects)) objects"
            case .STRATA_DIFFERENCE_LOSES: "loses data of \(grouped(found.objects)) objects"
            default: "needs a migration in code"
            }
        stored = found.stored.map { String(cString: $0) }
        declared = found.declared.map { String(cString: $0) }
        hint = found.renamed.map { "perhaps renamed: --rename \(table).\(column ?? "")=\(String(cString: $0))" }
    }

    /// That only the file has a class.
    init(onlyIn table: Table) {
        kind = nil
        (self.table, column) = (table.name, nil)
        what = "\(table.name): only the file has this class"
        (mark, isFree) = ("stays", true)
        (stored, declared, hint) = (nil, nil, nil)
    }

    /// That this property, which goes, becomes another one of the same type, which comes.
    func renamed(to other: Difference) -> Difference {
        var one = self
        one.what = "\(table).\(column ?? ""): property is called \(other.column ?? "")"
        (one.mark, one.declared, one.hint, one.isFree) = ("free", other.declared, nil, true)
        return one
    }

    /// - Parameter costs: whether the objects are there that a migration would change.
    static func write(_ list: [Difference], _ output: OutputOptions, costs: Bool = true) {
        func text(_ text: String?) -> JSONText { text.map { .string($0) } ?? .null }
        output.write(
            ["difference", "stored", "declared"] + (costs ? ["cost", "hint"] : []),
            list.map { one in
                [text(one.what), text(one.stored), text(one.declared)] + (costs ? [text(one.mark), text(one.hint)] : [])
            }, wraps: true)
    }
}
