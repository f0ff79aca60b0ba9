// SPDX-License-Identifier: MIT
// ConvertModels.swift -- the program that rewrites models of the older style; `strata convert-models` runs it.

import ArgumentParser
import Foundation
import ModelConversion

@main
struct ConvertModels: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strata convert-models",
        abstract: "Rewrite models of the older style, @objc dynamic var, to @Persisted.",
        discussion: """
            Reads all Swift files of a directory together (not those in Pods and \
            Carthage) and shows the difference; nothing is written without --write. \
            Classes that descend from Object or \
            EmbeddedObject lose @objc, dynamic and @objcMembers; primary keys, indexes \
            and ignored properties move to where the properties are declared; lists, \
            linking objects, RealmOptional, RealmProperty and RealmEnum follow, and so \
            do .value and #keyPath in all of the files.

            What cannot be decided gets a comment that begins with FIXME: Strata, and \
            is listed at the end.

            EXAMPLES
              strata convert-models Sources/Models | less
              strata convert-models Sources --write && git diff

            EXIT CODES
              0  done, or with --check: nothing is left to convert
              1  with --check: something is
              2  the command line is wrong, or a file does not parse
              3  a file cannot be read or written
            """
    )

    @Argument(help: "A directory, all of whose .swift files belong together, or files.", completion: .directory)
    var paths: [String]

    @Flag(help: "Write the files.")
    var write = false

    @Flag(help: "Write nothing and show nothing; say by the exit code whether there is something to convert.")
    var check = false

    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let code as ExitCode {
            Foundation.exit(code.rawValue)
        } catch {
            let isHelp = exitCode(for: error) == .success
            let text =
                isHelp
                ? fullMessage(for: error) : "strata: \(message(for: error)); see strata convert-models --help"
            FileHandle(fileDescriptor: isHelp ? 1 : 2).write(Data((text + "\n").utf8))
            Foundation.exit(isHelp ? 0 : 2)
        }
    }

    func run() throws {
        let files = try read(paths)
        let converted = convert(files)
        let changed = converted.filter(\.isChanged)
        if !check {
            if write { try changed.forEach(save) } else { changed.forEach(show) }
        }
        fflush(nil)
        tell(converted)
        if converted.contains(where: { $0.problem != nil }) { throw ExitCode(2) }
        if check, !changed.isEmpty { throw ExitCode(1) }
    }

    private func show(_ file: ConvertedFile) {
        let path = file.path.hasPrefix("./") ? String(file.path.dropFirst(2)) : file.path
        print(unifiedDifference(path, file.before, file.after), terminator: "")
    }

    private func save(_ file: ConvertedFile) throws {
        do {
            try Data(file.after.utf8).write(to: URL(filePath: file.path), options: .atomic)
        } catch {
            throw failed("'\(file.path)' cannot be written: \(error.localizedDescription)")
        }
    }

    /// Says what happened, and what is left to a person.
    private func tell(_ files: [ConvertedFile]) {
        for file in files {
            if let problem = file.problem { note("\(file.path): left as it is: \(problem)") }
            for question in file.questions { note("\(file.path):\(question.line): \(question.text)") }
        }
        let changed = files.filter(\.isChanged)
        let questions = files.reduce(0) { $0 + $1.questions.count }
        let properties = files.reduce(0) { $0 + $1.properties }
        let left = questions == 0 ? "" : ", \(counted(questions, "question")) to decide"
        if changed.isEmpty {
            let read = files.count { $0.problem == nil }
            if read > 0 { note("nothing to convert in \(counted(read, "file"))\(left)") }
            return
        }
        let verb = write && !check ? "written" : "would change"
        note(
            "\(counted(changed.count, "file")) \(verb), \(counted(properties, "property"))"
                + (left.isEmpty ? ", 0 questions to decide" : left) + (write || check ? "" : "; --write writes"))
    }

    private func counted(_ count: Int, _ noun: String) -> String {
        let plural = noun.hasSuffix("y") ? noun.dropLast() + "ies" : noun + "s"
        return "\(count) \(count == 1 ? noun : plural)"
    }
}

/// All files of the directories, in order of their paths. A file of a directory that cannot be read is told and left
/// out.
private func read(_ paths: [String]) throws -> [(path: String, text: String)] {
    var files: [(path: String, text: String)] = []
    for path in paths {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw failed("there is no file '\(path)'")
        }
        if isDirectory.boolValue {
            files += try swiftFiles(path).compactMap { path in
                if let text = try text(path) { return (path, text) }
                note("\(path): left out, cannot be read: \(String(cString: strerror(errno)))")
                return nil
            }
        } else if let text = try text(path) {
            files.append((path, text))
        } else {
            throw failed("'\(path)' cannot be read: \(String(cString: strerror(errno)))")
        }
    }
    if files.isEmpty { throw failed("there is no .swift file in '\(paths.joined(separator: "', '"))'") }
    return files
}

/// The text of a file; nil if it cannot be read.
private func text(_ path: String) throws -> String? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    guard let text = String(validating: data, as: UTF8.self) else { throw failed("'\(path)' is not UTF-8") }
    return text
}

/// Directories with the sources of others, which a package manager puts there.
private let foreign: Set<Substring> = ["Pods", "Carthage"]

/// The files of a directory, in order of their paths; hidden directories, those of builds among them, are left out.
private func swiftFiles(_ directory: String) -> [String] {
    let walk = FileManager.default.enumerator(atPath: directory)
    var files: [String] = []
    while let name = walk?.nextObject() as? String {
        let last = name.split(separator: "/").last ?? ""
        if last.hasPrefix(".") || foreign.contains(last) {
            walk?.skipDescendants()
        } else if last.hasSuffix(".swift") {
            files.append(directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)")
        }
    }
    return files.sorted()
}

private func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

private func failed(_ message: String) -> ExitCode {
    note("strata: \(message)")
    return ExitCode(3)
}
