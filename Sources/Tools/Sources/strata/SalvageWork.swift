// SPDX-License-Identifier: MIT
// SalvageWork.swift -- copies what can be read of a file.

import CStrata

/// Objects are exported one block after the other, and where that fails, one by one; the text is imported.
struct SalvageWork {
    let from: StoreFile
    let to: StoreFile

    init(from: StoreFile, to: StoreFile) {
        self.from = from
        self.to = to
    }

    struct Result {
        let name: String
        let counted: UInt64
        let saved: UInt64
    }

    func run(_ catalog: Catalog) throws -> [Result] {
        var handle: OpaquePointer?
        var options = strata_import_options_blank()
        options.flags = UInt32(STRATA_IMPORT_IGNORE_UNKNOWN)
        options.refused = { _, _, _, _ in true }
        try call { strata_import_open(to.view, &options, &handle, $0) }
        defer { strata_import_close(handle) }
        return try to.write {
            let results = try catalog.tables.filter { !$0.isEmbedded }.map { try save($0, handle!) }
            try call { strata_import_finish(handle, nil, $0) }
            return results
        }
    }

    private func save(_ table: Table, _ handle: OpaquePointer) throws -> Result {
        var counted: UInt64 = 0
        let known = (try? call { strata_table_size(from.view, table.number, &counted, $0) }) != nil
        var saved: UInt64 = 0
        var next: UInt64 = 1
        var misses: UInt64 = 0
        // Keys ascend and are never used again; far behind the last object found nothing is expected any more.
        while misses < 1 << 20 || (known && saved < counted && misses < 1 << 24) {
            let keys = (next..<(next + 256)).map { $0 }
            next += 256
            let before = saved
            if let text = try? export(table, keys[...]) {
                saved += try feed(text, handle)
            } else {
                for key in keys.indices {
                    if let text = try? export(table, keys[key...key]) { saved += try feed(text, handle) }
                }
            }
            misses = saved == before ? misses + 256 : 0
            if known && saved >= counted { break }
        }
        return Result(name: table.name, counted: max(counted, saved), saved: saved)
    }

    /// The objects with some keys, as text, all or nothing.
    private func export(_ table: Table, _ keys: ArraySlice<UInt64>) throws -> (String, UInt64) {
        let export = try TextExport(
            from, .STRATA_TEXT_LINES, flags: Int(STRATA_EXPORT_CLASS | STRATA_EXPORT_KEYS), to: nil)
        try keys.withUnsafeBufferPointer { try export.write(table.number, $0) }
        return (try export.finish(), export.count)
    }

    private func feed(_ text: (String, UInt64), _ handle: OpaquePointer) throws -> UInt64 {
        try call { error in text.0.withBytes { strata_import_feed(handle, $0, $1, error) } }
        return text.1
    }
}
