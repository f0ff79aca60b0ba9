// SPDX-License-Identifier: MIT
// Realm+Warnings.swift -- what no call fails with, but a program should know.

extension Realm {
    /// Is told, in one line, what no call fails with, but a program should know.
    ///
    /// That is at present: a migration without a block drops values; or a realm, or something frozen, keeps a version of
    /// the file for seconds, and has made the file grow, by 16 MiB and a quarter of its size at least. The line then
    /// says which realm that is, for how long it has kept which version, how much space that takes, and what to do about
    /// it; see ``Pin``. Each process that writes is told once for each version.
    ///
    /// At first this prints the line on the standard error; nil says nothing. It is called on the thread that has
    /// committed, which waits for it, and must not use a realm.
    public static var warningHandler: (@Sendable (String) -> Void)? {
        get { EngineLog.current }
        set { EngineLog.current = newValue }
    }
}
