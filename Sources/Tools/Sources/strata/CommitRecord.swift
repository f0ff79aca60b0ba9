// SPDX-License-Identifier: MIT
// CommitRecord.swift -- what a commit changed, for people.

import CStrata
import Glibc

/// What one commit did, object by object.
struct CommitRecord {
    enum Kind: String {
        case created, changed, deleted
    }

    /// What it did to an object; with the key 0 to all that the class had.
    struct ObjectChange {
        let table: String
        let key: UInt64
        /// Null if the object has no primary key, or is gone by now.
        let primary: JSONText
        let kind: Kind
        var properties: [String] = []

        var json: JSONText {
            .object([
                "class": .string(table), "key": .uint(key), "primary": primary, "change": .string(kind.rawValue),
                "properties": .list(properties.map { .string($0) }),
            ])
        }

        /// By its primary key, as commands take it, or else by its object key, which looks like none.
        var name: String {
            let object = CSVText.field(primary) ?? (key == 0 ? "all objects" : "$key \(key)")
            return "\(table) \(object.isEmpty ? "\"\"" : object)"
        }
    }

    let version: UInt64
    let time: String
    let process: Int64
    let label: String
    let token: String
    /// Anything may have changed: there was too much to list it, or the schema changed.
    let isWhole: Bool
    private(set) var changes: [ObjectChange] = []
    /// How many objects were changed, those that are not listed among them.
    private(set) var count = 0

    /// - Parameters:
    ///   - file: shows this commit, or a later one.
    ///   - limit: how many changes to list.
    init(_ commit: OpaquePointer, _ file: StoreFile, limit: Int = .max) throws {
        var info = strata_commit_info_blank()
        try call { strata_commit_get_info(commit, &info, $0) }
        version = info.version
        time = dateText(microseconds: info.time)
        process = info.process
        label = withUnsafeBytes(of: info.label) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        token = text(of: &info.token)
        isWhole = info.flags & UInt32(STRATA_COMMIT_WHOLE | STRATA_COMMIT_SCHEMA) != 0
        let catalog = Catalog(file)
        var delta = strata_delta()
        while try isAnswered({ strata_commit_next(commit, &delta, $0) }) { try add(delta, catalog, file, limit) }
    }

    private var last: (table: UInt32, key: UInt64) = (0, 0)

    private mutating func add(_ delta: strata_delta, _ catalog: Catalog, _ file: StoreFile, _ limit: Int) throws {
        let table = catalog.table(number: delta.table)
        let kind: Kind
        switch delta.kind {
        case .STRATA_DELTA_LINKED: return
        case .STRATA_DELTA_CREATE: kind = .created
        case .STRATA_DELTA_DELETE, .STRATA_DELTA_CLEAR: kind = .deleted
        default: kind = .changed
        }
        if kind != .changed || last != (delta.table, delta.key) {
            count += 1
            last = (delta.table, delta.key)
            if changes.count < limit {
                let name = table?.name ?? "class \(delta.table)"
                let primary = try table.map { try ObjectKey.primary(of: delta.key, $0, file) } ?? .null
                changes.append(ObjectChange(table: name, key: delta.key, primary: primary, kind: kind))
            }
        }
        guard kind == .changed, count == changes.count else { return }
        let property = table?.properties.first { $0.number == delta.column }?.name ?? "property \(delta.column)"
        if changes[count - 1].properties.contains(property) { return }
        changes[count - 1].properties.append(property)
    }

    var json: JSONText {
        .object([
            "commit": .uint(version), "time": .string(time), "process": .int(process), "token": .string(token),
            "all": .bool(isWhole), "changes": .list(changes.map(\.json)),
        ])
    }
}

/// A token as it is written.
func text(of token: inout strata_token) -> String {
    var bytes = [CChar](repeating: 0, count: Int(STRATA_TOKEN_TEXT))
    strata_token_text(&token, &bytes)
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
