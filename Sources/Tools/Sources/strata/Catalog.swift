// SPDX-License-Identifier: MIT
// Catalog.swift -- the classes and properties that a file has.

import CStrata

extension String {
    /// Names are equal if their bytes are, as in the engine: to Swift also letters are that are written in two ways.
    func isSame(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

struct Property {
    let number: UInt32
    let name: String
    let type: strata_type
    let collection: strata_collection
    let flags: UInt32
    /// The number of the class that links lead to.
    let target: UInt32?

    var isNullable: Bool { flags & UInt32(STRATA_COLUMN_NULLABLE) != 0 }
    var isPrimary: Bool { flags & UInt32(STRATA_COLUMN_PRIMARY) != 0 }
    var isIndexed: Bool { flags & UInt32(STRATA_COLUMN_INDEXED) != 0 }
    var isSingle: Bool { collection == .STRATA_SINGLE }
}

struct Table {
    let number: UInt32
    let name: String
    let isEmbedded: Bool
    let properties: [Property]
    /// The properties of each compound index.
    let indexes: [[String]]

    /// The names of columns that stand on the right in tables.
    var numbers: Set<String> {
        let types: Set<strata_type> = [.STRATA_INT, .STRATA_FLOAT, .STRATA_DOUBLE, .STRATA_DECIMAL]
        return Set(properties.filter { $0.isSingle && types.contains($0.type) }.map(\.name) + ["$key"])
    }

    var primary: Property? { properties.first(where: \.isPrimary) }

    func property(_ name: String) throws(Failure) -> Property {
        if let found = properties.first(where: { $0.name.isSame(as: name) }) { return found }
        throw Failure(.usage, "\(self.name) has no property '\(name)'\(suggestion(name, properties.map(\.name)))")
    }
}

/// What the view of a file shows of its schema.
struct Catalog {
    let tables: [Table]
    let version: UInt64?

    func has(_ name: String) -> Bool { tables.contains { $0.name.isSame(as: name) } }

    init(_ file: StoreFile) {
        let number = strata_schema_version(file.view)
        version = number == UInt64.max ? nil : number
        tables = (0..<strata_table_count(file.view)).compactMap { Self.table(file.view, $0) }
    }

    private static func table(_ view: OpaquePointer, _ number: UInt32) -> Table? {
        var info = strata_table_info()
        guard strata_table_get(view, number, &info) == .STRATA_OK, info.name[0] != 0 else { return nil }
        let properties = (0..<info.column_count).compactMap { property(view, number, $0) }
        let indexes = (0..<info.index_count).map { position in
            var index = strata_index_info()
            guard strata_index_get(view, number, position, &index) == .STRATA_OK else { return [String]() }
            let columns = withUnsafeBytes(of: index.columns) {
                Array($0.bindMemory(to: UInt32.self).prefix(Int(index.column_count)))
            }
            return columns.compactMap { number in properties.first { $0.number == number }?.name }
        }
        return Table(
            number: number, name: String(cString: info.name),
            isEmbedded: info.flags & UInt32(STRATA_TABLE_EMBEDDED) != 0, properties: properties, indexes: indexes)
    }

    private static func property(_ view: OpaquePointer, _ table: UInt32, _ number: UInt32) -> Property? {
        var info = strata_column_info()
        guard strata_column_get(view, table, number, &info) == .STRATA_OK, info.name[0] != 0 else { return nil }
        return Property(
            number: number, name: String(cString: info.name), type: info.type, collection: info.collection,
            flags: info.flags, target: info.target == .max ? nil : info.target)
    }

    func table(_ name: String) throws(Failure) -> Table {
        if let found = tables.first(where: { $0.name.isSame(as: name) }) { return found }
        let known = tables.map(\.name)
        let hint = suggestion(name, known)
        let list = hint.isEmpty && !known.isEmpty ? "; it has \(known.prefix(10).joined(separator: ", "))" : hint
        throw Failure(.usage, "the file has no class '\(name)'\(list)")
    }

    func table(number: UInt32) -> Table? { tables.first { $0.number == number } }
}

/// "; did you mean 'name'?", or nothing if no name is like it.
func suggestion(_ name: String, _ names: [String]) -> String {
    let best = names.map { ($0, distance(name.lowercased(), $0.lowercased())) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= max(1, name.count / 3) else { return "" }
    return "; did you mean '\(best.0)'?"
}

/// How many letters have to be changed, added, left out, or swapped with their neighbour to make one word of the other.
private func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
        var row = [i + 1]
        for j in 0..<b.count {
            var best = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, rows[i][j + 1] + 1)
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
            row.append(best)
        }
        rows.append(row)
    }
    return rows[a.count][b.count]
}

/// "int?", "list<Dog>": a type as the text of schemas has it.
func typeName(of property: Property, in catalog: Catalog) -> String {
    let names: [strata_type: String] = [
        .STRATA_BOOL: "bool", .STRATA_INT: "int", .STRATA_FLOAT: "float", .STRATA_DOUBLE: "double",
        .STRATA_STRING: "string", .STRATA_DATA: "data", .STRATA_DATE: "date", .STRATA_UUID: "uuid",
        .STRATA_OBJECT_ID: "objectId", .STRATA_DECIMAL: "decimal", .STRATA_MIXED: "any",
    ]
    let base = names[property.type] ?? property.target.flatMap { catalog.table(number: $0)?.name } ?? "?"
    let isLink = property.type == .STRATA_LINK
    let mayBeNull =
        isLink
        ? property.isSingle || property.collection == .STRATA_MAP
        : property.isNullable && property.type != .STRATA_MIXED
    let element = base + (mayBeNull ? "?" : "")
    switch property.collection {
    case .STRATA_LIST: return "list<\(element)>"
    case .STRATA_SET: return "set<\(element)>"
    case .STRATA_MAP: return "map<\(element)>"
    default: return element
    }
}
