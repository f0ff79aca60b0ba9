// SPDX-License-Identifier: MIT
// Looking.swift -- ls, show, query, get, count, explain.

import ArgumentParser
import CStrata
import Glibc

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the classes of a file, with the number of their objects.")

    @OptionGroup var file: FileArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        let open = try StoreFile(file.file)
        let catalog = Catalog(open)
        let rows = try catalog.tables.map { table in
            return [
                .string(table.name), .uint(try open.count(table)), .int(Int64(table.properties.count)),
                table.primary.map { .string($0.name) } ?? .null, .string(table.isEmbedded ? "embedded" : "class"),
            ] as [JSONText]
        }
        output.write(["class", "objects", "properties", "primary key", "kind"], rows, right: [1, 2])
    }
}

/// The parts of a query that can be options, too.
struct QueryOptions: ParsableArguments {
    @Argument(help: "A class, or a query such as: Dog where age > 3 sort name", completion: .custom(completeQuery))
    var query: String
    @Option(name: .shortAndLong, help: "At most so many of the objects that the query says.")
    var limit: UInt64?
    @Option(help: "Leave out the first so many of them.")
    var skip: UInt64?
    @Option(
        name: .shortAndLong, help: "Only these properties, in this order, separated by commas.",
        completion: .custom(completeColumns))
    var columns: String?

    func text() throws -> QueryText {
        var text = try QueryText(query)
        text.narrow(skip: skip ?? 0, limit: limit)
        return text
    }

    func properties(_ table: Table) throws -> [Property]? {
        try columns?.split(separator: ",").map { try table.property(String($0)) }
    }
}

struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the first objects of a class or a query, and how many there are.",
        discussion: """
            EXAMPLES
              strata show zoo.realm Dog
              strata show zoo.realm "Dog where age > 3 sort age desc" --columns name,age
            """)

    @OptionGroup var file: FileArgument
    @OptionGroup var query: QueryOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let open = try StoreFile(file.file)
        let catalog = Catalog(open)
        var text = try query.text()
        var whole = try QueryText(query.query)
        whole.sorts = []
        let all = try FileQuery(whole, catalog, open).count()
        text.limit = text.limit ?? 50
        let found = try FileQuery(text, catalog, open)
        try ObjectOutput(file: open, options: output).write(found, try query.properties(found.table))
        let shown = min(text.limit ?? .max, all - min(all, query.skip ?? 0))
        if shown < all && Terminal.isTerminal(STDERR_FILENO) {
            Terminal.note("\(grouped(shown)) of \(grouped(all)); more with --limit, all with strata query")
        }
    }
}

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Write all objects of a class or a query.",
        discussion: """
            EXAMPLES
              strata query zoo.realm "Dog where age > 3" --json | jq .name
              strata query zoo.realm "Dog where ANY tags == 'good'" --csv --columns name,age
            """)

    @OptionGroup var file: FileArgument
    @OptionGroup var query: QueryOptions
    @OptionGroup var output: OutputOptions
    @Flag(name: .customLong("exit-code"), help: "End with 1 if there is no object.")
    var exitCode = false

    func run() throws {
        let open = try StoreFile(file.file)
        let found = try FileQuery(try query.text(), Catalog(open), open)
        try ObjectOutput(file: open, options: output).write(found, try query.properties(found.table))
        if exitCode, try found.count() == 0 { throw ExitCode(Exit.no.rawValue) }
    }
}

struct Count: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Count the objects of a class or a query.")

    @OptionGroup var file: FileArgument
    @Argument(help: "A class, or a query.", completion: .custom(completeQuery))
    var query: String
    @Flag(help: "Write the number as {\"count\":3}.")
    var json = false
    @Flag(name: .customLong("exit-code"), help: "End with 1 if there is no object.")
    var exitCode = false

    func run() throws {
        let count = try FileQuery(query, try StoreFile(file.file)).count()
        Terminal.write(json ? "{\"count\":\(count)}\n" : "\(count)\n")
        if exitCode && count == 0 { throw ExitCode(Exit.no.rawValue) }
    }
}

struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a query, and tell how: which indexes, how many rows were looked at, how long it took.")

    @OptionGroup var file: FileArgument
    @Argument(help: "A query.", completion: .custom(completeQuery))
    var query: String
    @OptionGroup var output: OutputOptions

    func run() throws {
        let open = try StoreFile(file.file)
        let found = try FileQuery(query, open)
        let begun = Progress.now
        let stats = try found.explain()
        let milliseconds = ((Progress.now - begun) * 1e5).rounded() / 100
        let plan = withUnsafeBytes(of: stats.plan) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        output.write(
            ["plan", "found", "rows looked at", "index entries", "milliseconds"],
            [
                [
                    .string(plan), .uint(stats.rows_returned), .uint(stats.rows_visited), .uint(stats.entries_visited),
                    .double(milliseconds),
                ]
            ], right: [1, 2, 3, 4], wraps: true)
    }
}

struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show one object, and on a terminal what links to it.",
        discussion: """
            EXAMPLES
              strata get zoo.realm Dog 17
              strata get zoo.realm Person 'Jane' --json
              strata get zoo.realm Reading -- -5
            """)

    @OptionGroup var file: FileArgument
    @Argument(help: "The class.", completion: .custom(completeQuery))
    var className: String
    @Argument(help: "The primary key of the object; of a class without one, its $key.")
    var key: String
    @OptionGroup var output: OutputOptions

    func run() throws {
        let open = try StoreFile(file.file)
        let catalog = Catalog(open)
        let table = try catalog.table(className)
        let found = try ObjectKey.find(key, table, open)
        let keys = [found]
        let export = try TextExport(
            open, output.format == nil ? .STRATA_TEXT_PLAIN : output.format!,
            flags: Int(STRATA_EXPORT_HEADER | STRATA_EXPORT_KEYS), to: output.format == nil ? nil : STDOUT_FILENO)
        try keys.withUnsafeBufferPointer { try export.write(table.number, $0) }
        let text = try export.finish()
        if output.format != nil { return }
        let rows = plainRows(text)
        let names = rows[0].map { TextTable.visible($0 ?? "") }
        let wide = (names + ["linked"]).map { width(of: $0) }.max() ?? 0
        for (name, value) in zip(names, rows[1]) {
            let shown = value.map(TextTable.visibleLines) ?? output.style.dim("-")
            Terminal.write("\(output.style.bold(name.padded(to: wide)))  \(shown)\n")
        }
        try showBacklinks(catalog, table, found, open, wide)
    }

    private func showBacklinks(_ catalog: Catalog, _ table: Table, _ key: UInt64, _ open: StoreFile, _ wide: Int) throws
    {
        for link in try StudioEdit.links(open, catalog, to: key, of: table) where link.count > 0 {
            let line = TextTable.visible("\(grouped(link.count)) from \(link.origin.name).\(link.property.name)")
            Terminal.write("\(output.style.dim("linked".padded(to: wide)))  \(line)\n")
        }
    }
}

/// Objects that a command line names.
enum ObjectKey {
    static func find(_ text: String, _ table: Table, _ file: StoreFile) throws -> UInt64 {
        guard let primary = table.primary else {
            var row = strata_row()
            guard let key = UInt64(text), key > 0 else {
                throw Failure(.usage, "\(table.name) has no primary key; '\(text)' is no $key, which is a number")
            }
            if try isAnswered({ strata_row_bind(file.view, table.number, key, &row, $0) }) { return key }
            throw Failure(.no, "there is no \(table.name) with the $key \(text)")
        }
        var key: UInt64 = 0
        let bytes = Array(text.utf8)
        let isThere = try bytes.withUnsafeBytes { bytes in
            var value = try value(text, bytes, primary, of: table)
            return try isAnswered { strata_object_find(file.view, table.number, &value, &key, $0) }
        }
        if isThere { return key }
        throw Failure(.no, "there is no \(table.name) with \(primary.name) = \(text)")
    }

    /// The primary key of an object; null if it has none, or there is no such object.
    static func primary(of key: UInt64, _ table: Table, _ file: StoreFile) throws(Failure) -> JSONText {
        var row = strata_row()
        var value = strata_value()
        guard let primary = table.primary, key > 0,
            try isAnswered({ strata_row_bind(file.view, table.number, key, &row, $0) })
        else { return .null }
        try call { strata_row_get(&row, primary.number, &value, $0) }
        if !strata_value_is_outside(&value) { return ValueWords(value).shown }
        var bytes = [UInt8](repeating: 0, count: value.as.bytes.size)
        var count = 0
        try call { strata_row_read(&row, primary.number, 0, &bytes, bytes.count, &count, $0) }
        return .string(String(decoding: bytes.prefix(count), as: UTF8.self))
    }

    /// A value of a primary key. Its bytes are lent.
    private static func value(
        _ text: String, _ bytes: UnsafeRawBufferPointer, _ primary: Property, of table: Table
    ) throws(Failure) -> strata_value {
        var value = strata_value()
        value.type = primary.type
        switch primary.type {
        case .STRATA_INT:
            guard let number = Int64(text) else {
                let isLarge = text.drop { $0 == "-" || $0 == "+" }.utf8.allSatisfy { (48...57).contains($0) }
                let range = isLarge && !text.isEmpty ? " from \(Int64.min) to \(Int64.max)" : ""
                throw Failure(.usage, "'\(text)' is no whole number\(range), which \(table.name).\(primary.name) is")
            }
            value.as.integer = number
        case .STRATA_UUID, .STRATA_OBJECT_ID:
            let isUUID = primary.type == .STRATA_UUID
            guard let fixed = hexadecimal(text, count: isUUID ? 16 : 12, dashes: isUUID) else {
                throw Failure(
                    .usage, "'\(text)' is no \(isUUID ? "uuid" : "objectId"), which \(table.name).\(primary.name) is")
            }
            withUnsafeMutableBytes(of: &value.as.fixed) { $0.copyBytes(from: fixed) }
        default: value.as.bytes = strata_bytes(data: bytes.baseAddress, size: bytes.count)
        }
        return value
    }

    private static func hexadecimal(_ text: String, count: Int, dashes: Bool) -> [UInt8]? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == 2 * count, dashes || digits.count == text.utf8.count else { return nil }
        let halves = digits.map { Character(UnicodeScalar($0)).hexDigitValue }
        if halves.contains(nil) { return nil }
        return (0..<count).map { UInt8(16 * halves[2 * $0]! + halves[2 * $0 + 1]!) }
    }

    /// A string of a predicate, whatever follows a quote in it: a mark would make one letter with it.
    static func quoted(_ text: String) -> String {
        var out = "'".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "'" || scalar == "\\" { out.append("\\") }
            out.append(scalar)
        }
        out.append("'")
        return String(out)
    }
}
