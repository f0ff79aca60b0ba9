// SPDX-License-Identifier: MIT
// TextExport.swift -- objects as text, to a descriptor or into memory.

import CStrata
import Glibc

/// Where exported text goes.
private final class Sink {
    let target: TextExport.Target
    /// Whether it is lines of columns, which are to command no terminal.
    let isShown: Bool
    var text: [UInt8] = []
    /// Called before each piece.
    var told: () -> Void = {}

    init(_ target: TextExport.Target, _ format: strata_text_format) {
        self.target = target
        let isColumns = format == .STRATA_TEXT_CSV || format == .STRATA_TEXT_PLAIN
        if case .descriptor(let descriptor) = target, isColumns {
            isShown = Terminal.isTerminal(descriptor)
        } else {
            isShown = false
        }
    }

    func take(_ bytes: UnsafeRawPointer?, _ count: Int) -> Bool {
        told()
        switch target {
        case .descriptor(let descriptor) where isShown:
            let text = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
            var shown = Terminal.visible(columns: text)
            return shown.withUTF8 { Terminal.write($0.baseAddress, $0.count, to: descriptor) }
        case .descriptor(let descriptor): return Terminal.write(bytes, count, to: descriptor)
        case .receiver(let receive): return receive(UnsafeRawBufferPointer(start: bytes, count: count))
        case .memory:
            text.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
            return true
        }
    }
}

/// An export of what the view of a file shows.
final class TextExport {
    enum Target {
        case memory
        case descriptor(Int32)
        /// What is called with each piece of the text; false ends the export.
        case receiver((UnsafeRawBufferPointer) -> Bool)
    }

    private let handle: OpaquePointer
    private let sink: Sink

    /// - Parameters:
    ///   - descriptor: where the text goes; nil: into memory.
    ///   - columns: the numbers of the properties; nil: all.
    ///   - preview: how many bytes of a value are written at most; 0: all.
    convenience init(
        _ file: StoreFile, _ format: strata_text_format, flags: Int, columns: [UInt32]? = nil, preview: UInt32 = 0,
        to descriptor: Int32?
    ) throws(Failure) {
        try self.init(
            file, format, flags: flags, columns: columns, preview: preview,
            into: descriptor.map { .descriptor($0) } ?? .memory)
    }

    init(
        _ file: StoreFile, _ format: strata_text_format, flags: Int, columns: [UInt32]? = nil, preview: UInt32 = 0,
        into target: Target
    ) throws(Failure) {
        let sink = Sink(target, format)
        var options = strata_export_options_blank()
        options.format = format
        options.flags = UInt32(flags)
        options.preview = preview
        options.interrupt = file.interrupt
        let chosen = columns ?? []
        var out: OpaquePointer?
        try chosen.withUnsafeBufferPointer { columns throws(Failure) in
            options.columns = columns.isEmpty ? nil : columns.baseAddress
            options.column_count = UInt32(columns.count)
            try call { error in
                strata_export_open(
                    file.view, &options,
                    { context, bytes, count in
                        Unmanaged<Sink>.fromOpaque(context!).takeUnretainedValue().take(bytes, count)
                    }, Unmanaged.passUnretained(sink).toOpaque(), &out, error)
            }
        }
        handle = out!
        self.sink = sink
    }

    deinit { strata_export_close(handle) }

    /// Shows how many of so many objects are written.
    func show(_ progress: Progress, of all: UInt64) {
        sink.told = { [handle] in progress.update(strata_export_count(handle), of: all) }
    }

    func write(_ table: UInt32) throws { try stopped { try call { strata_export_table(handle, table, $0) } } }

    func write(_ table: UInt32, _ keys: UnsafeBufferPointer<UInt64>) throws {
        try stopped { try call { strata_export_keys(handle, table, keys.baseAddress, UInt64(keys.count), $0) } }
    }

    func writeSchema() throws { try stopped { try call { strata_export_schema(handle, $0) } } }

    /// The result of a query: as it lies in the file, without a list of keys, if it is a whole class.
    ///
    /// - Parameter begins: called with how many objects there are, before the first is written.
    func write(_ query: FileQuery, begins: (UInt64) -> Void = { _ in }) throws {
        if query.isWholeTable {
            begins(try query.count())
            return try write(query.table.number)
        }
        try query.run {
            begins(UInt64($0.count))
            try write(query.table.number, $0)
        }
    }

    /// Ends the text; that which was not written to a descriptor.
    @discardableResult
    func finish() throws -> String {
        try stopped { try call { strata_export_end(handle, $0) } }
        return String(decoding: sink.text, as: UTF8.self)
    }

    var count: UInt64 { strata_export_count(handle) }

    /// A reader that closes its end, such as `head`, is no failure.
    private func stopped(_ body: () throws -> Void) throws {
        do { try body() } catch let failure as Failure {
            guard failure.isCancelled, case .descriptor(STDOUT_FILENO) = sink.target else { throw failure }
            if errno == EPIPE { exit(0) }
            throw Failure(.unavailable, Terminal.cannotAnswer())
        }
    }
}

/// The fields of plain columns. A nil is a null.
func plainRows(_ text: String) -> [[String?]] {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { plainFields(String($0)) }
}

/// The fields of one line of plain columns.
func plainFields(_ line: String) -> [String?] {
    line.split(separator: "\t", omittingEmptySubsequences: false).map { $0 == "\\N" ? nil : unescaped($0) }
}

private func unescaped(_ field: Substring) -> String {
    if !field.utf8.contains(UInt8(ascii: "\\")) { return String(field) }
    var out = "".unicodeScalars
    var isEscaped = false
    for scalar in field.unicodeScalars {  // a mark behind one would make another character of it
        if isEscaped {
            out.append(scalar == "t" ? "\t" : scalar == "n" ? "\n" : scalar == "r" ? "\r" : scalar)
            isEscaped = false
        } else if scalar == "\\" {
            isEscaped = true
        } else {
            out.append(scalar)
        }
    }
    return String(out)
}
