// SPDX-License-Identifier: MIT
// Watching.swift -- watch and changes.

import ArgumentParser
import CStrata
import Glibc

struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the result of a query, and go on showing it as any program changes it.",
        discussion: """
            EXAMPLES
              strata watch todo.realm "Task where done == false sort due"
              strata watch todo.realm Task --json | while read change; do ...; done

            On a terminal the first objects are shown, and redrawn. Otherwise there is a line for each object at the \
            beginning, and then for each change: + what came, ~ what changed, - what went, by its key. Ends with Ctrl-C.
            """)

    @OptionGroup var file: FileArgument
    @OptionGroup var query: QueryOptions
    @OptionGroup var output: OutputOptions
    @Option(help: ArgumentHelp("End after so many changes of the result.", visibility: .hidden))
    var until: Int?

    func run() throws {
        let open = try StoreFile(file.file, for: .writing)
        let catalog = Catalog(open)
        let found = try FileQuery(try query.text(), catalog, open)
        do {
            try follow(found, open)
        } catch let failure as Failure where failure.status == .STRATA_MISUSE {
            throw gone(catalog, Catalog(open)) ?? failure
        }
    }

    /// Why a query cannot go on: another program has removed a property that was there when it began.
    private func gone(_ before: Catalog, _ now: Catalog) -> Failure? {
        for table in before.tables {
            let left = now.tables.first { $0.number == table.number }?.properties.map(\.number) ?? []
            guard let property = table.properties.first(where: { !left.contains($0.number) }) else { continue }
            let name = "\(table.name).\(property.name)"
            return Failure(.usage, "another program has removed \(name) from \(file.file); watch without it")
        }
        return nil
    }

    private func follow(_ found: FileQuery, _ open: StoreFile) throws {
        let properties = try query.properties(found.table)
        var observers: OpaquePointer?
        try call { strata_observers_open(open.view, &observers, $0) }
        defer { strata_observers_close(observers) }
        _ = try found.observe(observers!)
        let isLive = output.format == nil
        var keys = try found.run { Array($0) }
        if isLive {
            try redraw(open, found, properties, keys.count, nil)
        } else {
            writeNames(properties ?? found.table.properties)
            try tell("+", keys, found, open, properties)
        }
        var deliveries = 0
        while until == nil || deliveries < until! {
            guard try open.awaitCommit() else { return }
            try open.refresh()
            try call { strata_observers_advance(observers, $0) }
            var observer: OpaquePointer?
            var changes = strata_changes_blank()
            while try isAnswered({ strata_observers_next(observers, &observer, &changes, $0) }) {
                let now = try found.run { Array($0) }
                if isLive {
                    try redraw(open, found, properties, now.count, changes)
                } else {
                    try tell(changes, before: keys, after: now, found, open, properties)
                }
                keys = now
                deliveries += 1
            }
        }
    }

    // MARK: - Lines

    /// CSV begins with a line of names; of the other lines each tells for itself what it is.
    private func writeNames(_ properties: [Property]) {
        if output.csv { Terminal.write(columns: "\(CSVText(["change", "$key"] + properties.map(\.name), []))") }
    }

    private var separator: String { output.csv ? "," : "\t" }

    private func tell(
        _ changes: strata_changes, before: [UInt64], after: [UInt64], _ found: FileQuery, _ open: StoreFile,
        _ properties: [Property]?
    ) throws {
        func positions(_ start: UnsafePointer<UInt64>?, _ count: UInt64) -> [Int] {
            UnsafeBufferPointer(start: start, count: Int(count)).map { Int($0) }
        }
        for position in positions(changes.deletions, changes.deletion_count) where position < before.count {
            let key = before[position]
            if output.json {
                Terminal.write("\(JSONText.object(["change": .string("-"), "key": .uint(key)]))\n")
            } else {
                // The line of an object that is gone has as many fields as those of others, and nothing in them.
                let rest = output.csv ? String(repeating: ",", count: (properties ?? found.table.properties).count) : ""
                Terminal.write("-\(separator)\(key)\(rest)\n")
            }
        }
        let came = positions(changes.insertions, changes.insertion_count).filter { $0 < after.count }.map { after[$0] }
        let changed = positions(changes.modifications_after, changes.modification_count).filter { $0 < after.count }
        try tell("+", came, found, open, properties)
        try tell("~", changed.map { after[$0] }, found, open, properties)
    }

    private func tell(
        _ sign: String, _ keys: [UInt64], _ found: FileQuery, _ open: StoreFile, _ properties: [Property]?
    ) throws {
        if keys.isEmpty { return }
        let format: strata_text_format =
            output.json ? .STRATA_TEXT_LINES : output.csv ? .STRATA_TEXT_CSV : .STRATA_TEXT_PLAIN
        for key in keys {
            let export = try TextExport(open, format, flags: 0, columns: properties?.map(\.number), to: nil)
            try withUnsafePointer(to: key) {
                try export.write(found.table.number, UnsafeBufferPointer(start: $0, count: 1))
            }
            let line = String(try export.finish().dropLast())  // in CSV a line end may be in a value, too
            if output.json {
                Terminal.write("{\"change\":\"\(sign)\",\"key\":\(key),\"object\":\(line)}\n")
            } else {
                Terminal.write(columns: "\(sign)\(separator)\(key)\(separator)\(line)\n")
            }
        }
    }

    // MARK: - The screen

    private func redraw(
        _ open: StoreFile, _ found: FileQuery, _ properties: [Property]?, _ count: Int, _ changes: strata_changes?
    ) throws {
        let size = Terminal.size
        let export = try TextExport(
            open, .STRATA_TEXT_PLAIN, flags: Int(STRATA_EXPORT_HEADER), columns: properties?.map(\.number), to: nil)
        let room = max(1, size.lines - 4)
        try found.run { keys in
            try export.write(found.table.number, UnsafeBufferPointer(rebasing: keys.prefix(room)))
        }
        let rows = plainRows(try export.finish())
        let names = rows[0].map { $0 ?? "" }
        let right = Set(names.indices.filter { found.table.numbers.contains(names[$0]) })
        let table = TextTable(names: names, rows: Array(rows.dropFirst()), rightColumns: right)
        var head = "\(query.query): \(grouped(UInt64(count)))"
        if let changes {
            head += "   +\(changes.insertion_count) ~\(changes.modification_count) -\(changes.deletion_count)"
        }
        head += "   commit \(strata_view_version(open.view))"
        let style = output.style
        Terminal.write(
            "\u{1B}[H\u{1B}[2J" + style.dim(fitted(head, size.columns)) + "\n"
                + table.text(width: size.columns, style: style))
    }
}

struct Changes: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell what commits change, of whichever program.",
        discussion: """
            EXAMPLES
              strata changes todo.realm
              strata changes todo.realm --kept --no-follow
              strata changes todo.realm --after TOKEN --json

            Each commit is told with its number, time, process and token, and each object that it created, changed or \
            deleted: by its primary key, as strata get takes it, or by its object key, as $key 7, if it has none or is \
            gone when it is told. --kept begins with the oldest commit of which the file has a record, --after behind \
            a commit that was told before; how many bytes of records the file keeps, --keep says. Ends with Ctrl-C.
            """)

    @OptionGroup var file: FileArgument
    @Option(help: "The token of a commit: begin with the one behind it.")
    var after: String?
    @Flag(help: "Begin with the oldest commit of which the file has a record.")
    var kept = false
    @Option(help: "From now on keep so many MiB of records in the file, whether or not anybody follows; 0: none.")
    var keep: UInt64?
    @Flag(name: .customLong("no-follow"), help: "End when all commits until now are told.")
    var noFollow = false
    @Option(help: ArgumentHelp("End after so many commits.", visibility: .hidden))
    var until: Int?
    @OptionGroup var output: OutputOptions

    func run() throws {
        if kept && after != nil { throw Failure(.usage, "--kept and --after are two beginnings; give one of them") }
        if output.csv || output.plain {
            throw Failure(.usage, "a commit is no row, so changes has no columns; --json writes a line for each commit")
        }
        let open = try StoreFile(file.file, for: .writing)
        if let keep {
            var before: UInt64 = 0
            try open.write { try call { strata_history_keep(open.view, keep << 20, &before, $0) } }
            return Terminal.note("the file keeps \(keep) MiB of records; before, \(before >> 20)")
        }
        var feed: OpaquePointer?
        if let after {
            var token = strata_token()
            try call { strata_token_parse(after, after.utf8.count, &token, $0) }
            try call { strata_feed_open_after(open.store, &token, &feed, $0) }
        } else if kept {
            try call { strata_feed_open_oldest(open.store, &feed, $0) }
        } else {
            try call { strata_feed_open(open.store, &feed, $0) }
        }
        defer { strata_feed_close(feed) }
        var told = 0
        while until == nil || told < until! {
            var commit: OpaquePointer?
            if try isAnswered({ strata_feed_next(feed, &commit, $0) }) {
                defer { strata_commit_free(commit) }
                try open.refresh()
                try tell(commit!, open)
                told += 1
                continue
            }
            if noFollow { return }
            var token = strata_token()
            try call { strata_feed_token(feed, &token, $0) }
            guard try open.awaitCommit(after: token) else { return }
        }
    }

    // MARK: - Commits

    private func tell(_ commit: OpaquePointer, _ open: StoreFile) throws {
        let record = try CommitRecord(commit, open)
        if output.json { return Terminal.write("\(record.json)\n") }
        let style = output.style
        Terminal.write(
            style.bold("commit \(record.version)") + "  \(record.time)  process \(record.process)  "
                + style.dim(record.token) + "\n")
        if record.isWhole { Terminal.write("  anything may have changed\n") }
        for change in record.changes {
            let properties = change.properties.isEmpty ? "" : ": " + change.properties.joined(separator: ", ")
            let sign = change.kind == .created ? style.green("+") : change.kind == .changed ? "~" : style.red("-")
            Terminal.write("  \(sign) \(TextTable.visible("\(change.name)\(properties)"))\n")
        }
    }
}
