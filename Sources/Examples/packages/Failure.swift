// SPDX-License-Identifier: MIT
// Failure.swift -- what ends the program before it is done.

/// A message for the user, and the exit status to leave with.
struct Failure: Error, Equatable {
    var message: String
    var exitStatus: Int32 = 1

    init(_ message: String) {
        self.message = message
    }

    init(usage message: String) {
        self.message = message + "\nTry packages --help."
        exitStatus = 2
    }
}
