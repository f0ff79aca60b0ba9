// SPDX-License-Identifier: MIT
// Shell.swift -- shell.

import ArgumentParser
import CStrata
import Glibc

struct Shell: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take commands for one file, line by line.",
        discussion: """
            EXAMPLES
              strata shell zoo.realm
              echo 'count Dog' | strata shell zoo.realm

            A line is a command without the name of the file, or a query, which is shown: \
            Dog where age > 3. Tab completes commands, classes, properties and words; arrows go \
            through what was typed before. Ctrl-C ends a command; exit, or Ctrl-D, the shell. Lines \
            from a pipe go on behind one that fails; the exit code is that of the first that did.
            """)

    @OptionGroup var file: FileArgument

    /// Commands whose line goes on with a query.
    private static let asking: Set<String> = ["show", "query", "count", "explain", "watch"]
    private static let words = [
        "where", "sort", "limit", "skip", "AND", "OR", "NOT", "ANY", "IN", "CONTAINS", "BEGINSWITH",
        "LIKE", "desc",
    ]

    private static var commands: [String] {
        Strata.configuration.groupedSubcommands.flatMap(\.subcommands).map { $0._commandName }.filter { $0 != "shell" }
    }

    func run() throws {
        _ = try StoreFile(file.file)
        guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDOUT_FILENO) else {
            var failed: Exit?
            while let line = readLine(), take(line, failed: &failed) {}
            if let failed { throw ExitCode(failed.rawValue) }  // that of the first command that failed
            return
        }
        var failed: Exit?
        let name = file.file.split(separator: "/").last.map(String.init) ?? file.file
        let history = ShellHistory()
        var editor = LineEditor(history: history.lines, complete: complete)
        while let line = editor.read("\(name)> ") {
            history.append(line)
            if !take(line, failed: &failed) { return }
        }
    }

    /// Runs a line. False if it is the last.
    private func take(_ line: String, failed: inout Exit?) -> Bool {
        let line = line.trimmed
        if line.isEmpty || line.hasPrefix("#") { return true }
        if line == "exit" || line == "quit" { return false }
        let arguments = arguments(line)
        do {
            try Self.checkQuotes(line)
            var command = try Strata.parseAsRoot(arguments)
            if command is any ServingCommand {
                try command.run()
            } else {
                try Interruption.catching { try command.run() }
            }
        } catch let failure as Failure where failure.isInterrupted {
            Terminal.note(failure.message)
        } catch let failure as Failure {
            failed = failed ?? failure.exit
            Main.tell(failure, arguments)
        } catch {
            let text = Strata.fullMessage(for: error)
            if !text.isEmpty { Terminal.note(Main.named(text)) }
            let code = Strata.exitCode(for: error)
            let exit = code == .validationFailure ? Exit.usage : Exit(rawValue: code.rawValue)
            if !code.isSuccess { failed = failed ?? exit }
        }
        return true
    }

    /// Quotes in queries are looked at where these are read.
    private static func checkQuotes(_ line: String) throws(Failure) {
        let words = QueryText.words(line)
        guard commands.contains(words[0].text), !asking.contains(words[0].text),
            let open = words.first(where: \.isOpen)
        else { return }
        throw Failure(.usage, "at column \(open.column + 1): a quote is never closed")
    }

    /// The arguments that a command line with the file would have.
    private func arguments(_ line: String) -> [String] {
        let words = QueryText.words(line).map(\.text)
        guard Self.commands.contains(words[0]) || words[0] == "help" else { return ["show", file.file, line] }
        if words[0] == "help" { return words }
        let rest = words.dropFirst()
        guard Self.asking.contains(words[0]) else {
            return [words[0], file.file] + rest.map(Self.unquoted)
        }
        let options = rest.firstIndex { $0.hasPrefix("--") } ?? words.endIndex
        // A query may stand in quotes, as for a shell of the system; one that begins with a class in quotes goes on.
        let query = rest[..<options]
        let isQuoted = query.count == 1 && query.first?.utf8.first == UInt8(ascii: "\"")
        let text = isQuoted ? query.map(Self.unquoted)[0] : query.joined(separator: " ")
        return [words[0], file.file, text] + words[options...].map(Self.unquoted)
    }

    /// "'a b'" and "name='a b'" without the quotes, as a shell would pass them.
    private static func unquoted(_ word: String) -> String {
        let scalars = word.unicodeScalars
        guard let open = scalars.firstIndex(where: { $0 == "'" || $0 == "\"" }), scalars.last == scalars[open],
            scalars.index(after: open) < scalars.endIndex
        else { return word }
        return String(scalars[..<open]) + String(scalars[scalars.index(after: open)...].dropLast())
    }

    // MARK: - Completion

    private func complete(_ text: String) -> [String] {
        guard let open = try? StoreFile(file.file, wait: 200) else { return Self.commands }
        let catalog = Catalog(open)
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let names = catalog.tables.map(\.name)
        if words.count <= 1 { return Self.commands + names }
        let isCommand = Self.commands.contains(words[0])
        if isCommand && words.count == 2 { return names }
        guard var table = try? catalog.table(words[isCommand ? 1 : 0]) else { return names }
        let path = (words.last ?? "").split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            .dropLast()
        for step in path {
            guard let target = try? table.property(step).target, let next = catalog.table(number: target) else {
                return []
            }
            table = next
        }
        let prefix = path.map { $0 + "." }.joined()
        return table.properties.map { prefix + $0.name } + (path.isEmpty ? Self.words : [])
    }
}

/// The lines that were typed before, in a file of the user; without a home there is none.
private struct ShellHistory {
    private static let most = 1000
    private let path: String?
    let lines: [String]

    init() {
        let state = Terminal.environment("XDG_STATE_HOME") ?? Terminal.environment("HOME").map { "\($0)/.local/state" }
        path = state.map { "\($0)/strata-history" }
        var lines: [String] = []
        if let path, let file = fopen(path, "r") {
            var line: UnsafeMutablePointer<CChar>?
            var room = 0
            while getline(&line, &room, file) > 0, let line {
                lines.append(String(String(cString: line).dropLast()))
            }
            free(line)
            fclose(file)
        }
        self.lines = lines.suffix(Self.most)
    }

    /// Makes the folders that are missing, for this user alone.
    private static func makeFolder(of path: String) {
        var place = path.startIndex
        while let slash = path[path.index(after: place)...].firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            place = slash
        }
    }

    func append(_ line: String) {
        guard let path, !line.trimmed.isEmpty else { return }
        Self.makeFolder(of: path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        if descriptor < 0 { return }
        Terminal.write(line + "\n", to: descriptor)
        close(descriptor)
    }
}
