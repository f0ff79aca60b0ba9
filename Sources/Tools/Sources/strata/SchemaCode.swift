// SPDX-License-Identifier: MIT
// SchemaCode.swift -- schemas as source code.

import CStrata

enum SchemaCode {
    // MARK: - Swift

    private static let swiftTypes: [strata_type: String] = [
        .STRATA_BOOL: "Bool", .STRATA_INT: "Int", .STRATA_FLOAT: "Float", .STRATA_DOUBLE: "Double",
        .STRATA_STRING: "String", .STRATA_DATA: "Data", .STRATA_DATE: "Date", .STRATA_UUID: "UUID",
        .STRATA_OBJECT_ID: "ObjectId", .STRATA_DECIMAL: "Decimal128", .STRATA_MIXED: "AnyRealmValue",
    ]

    /// Classes for RealmSwift.
    static func swift(_ catalog: Catalog) -> String {
        var out = "import Foundation\nimport RealmSwift\n"
        if let version = catalog.version, version > 0 { out += "\n// Realm.Configuration(schemaVersion: \(version))\n" }
        for table in catalog.tables {
            out += "\nclass \(swiftName(table.name)): \(table.isEmbedded ? "EmbeddedObject" : "Object") {\n"
            for property in table.properties { out += "    " + swift(property, catalog) + "\n" }
            if !table.indexes.isEmpty { out += compoundIndexes(table) }
            out += "}\n"
        }
        return out
    }

    private static func swiftString(_ text: String) -> String {
        "\"" + text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] } + "\""
    }

    private static func compoundIndexes(_ table: Table) -> String {
        let lists = table.indexes.map { "[" + $0.map(swiftString).joined(separator: ", ") + "]" }
        return "\n    override class func compoundIndexes() -> [[String]] { [" + lists.joined(separator: ", ") + "] }\n"
    }

    private static func swift(_ property: Property, _ catalog: Catalog) -> String {
        let link = property.target.flatMap { catalog.table(number: $0) }.map { swiftName($0.name) }
        let base = swiftTypes[property.type] ?? link ?? "Never"
        let isMixed = property.type == .STRATA_MIXED
        let isLink = property.type == .STRATA_LINK
        let element = base + (property.isNullable && !isMixed && !isLink ? "?" : "")
        let type: String
        switch property.collection {
        case .STRATA_LIST: type = "List<\(element)>"
        case .STRATA_SET: type = "MutableSet<\(element)>"
        case .STRATA_MAP: type = "Map<String, \(isLink ? base + "?" : element)>"
        default: type = isLink ? base + "?" : element
        }
        let wrapper =
            property.isPrimary
            ? "@Persisted(primaryKey: true)" : property.isIndexed ? "@Persisted(indexed: true)" : "@Persisted"
        return "\(wrapper) var \(swiftName(property.name)): \(type)"
    }

    private static let swiftWords: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
        "else",
        "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in",
        "init",
        "inout", "internal", "is", "let", "nil", "operator", "private", "protocol", "public", "repeat", "rethrows",
        "return", "self", "Self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
        "typealias", "var", "where", "while", "Any",
    ]

    /// A name in backquotes if it is a word of the language, or has signs that names do not have.
    private static func swiftName(_ name: String) -> String {
        let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && name.first?.isNumber != true
        return isPlain && !swiftWords.contains(name) ? name : "`\(name)`"
    }

    // MARK: - C

    private static let cTypes: [strata_type: String] = [
        .STRATA_BOOL: "STRATA_BOOL", .STRATA_INT: "STRATA_INT", .STRATA_FLOAT: "STRATA_FLOAT",
        .STRATA_DOUBLE: "STRATA_DOUBLE", .STRATA_STRING: "STRATA_STRING", .STRATA_DATA: "STRATA_DATA",
        .STRATA_DATE: "STRATA_DATE", .STRATA_UUID: "STRATA_UUID", .STRATA_OBJECT_ID: "STRATA_OBJECT_ID",
        .STRATA_DECIMAL: "STRATA_DECIMAL", .STRATA_MIXED: "STRATA_MIXED", .STRATA_LINK: "STRATA_LINK",
    ]
    private static let cKinds: [strata_collection: String] = [
        .STRATA_SINGLE: "STRATA_SINGLE", .STRATA_LIST: "STRATA_LIST", .STRATA_SET: "STRATA_SET",
        .STRATA_MAP: "STRATA_MAP",
    ]

    /// Tables for strata_schema_apply().
    static func c(_ catalog: Catalog) -> String {
        var out = "#include \"strata.h\"\n\nenum { SCHEMA_VERSION = \(catalog.version ?? 0) };\n"
        var tables = ""
        for (number, table) in catalog.tables.enumerated() {
            out += "\nstatic const strata_column_spec columns_\(number)[] = {\n"
            for property in table.properties { out += "    " + c(property, catalog) + ",\n" }
            out += "};\n"
            for (position, index) in table.indexes.enumerated() {
                let names = index.map(cText).joined(separator: ", ")
                out += "static const char *const index_\(number)_\(position)[] = { \(names) };\n"
            }
            if !table.indexes.isEmpty {
                let list = table.indexes.enumerated().map { "{ \($1.count), index_\(number)_\($0) }" }
                out += "static const strata_index_spec indexes_\(number)[] = { \(list.joined(separator: ", ")) };\n"
            }
            tables += "    { \(cText(table.name)), \(table.isEmbedded ? "STRATA_TABLE_EMBEDDED" : "0"), "
            tables += "\(table.properties.count), columns_\(number), "
            tables += table.indexes.isEmpty ? "NULL, 0 },\n" : "indexes_\(number), \(table.indexes.count) },\n"
        }
        return out + "\nstatic const strata_table_spec tables[] = {\n\(tables)};\n"
    }

    private static func c(_ property: Property, _ catalog: Catalog) -> String {
        var flags: [String] = []
        if property.isNullable { flags.append("STRATA_COLUMN_NULLABLE") }
        if property.isPrimary {
            flags.append("STRATA_COLUMN_PRIMARY")
        } else if property.isIndexed {
            flags.append("STRATA_COLUMN_INDEXED")
        }
        let target = property.target.flatMap { catalog.table(number: $0) }.map { cText($0.name) } ?? "NULL"
        return "{ \(cText(property.name)), \(cTypes[property.type] ?? "0"), \(cKinds[property.collection] ?? "0"), "
            + "\(flags.isEmpty ? "0" : flags.joined(separator: " | ")), \(target) }"
    }

    private static func cText(_ text: String) -> String {
        var out = "\""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): out += "\\" + String(UnicodeScalar(byte))
            case 32..<127: out.unicodeScalars.append(UnicodeScalar(byte))
            default: out += "\\\(byte >> 6)\(byte >> 3 & 7)\(byte & 7)"
            }
        }
        return out + "\""
    }
}
