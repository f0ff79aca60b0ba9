// SPDX-License-Identifier: MIT
// StudioEdit.swift -- what a page changes, if the studio was started with --write.

import CStrata

/// Changes of one object, each a transaction of its own that looks first whether the object is still what the page
/// showed.
struct StudioEdit {
    let file: StoreFile
    let catalog: Catalog

    init(file: StoreFile) {
        self.file = file
        catalog = Catalog(file)
    }

    /// The value of each property, as JSON from which nothing is lost.
    static func texts(_ file: StoreFile, _ table: Table, _ key: UInt64) throws -> [(String, String)] {
        try table.properties.map { property in
            let keys = [key]
            let export = try TextExport(file, .STRATA_TEXT_LINES, flags: 0, columns: [property.number], to: nil)
            try keys.withUnsafeBufferPointer { try export.write(table.number, $0) }
            let line = try export.finish()
            if line.isEmpty { throw HTTPRefusal(404, "there is no such object of \(table.name)") }
            return (property.name, Self.value(ofLine: line))
        }
    }

    /// The text of the only member of an object on a line, whose name may be escaped in any way.
    private static func value(ofLine line: String) -> String {
        let bytes = Array(line.utf8)
        var end = 2  // within the quotes of the name
        while bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
        return String(decoding: bytes[(end + 2)..<(bytes.count - 2)], as: UTF8.self)
    }

    /// How many links to an object each property has that could link to it. Those of any type only if they do.
    static func links(
        _ file: StoreFile, _ catalog: Catalog, to key: UInt64, of table: Table
    ) throws -> [(origin: Table, property: Property, count: UInt64)] {
        try catalog.tables.flatMap { origin in
            try origin.properties.compactMap { property in
                guard property.target == table.number || property.type == .STRATA_MIXED else { return nil }
                var count: UInt64 = 0
                try call {
                    strata_backlinks_count(file.view, table.number, key, origin.number, property.number, &count, $0)
                }
                return count == 0 && property.target == nil ? nil : (origin, property, count)
            }
        }
    }

    /// A number that is another one if any value is.
    static func seal(_ texts: [(String, String)]) -> String {
        let hash = texts.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { hash, text in
            (text.0 + "\0" + text.1 + "\0").utf8.reduce(hash) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        }
        return String(hash, radix: 16)
    }

    func answer(_ path: String, _ body: JSONValue) throws -> JSONText {
        try checkNames(body)
        guard let name = body["class"]?.string else { throw HTTPRefusal(400, "the body names no class") }
        let table = try catalog.table(name)
        if table.isEmbedded { throw HTTPRefusal(400, "\(table.name) is embedded: change the object that it is in") }
        if path == "/create" { return try create(table, body) }
        guard let key = body["key"]?.number, key > 0 else {
            throw HTTPRefusal(400, "\"key\" of the body is no object key, a number such as 7")
        }
        guard let seal = body["seal"]?.string else {
            throw HTTPRefusal(400, "the body has no \"seal\", which says what was seen of the object")
        }
        return try file.write {
            let before = try Self.texts(file, table, key)
            if Self.seal(before) != seal {
                throw HTTPRefusal(409, "the object was changed by somebody else meanwhile; look at it again")
            }
            return try path == "/edit" ? change(table, key, before, body) : delete(table, key, before, body)
        }
    }

    private func values(_ table: Table, _ body: JSONValue) throws -> [(Property, String)] {
        let values = body["values"] ?? .object([])
        guard case .object(let members) = values else {
            throw HTTPRefusal(400, "\"values\" is no object, such as {\"name\":\"\\\"Rex\\\"\"}")
        }
        try checkNames(values)
        return try members.map { name, value in
            let text = value.string ?? ""
            switch JSONValue.look(at: text) {
            case .value: return (try table.property(name), text)
            case .tooDeep:
                throw HTTPRefusal(400, "the value of '\(name)' is nested more than \(STRATA_MAX_NESTING) deep")
            case .nothing:
                throw HTTPRefusal(
                    400, "the value of '\(name)' is not JSON in a string, such as \"9\", \"null\" or \"\\\"Zed\\\"\"")
            }
        }
    }

    private func checkNames(_ object: JSONValue) throws(HTTPRefusal) {
        for (place, member) in object.members.enumerated() {
            guard object.members[..<place].contains(where: { $0.name.isSame(as: member.name) }) else { continue }
            throw HTTPRefusal(400, "'\(member.name)' is given twice")
        }
    }

    private func change(_ table: Table, _ key: UInt64, _ before: [(String, String)], _ body: JSONValue) throws
        -> JSONText
    {
        let values = try values(table, body)
        if values.contains(where: { $0.0.isPrimary }) {
            throw HTTPRefusal(400, "a primary key never changes: create another object")
        }
        let primary = before.first { $0.0.isSame(as: table.primary?.name ?? "") }
        let identity = primary.map { "\(JSONText.quoted($0.0)):\($0.1)" } ?? "\"$key\":\(key)"
        let members = values.map { "\(JSONText.quoted($0.0.name)):\($0.1.withoutLineEnds)" }
        try LineImport(file: file, flags: Int(STRATA_IMPORT_UPDATE | STRATA_IMPORT_KEYS))
            .run(table, "{\([identity] + members, separator: ",")}")
        let after = try Self.texts(file, table, key)
        let undo = values.map { value in (value.0.name, before.first { $0.0.isSame(as: value.0.name) }?.1 ?? "null") }
        return .object(["seal": .string(Self.seal(after)), "undo": Self.object(undo)])
    }

    /// Whether an object other than itself is among those that link to an object through a property.
    private func hasOthers(_ origin: Table, _ property: Property, to key: UInt64, of table: Table) throws -> Bool {
        var cursor: OpaquePointer?
        try call {
            strata_backlinks(file.view, table.number, key, origin.number, property.number, &cursor, $0)
        }
        defer { strata_cursor_close(cursor) }
        var row = strata_row()
        while try isAnswered({ strata_cursor_next(cursor, &row, $0) }) {
            if origin.number != table.number || row.key != key { return true }
        }
        return false
    }

    /// A page that saw no links, or takes back what it created, says "unlinked": it has asked nobody whether links may
    /// be lost.
    private func delete(_ table: Table, _ key: UInt64, _ before: [(String, String)], _ body: JSONValue) throws
        -> JSONText
    {
        let links = try Self.links(file, catalog, to: key, of: table).filter { $0.count > 0 }
        if body["unlinked"] != nil,
            try links.contains(where: { try hasOthers($0.origin, $0.property, to: key, of: table) })
        {
            throw HTTPRefusal(409, "objects link to it meanwhile; look at it again")
        }
        try call { strata_object_remove(file.view, table.number, key, $0) }
        let canReturn = links.isEmpty && Self.fitsRequest(before)
        return .object(["deleted": .uint(key), "undo": canReturn ? Self.object(before) : .null])
    }

    /// Whether the page can send so much back: text within text becomes up to twice as long.
    static func fitsRequest(_ texts: [(String, String)]) -> Bool {
        texts.reduce(0) { $0 + $1.1.utf8.count } < HTTPReader.largestBody / 2 - 4096
    }

    private static func object(_ texts: [(String, String)]) -> JSONText {
        .raw("{" + texts.map { "\(JSONText.quoted($0.0)):\(JSONText.quoted($0.1))" }.joined(separator: ",") + "}")
    }

    private func create(_ table: Table, _ body: JSONValue) throws -> JSONText {
        let members = try values(table, body).map { "\(JSONText.quoted($0.0.name)):\($0.1.withoutLineEnds)" }
        return try file.write {
            let key = try LineImport(file: file, flags: Int(STRATA_IMPORT_KEYS))
                .run(table, "{\(members, separator: ",")}").last
            // Exports look whether the client still waits: it may have gone before the turn came. Then nothing is
            // created.
            let seal = Self.seal(try Self.texts(file, table, key))
            return .object(["created": .uint(key), "seal": .string(seal)])
        }
    }
}

extension String {
    /// A record is a line; between the values of JSON a line end is as good as a space, and inside of strings there is
    /// none. Other signs that end lines stay as they are: they are letters of strings.
    var withoutLineEnds: String {
        var out = UnicodeScalarView()
        out.append(contentsOf: unicodeScalars.lazy.map { $0 == "\n" || $0 == "\r" ? " " : $0 })
        return String(out)
    }
}

extension DefaultStringInterpolation {
    fileprivate mutating func appendInterpolation(_ parts: [String], separator: String) {
        appendInterpolation(parts.joined(separator: separator))
    }
}
