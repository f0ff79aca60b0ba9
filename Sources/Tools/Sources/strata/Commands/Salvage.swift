// SPDX-License-Identifier: MIT
// Salvage.swift -- salvage.

import ArgumentParser
import CStrata
import Glibc

struct Salvage: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write what can be read of a damaged file into a new one.",
        discussion: """
            EXAMPLES
              strata salvage broken.realm saved.realm
              strata salvage broken.realm saved.realm --schema app.schema
              strata salvage broken.realm saved.realm --dry-run

            All pages are looked at, whether the trees of the file still lead to them or not. How many objects of each \
            class are lost is told, and how many are kept without a property that could not be read. Links to objects \
            that are lost are null in the new file. Commits that only the log beside the file has are saved, too. The \
            damaged file is not changed; nobody may have it open. The new one gets its name when it is complete; \
            Ctrl-C leaves none.

            It ends with 1 if anything is lost, or may be.
            """)

    @OptionGroup var file: FileArgument
    @Argument(help: "The new file, which must not be there yet.", completion: .file())
    var target: String
    @Option(
        name: .customLong("schema"),
        help: "Its classes, as strata schema wrote them, or another file has them: if no copy of the schema is left.",
        completion: .file())
    var declaration: String?
    @Flag(help: "Where the newest state of an object is lost, take an older one. Deleted objects may come back.")
    var old = false
    @Flag(name: .customLong("dry-run"), help: "Tell what would be saved, and leave no new file.")
    var dryRun = false
    @OptionGroup var output: OutputOptions

    /// What the engine tells meanwhile.
    private final class Listener {
        var rows: [[JSONText]] = []
        let looking = Progress("looking", unit: "pages")
        /// Made when the first object is told of, so that its rate is that of objects.
        private(set) lazy var progress = Progress("salvaging", unit: "objects")

        func end() {
            looking.end()
            progress.end()
        }
    }

    func run() throws {
        let declared = try declaration.map { try Declaration(path: $0) }
        let listener = Listener()
        var options = strata_salvage_options_blank()
        options.flags =
            (old ? UInt32(STRATA_SALVAGE_OLD) : 0) | (dryRun ? UInt32(STRATA_SALVAGE_DRY_RUN) : 0)
        options.declaration = declared?.handle
        options.context = Unmanaged.passUnretained(listener).toOpaque()
        options.told = { context, table in
            let table = table!.pointee
            Unmanaged<Listener>.fromOpaque(context!).takeUnretainedValue().rows.append([
                .string(String(cString: table.table)), .uint(table.counted), .uint(table.saved), .uint(table.partly),
                .uint(table.counted - table.saved),
            ])
        }
        options.looking = { context, done, all in
            Unmanaged<Listener>.fromOpaque(context!).takeUnretainedValue().looking.update(done, of: all)
            return !Interruption.isStopped
        }
        options.progress = { context, done, all in
            Unmanaged<Listener>.fromOpaque(context!).takeUnretainedValue().progress.update(done, of: all)
            return !Interruption.isStopped
        }
        var report = strata_salvage_report()
        do {
            defer { listener.end() }
            try Interruption.catching { try call { strata_salvage(file.file, target, &options, &report, $0) } }
        }
        output.write(["class", "objects", "saved", "in part", "lost"], listener.rows, right: [1, 2, 3, 4])
        tell(report)
        if dryRun { Terminal.note("nothing was written: run it without --dry-run to make \(target)") }
        let isComplete =
            report.has_counts && report.saved == report.counted && report.partly == 0 && report.unplaced == 0
            && report.uncertain == 0
        if !isComplete || isLogLost(report) { throw ExitCode(Exit.no.rawValue) }
    }

    /// Whether commits may be lost that the log had.
    private func isLogLost(_ report: strata_salvage_report) -> Bool {
        report.log != UInt32(STRATA_SALVAGE_LOG_NONE) && report.log != UInt32(STRATA_SALVAGE_LOG_USED)
    }

    private func tellLog(_ report: strata_salvage_report) {
        let log = "\(file.file)-log"
        if report.log_commits > 0 { Terminal.note("\(grouped(report.log_commits)) commits were taken from \(log)") }
        switch Int(report.log) {
        case Int(STRATA_SALVAGE_LOG_DAMAGED):
            Terminal.note("\(log) is damaged: the newest changes may be lost")
        case Int(STRATA_SALVAGE_LOG_FOREIGN):
            Terminal.note("\(log) belongs to another file and was not used: if the right one exists, put it there first")
        case Int(STRATA_SALVAGE_LOG_MISSING):
            Terminal.note("\(log), which had the newest changes, is missing: if it exists, put it back first")
        default: break
        }
    }

    private func tell(_ report: strata_salvage_report) {
        if report.orphans > 0 {
            Terminal.note("\(grouped(report.orphans)) blocks of objects were found to which no tree leads any more")
        }
        if report.declared { Terminal.note("the file has no schema any more: that of \(declaration ?? "") was taken") }
        if !report.has_counts {
            Terminal.note("how many objects there were is not known of every class: any number may be lost")
        }
        if report.uncertain > 0 {
            Terminal.note(
                "\(grouped(report.uncertain)) blocks may be of an earlier commit, since the list of free pages is "
                    + "damaged: deleted objects may be back, and others as they were before")
        }
        if report.doubtful > 0 {
            Terminal.note("\(grouped(report.doubtful)) objects were found in several states; any of them was taken")
        }
        if report.unplaced > 0 {
            Terminal.note("\(grouped(report.unplaced)) blocks of objects are lost: several classes could have them")
        }
        tellLog(report)
        let lost = report.counted - report.saved
        if lost > 0 || report.partly > 0 {
            Terminal.note(
                "of \(grouped(report.counted)) objects \(grouped(lost)) are lost and \(grouped(report.partly)) saved in "
                    + "part: look for them in a backup" + (old ? "" : ", or salvage again with --old"))
        }
    }
}
