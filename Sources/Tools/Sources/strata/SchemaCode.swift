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
        let names = SwiftNames(classes: catalog.tables.map(\.name))
        var out = "import Foundation\nimport RealmSwift\n"
        if let version = catalog.version, version > 0 { out += "\n// Realm.Configuration(schemaVersion: \(version))\n" }
        for table in catalog.tables { out += "\n" + swift(table, catalog, names) }
        return out
    }

    private static func swift(_ table: Table, _ catalog: Catalog, _ names: SwiftNames) -> String {
        let columns = SwiftNames(properties: table.properties.map(\.name))
        let root = names.type(table.isEmbedded ? "EmbeddedObject" : "Object")
        var out = "class \(names.quoted(table.name)): \(root) {\n"
        for property in table.properties {
            out += "    \(wrapper(property)) var \(columns.quoted(property.name)): "
            out += swift(property, catalog, names) + "\n"
        }
        let functions = functions(table, names, columns)
        if !functions.isEmpty { out += "\n" + functions.map { "    override class func \($0)\n" }.joined() }
        return out + "}\n"
    }

    private static func wrapper(_ property: Property) -> String {
        property.isPrimary
            ? "@Persisted(primaryKey: true)" : property.isIndexed ? "@Persisted(indexed: true)" : "@Persisted"
    }

    private static func swift(_ property: Property, _ catalog: Catalog, _ names: SwiftNames) -> String {
        let link = property.target.flatMap { catalog.table(number: $0) }.map { names.quoted($0.name) }
        let base = swiftTypes[property.type].map(names.type) ?? link ?? "Never"
        let isMixed = property.type == .STRATA_MIXED
        let isLink = property.type == .STRATA_LINK
        let element = base + (property.isNullable && !isMixed && !isLink ? "?" : "")
        switch property.collection {
        case .STRATA_LIST: return "\(names.type("List"))<\(element)>"
        case .STRATA_SET: return "\(names.type("MutableSet"))<\(element)>"
        case .STRATA_MAP: return "\(names.type("Map"))<\(names.type("String")), \(isLink ? base + "?" : element)>"
        default: return isLink ? base + "?" : element
        }
    }

    /// What a class says about itself besides its properties.
    private static func functions(_ table: Table, _ names: SwiftNames, _ columns: SwiftNames) -> [String] {
        let text = names.type("String")
        var out: [String] = []
        if names.name(table.name) != table.name {
            out.append("_realmObjectName() -> \(text)? { \(swiftString(table.name)) }")
        }
        let renamed = table.properties.map(\.name).filter { columns.name($0) != $0 }
        if !renamed.isEmpty {
            let pairs = renamed.map { "\(swiftString(columns.name($0))): \(swiftString($0))" }
            out.append("propertiesMapping() -> [\(text): \(text)] { [\(pairs.joined(separator: ", "))] }")
        }
        if !table.indexes.isEmpty {
            let lists = table.indexes.map {
                "[" + $0.map { swiftString(columns.name($0)) }.joined(separator: ", ") + "]"
            }
            out.append("compoundIndexes() -> [[\(text)]] { [\(lists.joined(separator: ", "))] }")
        }
        return out
    }

    private static func swiftString(_ text: String) -> String {
        let signs = text.unicodeScalars.map { sign in
            switch sign {
            case "\"", "\\": "\\" + String(sign)
            case _ where sign.properties.generalCategory == .control: "\\u{\(String(sign.value, radix: 16))}"
            default: String(sign)
            }
        }
        return "\"" + signs.joined() + "\""
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
