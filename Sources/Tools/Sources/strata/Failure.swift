// SPDX-License-Identifier: MIT
// Failure.swift -- why a command ends without success, and with which exit code.

import CStrata

/// What the shell is told. Written down in `strata help` and on the page *The tool*; never renumber.
enum Exit: Int32 {
    case done = 0
    /// A question was answered with no: there is a difference, a flaw, or nothing that was asked for.
    case no = 1
    /// The command line, or the data that it names, says something that cannot be.
    case usage = 2
    /// The file cannot be opened, or written.
    case unavailable = 3
    case damaged = 4
    /// Others kept the file for longer than the command could wait.
    case busy = 5
    /// It would lose data, and nobody said yes.
    case refused = 6
    /// Ctrl-C: as the shell names a program that this signal has ended.
    case interrupted = 130
}

/// An error that is told to the person at the terminal: what happened, and what to do.
struct Failure: Error {
    let exit: Exit
    let message: String
    /// What the engine said; nil if it was not the engine.
    let status: strata_status?

    /// Whether the engine stopped what it was asked for because its time was over.
    var isInterrupted: Bool { status == .STRATA_INTERRUPTED }
    /// Whether what takes text wanted no more of it.
    var isCancelled: Bool { status == .STRATA_CANCELLED }

    init(_ exit: Exit, _ message: String, _ status: strata_status? = nil) {
        self.exit = exit
        self.message = message
        self.status = status
    }

    init(_ status: strata_status, _ error: strata_error) {
        let told = text(of: error)
        let said = told.isEmpty ? "the engine reports \(String(cString: strata_status_name(status)))" : told
        message = said + (status == .STRATA_CORRUPT ? Self.salvage(behind: said) : "")
        self.status = status
        switch status {
        case .STRATA_CORRUPT, .STRATA_POISONED: exit = .damaged
        case .STRATA_BUSY, .STRATA_READERS_FULL, .STRATA_IN_USE: exit = .busy
        case .STRATA_MISUSE, .STRATA_TYPE, .STRATA_RANGE, .STRATA_INVALID_SCHEMA, .STRATA_NOT_FOUND, .STRATA_TOO_LARGE,
            .STRATA_DUPLICATE:
            exit = .usage
        case .STRATA_FILE_EXISTS, .STRATA_SCHEMA_MISMATCH, .STRATA_SCHEMA_OLD, .STRATA_REFERENCED: exit = .refused
        default: exit = .unavailable
        }
    }
}

extension Failure {
    /// What else can be done about a damaged file, unless the message knows of it.
    private static func salvage(behind message: String) -> String {
        if message.contains("salvage") { return "" }
        return message.hasSuffix("restore a backup")
            ? ", or save what can be read with strata salvage" : "; strata salvage saves what can be read"
    }
}

/// The message of an error.
func text(of error: strata_error) -> String {
    withUnsafeBytes(of: error.message) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

extension String {
    /// Calls with the bytes of the text.
    func withBytes<Result>(_ body: (UnsafePointer<CChar>?, Int) -> Result) -> Result {
        var text = self
        return text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { body($0.baseAddress, $0.count) }
        }
    }
}

/// Calls the engine, which does what it is asked, or else fails: there is no answer that could be passed over.
func call(_ body: (UnsafeMutablePointer<strata_error>) -> strata_status) throws(Failure) {
    var error = strata_error()
    let status = body(&error)
    if status != .STRATA_OK { throw Failure(status, error) }
}

/// Asks the engine something that it may also answer with no: there is no such object, or nothing comes any more.
func isAnswered(_ body: (UnsafeMutablePointer<strata_error>) -> strata_status) throws(Failure) -> Bool {
    var error = strata_error()
    let status = body(&error)
    if status.rawValue < 0 { throw Failure(status, error) }
    return status == .STRATA_OK
}
