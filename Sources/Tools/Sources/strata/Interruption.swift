// SPDX-License-Identifier: MIT
// Interruption.swift -- Ctrl-C that ends a command, and not the program.

import CStrata
import Glibc

/// Ctrl-C while the shell runs a command, or one that has something to put away. Everywhere else it ends the program,
/// as usual.
enum Interruption {
    /// What Ctrl-C stops. Set before the handler is installed, and then only read.
    nonisolated(unsafe) private static var interrupt: OpaquePointer?
    nonisolated(unsafe) private static var isActive = false
    nonisolated(unsafe) private static var wasPressed: sig_atomic_t = 0

    /// What the files that are opened now give to their views; nil where it ends the program.
    static var current: OpaquePointer? { isActive ? interrupt : nil }

    static var isStopped: Bool { wasPressed != 0 }

    /// Ends a loop between two calls of the engine.
    static func check() throws(Failure) {
        if isStopped { throw interrupted }
    }

    private static let interrupted = Failure(.interrupted, "interrupted", .STRATA_INTERRUPTED)

    /// Runs a command that Ctrl-C ends; pressed once more it ends the program, should the command not have noticed.
    static func catching(_ body: () throws -> Void) throws {
        if interrupt == nil { try call { strata_interrupt_make(&interrupt, $0) } }
        strata_interrupt_reset(interrupt)
        wasPressed = 0
        isActive = true
        var action = sigaction(), before = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            Interruption.wasPressed = 1
            strata_interrupt_stop(Interruption.interrupt)
        }
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        sigaction(SIGINT, &action, &before)
        defer {
            sigaction(SIGINT, &before, nil)
            isActive = false
            wasPressed = 0
        }
        do {
            try body()
        } catch let failure as Failure where failure.isInterrupted {
            throw failure
        } catch {
            throw isStopped ? interrupted : error
        }
    }
}
