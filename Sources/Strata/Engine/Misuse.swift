// SPDX-License-Identifier: MIT
// Misuse.swift -- the one place where a programming error stops the program.

/// Stops the program because of a programming error that no caller can handle.
///
/// The message names the class, the property or the object, what was wrong, and the fix.
@usableFromInline
func misuse(_ message: String) -> Never {
    fatalError("Strata: \(message)")
}
