// SPDX-License-Identifier: MIT
// Command.swift -- the program: import if need be, then ask.

import DebianRecords
import Foundation
import RealmSwift

@main
struct Command {
    let options: Options
    let progress = Progress()

    static func main() {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            if options.showsHelp {
                print(Options.help)
                return
            }
            try Command(options: options).run()
        } catch let failure as Failure {
            leave(failure)
        } catch {
            leave(Failure(error.localizedDescription))
        }
    }

    private static func leave(_ failure: Failure) -> Never {
        FileHandle.standardError.write(Data("packages: \(failure.message)\n".utf8))
        exit(failure.exitStatus)
    }

    private func run() throws {
        let realm = try openWithPackages()
        try answer(Questions(realm: realm))
    }

    /// Opens the file; fills it first if it is new, holds no import, or the user wants it read again.
    private func openWithPackages() throws -> Realm {
        let url = URL(fileURLWithPath: options.storePath)
        if !options.reimports, FileManager.default.fileExists(atPath: url.path) {
            let realm = try open(url)
            if let summary = realm.objects(ImportSummary.self).first {
                let asked = options.inputs.joined(separator: ", ")
                guard asked.isEmpty || asked == summary.inputs else {
                    throw Failure(
                        "\(options.storePath) holds the records of \(summary.inputs), not of \(asked)"
                            + "\nRead those instead with --reimport, or into another file with --file PATH.")
                }
                report(summary)
                return realm
            }
        }
        let reading = try Reading(Input.chosen(options.inputs), progress: progress)
        if options.storePath == Options.defaultStorePath { try makeDirectory(of: url) }
        let realm = try open(url)
        try store(reading, in: realm, progress: progress)
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        progress.note("\(options.storePath): \(size((attributes?[.size] as? Int) ?? 0))\n")
        return realm
    }

    private func open(_ url: URL) throws -> Realm {
        try Realm(configuration: Realm.Configuration(fileURL: url))
    }

    private func makeDirectory(of url: URL) throws {
        let directory = url.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            throw Failure(
                "cannot make the directory \(directory.path): \(error.localizedDescription)"
                    + "\nName another file: packages --file PATH")
        }
    }

    private func report(_ summary: ImportSummary) {
        let date = summary.date.formatted(.iso8601.dateSeparator(.dash).dateTimeSeparator(.space))
        progress.note(
            "\(options.storePath) holds \(counted(summary.recordCount, "record")) of \(summary.inputs), read on \(date)"
                + "\nNothing was read again; --reimport does that.\n")
    }

    private func answer(_ questions: Questions) throws {
        let package = try packageToTakeAway(questions.realm)
        let all: [() -> Answer] = [
            questions.mostNeeded, { questions.broken(without: package) }, questions.sizeBySection,
            questions.busiestMaintainers, { questions.named(options.find) },
        ]
        let clock = ContinuousClock()
        for (number, question) in all.enumerated() {
            let start = clock.now
            let answer = question()
            let duration = clock.now - start
            print("\(number + 1). \(answer.title)")
            for line in answer.table.lines() where !answer.table.rows.isEmpty { print("  " + line) }
            for note in answer.notes { print("  " + note) }
            print("  [\(time(duration)), \(text(of: answer.visited))]\n")
        }
    }

    private func text(of visits: Visits) -> String {
        switch visits {
        case .counted(let count):
            return "\(counted(count, "row")) visited"
        case .explained(let results):
            let explanation = results.explain()
            return "\(counted(explanation.rowsVisited, "row")) visited: \(explanation.plan)"
        }
    }

    /// The package named by --without, otherwise libc6, otherwise one that most others depend on.
    private func packageToTakeAway(_ realm: Realm) throws -> Package {
        let packages = realm.objects(Package.self)
        let name = options.without ?? "libc6"
        if let package = realm.object(ofType: Package.self, forPrimaryKey: name) { return package }
        if options.without == nil, let package = packages.max(by: { $0.dependents.count < $1.dependents.count }) {
            return package
        }
        let close = closeNames(to: name, among: packages.map(\.name))
        let hint = close.isEmpty ? "" : "\nDid you mean \(close.joined(separator: ", "))?"
        throw Failure("there is no package \(name) in \(options.storePath).\(hint)")
    }
}
