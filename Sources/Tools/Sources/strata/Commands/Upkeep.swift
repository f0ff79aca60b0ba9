// SPDX-License-Identifier: MIT
// Upkeep.swift -- check, compact, backup, readers, stat, doctor, completion.

import ArgumentParser
import CStrata
import Glibc

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read every page, row, index entry and link of a file; 4 if something is damaged.")

    @OptionGroup var file: FileArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        let open = try StoreFile(file.file)
        var report = strata_verify_report()
        let progress = Progress("checking", unit: "objects")
        try call { error in
            strata_verify_watched(
                open.view,
                { context, done, all in
                    Unmanaged<Progress>.fromOpaque(context!).takeUnretainedValue().update(done, of: all)
                    return !Interruption.isStopped
                }, Unmanaged.passUnretained(progress).toOpaque(), &report, error)
        }
        progress.end()
        output.write(
            ["classes", "objects", "index entries", "links", "elements", "result"],
            [
                [
                    .uint(report.tables), .uint(report.rows), .uint(report.index_entries), .uint(report.links),
                    .uint(report.list_elements), .string("sound"),
                ]
            ], right: [0, 1, 2, 3, 4])
    }
}

struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rewrite a file without its free space. Nobody may have it open.",
        discussion: """
            EXAMPLES
              strata compact zoo.realm --dry-run
              strata compact zoo.realm

            The rewritten file takes the place of the old one when it is complete. Until then there are both.
            """)

    @OptionGroup var file: FileArgument
    @Flag(name: .customLong("dry-run"), help: "Tell how much would be given back, and change nothing.")
    var dryRun = false

    func run() throws {
        if dryRun { return try rehearse(try StoreFile(file.file)) }
        let used = (try? StoreFile(file.file).figures)?.used_size
        let progress = WriteProgress("compacting", of: used ?? 0, isShown: used != nil)
        defer { progress.end() }
        var config = strata_config_blank()
        config.flags = UInt32(STRATA_OPEN_NO_CREATE)
        var sizes = strata_compaction()
        let path = CText(file.file)
        config.path = UnsafePointer(path.pointer)
        try call { strata_compact(&config, &sizes, $0) }
        progress.end()
        Terminal.note("\(sized(sizes.old_size)) before, \(sized(sizes.new_size)) now")
    }

    private func rehearse(_ open: StoreFile) throws {
        let figures = try open.figures
        let after = figures.used_size
        let given = figures.file_size - min(after, figures.file_size)
        Terminal.note("\(sized(figures.file_size)) now, would be about \(sized(after)): gives back \(sized(given))")
        for reader in try Readers.snapshots(open) where reader.process != Int64(getpid()) {
            let name = "process \(reader.process) \(Readers.program(reader.process))"
            return Terminal.note("it would be refused now: \(name) has the file open")
        }
    }
}

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a file as of its newest commit, while programs use it.",
        discussion: """
            EXAMPLES
              strata backup zoo.realm zoo-copy.realm
              strata backup zoo.realm - | ssh host 'cat > zoo.realm'
            """)

    @OptionGroup var file: FileArgument
    @Argument(help: "The copy, which must not be there yet; - is the standard output.", completion: .file())
    var target: String
    @Flag(help: "Leave free space out, which takes longer.")
    var compact = false

    func run() throws {
        let open = try StoreFile(file.file)
        let figures = try open.figures
        if target == "-" {
            if compact { throw Failure(.usage, "a copy that goes to the standard output cannot be compacted") }
            let progress = WriteProgress(
                "copying", of: figures.file_size, isShown: !Terminal.isTerminal(STDOUT_FILENO))
            defer { progress.end() }
            try call { strata_store_backup_to(open.store, STDOUT_FILENO, $0) }
            return
        }
        let progress = WriteProgress("copying", of: compact ? figures.used_size : figures.file_size)
        defer { progress.end() }
        try call { strata_store_backup(open.store, target, compact ? UInt32(STRATA_BACKUP_COMPACT) : 0, $0) }
        progress.end()
        Terminal.note("copied to \(target)")
    }
}

struct Readers: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the snapshots that programs hold, the oldest first: they keep old space from being used again.")

    @OptionGroup var file: FileArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        let open = try StoreFile(file.file)
        let others = try Self.snapshots(open).filter { $0.process != Int64(getpid()) }
        let rows = others.map { snapshot in
            [
                .int(snapshot.process), .string(Self.program(snapshot.process)), .uint(snapshot.version),
                .uint(snapshot.behind), snapshot.age < 0 ? .null : .double((snapshot.age * 10).rounded() / 10),
            ] as [JSONText]
        }
        output.write(["process", "program", "commit", "behind", "seconds"], rows, right: [0, 2, 3, 4])
    }

    static func snapshots(_ open: StoreFile) throws -> [strata_snapshot] {
        var count: UInt32 = 0
        try call { strata_store_get_snapshots(open.store, nil, 0, &count, $0) }
        var list = [strata_snapshot](repeating: strata_snapshot(), count: Int(count))
        try call { strata_store_get_snapshots(open.store, &list, UInt32(list.count), &count, $0) }
        return Array(list.prefix(Int(count)))
    }

    static func program(_ process: Int64) -> String {
        guard let file = fopen("/proc/\(process)/comm", "r") else { return "" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, 64, file) != nil else { return "" }
        return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

struct Statistics: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "stat", abstract: "Figures about a file.")

    @OptionGroup var file: FileArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        let open = try StoreFile(file.file)
        let stats = try open.figures
        let catalog = Catalog(open)
        let objects = try catalog.tables.reduce(UInt64(0)) { try $0 + open.count($1) }
        let path = String(cString: strata_store_path(open.store))
        // A table for people leaves out what there is not; programs get the same members from every file.
        let parts = FilePart.used(stats).filter { $0.size > 0 || output.format != nil }
        let log = FilePart.log(beside: path)
        let figures: [(String, JSONText, String)] = [
            ("path", .string(path), ""),
            ("file size", .uint(stats.file_size), sized(stats.file_size)),
            ("in use", .uint(stats.used_size), sized(stats.used_size)),
        ] + parts.map { ("in use by \($0.name)", .uint($0.size), sized($0.size)) } + [
            ("free", .uint(stats.free_size), sized(stats.free_size)),
            ("held by snapshots", .uint(stats.held_size), sized(stats.held_size)),
            ("log beside it", log.map { .uint($0) } ?? .null, log.map(sized) ?? ""),
            ("page size", .uint(UInt64(stats.page_size)), ""),
            ("newest commit", .uint(stats.version), ""),
            (
                "snapshots", .uint(UInt64(stats.snapshots)),
                "\(stats.snapshots) of \(grouped(UInt64(stats.max_snapshots)))"
            ),
            ("schema version", catalog.version.map { .uint($0) } ?? .null, ""),
            ("classes", .uint(UInt64(catalog.tables.count)), ""),
            ("objects", .uint(objects), ""),
        ]
        if output.format == nil {
            let rows: [[JSONText]] = figures.map { [.string($0.0), $0.2.isEmpty ? $0.1 : .string("\($0.2)")] }
            return output.write(["figure", "value"], rows, right: [1])
        }
        if output.json {
            let members = figures.map { "\(JSONText.quoted($0.0)):\($0.1)" }
            return Terminal.write("{" + members.joined(separator: ",") + "}\n")
        }
        output.write(["figure", "value"], figures.map { [.string($0.0), $0.1] })
    }
}

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look for what commonly goes wrong with a file, and say what to do; 1 if something does.")

    @OptionGroup var file: FileArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        var findings: [[JSONText]] = []
        var isWell = true
        func tell(_ what: String, _ well: Bool, _ text: String) {
            isWell = isWell && well
            findings.append([.string(what), .string(well ? "well" : "look"), .string(text)])
        }
        do {
            let open = try StoreFile(file.file)
            tell("opens", true, String(cString: strata_store_path(open.store)))
            try examine(open, tell)
        } catch let failure as Failure {
            tell("opens", false, failure.message)
        }
        let writable = access(file.file, W_OK) == 0
        tell("may be written", true, writable ? "yes" : "no: read only for this user")
        if writable && isWell { tellWriter(tell) }
        let lock = file.file + "-lock"
        if writable && access(lock, F_OK) == 0 && access(lock, W_OK) != 0 {
            tell("lock file", false, "\(lock) cannot be written, so the file cannot either: chown or chmod it")
        }
        output.write(["what", "result", "detail"], findings, wraps: true)
        if !isWell { throw ExitCode(Exit.no.rawValue) }
    }

    /// Whether somebody keeps all others from writing. Begins a write, and changes nothing.
    private func tellWriter(_ tell: (String, Bool, String) -> Void) {
        let patience: UInt32 = 1000  // milliseconds
        do {
            let open = try StoreFile(file.file, for: .writing)
            try call { strata_view_begin_within(open.view, patience, $0) }
            strata_view_cancel(open.view)
            tell("writer", true, "nobody is writing for long")
        } catch {
            tell("writer", false, error.message)
        }
    }

    private func examine(_ open: StoreFile, _ tell: (String, Bool, String) -> Void) throws {
        let stats = try open.figures
        let isLarge = stats.held_size > 16 << 20 && stats.held_size > stats.file_size / 4
        let readers = try Readers.snapshots(open)
        let oldest = readers.first.map {
            "process \($0.process) \(Readers.program($0.process)), \($0.behind) commits behind"
        }
        tell(
            "space held by snapshots", !isLarge,
            isLarge
                ? "\(sized(stats.held_size)), by \(oldest ?? "nobody"): end that reader, or let it refresh"
                : sized(stats.held_size))
        let wasteful = stats.free_size > 64 << 20 && stats.free_size > stats.file_size / 2
        tell(
            "free space", !wasteful,
            wasteful
                ? "\(sized(stats.free_size)) of \(sized(stats.file_size)): strata compact gives it back"
                : sized(stats.free_size))
        let full = UInt64(stats.snapshots) * 10 > UInt64(stats.max_snapshots) * 9
        tell("snapshots", !full, "\(stats.snapshots) of \(stats.max_snapshots)")
        var disk = statvfs()
        if statvfs(open.path, &disk) == 0 {
            let free = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
            tell("disk", free > stats.file_size / 10, "\(sized(free)) free")
        }
        let progress = Progress("checking", unit: "objects")
        do {
            try call { strata_verify(open.view, nil, $0) }
            tell("sound", true, "every page, row, index entry and link")
        } catch {
            tell("sound", false, error.message)
        }
        progress.end()
    }
}

struct Completion: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a script with which a shell completes commands, and names of classes and properties.",
        discussion: """
            EXAMPLES
              strata completion bash > /etc/bash_completion.d/strata
              strata completion zsh > "${fpath[1]}/_strata"
              strata completion fish > ~/.config/fish/completions/strata.fish
            """)

    @Argument(help: "bash, zsh or fish")
    var shell: String

    func run() throws {
        guard let shell = CompletionShell(rawValue: shell) else {
            throw Failure(.usage, "there is no script for '\(shell)'; there are bash, zsh and fish")
        }
        Terminal.write(Strata.completionScript(for: shell) + "\n")
    }
}
