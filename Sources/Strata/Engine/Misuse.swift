// SPDX-License-Identifier: MIT
// Misuse.swift -- the one place where a programming error stops the program.

import Foundation

/// Stops the program because of a programming error that no caller can handle.
///
/// The message names the class, the property or the object, what was wrong, and the fix. It is the first line on the
/// standard error; below stand the functions of the program that led here, as far as they are known.
@usableFromInline @inline(never)
func misuse(_ message: String) -> Never {
    writeToStandardError("Strata: \(message)\n")
    writeToStandardError(Caller.names(3).map { "    in \($0)\n" }.joined())
    // The signal of `fatalError`, which itself would begin the message with a line of this file. A handler, such as
    // that of Swift's runtime, which prints a backtrace, removes itself and returns: hence the second time.
    #if arch(x86_64) || arch(i386)
        let signal = SIGILL
    #else
        let signal = SIGTRAP
    #endif
    raise(signal)
    raise(signal)
    abort()
}

/// Writes a text in one piece, if possible.
func writeToStandardError(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        if count == 0 || count < 0 && errno != EINTR { return }
        rest = rest.dropFirst(max(count, 0))
    }
}
