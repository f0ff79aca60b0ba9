// SPDX-License-Identifier: MIT
// Export.swift -- objects as JSON, CSV and plain columns.

import ArgumentParser
import CStrata
import Glibc

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write objects as lines of JSON, a JSON document, CSV or plain columns.",
        discussion: """
            EXAMPLES
              strata export zoo.realm > everything.ndjson
              strata export zoo.realm "Dog where age > 3" --output dogs.csv
              strata export zoo.realm --format json > studio.json

            Without a query everything is exported, with the schema in the first line; strata import makes a \
            file with the same objects of it, maybe in another order.
            """)

    @OptionGroup var file: FileArgument
    @Argument(help: "A class or a query; without one, everything.", completion: .custom(completeQuery))
    var query: String?
    @Option(
        help: "ndjson, json, csv or plain. Without it the end of the name of --output tells, or it is ndjson.",
        completion: .list(strata_text_format.names))
    var format: String?
    @Option(
        name: .shortAndLong, help: "The file to write, which must not be there yet; - is the standard output.",
        completion: .file())
    var output: String?
    @Option(name: .shortAndLong, help: "Only these properties, in this order, separated by commas.")
    var columns: String?

    func run() throws {
        let open = try StoreFile(file.file)
        let named = try format.map { try strata_text_format(name: $0) }
        let format = named ?? output.flatMap { strata_text_format(path: $0) } ?? .STRATA_TEXT_LINES
        let catalog = Catalog(open)
        let found = try query.map { try FileQuery(QueryText($0), catalog, open) }
        if found == nil && (format == .STRATA_TEXT_CSV || format == .STRATA_TEXT_PLAIN) {
            throw Failure(
                .usage, "CSV and plain columns are of one class: name it, as in: strata export FILE Dog --format csv")
        }
        if found == nil && columns != nil { throw Failure(.usage, "--columns are those of one class: name it") }
        let columns = try self.columns?.split(separator: ",").map { try found!.table.property(String($0)).number }
        try toOutput { descriptor in
            let flags =
                columns == nil ? Int(STRATA_EXPORT_KEYS | STRATA_EXPORT_HEADER) : Int(STRATA_EXPORT_HEADER)
            let all = found == nil && format == .STRATA_TEXT_LINES ? Int(STRATA_EXPORT_CLASS) : 0
            let export = try TextExport(open, format, flags: flags | all, columns: columns, to: descriptor)
            let progress = Progress("exporting", unit: "objects", isShown: !Terminal.isTerminal(descriptor))
            defer { progress.end() }
            let tables = catalog.tables.filter { !$0.isEmbedded }
            if let found {
                try export.write(found) { export.show(progress, of: $0) }
            } else {
                export.show(progress, of: try tables.reduce(0) { try $0 + open.count($1) })
                if all != 0 { try export.writeSchema() }
                for table in tables { try export.write(table.number) }
            }
            try export.finish()
        }
    }

    private func toOutput(_ body: (Int32) throws -> Void) throws {
        guard let output, output != "-" else { return try body(STDOUT_FILENO) }
        let file = try NewFile(output)
        do { try body(file.descriptor) } catch let failure as Failure where failure.isCancelled {
            throw NewFile.cannotWrite(output)
        }
        try file.appear()
    }
}
