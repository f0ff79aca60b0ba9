// SPDX-License-Identifier: MIT
// StudioData.swift -- what the pages of the studio show, as JSON.

import CStrata
import Glibc

/// Questions about what one view shows.
struct StudioData {
    let file: StoreFile
    let catalog: Catalog

    init(file: StoreFile) {
        self.file = file
        catalog = Catalog(file)
    }

    /// Bytes of a value that a row shows at most, and objects that a window has.
    private static let preview: UInt32 = 160, largestWindow: UInt64 = 500, largestTable: UInt64 = 100_000

    private var commit: JSONText { .uint(strata_view_version(file.view)) }

    // MARK: - Classes

    func catalogJSON(canWrite: Bool) throws -> JSONText {
        let tables = try catalog.tables.map { table in
            let properties = table.properties.map { property in
                JSONText.object([
                    "name": .string(property.name), "word": .string(QueryText.word(ofProperty: property.name)),
                    "type": .string(typeName(of: property, in: catalog)),
                    "target": property.target.flatMap { catalog.table(number: $0) }.map { .string($0.name) } ?? .null,
                    "single": .bool(property.isSingle), "primary": .bool(property.isPrimary),
                    "indexed": .bool(property.isIndexed || property.isPrimary),
                ])
            }
            return JSONText.object([
                "name": .string(table.name), "query": .string(QueryText.word(ofClass: table.name)),
                "objects": .uint(try file.count(table)), "embedded": .bool(table.isEmbedded),
                "primary": table.primary.map { .string($0.name) } ?? .null, "properties": .list(properties),
                "indexes": .list(table.indexes.map { .list($0.map { .string($0) }) }),
            ])
        }
        return .object([
            "path": .string(String(cString: strata_store_path(file.store))), "commit": commit, "write": .bool(canWrite),
            "version": catalog.version.map { .uint($0) } ?? .null, "classes": .list(tables),
        ])
    }

    /// Those of all classes, each with its class.
    func properties() -> [JSONText] {
        catalog.tables.flatMap { table in
            table.properties.map { property in
                .object([
                    "class": .string(table.name), "property": .string(property.name),
                    "type": .string(typeName(of: property, in: catalog)), "primary": .bool(property.isPrimary),
                    "indexed": .bool(property.isIndexed || property.isPrimary),
                ])
            }
        }
    }

    // MARK: - Rows

    private func number(_ request: HTTPRequest, _ name: String, _ normal: UInt64, most: UInt64) throws(HTTPRefusal)
        -> UInt64
    {
        guard let text = request.query[name] else { return normal }
        guard let number = UInt64(text) else { throw HTTPRefusal(400, "'\(name)' is no number") }
        return min(number, most)
    }

    /// A window of a result: its objects, shortened, with their keys; how many there are in all, and how they were
    /// found.
    func rows(_ request: HTTPRequest) throws -> JSONText {
        let skip = try number(request, "skip", 0, most: .max)
        let limit = try number(request, "limit", 100, most: Self.largestWindow)
        let begun = Progress.now
        let (query, total) = try window(request, skip, limit)
        let text = try QueryText(request.query["q"] ?? QueryText.word(ofClass: query.table.name))
        let found = try query.run { keys in
            (Array(keys), try objects(query.table, keys, preview: Self.preview))
        }
        return .object([
            "class": .string(query.table.name), "total": .uint(total), "skip": .uint(skip), "commit": commit,
            "plan": .string(query.plan), "milliseconds": .double(((Progress.now - begun) * 1e5).rounded() / 100),
            "where": text.condition.map { .string($0) } ?? .null, "order": .string(text.order),
            "rest": .string(text.rest),
            "keys": .list(found.0.map { .uint($0) }), "rows": .raw("[\(found.1.joined(separator: ","))]"),
        ])
    }

    /// The place of an object in a result, looked for around another place, further and further away.
    func place(_ request: HTTPRequest) throws -> JSONText {
        let near = try number(request, "near", 0, most: .max)
        let key = try number(request, "object", 0, most: .max)
        var radius: UInt64 = 200
        while radius <= Self.largestTable {
            let start = near - min(near, radius)
            let (query, _) = try window(request, start, 2 * radius)
            if let found = try query.run({ $0.firstIndex(of: key) }) {
                return .object(["place": .uint(start + UInt64(found)), "commit": commit])
            }
            radius *= 16
        }
        return .object(["place": .null, "commit": commit])
    }

    private func window(_ request: HTTPRequest, _ skip: UInt64, _ limit: UInt64) throws -> (FileQuery, UInt64) {
        if let name = request.query["links"] {
            let (table, key) = try subject(request)
            let origin = try catalog.table(name)
            let property = try origin.property(request.query["via"] ?? "")
            var count: UInt64 = 0
            try call {
                strata_backlinks_count(file.view, table.number, key, origin.number, property.number, &count, $0)
            }
            let query = try FileQuery(
                backlinksTo: key, through: property, of: origin, skip: skip, limit: limit, file)
            return (query, count)
        }
        var text = try QueryText(request.query["q"] ?? "")
        var whole = text
        whole.sorts = []
        let total = try FileQuery(whole, catalog, file).count()
        text.narrow(skip: skip, limit: limit)
        return (try FileQuery(text, catalog, file), total)
    }

    /// Objects as texts of JSON, one for each key; null for one that is gone.
    private func objects(_ table: Table, _ keys: UnsafeBufferPointer<UInt64>, preview: UInt32) throws -> [String] {
        let export = try TextExport(file, .STRATA_TEXT_LINES, flags: 0, preview: preview, to: nil)
        try export.write(table.number, keys)
        return try export.finish().split(separator: "\n").map(String.init)
    }

    /// The beginning of a result, or an object, as CSV or lines of JSON.
    ///
    /// - Parameter isCut: called before anything else if there is more, with the address of the rest.
    func table(
        _ request: HTTPRequest, _ format: strata_text_format, isCut: (String) -> Void,
        into receive: @escaping (UnsafeRawBufferPointer) -> Bool
    ) throws {
        let flags = Int(STRATA_EXPORT_HEADER | STRATA_EXPORT_KEYS)
        let export = try TextExport(file, format, flags: flags, into: .receiver(receive))
        if request.path == "/object.csv" {
            let (table, key) = try subject(request)
            try existing(key, of: table)
            try [key].withUnsafeBufferPointer { try export.write(table.number, $0) }
        } else {
            let skip = try number(request, "skip", 0, most: .max)
            let limit = try number(request, "limit", Self.largestTable, most: Self.largestTable)
            let (query, total) = try window(request, skip, limit)
            let (end, isTooFar) = skip.addingReportingOverflow(limit)
            if !isTooFar && end < total { isCut(request.target(without: "skip", with: "\(end)")) }
            try export.write(query)
        }
        try export.finish()
    }

    // MARK: - Objects

    /// The object that an address names: by its object key, or its primary key.
    private func subject(_ request: HTTPRequest) throws -> (Table, UInt64) {
        let table = try catalog.table(request.query["class"] ?? "")
        if let text = request.query["key"] {
            guard let key = UInt64(text), key > 0 else { throw HTTPRefusal(400, "'key' is no number") }
            return (table, key)
        }
        guard let primary = request.query["primary"] else {
            throw HTTPRefusal(400, "an object is named by 'key' or 'primary'")
        }
        return (table, try ObjectKey.find(primary, table, file))
    }

    private func existing(_ key: UInt64, of table: Table) throws {
        var row = strata_row()
        if try isAnswered({ strata_row_bind(file.view, table.number, key, &row, $0) }) { return }
        throw HTTPRefusal(404, "there is no such object of \(table.name)")
    }

    /// - Parameter withTexts: whether it may be changed, for which all of it is needed.
    func object(_ request: HTTPRequest, withTexts: Bool) throws -> JSONText {
        let (table, key) = try subject(request)
        let keys = [key]
        let text = try keys.withUnsafeBufferPointer { try objects(table, $0, preview: 4096) }.first
        guard let text else { throw HTTPRefusal(404, "there is no such object of \(table.name)") }
        let links = try StudioEdit.links(file, catalog, to: key, of: table).map { link in
            JSONText.object([
                "class": .string(link.origin.name), "via": .string(link.property.name), "count": .uint(link.count),
            ])
        }
        let texts = withTexts ? try StudioEdit.texts(file, table, key) : []
        return .object([
            "class": .string(table.name), "key": .uint(key), "commit": commit, "object": .raw(text),
            "links": .list(links),
            "seal": .string(StudioEdit.seal(texts)), "returnable": .bool(StudioEdit.fitsRequest(texts)),
            "texts": .raw(
                "{" + texts.map { "\(JSONText.quoted($0.0)):\(JSONText.quoted($0.1))" }.joined(separator: ",") + "}"),
        ])
    }

    // MARK: - Columns

    /// The commonest values of a property in a result, and of numbers a histogram. The engine bounds the memory.
    ///
    /// - Parameter isTable: the values alone are wanted, which must not be taken for none if there are too many.
    func facets(_ request: HTTPRequest, isTable: Bool = false) throws -> JSONText {
        var text = try QueryText(request.query["q"] ?? "")
        if text.limit == nil && text.skip == 0 { text.sorts = [] }
        let query = try FileQuery(text, catalog, file)
        let property = try query.table.property(request.query["property"] ?? "")
        if let refusal = FileQuery.refusesFacets(property) { throw HTTPRefusal(400, refusal) }
        // Links are told by the primary keys of what they lead to, and asked for by these.
        let primary = catalog.tables.first { $0.number == property.target }?.primary
        let path = [property] + (primary.map { [$0] } ?? [])
        let word = path.map { QueryText.word(ofProperty: $0.name) }.joined(separator: ".")
        return try query.facet(of: path, values: 20, bins: 20) { facet in
            if isTable && facet.too_many {
                throw HTTPRefusal(400, "\(property.name) has too many different values to count each of them")
            }
            let values = UnsafeBufferPointer(start: facet.values, count: Int(facet.value_count))
            let bins = UnsafeBufferPointer(start: facet.bins, count: Int(facet.bin_count))
            return .object([
                "property": .string(property.name), "word": .string(word), "distinct": .uint(facet.different),
                "tooMany": .bool(facet.too_many), "commit": commit,
                "values": .list(
                    values.map { found in
                        let words = ValueWords(found.value, upTo: 200)
                        return .object([
                            "value": words.shown, "literal": words.literal.map { .string($0) } ?? .null,
                            "count": .uint(found.count),
                        ])
                    }),
                "histogram": bins.isEmpty
                    ? .null
                    : .object([
                        "least": ValueWords(facet.least).shown, "greatest": ValueWords(facet.greatest).shown,
                        "counts": .list(bins.map { .uint($0) }),
                    ]),
            ])
        }
    }

    // MARK: - The file

    func fileFigures() throws -> JSONText {
        let stats = try file.figures
        let others = try Readers.snapshots(file).filter { $0.process != Int64(getpid()) }
        let readers = others.map { snapshot in
            JSONText.object([
                "process": .int(snapshot.process), "program": .string(Readers.program(snapshot.process)),
                "commit": .uint(snapshot.version), "behind": .uint(snapshot.behind),
            ])
        }
        return .object([
            "size": .uint(stats.file_size), "used": .uint(stats.used_size), "free": .uint(stats.free_size),
            "held": .uint(stats.held_size), "pageSize": .uint(UInt64(stats.page_size)), "commit": .uint(stats.version),
            "snapshots": .uint(UInt64(stats.snapshots)), "mostSnapshots": .uint(UInt64(stats.max_snapshots)),
            "parts": .list(
                (FilePart.used(stats) + FilePart.free(stats)).map {
                    .object(["name": .string($0.name), "size": .uint($0.size)])
                }),
            "log": FilePart.log(beside: String(cString: strata_store_path(file.store))).map { .uint($0) } ?? .null,
            "readers": .list(readers),
        ])
    }
}
