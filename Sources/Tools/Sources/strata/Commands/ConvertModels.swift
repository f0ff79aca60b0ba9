// SPDX-License-Identifier: MIT
// ConvertModels.swift -- convert-models, which another program does.

import ArgumentParser
import Glibc

/// Hands over to `strata-convert-models`, which has a parser of Swift in it and is several times as large as this
/// program.
struct ConvertModels: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert-models",
        abstract: "Rewrite models of the older style, @objc dynamic var, to @Persisted.",
        usage: "strata convert-models <paths> ... [--write] [--check]")

    private static let program = "strata-convert-models"

    @Argument(parsing: .captureForPassthrough, help: "Directories or files; see --help.", completion: .directory)
    var arguments: [String] = []

    func run() throws {
        var words = ([Self.program] + arguments).map { strdup($0) } + [nil]
        if let beside = Self.besideThis() { execv(beside, &words) }
        execvp(Self.program, &words)
        throw Failure(
            .unavailable,
            "\(Self.program) is neither beside strata nor in the PATH (\(String(cString: strerror(errno)))); "
                + "'make convert-models' builds it")
    }

    /// The path of the program if it lies in the folder of this one.
    private static func besideThis() -> String? {
        guard let own = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(own) }
        let path = String(cString: own)
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return String(path[...slash]) + program
    }
}
