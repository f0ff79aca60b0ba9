// SPDX-License-Identifier: MIT
// Strata.swift -- the program: its commands, and how it ends.

import ArgumentParser
import CStrata
import Glibc

struct Strata: ParsableCommand {
    static let version = "\(STRATA_VERSION_MAJOR).\(STRATA_VERSION_MINOR).\(STRATA_VERSION_PATCH)"

    static let configuration = CommandConfiguration(
        commandName: "strata",
        abstract: "Look into a Strata file, change it, and move data in and out.",
        discussion: """
            EXAMPLES
              strata ls zoo.realm
              strata show zoo.realm "Dog where age > 3 sort name limit 20"
              strata query zoo.realm "Dog where owner.name == 'Jane'" --json
              strata import zoo.realm dogs.csv --class Dog
              strata watch zoo.realm "Task where done == false"

            A query is the name of a class, and then, as far as it is needed: where \
            and a condition, sort and properties (desc behind one that descends), \
            limit, skip. Conditions are those of NSPredicate.

            Commands do not disturb the programs that use a file, and only insert, \
            set, delete, import, migrate, salvage, compact and changes --keep write, \
            and studio and serve with --write. Answers go to \
            the standard output, everything else to the error output. Where that is \
            no terminal, an answer has columns separated by tabs.

            EXIT CODES
              0  done
              1  no: there is a difference, a flaw, no such object, or nothing with
                 --exit-code
              2  the command line or the data is wrong
              3  a file cannot be opened or written
              4  the file is damaged
              5  others kept the file for too long
              6  refused, because data would be lost
            130  interrupted
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Looking",
                subcommands: [
                    List.self, Show.self, QueryCommand.self, Get.self, Count.self, Facets.self, Explain.self,
                    Watch.self, Changes.self, Studio.self, Serve.self, Shell.self,
                ]),
            CommandGroup(name: "Changing", subcommands: [Insert.self, Assign.self, Delete.self]),
            CommandGroup(
                name: "Moving",
                subcommands: [Import.self, Export.self, SchemaCommand.self, Migrate.self, ConvertModels.self]),
            CommandGroup(
                name: "Looking after files",
                subcommands: [
                    Check.self, Salvage.self, Compact.self, Backup.self, Readers.self, Statistics.self, Doctor.self,
                    Completion.self,
                ]),
        ]
    )
}

/// The file, as each command names it.
struct FileArgument: ParsableArguments {
    @Argument(help: "The file.", completion: .file())
    var file: String
}

@main
enum Main {
    static func main() {
        setlocale(LC_CTYPE, "C.UTF-8")
        signal(SIGXFSZ, SIG_IGN)  // a file that may not grow is a failure like a full disk
        do {
            let words = commandFirst(Array(CommandLine.arguments.dropFirst()))
            try checkName(words.first)
            var command = try Strata.parseAsRoot(words)
            try command.run()
        } catch let failure as Failure {
            tell(failure, CommandLine.arguments)
            exit(failure.exit.rawValue)
        } catch {
            let code = Strata.exitCode(for: error)
            let text = Strata.fullMessage(for: error)
            if code == .success {
                Terminal.show(text + (text.hasSuffix("\n") || text.isEmpty ? "" : "\n"), paging: true)
                exit(Exit.done.rawValue)
            }
            if !text.isEmpty { Terminal.note(named(text)) }
            exit(code == .validationFailure ? Exit.usage.rawValue : code.rawValue)
        }
    }

    /// How an answer looks may also be said before the command.
    private static func commandFirst(_ words: [String]) -> [String] {
        let looks = ["--json", "--csv", "--plain", "--no-color", "--no-pager"]
        let options = words.prefix { looks.contains($0) }
        guard let command = words.dropFirst(options.count).first else { return words }
        return [command] + options + words.dropFirst(options.count + 1)
    }

    /// A misspelt command gets a suggestion.
    private static func checkName(_ first: String?) throws(Failure) {
        let names = Strata.configuration.groupedSubcommands.flatMap(\.subcommands).map { $0._commandName }
        guard let first, !first.hasPrefix("-"), first != "help", !names.contains(first) else { return }
        let hint = suggestion(first, names)
        throw Failure(.usage, "there is no command '\(first)'\(hint.isEmpty ? "; see strata --help" : hint)")
    }

    /// A message about the command line, which begins like those about files.
    static func named(_ text: String) -> String {
        let mark = "Error: "
        return text.hasPrefix(mark) ? "strata: " + text.dropFirst(mark.count) : text
    }

    /// Says what went wrong, with a caret under the place in that argument which is a query.
    static func tell(_ failure: Failure, _ arguments: [String]) {
        let style = Style(isOn: Terminal.allowsColor(STDERR_FILENO) && !arguments.contains("--no-color"))
        Terminal.note(failure.message, after: style.red("strata:") + " ")
        let query = arguments.first { $0.contains(" ") && Mistake.marked($0, failure.message) != nil }
        if let marked = query.flatMap({ Mistake.marked($0, failure.message) }) { Terminal.note(marked) }
    }
}

// MARK: - Completion from files

/// The classes of the file that a command line has; nil if it cannot be read at once.
private func catalog(of words: [String]) -> Catalog? {
    guard let path = words.dropFirst(2).first(where: { access($0, R_OK) == 0 }),
        let file = try? StoreFile(path, wait: 200)
    else { return nil }
    return Catalog(file)
}

/// The names of the properties of the class that the query before begins with.
@Sendable func completeProperty(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    guard let catalog = catalog(of: words), words.indices.contains(index - 1),
        let query = try? QueryText(words[index - 1]), let table = try? catalog.table(query.className)
    else { return [] }
    return table.properties.map(\.name)
}

/// Assignments to the properties of the class that a word before begins with.
@Sendable func completeAssignment(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    guard let catalog = catalog(of: words), words.indices.contains(index) else { return [] }
    for word in words[..<index].reversed() {
        guard let query = try? QueryText(word), let table = try? catalog.table(query.className) else { continue }
        return table.properties.map { "\($0.name)=" }
    }
    return []
}

/// Names of properties between commas.
@Sendable func completeColumns(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    let before = prefix.lastIndex(of: ",").map { String(prefix[...$0]) } ?? ""
    return completeAssignment(words, index, prefix).map { before + $0.dropLast() }
}

/// The names of classes of the file that the command line has.
@Sendable func completeClass(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    catalog(of: words)?.tables.map(\.name) ?? []
}

/// The names of classes of the file that the command line has, and behind one of them those of its properties.
@Sendable func completeQuery(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    guard let catalog = catalog(of: words) else { return [] }
    let parts = prefix.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count > 1, let table = try? catalog.table(String(parts[0])) else {
        return catalog.tables.map(\.name)
    }
    let before = parts.dropLast().joined(separator: " ")
    return (["where", "sort", "limit"] + table.properties.map(\.name)).map { "\(before) \($0)" }
}
