// SPDX-License-Identifier: MIT
// Import.swift -- objects from JSON, CSV and plain columns.

import ArgumentParser
import CStrata
import Glibc

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read objects from lines of JSON, a JSON document, CSV or plain columns.",
        discussion: """
            EXAMPLES
              strata import zoo.realm dogs.csv --class Dog --primary id
              strata import zoo.realm export.ndjson --update
              curl https://example.org/dogs.ndjson | strata import zoo.realm - --class Dog

            Classes that the file does not have are guessed from the text, shown, and created after a yes; for that \
            the text is a file, and no pipe. All is imported, or nothing; a line that does not fit ends it, unless \
            --rejects says where to put such lines.
            """)

    @OptionGroup var file: FileArgument
    @Argument(help: "The text; - is the standard input.", completion: .file())
    var source: String
    @Option(
        name: .customLong("class"), help: "The class of objects that do not name theirs; of CSV, all.",
        completion: .custom(completeClass))
    var className: String?
    @Option(
        help: "ndjson, json, csv or plain. Without it the end of the name of the source tells, or what JSON begins with.",
        completion: .list(strata_text_format.names))
    var format: String?
    @Option(help: "Which property of a new class is the primary key.")
    var primary: String?
    @Option(help: "What separates the fields of CSV; tab for a tab.")
    var separator: String?
    @Flag(help: "Update objects whose primary key is there; otherwise such a line does not fit.")
    var update = false
    @Flag(name: .customLong("keys"), help: "The text was exported from this file: $key names its objects.")
    var keys = false
    @Flag(name: .customLong("ignore-unknown"), help: "Pass over properties that the class does not have.")
    var ignoreUnknown = false
    @Option(
        help: "A new file for lines that do not fit, each with its number and the reason beside it.",
        completion: .file())
    var rejects: String?
    @Option(help: "Commit after about so many MiB of text, which bounds the memory; otherwise all or nothing.")
    var batch: UInt64?
    @Flag(name: .customLong("dry-run"), help: "Do everything but keep it.")
    var dryRun = false
    @Flag(name: .shortAndLong, help: "Create new classes without a question.")
    var yes = false

    func run() throws {
        let text = try TextSource(source)
        if let rejects, access(rejects, F_OK) == 0 {
            throw Failure(.refused, "\(rejects) is there already; --rejects writes a new file")
        }
        guard let format = try self.format.map({ try strata_text_format(name: $0) }) ?? formatOfText(text) else {
            if try text.beginning().isEmpty {
                let name = source == "-" ? "the standard input" : source
                throw Failure(.usage, "\(name) is empty; with --format it is a text without objects")
            }
            throw Failure(
                .usage,
                "neither the name '\(source)' nor its first bytes tell the format; add --format ndjson, json, csv or plain")
        }
        if className == nil && (format == .STRATA_TEXT_CSV || format == .STRATA_TEXT_PLAIN) {
            throw Failure(.usage, "lines of CSV and plain columns do not name their class; add --class NAME")
        }
        let names = CText(className ?? "")
        var options = strata_import_options_blank()
        options.format = format
        options.table = className == nil ? nil : UnsafePointer(names.pointer)
        options.separator = try separatorByte()
        options.flags =
            (update ? UInt32(STRATA_IMPORT_UPDATE) : 0) | (keys ? UInt32(STRATA_IMPORT_KEYS) : 0)
            | (ignoreUnknown ? UInt32(STRATA_IMPORT_IGNORE_UNKNOWN) : 0)
        try checkUpdate()
        try checkPrimary()
        let missing = try missingClasses(text, options)
        // Ctrl-C says what stays, and leaves the reject file with the lines of that.
        try Interruption.catching {
            if dryRun { return try rehearse(missing, text, options) }
            if let missing, !StoreFile.isThere(file.file) { _ = try StoreFile(memoryOf: missing) }
            let open = try StoreFile(file.file, for: .creating)
            let created = try missing.map { try create($0, open) } ?? []
            try run(open, text, options, created) { try open.write($0) }
        }
    }

    /// What the name of the text tells, or else its beginning. A document of one class is an array: a name that stands
    /// for documents does not make one of an object on a line.
    private func formatOfText(_ text: TextSource) throws -> strata_text_format? {
        let named = strata_text_format(path: source)
        if let named, named != .STRATA_TEXT_DOCUMENT || className == nil { return named }
        return strata_text_format(beginning: try text.beginning(), linesNameClass: className == nil) ?? named
    }

    /// Updating finds objects by their primary keys, or by object keys. Nothing is created before that is clear.
    private func checkUpdate() throws(Failure) {
        guard update, !keys, let className, StoreFile.isThere(file.file),
            let table = try? Catalog(try StoreFile(file.file)).table(className), table.primary == nil
        else { return }
        throw Failure(
            .usage,
            "\(className) has no primary key by which --update could find its objects; a text with \"$key\" can be "
                + "imported with --keys")
    }

    /// The primary key of a class that is there is not that which a text would get.
    private func checkPrimary() throws(Failure) {
        guard let primary, let className, StoreFile.isThere(file.file),
            let table = try? Catalog(try StoreFile(file.file)).table(className), table.primary?.name != primary
        else { return }
        throw Failure(
            .usage,
            "\(className) is there already, "
                + (table.primary.map { "with the primary key '\($0.name)'" } ?? "without a primary key")
                + "; --primary is that of new classes, and strata migrate changes it")
    }

    private func separatorByte() throws(Failure) -> CChar {
        guard let separator else { return 0 }
        if separator == "tab" { return 9 }
        guard let byte = separator.utf8.first, separator.utf8.count == 1 else {
            throw Failure(.usage, "--separator is one character of ASCII, or tab")
        }
        return CChar(bitPattern: byte)
    }

    // MARK: - Classes

    /// Guesses the classes of the text, and asks whether those may be created that the file does not have. A text that
    /// cannot be read twice is imported into the classes there are. Nil: there is none to create.
    private func missingClasses(_ text: TextSource, _ options: strata_import_options) throws -> Declaration? {
        let catalog = StoreFile.isThere(file.file) ? Catalog(try StoreFile(file.file)) : nil
        let known = catalog?.tables.map(\.name) ?? []
        if let className, catalog?.has(className) == true { return nil }
        guard text.isRepeatable else {
            if !known.isEmpty && className == nil { return nil }
            let meant = className.map { suggestion($0, known) } ?? ""
            if !meant.isEmpty { throw Failure(.usage, "the file has no class '\(className ?? "")'\(meant)") }
            throw Failure(
                .usage,
                "classes can only be guessed from a file, which is read twice; save the text to a file, or "
                    + "declare the class with strata migrate --create")
        }
        let declaration = try guess(text, options, known)
        text.rewind()
        if let className, !declaration.tables.contains(where: { String(cString: $0.name).isSame(as: className) }) {
            throw Failure(
                .usage,
                "no line of \(source) that could be read tells what class \(className) is like; declare it first, with "
                    + "strata migrate --create, and an import says what is wrong with which line")
        }
        if declaration.tables.isEmpty { return nil }
        try refuseOtherCase(declaration, known)
        Terminal.note("The file does not have these classes. From the text:\n")
        Terminal.note(declaration.text)
        if yes || dryRun || Terminal.confirm("Create them?") { return declaration }
        throw Failure(.refused, "no class was created; to create them without a question, add --yes")
    }

    /// A class whose name is that of another one but for its case is a slip of the pen, unless somebody declares it.
    private func refuseOtherCase(_ declaration: Declaration, _ known: [String]) throws(Failure) {
        for name in declaration.tables.map({ String(cString: $0.name) }) where !known.contains(where: name.isSame) {
            guard let other = known.first(where: { $0.lowercased() == name.lowercased() }) else { continue }
            throw Failure(
                .usage,
                "the file has no class '\(name)'; did you mean '\(other)'? To have both, declare '\(name)' with "
                    + "strata migrate first")
        }
    }

    /// Those of a declaration that the file does not have.
    private func fresh(_ declaration: Declaration, _ catalog: Catalog?) -> [strata_table_spec] {
        declaration.tables.filter { catalog?.has(String(cString: $0.name)) != true }
    }

    /// Creates the classes that the file does not have, and returns their names.
    private func create(_ declaration: Declaration, _ open: StoreFile) throws -> [String] {
        let catalog = Catalog(open)
        let version = catalog.version ?? declaration.version ?? 0
        let tables = fresh(declaration, catalog)
        try tables.withUnsafeBufferPointer { tables throws(Failure) in
            try call { strata_schema_apply(open.view, tables.baseAddress, UInt32(tables.count), version, $0) }
        }
        return tables.map { String(cString: $0.name) }
    }

    /// What a text says of classes that are not known.
    private func guess(_ text: TextSource, _ options: strata_import_options, _ known: [String]) throws -> Declaration {
        var options = options
        var guess: OpaquePointer?
        if rejects != nil { options.refused = { _, _, _, _ in true } }  // what does not fit is passed over
        try call { strata_guess_open(&options, &guess, $0) }
        defer { strata_guess_close(guess) }
        for name in known.map(CText.init) { try call { strata_guess_leave_out(guess, name.pointer, $0) } }
        let progress = Progress("looking at types", unit: "bytes")
        while try text.next({ bytes in try call { strata_guess_feed(guess, bytes.baseAddress, bytes.count, $0) } }) {
            progress.update(text.read, of: text.size)
            try Interruption.check()
        }
        progress.end()
        var out: OpaquePointer?
        let primary = primary.map { CText($0) }
        do {
            try call { strata_guess_finish(guess, primary.map { UnsafePointer($0.pointer) }, &out, $0) }
        } catch {
            guard primary == nil, error.status == .STRATA_NOT_FOUND else { throw error }
            throw Failure(error.exit, "\(error.message), with --primary", error.status)
        }
        return Declaration(out!)
    }

    // MARK: - Rehearsals

    /// Imports, and then forgets the write: into classes that are laid out in the same write, or, where there is no
    /// file with a schema, into a store in memory.
    private func rehearse(_ missing: Declaration?, _ text: TextSource, _ options: strata_import_options) throws {
        let file = StoreFile.isThere(self.file.file) ? try StoreFile(self.file.file, for: .writing) : nil
        if let missing {
            let tables = fresh(missing, file.map(Catalog.init)).map { String(cString: $0.name) }
            Terminal.note("would create \(names(tables))")
        }
        if let file, let version = Catalog(file).version {
            return try run(file, text, options) { body in
                if let missing {
                    try layOut(missing, file, version + 1)
                } else {
                    try call { strata_view_begin(file.view, $0) }
                }
                defer { strata_view_cancel(file.view) }
                try body()
            }
        }
        guard let missing else { throw Failure(.usage, "\(self.file.file) has no class yet") }
        let memory = try StoreFile(memoryOf: missing)
        try run(memory, text, options) { try memory.write($0) }
    }

    private func names(_ tables: [String]) -> String {
        (tables.count == 1 ? "the class " : "the classes ") + tables.joined(separator: ", ")
    }

    /// Begins a write with classes that the file does not have, beside those that it has.
    private func layOut(_ missing: Declaration, _ open: StoreFile, _ version: UInt64) throws {
        let stored = try Declaration(open)
        let all = Array(stored.tables) + fresh(missing, Catalog(open))
        try withExtendedLifetime((stored, missing)) {
            try all.withUnsafeBufferPointer { tables in
                let (start, count) = (tables.baseAddress, UInt32(tables.count))
                try call { strata_migration_begin(open.view, start, count, version, $0) }
                do {
                    try call { strata_migration_finish(open.view, nil, 0, start, count, nil, $0) }
                } catch {
                    strata_view_cancel(open.view)
                    throw error
                }
            }
        }
    }

    // MARK: - Objects

    /// - Parameters:
    ///   - created: the classes that were created for the text
    ///   - write: makes a write of what it is given, and keeps it or not
    private func run(
        _ open: StoreFile, _ text: TextSource, _ options: strata_import_options, _ created: [String] = [],
        within write: (() throws -> Void) throws -> Void
    ) throws {
        var options = options
        let refused = try rejects.map { try Rejects($0) }
        if let refused {
            options.context = Unmanaged.passUnretained(refused).toOpaque()
            options.refused = { context, line, record, error in
                let bytes = UnsafeRawBufferPointer(start: record.data, count: record.size)
                return Unmanaged<Rejects>.fromOpaque(context!).takeUnretainedValue().take(line, bytes, error!.pointee)
            }
        }
        let progress = Progress("importing", unit: "bytes")
        defer { progress.end() }
        var report = strata_import_report()
        var handle: OpaquePointer?
        var committed: strata_import_report?
        defer { strata_import_close(handle) }
        do {
            try write {
                try call { strata_import_open(open.view, &options, &handle, $0) }
                try feed(handle, text, progress) {
                    try refused?.keep()
                    committed = committed ?? report
                    try call { strata_import_commit(handle, $0) }
                    strata_import_get_report(handle, &report, MemoryLayout.size(ofValue: report))
                    committed = report
                }
                try Interruption.check()
                try call { strata_import_finish(handle, &report, $0) }
                if !dryRun { try refused?.keep() }
            }
        } catch let failure as Failure {
            refused?.forget()
            progress.end()
            let reason = advised(refused?.failure ?? failure)
            throw committed.map { abandoned(handle, open, $0, options, reason) } ?? withoutAny(reason, created)
        }
        progress.end()
        tell(report)
    }

    /// A failure that left no object. Whoever is told what is wrong with the text needs no other word for that.
    ///
    /// - Parameter created: the classes that were created for the text.
    private func withoutAny(_ failure: Failure, _ created: [String] = []) -> Failure {
        let stays = created.isEmpty ? "" : "; what was created stays, as guessed from the text: \(names(created))"
        if dryRun || failure.exit == .usage && stays.isEmpty { return failure }
        return Failure(failure.exit, "\(failure.message)\nnothing was imported\(stays)", failure.status)
    }

    /// A failure after a commit, and what is left of the text: objects that records have brought, also after Ctrl-C.
    private func abandoned(
        _ handle: OpaquePointer?, _ open: StoreFile, _ committed: strata_import_report,
        _ options: strata_import_options, _ failure: Failure
    ) -> Failure {
        var left = committed
        var links = ""
        do {
            try call { strata_view_set_interrupt(open.view, nil, $0) }
            try open.write { try call { strata_import_abandon(handle, &left, $0) } }
            let objects = left.missing == 1 ? "one object" : "\(grouped(left.missing)) objects"
            if left.missing > 0 { links = "links to \(objects) of later records are null; " }
        } catch {
            links = "what they link to in later records is there, and empty, since it could not be removed; "
        }
        if left.records == 0 { return withoutAny(failure) }
        let first =
            left.records == 1 ? "the first record of the text is" : "the first \(grouped(left.records)) records of the text are"
        let kept =
            "\(first) imported, and stay\(left.records == 1 ? "s" : ""): \(grouped(left.created)) created, "
            + "\(grouped(left.updated)) updated; \(links)\(wayOn(left, options))"
        return Failure(failure.exit, "\(failure.message)\n\(kept)", failure.status)
    }

    /// How to import the rest. What has a primary key is found by it, and so are the links between both parts; what has
    /// none would be there twice if its records came again.
    private func wayOn(_ left: strata_import_report, _ options: strata_import_options) -> String {
        // Lines tell nothing of a document: it may have one, and what is behind a line of it is none.
        let isDocument = options.format == .STRATA_TEXT_DOCUMENT
        if left.keyless == 0 {
            let rest = isDocument ? "" : "the rest begins on line \(left.line); "
            return "\(rest)to go on, import all of the text again with --update"
        }
        if isDocument {
            return "to go on, import the document without them; what has no primary key is not linked to by what comes then"
        }
        let isColumns = options.format == .STRATA_TEXT_CSV || options.format == .STRATA_TEXT_PLAIN
        return "to go on, import the text from line \(left.line) on\(isColumns ? ", behind the line of names" : ""); what "
            + "has no primary key is not linked to by what comes then"
    }

    /// A failure with what to do about it, where the engine cannot know that.
    private func advised(_ failure: Failure) -> Failure {
        if failure.status != .STRATA_DUPLICATE || update { return failure }
        let advice = "; --update changes such objects, --rejects puts such lines into a file"
        return Failure(failure.exit, failure.message + advice, failure.status)
    }

    /// Imports all of the text but its last record, and commits now and then, if it was told to.
    private func feed(
        _ handle: OpaquePointer?, _ text: TextSource, _ progress: Progress, commit: () throws -> Void
    ) throws {
        var sinceCommit: UInt64 = 0
        while try text.next({ bytes in
            try call { strata_import_feed(handle, bytes.baseAddress, bytes.count, $0) }
            sinceCommit += UInt64(bytes.count)
        }) {
            progress.update(text.read, of: text.size)
            try Interruption.check()
            guard let batch, !dryRun, sinceCommit >= batch << 20 else { continue }
            try commit()
            sinceCommit = 0
        }
    }

    private func tell(_ report: strata_import_report) {
        var parts = ["\(grouped(report.created)) created"]
        if report.updated > 0 { parts.append("\(grouped(report.updated)) updated") }
        if report.refused > 0 { parts.append("\(grouped(report.refused)) put into \(rejects ?? "")") }
        if report.missing > 0 {
            let first = withUnsafeBytes(of: report.first_missing) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            parts.append(
                report.missing == 1
                    ? "one object to which links lead is missing, \(first)"
                    : "\(grouped(report.missing)) objects to which links lead are missing, such as \(first)")
        }
        Terminal.note("\(dryRun ? "would be: " : "")\(parts.joined(separator: ", "))")
    }
}
