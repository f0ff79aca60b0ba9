// SPDX-License-Identifier: MIT

import DebianRecords
import Foundation
import Testing

@Suite struct MalformedRecordTests {
    /// The lines of a bad record, the number of the line to be reported among them, and a part of the reason.
    static let bad: [(lines: [String], line: Int, reason: String)] = [
        (["Version: 1", "Section: x"], 1, "no field Package"),
        (["Package:", "Version: 1"], 1, "no field Package"),
        (["Package: x"], 1, "no field Version"),
        (["Package: x", "Status: install ok installed"], 1, "no field Version"),
        (["Package: x y", "Version: 1"], 1, "Package is not the name of a package: \"x y\""),
        (["Package: -x", "Version: 1"], 1, "Package is not the name of a package: \"-x\""),
        (["Package: é", "Version: 1"], 1, "Package is not the name of a package: \"é\""),
        (["Version: 1", "Package: x", "Version: 2"], 3, "Version is given twice"),
        (["Package: x", "package: x", "Version: 2"], 2, "Package is given twice"),
        (["Package: x", "Version: 1.0-"], 2, "Version is not a version: \"1.0-\""),
        (["Package: x", "Version: a b"], 2, "Version is not a version: \"a b\""),
        (["Package: x", "Version: 1", "Installed-Size: 12 kB"], 3, "Installed-Size is not a number: \"12 kB\""),
        (["Package: x", "Version: 1", "Installed-Size: -1"], 3, "Installed-Size is not a number: \"-1\""),
        (["Package: x", "Installed-Size: 9223372036854775807", "Version: 1"], 2, "Installed-Size is too large"),
        (["Package: x", "Installed-Size: 99999999999999999999", "Version: 1"], 2, "Installed-Size is not a number"),
        (["Package: x", "what is this", "Version: 1"], 2, "neither a field nor a continuation line: \"what is this\""),
        (["Package: x", "a b: c", "Version: 1"], 2, "neither a field nor a continuation line"),
        (["Package: x", ": c", "Version: 1"], 2, "neither a field nor a continuation line"),
        ([" Package: x", "Version: 1"], 1, "a continuation line before any field"),
        (["Package: x", "Version: 1", "Status: installed"], 3, "Status should have three words: \"installed\""),
        (["Package: x", "Version: 1", "Depends: a, b c"], 3, "Depends has an entry that is not understood: \"b c\""),
        (["Package: x", "Version: 1", "Depends: ${misc:Depends}"], 3, "Depends has an entry"),
        (["Package: x", "Version: 1", "Depends: a |"], 3, "Depends has an entry"),
        (["Package: x", "Version: 1", "Provides: a (= 1"], 3, "Provides has an entry"),
        (["Package: x", "Version: 1", "Pre-Depends: (>= 1)"], 3, "Pre-Depends has an entry"),
    ]

    @Test(arguments: bad.indices)
    func `a bad record is reported with its line and costs no other record`(index: Int) throws {
        let (lines, line, reason) = Self.bad[index]
        let good = ["Package: before", "Version: 1", ""]
        let text = (good + lines + ["", "Package: after", "Version: 1"]).joined(separator: "\n")
        let (records, problems) = read(text)
        #expect(records.map(\.name) == ["before", "after"])
        let problem = try #require(problems.first)
        #expect(problems.count == 1)
        #expect(problem.line == line + good.count)
        #expect(problem.file == "list")
        #expect(problem.reason.contains(reason), "\(problem)")
    }

    @Test func `invalid UTF-8 costs a record only where the field is read`() {
        let invalid: [UInt8] = [0x66, 0xFF, 0xC0, 0x80]
        func record(_ name: String, _ field: String) -> [UInt8] {
            Array("Package: \(name)\nVersion: 1\n\(field): ".utf8) + invalid + Array("\n\n".utf8)
        }
        let (records, problems) = read(
            record("a", "Description") + record("b", "Tag") + record("c", "Maintainer") + record("d", "Homepage")
                + record("e", "Depends") + record("f", "Version-Tag"))
        #expect(records.map(\.name) == ["b", "f"])
        #expect(problems.map(\.line) == [3, 11, 15, 19])
        #expect(problems.first?.description == "list:3: the field Description is not valid UTF-8")
    }

    @Test func `a value of more than 16 MiB is refused and one of 16 MiB is read`() {
        let size = PackageRecord.largestValue
        func text(_ count: Int) -> [UInt8] {
            Array("Package: a\nVersion: 1\nDescription: ".utf8) + [UInt8](repeating: 0x78, count: count)
        }
        #expect(read(text(size)).records.first?.summary.utf8.count == size)
        #expect(read(text(size + 1)).records.isEmpty)
        #expect(read(text(size + 1)).problems.first?.reason.contains("longer than 16 MiB (16777217 bytes)") == true)
    }

    @Test func `random bytes are never a crash and every line is counted`() {
        let given = ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("random bytes: run again with STRATA_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("Package: aVersion1\n\n\r \t:,|()<>[]-~é\u{0}".utf8) + [0xFF, 0xC3]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<200, using: &generator)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            let (_, problems) = read(bytes)
            let lines = bytes.count { $0 == 0x0A } + 1
            #expect(problems.allSatisfy { $0.line >= 1 && $0.line <= lines }, "STRATA_SEED=\(seed)")
            #expect(zip(problems, problems.dropFirst()).allSatisfy { $0.line < $1.line }, "STRATA_SEED=\(seed)")
        }
    }
}

/// The same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
