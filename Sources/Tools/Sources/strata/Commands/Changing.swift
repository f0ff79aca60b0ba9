// SPDX-License-Identifier: MIT
// Changing.swift -- insert, set, delete.

import ArgumentParser
import CStrata
import Glibc

/// "name=Rex" or "tags:=[1,2]", as it is given for a property.
struct Assignment {
    let property: Property
    /// In JSON.
    let value: String

    init(_ text: String, _ table: Table, _ catalog: Catalog) throws(Failure) {
        guard let sign = text.firstIndex(of: "=") else {
            throw Failure(.usage, "'\(text)' is no assignment; write property=text, or property:=JSON")
        }
        let isJSON = sign > text.startIndex && text[text.index(before: sign)] == ":"
        let name = isJSON ? text[..<text.index(before: sign)] : text[..<sign]
        property = try table.property(String(name))
        let given = String(text[text.index(after: sign)...])
        if isJSON && JSONValue.look(at: given) == .nothing {
            throw Failure(.usage, "'\(given)' is no value in JSON, which \(property.name):= takes")
        }
        value = isJSON ? given.withoutLineEnds : try Self.json(given, property, catalog)
    }

    /// Those of a command, each of another property.
    static func list(_ texts: [String], _ table: Table, _ catalog: Catalog) throws(Failure) -> [Assignment] {
        var list: [Assignment] = []
        for text in texts {
            let next = try Assignment(text, table, catalog)
            if list.contains(where: { $0.property.number == next.property.number }) {
                throw Failure(.usage, "\(table.name).\(next.property.name) is given twice")
            }
            list.append(next)
        }
        return list
    }

    /// Text as JSON of the type of a property.
    private static func json(_ text: String, _ property: Property, _ catalog: Catalog) throws(Failure) -> String {
        guard property.isSingle else {
            throw Failure(
                .usage, "'\(property.name)' holds several values: write \(property.name):=[...] with JSON behind it")
        }
        var type = property.type
        if type == .STRATA_LINK {
            guard let primary = property.target.flatMap({ catalog.table(number: $0) })?.primary else {
                throw Failure(
                    .usage,
                    "'\(property.name)' links to a class without a primary key: write "
                        + "\(property.name):={\"$key\": number}")
            }
            type = primary.type
        }
        switch type {
        case .STRATA_INT:
            if let number = Int64(text) { return "\(number)" }
            throw noNumber(text, property)
        case .STRATA_BOOL:
            if text == "true" || text == "false" { return text }
            throw Failure(.usage, "'\(text)' is neither true nor false; \(property.name) is one of them")
        case .STRATA_FLOAT, .STRATA_DOUBLE:
            let isFloat = type == .STRATA_FLOAT
            let isTooLarge = isFloat ? Float(text)?.isInfinite : Double(text)?.isInfinite
            if isTooLarge == true && text.contains(where: \.isNumber) {
                throw Failure(
                    .usage, "'\(text)' is too large for a \(isFloat ? "float" : "number"), which \(property.name) is")
            }
            // As people write numbers, such as +3 or .5, which JSON does not.
            let isPlain = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
            guard isPlain, let number = Double(text), number.isFinite else { return JSONText.quoted(text) }
            return "\(number)"
        default: return JSONText.quoted(text)
        }
    }

    private static func noNumber(_ text: String, _ property: Property) -> Failure {
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        if !digits.isEmpty && digits.utf8.allSatisfy({ (48...57).contains($0) }) {
            return Failure(
                .usage,
                "'\(text)' is out of range: \(property.name) is a whole number from \(Int64.min) to \(Int64.max)")
        }
        let none = text.isEmpty && property.isNullable ? "; \(property.name):=null takes its value away" : ""
        return Failure(.usage, "'\(text)' is no whole number; \(property.name) takes one\(none)")
    }

    var member: String { "\(JSONText.quoted(property.name)):\(value)" }
}

/// Feeds lines of JSON that were made here into a file.
struct LineImport {
    let file: StoreFile
    let flags: Int
    /// For a command that a person waits for; a server tells nobody.
    var progress: Progress?

    /// What was done. A line that does not fit ends it.
    @discardableResult
    func run(_ table: Table, _ lines: String) throws -> strata_import_report {
        var options = strata_import_options_blank()
        let name = CText(table.name)
        options.table = UnsafePointer(name.pointer)
        options.flags = UInt32(flags)
        var handle: OpaquePointer?
        try call { strata_import_open(file.view, &options, &handle, $0) }
        defer { strata_import_close(handle) }
        var report = strata_import_report()
        do {
            try feed(lines, to: handle)
            try call { strata_import_finish(handle, &report, $0) }
        } catch {
            throw Failure(error.exit, Self.withoutLine(error.message))
        }
        if report.missing > 0 {
            let first = withUnsafeBytes(of: report.first_missing) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw Failure(.usage, "there is no \(first) to link to")
        }
        return report
    }

    /// Piece by piece, if it is to be told how far it is.
    private func feed(_ lines: String, to handle: OpaquePointer?) throws(Failure) {
        guard let progress else {
            try call { error in lines.withBytes { strata_import_feed(handle, $0, $1, error) } }
            return
        }
        let bytes = Array(lines.utf8), piece = 1 << 16
        defer { progress.end() }
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let some = Array(bytes[start..<min(start + piece, bytes.count)])
            try call { strata_import_feed(handle, some, some.count, $0) }
            progress.update(UInt64(start + some.count), of: UInt64(bytes.count))
        }
    }

    /// Lines and columns of what was made here say nothing to whoever reads the message.
    private static func withoutLine(_ message: String) -> String {
        var message = message
        for prefix in ["line ", "at column "] where message.hasPrefix(prefix) {
            guard let colon = message.firstIndex(of: ":") else { continue }
            message = String(message[message.index(colon, offsetBy: 2)...])
        }
        return message
    }
}

struct Insert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create an object.",
        discussion: """
            EXAMPLES
              strata insert zoo.realm Dog name=Rex age=3 owner=Jane
              strata insert zoo.realm Dog name=Rex tags:='["good","old"]'

            property=text gives text as it is, a number, a date or the primary key of a link; property:=JSON anything.
            """)

    @OptionGroup var file: FileArgument
    @Argument(help: "The class.", completion: .custom(completeQuery))
    var className: String
    @Argument(help: "property=text or property:=JSON", completion: .custom(completeAssignment))
    var values: [String] = []
    @Flag(name: .customLong("dry-run"), help: "Do everything but keep it.")
    var dryRun = false

    func run() throws {
        let open = try StoreFile(file.file, for: .writing)
        let catalog = Catalog(open)
        let table = try catalog.table(className)
        let members = try Assignment.list(values, table, catalog).map(\.member)
        let report = try written(open, dryRun) {
            try LineImport(file: open, flags: 0).run(table, "{" + members.joined(separator: ",") + "}")
        }
        if dryRun { return Terminal.note("would create one \(table.name)") }
        // Without a primary key nothing else leads back to it.
        Terminal.note("created one \(table.name)" + (table.primary == nil ? " with the $key \(report.last)" : ""))
    }
}

/// A write that is kept unless it is a rehearsal.
func written<Result>(_ file: StoreFile, _ dryRun: Bool, _ body: () throws -> Result) throws -> Result {
    if !dryRun { return try file.write(body) }
    try call { strata_view_begin(file.view, $0) }
    defer { strata_view_cancel(file.view) }
    return try body()
}

struct ConfirmOptions: ParsableArguments {
    @Flag(name: .customLong("dry-run"), help: "Tell what would be changed, and change nothing.")
    var dryRun = false
    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    func confirm(_ question: String) throws {
        if yes || Terminal.confirm(question) { return }
        throw Failure(.refused, "nothing was changed; to go on without a question, add --yes")
    }
}

struct Assign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change properties of the objects of a query.",
        discussion: """
            EXAMPLES
              strata set zoo.realm "Dog where name == 'Rex'" age=4
              strata set zoo.realm "Dog where age > 12" retired=true --dry-run
            """)

    @OptionGroup var file: FileArgument
    @Argument(help: "A query.", completion: .custom(completeQuery))
    var query: String
    @Argument(help: "property=text or property:=JSON", completion: .custom(completeAssignment))
    var values: [String]
    @OptionGroup var confirm: ConfirmOptions

    func run() throws {
        let open = try StoreFile(file.file, for: .writing)
        let catalog = Catalog(open)
        let text = try QueryText(query)
        let table = try FileQuery(text, catalog, open).table
        let assignments = try Assignment.list(values, table, catalog)
        if let primary = assignments.first(where: \.property.isPrimary) {
            throw Failure(.usage, "\(table.name).\(primary.property.name) is the primary key, which never changes")
        }
        if table.isEmbedded {
            throw Failure(.usage, "\(table.name) is embedded: set the property that holds it, as property:=JSON")
        }
        let before = try FileQuery(text, catalog, open).count()
        if !confirm.dryRun && before > 1 { try confirm.confirm("Change \(grouped(before)) objects of \(table.name)?") }
        let count = try written(open, confirm.dryRun) { try change(text, catalog, open, assignments) }
        Terminal.note("\(confirm.dryRun ? "would change" : "changed") \(grouped(count)) of \(table.name)")
    }

    /// What a record says to be about each object: its primary key, or else its object key, for which nothing is read.
    private func identities(_ found: FileQuery, _ open: StoreFile) throws -> [String] {
        guard let primary = found.table.primary else { return try found.run { $0.map { "\"$key\":\($0)" } } }
        let flags = Int(STRATA_EXPORT_KEYS)
        let export = try TextExport(open, .STRATA_TEXT_LINES, flags: flags, columns: [primary.number], to: nil)
        try export.write(found)
        return try export.finish().split(separator: "\n").map { String($0.dropFirst().dropLast()) }
    }

    /// Each object that is found in the write gets a record with its key and the new values.
    private func change(
        _ text: QueryText, _ catalog: Catalog, _ open: StoreFile, _ assignments: [Assignment]
    ) throws -> UInt64 {
        let found = try FileQuery(text, catalog, open)
        let members = assignments.map(\.member).joined(separator: ",")
        let lines = try identities(found, open).map { "{\($0),\(members)}\n" }.joined()
        let flags = Int(STRATA_IMPORT_UPDATE | STRATA_IMPORT_KEYS)
        return try LineImport(file: open, flags: flags, progress: Progress("changing", unit: "bytes"))
            .run(found.table, lines).updated
    }
}

struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Delete the objects of a query, and the embedded objects in them.",
        discussion: """
            EXAMPLES
              strata delete zoo.realm "Dog where age > 30" --dry-run
              strata delete zoo.realm "Dog where age > 30" --yes
              strata delete zoo.realm Dog --confirm Dog

            Links to what is deleted become null, or leave their list. All objects of a class, if there are several, are \
            deleted only if its name is given once more: when it is asked for, or by --confirm.
            """)

    @OptionGroup var file: FileArgument
    @Argument(help: "A query.", completion: .custom(completeQuery))
    var query: String
    @OptionGroup var confirm: ConfirmOptions
    @Option(name: .customLong("confirm"), help: "The class, if all of its objects are to go.")
    var confirmed: String?

    /// Whether all objects of the class may go.
    private func confirmDeleting(_ count: UInt64, of table: Table, in open: StoreFile) throws -> Bool {
        if confirmed == table.name { return true }
        if try !Self.isWhole(count, table, open) {
            let which = count == 1 ? "the object" : "\(grouped(count)) objects"
            try confirm.confirm("Delete \(which) of \(table.name)?")
            return false
        }
        let question = "Delete all \(grouped(count)) objects of \(table.name)? Type the name of the class:"
        if confirmed == nil, Terminal.ask(question) == table.name { return true }
        throw Self.refusal(table)
    }

    /// A single object is none that its class has to be named for.
    private static func isWhole(_ count: UInt64, _ table: Table, _ open: StoreFile) throws -> Bool {
        try count > 1 && count == open.count(table)
    }

    private static func refusal(_ table: Table) -> Failure {
        Failure(.refused, "nothing was changed; to delete all objects of \(table.name), add --confirm \(table.name)")
    }

    func run() throws {
        let open = try StoreFile(file.file, for: .writing)
        let table = try FileQuery(query, open).table
        if table.isEmbedded {
            throw Failure(.usage, "\(table.name) is embedded: its objects go with what they are in")
        }
        let before = try FileQuery(query, open).count()
        if before == 0 { return Terminal.note("there is nothing to delete") }
        if confirm.dryRun { return Terminal.note("would delete \(grouped(before)) of \(table.name)") }
        let mayBeWhole = try confirmDeleting(before, of: table, in: open)
        let deleted = try open.write {
            let found = try FileQuery(query, open)
            // Others may have written since the question.
            if try !mayBeWhole && Self.isWhole(found.count(), table, open) { throw Self.refusal(table) }
            let progress = Progress("deleting", unit: "objects")
            defer { progress.end() }
            return try found.run { keys in
                for (done, key) in keys.enumerated() {
                    try call { strata_object_remove(open.view, table.number, key, $0) }
                    if done % 256 == 255 { progress.update(UInt64(done + 1), of: UInt64(keys.count)) }
                }
                return keys.count
            }
        }
        Terminal.note("deleted \(grouped(UInt64(deleted))) of \(table.name)")
    }
}
