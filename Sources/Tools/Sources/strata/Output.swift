// SPDX-License-Identifier: MIT
// Output.swift -- in which form a command answers.

import ArgumentParser
import CStrata
import Glibc

/// The options that every command with an answer has.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write lines of JSON, from which nothing is lost.")
    var json = false
    @Flag(help: "Write CSV, with a line of names.")
    var csv = false
    @Flag(help: "Write columns that are separated by tabs, as to a pipe.")
    var plain = false
    @Flag(name: .customLong("no-color"), help: "Write without colours. So does a variable NO_COLOR.")
    var noColor = false
    @Flag(name: .customLong("no-pager"), help: "Do not start a pager, whatever PAGER says.")
    var noPager = false

    func validate() throws {
        if [json, csv, plain].filter({ $0 }).count > 1 {
            throw ValidationError("Choose one of --json, --csv and --plain.")
        }
    }

    /// Tables are for people: without a terminal there are plain columns.
    var format: strata_text_format? {
        if json { return .STRATA_TEXT_LINES }
        if csv { return .STRATA_TEXT_CSV }
        return plain || !Terminal.isTerminal(STDOUT_FILENO) ? .STRATA_TEXT_PLAIN : nil
    }

    var style: Style { Style(isOn: !noColor && Terminal.allowsColor(STDOUT_FILENO)) }

    /// Writes rows that a command has made.
    ///
    /// - Parameter wraps: whether a table for people cuts no text.
    func write(_ names: [String], _ rows: [[JSONText]], right: Set<Int> = [], wraps: Bool = false) {
        switch format {
        case .some(.STRATA_TEXT_LINES):
            for row in rows {
                let members = zip(names, row).map { "\(JSONText.quoted($0)):\($1)" }
                Terminal.write("{" + members.joined(separator: ",") + "}\n")
            }
        case .some(.STRATA_TEXT_CSV):
            Terminal.write(columns: "\(CSVText(names, rows))")
        case .some:
            for row in [names] + rows.map({ $0.map(CSVText.field) }) as [[String?]] {
                Terminal.write(columns: row.map(Self.plainField).joined(separator: "\t") + "\n")
            }
        case nil:
            let table = TextTable(
                names: names, rows: rows.map { $0.map(Self.cell) }, rightColumns: right, wraps: wraps)
            Terminal.show(table.text(width: Terminal.size.columns, style: style), paging: !noPager)
        }
    }

    private static func cell(_ value: JSONText) -> String? {
        if case .uint(let number) = value { return grouped(number) }
        return CSVText.field(value)
    }

    private static func plainField(_ text: String?) -> String {
        guard let text else { return "\\N" }
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t": out += "\\t"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\\": out += "\\\\"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}

/// The objects of a query, in the form that was asked for.
struct ObjectOutput {
    let file: StoreFile
    let options: OutputOptions

    /// - Parameter properties: those that are shown, in their order; nil: all.
    func write(_ query: FileQuery, _ properties: [Property]?) throws {
        let columns = properties?.map(\.number)
        let keys = Int(STRATA_EXPORT_KEYS)
        let header = Int(STRATA_EXPORT_HEADER)
        guard let format = options.format else { return try show(query, properties) }
        let flags = format == .STRATA_TEXT_LINES ? (columns == nil ? keys : 0) : header | (columns == nil ? keys : 0)
        let export = try TextExport(file, format, flags: flags, columns: columns, to: STDOUT_FILENO)
        try export.write(query)
        try export.finish()
    }

    private func show(_ query: FileQuery, _ properties: [Property]?) throws {
        let flags = Int(STRATA_EXPORT_HEADER) | (properties == nil ? Int(STRATA_EXPORT_KEYS) : 0)
        let right = query.table.numbers
        let output = PagedOutput(paging: !options.noPager)
        defer { output.close() }
        let table = TableStream(output, style: options.style) { right.contains($0) }
        let export = try TextExport(
            file, .STRATA_TEXT_PLAIN, flags: flags, columns: properties?.map(\.number), into: .receiver(table.take))
        do {
            try export.write(query)
            try export.finish()
        } catch let failure as Failure where failure.isCancelled {
            return  // who reads has seen enough
        }
        table.finish()
    }
}
