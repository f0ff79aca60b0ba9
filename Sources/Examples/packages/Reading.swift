// SPDX-License-Identifier: MIT
// Reading.swift -- from inputs to a list of packages whose dependencies are resolved.

import DebianRecords

/// Everything that was read, ready to be stored.
struct Reading {
    var list = PackageList()
    var resolution: Resolution
    var inputs: [String] = []
    var recordCount = 0
    var skippedCount = 0

    /// Throws if an input cannot be read or has no records at all.
    init(_ inputs: [Input], progress: Progress) throws(Failure) {
        resolution = Resolution(of: list)
        for input in inputs { try read(input, progress: progress) }
        guard recordCount > 0 else {
            throw Failure("there is no package record in \(self.inputs.joined(separator: ", "))")
        }
        progress.begin("resolving dependencies")
        resolution = Resolution(of: list)
        progress.end("resolved \(counted(resolution.entryCount, "dependency entry", plural: "dependency entries"))"
            + ": \(grouped(resolution.alternativeCount)) by a later alternative,"
            + " \(grouped(resolution.providerCount)) by a provider, \(grouped(resolution.unresolved.count)) not at all")
        reportUnresolved(progress)
    }

    private mutating func read(_ input: Input, progress: Progress) throws(Failure) {
        progress.begin("reading \(input.name)")
        let bytes = try input.bytes()
        progress.expect(bytes.count)
        var reader = RecordReader(bytes, file: input.name)
        var problems: [RecordProblem] = []
        var count = 0
        while let outcome = reader.next() {
            switch outcome {
            case .success(let record):
                list.add(record)
                count += 1
            case .failure(let problem):
                problems.append(problem)
            }
            progress.advance(to: reader.position)
        }
        guard count > 0 || input.mayBeEmpty && problems.isEmpty else {
            throw notAPackageFile(input, bytes, problems)
        }
        inputs.append(input.name)
        recordCount += count
        skippedCount += problems.count
        progress.end("read \(counted(count, "record")) from \(input.name), \(size(bytes.count))")
        report(problems, in: input, progress)
    }

    private func notAPackageFile(_ input: Input, _ bytes: [UInt8], _ problems: [RecordProblem]) -> Failure {
        let found = bytes.isEmpty ? "it is empty" : "no record in it can be used"
        let examples = problems.prefix(3).map { "\n  \($0)" }.joined()
        return Failure(
            "\(input.name) is not a list of Debian packages: \(found)." + examples
                + "\nExpected are paragraphs of lines such as \"Package: bash\" and \"Version: 5.2.15-2\".")
    }

    private func report(_ problems: [RecordProblem], in input: Input, _ progress: Progress) {
        guard !problems.isEmpty else { return }
        let limit = 100
        progress.note("skipped \(counted(problems.count, "malformed record")) of \(input.name):")
        for problem in problems.prefix(limit) { progress.note("  \(problem)") }
        if problems.count > limit { progress.note("  and \(grouped(problems.count - limit)) more") }
    }

    private func reportUnresolved(_ progress: Progress) {
        let limit = 5
        let unresolved = resolution.unresolved
        for entry in unresolved.prefix(limit) {
            let names = ([entry.relation.first] + entry.relation.others).joined(separator: " | ")
            progress.note("  unresolved: \(entry.package) depends on \(names)")
        }
        if unresolved.count > limit { progress.note("  and \(grouped(unresolved.count - limit)) more") }
    }
}
