// SPDX-License-Identifier: MIT
// Options.swift -- the command line.

/// What the program was asked to do.
struct Options: Equatable {
    var storePath = Options.defaultStorePath
    var reimports = false
    /// The package to take away; nil for the default.
    var without: String?
    var find = "sqlite"
    /// Files to read instead of this machine's records; `-` is standard input.
    var inputs: [String] = []
    var showsHelp = false

    static let defaultStorePath = "build/packages.strata"

    /// Throws a `Failure` that says what is wrong.
    init(_ arguments: some Sequence<String>) throws(Failure) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            if argument == "-" || !argument.hasPrefix("-") {
                inputs.append(argument)
                continue
            }
            if argument == "--" {
                while let input = rest.next() { inputs.append(input) }
                return
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            var value = parts.count == 2 ? String(parts[1]) : nil
            if value == nil, Self.namesWithValue.contains(name) { value = rest.next() }
            try set(name, to: value)
        }
    }

    private static let namesWithValue = ["--file", "--without", "--find"]

    private mutating func set(_ name: String, to value: String?) throws(Failure) {
        if Self.namesWithValue.contains(name) {
            guard let value, !value.isEmpty else { throw Failure(usage: "\(name) needs a value, as in \(name) VALUE") }
            switch name {
            case "--file": storePath = value
            case "--without": without = value
            default: find = value
            }
            return
        }
        guard value == nil else { throw Failure(usage: "\(name) takes no value") }
        switch name {
        case "--reimport": reimports = true
        case "--help", "-h": showsHelp = true
        default: throw Failure(usage: "there is no option \(name)")
        }
    }

    static let help = """
        Usage: packages [OPTION...] [INPUT...]

        Reads Debian package records into a Strata file, in one transaction, and asks it five questions:
        which packages most others depend on, what would break without one of them, how large the sections
        are, who maintains most packages, and whose name contains a word.

        Without INPUT it reads this machine's records: /var/lib/dpkg/status and `apt-cache dumpavail`.
        An INPUT is a file in the same format, such as a Packages file of a mirror, or - for standard input.
        If the Strata file already holds an import, nothing is read and the questions are answered at once.

          --file PATH      the Strata file (default: \(defaultStorePath))
          --reimport       read the records again and replace what the file holds
          --without NAME   the package to take away in question 2 (default: libc6)
          --find WORD      the word to look for in question 5 (default: sqlite)
          -h, --help       show this text

        How records become objects:
          Several records of one package: the newest version supplies the fields, whatever its architecture;
          the package counts as installed if dpkg says so of any of them.
          Dependencies (Pre-Depends and Depends): of the alternatives a | b, the first that is the name of a
          package is taken; if none is, the first for which a package stands in (Provides), and of these
          packages the first by name. What is left is counted as unresolved. Demands on versions and
          architectures are not checked. A package links to another once, and never to itself.
          A malformed record is reported with file and line, and skipped; all others are kept.

        Exit status: 0 done, 1 failed, 2 wrong usage.
        """
}
