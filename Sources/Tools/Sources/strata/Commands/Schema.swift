// SPDX-License-Identifier: MIT
// Schema.swift -- schema and migrate.

import ArgumentParser
import CStrata
import Glibc

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Write the classes of a file: as text, as Swift, as C; or what separates it from others.",
        discussion: """
            EXAMPLES
              strata schema zoo.realm
              strata schema zoo.realm --swift > Models.swift
              strata schema zoo.realm --diff other.realm
              strata schema zoo.realm --diff wanted.schema || echo drift
              strata schema zoo.realm --at 3
              strata schema zoo.realm --at 3 --diff zoo.realm
            """)

    @OptionGroup var file: FileArgument
    @Flag(help: "Write classes in Swift, for RealmSwift.")
    var swift = false
    @Flag(name: .customLong("c"), help: "Write declarations in C.")
    var declarations = false
    @Option(
        name: .customLong("diff"), help: "Tell what separates the file from this file or schema; 1 if something does.",
        completion: .file())
    var other: String?
    @Flag(help: "Tell which schemas the file has had.")
    var history = false
    @Option(
        name: .customLong("at"),
        help: .init("Write or compare the classes that the file had in this version.", valueName: "version"))
    var version: UInt64?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if history && version != nil {
            throw ValidationError("--history tells of all versions; leave out --at")
        }
        if [swift, declarations, other != nil, history].filter({ $0 }).count > 1 {
            throw ValidationError("Choose one of --swift, --c, --diff and --history.")
        }
        if !history && other == nil && (output.json || output.csv || output.plain) {
            throw ValidationError(
                "Classes are text, Swift or C; --json, --csv and --plain are for --diff and --history.")
        }
    }

    func run() throws {
        let file = try StoreFile(file.file)
        if history { return try writeHistory(file) }
        let open = try version.map { try StoreFile(memoryOf: Declaration(file, at: $0)) } ?? file
        if let other {
            let list = try Declaration(path: other).allDifferences(from: open)
            if list.isEmpty { return Terminal.note("no difference") }
            Difference.write(list, output, costs: version == nil)
            throw ExitCode(Exit.no.rawValue)
        }
        let catalog = Catalog(open)
        if swift { return Terminal.show(file: SchemaCode.swift(catalog), paging: false) }
        if declarations { return Terminal.show(file: SchemaCode.c(catalog), paging: false) }
        Terminal.show(file: try Declaration(open).text, paging: !output.noPager)
    }

    private func writeHistory(_ file: StoreFile) throws {
        let rows = try schemaHistory(of: file).map { record -> [JSONText] in
            func text(_ bytes: some Any) -> String {
                withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            }
            let hash = String(record.hash, radix: 16)
            return [
                .uint(record.version), .string(dateText(microseconds: record.time)), .string(text(record.program)),
                .string(text(record.migration)), .string(String(repeating: "0", count: 16 - hash.count) + hash),
            ]
        }
        output.write(["version", "when", "program", "migration", "hash"], rows, right: [0])
    }
}

/// Microseconds since 1970 as "2026-11-23 20:15:00".
func dateText(microseconds: Int64) -> String {
    var seconds = time_t(microseconds / 1_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
        + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
}

struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give a file the classes of a schema.",
        discussion: """
            EXAMPLES
              strata migrate zoo.realm wanted.schema --dry-run
              strata migrate zoo.realm wanted.schema --rename Dog.name=called --backup
              strata migrate new.realm wanted.schema --create

            The schema is text as strata schema writes it. Classes that it does not mention stay; properties that it \
            does not mention go. Where the properties of a class change, its version must be higher than that of the \
            file. Values that another type cannot take begin empty; to convert them, migrate with a program.
            """)

    @OptionGroup var file: FileArgument
    @Argument(help: "The schema: text, another file, or - for the standard input.", completion: .file())
    var schema: String
    @Option(help: "Class.old=new: a property that gets another name, with its values.")
    var rename: [String] = []
    @Flag(help: "Create the file if it is not there.")
    var create = false
    @Flag(help: "Keep a copy of the file as it was, FILE.before-VERSION.")
    var backup = false
    @OptionGroup var confirm: ConfirmOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let declaration = try Declaration(path: schema)
        if !create && !StoreFile.isThere(file.file) {
            throw StoreFile.absence(of: file.file, way: "; --create makes it")
        }
        let renames = try Rename.list(rename)
        if create && !StoreFile.isThere(file.file) { _ = try StoreFile(memoryOf: declaration) }
        let open = try StoreFile(file.file, for: create && !confirm.dryRun ? .creating : .writing)
        let version = declaration.version ?? 0
        let list = try differences(open, declaration, version, renames)
        if list.isEmpty && renames.isEmpty { return Terminal.note("no difference; nothing to do") }
        Difference.write(list, output)
        try checkVersion(version, Catalog(open).version, list)
        if !confirm.dryRun && list.contains(where: { !$0.isFree }) { try confirm.confirm("This loses data. Go on?") }
        try migrate(open, declaration, version, renames)
        if !confirm.dryRun { Terminal.note("the file has version \(version) of its schema") }
    }

    /// Whether the version of the schema may bring what separates it from the file.
    private func checkVersion(_ version: UInt64, _ inFile: UInt64?, _ list: [Difference]) throws(Failure) {
        guard let inFile, version <= inFile else { return }
        if version < inFile {
            throw Failure(
                .refused,
                "the schema has version \(version), and \(file.file) has \(inFile) already: raise the version of the "
                    + "schema to \(inFile), or above that if properties change")
        }
        let always: [strata_difference_kind] = [.STRATA_TABLE_ADDED, .STRATA_INDEX_ADDED, .STRATA_INDEX_REMOVED]
        guard let change = list.first(where: { $0.kind.map { !always.contains($0) } ?? false }) else { return }
        throw Failure(
            .refused,
            "\(change.what), and \(file.file) has version \(inFile) already: raise the version of the schema above that")
    }

    /// What separates the file from the schema. A property that only gets another name loses nothing.
    private func differences(
        _ open: StoreFile, _ declaration: Declaration, _ version: UInt64, _ renames: [Rename]
    ) throws -> [Difference] {
        var list = try declaration.differences(from: open)
        if renames.isEmpty { return list }
        let catalog = Catalog(open)
        if catalog.version == nil || version <= catalog.version! {
            throw Failure(
                .usage,
                "a rename needs a version higher than \(catalog.version ?? 0), that of the file; the schema has "
                    + "\(version)")
        }
        for (place, rename) in renames.enumerated() {
            try rename.check(catalog, declaration, among: renames, at: place)
        }
        for rename in renames {
            let goes = list.firstIndex { $0.kind == .STRATA_COLUMN_REMOVED && rename.leads(from: $0.table, $0.column) }
            let comes = list.first { $0.kind == .STRATA_COLUMN_ADDED && rename.leads(to: $0.table, $0.column) }
            guard let goes, let comes, list[goes].stored == comes.declared else { continue }
            list[goes] = list[goes].renamed(to: comes)
            list.removeAll { $0.kind == .STRATA_COLUMN_ADDED && rename.leads(to: $0.table, $0.column) }
        }
        return list
    }

    /// - Parameter version: that of the file before anything changes.
    private func keepBefore(_ open: StoreFile, _ version: UInt64?) throws {
        let copy = "\(file.file).before-\(version.map { "\($0)" } ?? "none")"
        try call { strata_store_backup(open.store, copy, UInt32(STRATA_BACKUP_COMMITTED), $0) }
        Terminal.note("the file as it was: \(copy)")
    }

    /// Migrates in one write, which a rehearsal does not keep. The copy is made when nothing else can fail any more.
    private func migrate(
        _ open: StoreFile, _ declaration: Declaration, _ version: UInt64, _ renames: [Rename]
    ) throws {
        let tables = declaration.tables
        let count = UInt32(tables.count)
        let inFile = Catalog(open).version
        if inFile == nil || version <= inFile! { return try apply(open, declaration, version) }
        let isBegun = try isAnswered { strata_migration_begin(open.view, tables.baseAddress, count, version, $0) }
        if !isBegun { return try apply(open, declaration, version) }
        do {
            for rename in renames { try rename.apply(open) }
            try call {
                strata_migration_finish(open.view, nil, 0, tables.baseAddress, count, "strata migrate", $0)
            }
            if confirm.dryRun { return strata_view_cancel(open.view) }
            if backup { try keepBefore(open, inFile) }
            try call { strata_view_commit(open.view, $0) }
        } catch {
            strata_view_cancel(open.view)
            throw error
        }
    }

    /// Adds classes and indexes, for which the version need not be higher. A rehearsal adds them in memory.
    private func apply(_ open: StoreFile, _ declaration: Declaration, _ version: UInt64) throws {
        if confirm.dryRun {
            _ = try StoreFile(memoryOf: declaration)
            return
        }
        if backup { try keepBefore(open, Catalog(open).version) }
        try declaration.apply(to: open, version: version)
    }
}

/// "Dog.name=called".
private struct Rename {
    let table, old, new: CText

    init(_ text: String) throws(Failure) {
        let halves = text.split(separator: "=", maxSplits: 1)
        let names = halves.first?.split(separator: ".", maxSplits: 1) ?? []
        guard halves.count == 2, names.count == 2 else {
            throw Failure(.usage, "'\(text)' is no rename; write Class.old=new")
        }
        (table, old, new) = (CText(String(names[0])), CText(String(names[1])), CText(String(halves[1])))
    }

    /// Those of a command, which take each property once, and bring to each one alone.
    static func list(_ texts: [String]) throws(Failure) -> [Rename] {
        var list: [Rename] = []
        for text in texts {
            let next = try Rename(text)
            let (table, old, new) = next.names
            if let other = list.first(where: { $0.leads(from: table, old) }) {
                let again = other.names.new.isSame(as: new) ? "twice" : "twice, to '\(other.names.new)' and to '\(new)'"
                throw Failure(.usage, "'\(old)' of \(table) is renamed \(again)")
            }
            if let other = list.first(where: { $0.leads(to: table, new) }) {
                throw Failure(
                    .usage, "'\(other.names.old)' and '\(old)' of \(table) cannot both be renamed to '\(new)'")
            }
            list.append(next)
        }
        return list
    }

    private var names: (table: String, old: String, new: String) {
        (String(cString: table.pointer), String(cString: old.pointer), String(cString: new.pointer))
    }

    /// Whether values can go from one name to the other, and none are in the way: those of a property that is there, unless
    /// it gets another name before.
    ///
    /// - Parameter place: its own one among all of the command.
    func check(
        _ catalog: Catalog, _ declaration: Declaration, among all: [Rename], at place: Int
    ) throws(Failure) {
        let (_, old, new) = names
        let table = try catalog.table(names.table)
        _ = try table.property(old)
        guard let declared = declaration.tables.first(where: { String(cString: $0.name).isSame(as: table.name) }) else {
            throw Failure(.usage, "the schema has no class '\(table.name)', of which '\(old)' is to be renamed")
        }
        let names = (0..<Int(declared.column_count)).map { String(cString: declared.columns[$0].name) }
        if !names.contains(where: { $0.isSame(as: new) }) {
            throw Failure(
                .usage,
                "the schema has no property '\(new)' in \(table.name), as which '\(old)' could stay"
                    + suggestion(new, names))
        }
        let isThere = table.properties.contains { $0.name.isSame(as: new) }
        if !isThere || all[..<place].contains(where: { $0.leads(from: table.name, new) }) { return }
        let way =
            isInCircle(all, table.name)
            ? "names cannot change places in one step; rename one at a time, the first to a name that is not used, "
                + "each with a schema of a version of its own"
            : "give '\(old)' another name, or rename '\(new)' before it"
        throw Failure(.usage, "\(table.name) has a property '\(new)' already, whose values would be lost: \(way)")
    }

    /// Whether the name comes back to the property that has it, as where two change places.
    private func isInCircle(_ all: [Rename], _ table: String) -> Bool {
        var last = names.new
        for _ in all {
            if last.isSame(as: names.old) { return true }
            guard let next = all.first(where: { $0.leads(from: table, last) }) else { return false }
            last = next.names.new
        }
        return last.isSame(as: names.old)
    }

    func leads(from table: String, _ column: String?) -> Bool {
        String(cString: self.table.pointer).isSame(as: table) && String(cString: old.pointer).isSame(as: column ?? "")
    }

    func leads(to table: String, _ column: String?) -> Bool {
        String(cString: self.table.pointer).isSame(as: table) && String(cString: new.pointer).isSame(as: column ?? "")
    }

    func apply(_ file: StoreFile) throws(Failure) {
        var change = strata_schema_change()
        change.kind = .STRATA_RENAME_COLUMN
        change.table = UnsafePointer(table.pointer)
        change.column = UnsafePointer(old.pointer)
        change.new_name = UnsafePointer(new.pointer)
        try call { strata_migration_change(file.view, &change, $0) }
    }
}
