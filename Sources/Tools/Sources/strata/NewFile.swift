// SPDX-License-Identifier: MIT
// NewFile.swift -- a file that appears when it is complete, or not at all.

import Glibc

/// A file that is written and has no name yet, so that it goes with this process, however that ends. Where the file
/// system has no such files, it has another name meanwhile.
final class NewFile {
    let path: String
    let descriptor: Int32
    private let temporary: String?
    private(set) var hasAppeared = false

    /// O_TMPFILE of Linux, a macro that Swift does not import.
    private static let nameless = 0o20000000 | O_DIRECTORY

    init(_ path: String) throws(Failure) {
        if access(path, F_OK) == 0 { throw Failure(.refused, "\(path) is there already") }
        self.path = path
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let nameless = open(folder, O_WRONLY | Self.nameless | O_CLOEXEC, 0o600)
        // By chance, so that one that a killed process has left is not in the way.
        temporary = nameless < 0 ? "\(path).part-\(String(UInt64.random(in: .min ... .max), radix: 36))" : nil
        descriptor = temporary.map { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) } ?? nameless
        if descriptor < 0 { throw Self.cannotWrite(path) }
    }

    deinit {
        close(descriptor)
        if let temporary { unlink(temporary) }
    }

    /// Makes what was written durable, and gives the file its name, if it has none.
    func appear() throws(Failure) {
        if fsync(descriptor) != 0 { throw Self.cannotWrite(path) }
        if hasAppeared { return }
        let source = temporary ?? "/proc/self/fd/\(descriptor)"
        if linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) != 0 { throw Self.cannotWrite(path) }
        hasAppeared = true
    }

    /// What the system says to the last call.
    static func cannotWrite(_ path: String) -> Failure {
        if errno == EEXIST { return Failure(.refused, "\(path) is there already") }
        let hints = [
            ENOSPC: "; make room there, or choose a place on another disk",
            EDQUOT: "; make room there, or choose a place on another disk",
            EFBIG: "; the file size limit of the process is used up, which ulimit -f shows",
        ]
        let hint = hints[errno] ?? ""
        return Failure(.unavailable, "\(path) cannot be written: \(String(cString: strerror(errno)))\(hint)")
    }
}
