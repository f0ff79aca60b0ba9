// SPDX-License-Identifier: MIT

import Testing

import DebianRecords

@Suite struct RecordReaderTests {
    static let complete = """
        Package: libfoo1
        Source: foo (1.1)
        Version: 2:1.2-3
        Installed-Size: 281
        Maintainer: "Jane Q. Doe, IV" <jane@example.org>
        Architecture: amd64
        Pre-Depends: dpkg (>= 1.15.6~)
        Depends: libc6 (>= 2.34), a:any | b [amd64 i386] | c (= 1) <!nocheck> <x>,
         folded ,
        Provides: foo-abi (= 1), foo-virtual
        Tag: unread, with ünicode
        Description: one line in short
         and more of it
         .
         after a gap
        Homepage: https://example.org/
        Section: libs
        Priority: optional

        """

    @Test func `every field of a record is read`() throws {
        let (records, problems) = read(Self.complete)
        #expect(problems.isEmpty)
        let record = try #require(records.first)
        #expect(records.count == 1)
        #expect(record.name == "libfoo1")
        #expect(record.source == "foo")
        #expect(record.version.text == "2:1.2-3")
        #expect(record.installedSize == 281 * 1024)
        #expect(record.maintainer == .init(name: "Jane Q. Doe, IV", address: "jane@example.org"))
        #expect(record.architecture == "amd64")
        #expect(record.dependencies == [
            Relation("dpkg"), Relation("libc6"), Relation("a", ["b", "c"]), Relation("folded"),
        ])
        #expect(record.provides == ["foo-abi", "foo-virtual"])
        #expect(record.summary == "one line in short")
        #expect(record.homepage == "https://example.org/")
        #expect(record.section == "libs")
        #expect(record.priority == "optional")
        #expect(record.state == .available)
    }

    @Test func `a record needs only a name and a version`() throws {
        let record = try #require(read("package:x\nVERSION:1").records.first)
        #expect(record.name == "x")
        #expect(record.source == "x")
        #expect(record.maintainer == nil)
        #expect(record.homepage == nil)
        #expect(record.installedSize == 0)
        #expect(record.dependencies.isEmpty)
    }

    @Test(arguments: ["\n", "\n\n", "", "\r\n", " \n\t\n"])
    func `the end of the file ends the last record`(end: String) {
        let (records, problems) = read("Package: a\nVersion: 1\n\nPackage: b\nVersion: 2" + end)
        #expect(records.map(\.name) == ["a", "b"])
        #expect(problems.isEmpty)
    }

    @Test func `lines may end in carriage return and line feed`() throws {
        let (records, problems) = read(Self.complete.replacing("\n", with: "\r\n")
            + "\r\nPackage: b\r\nVersion: 1\r\n")
        #expect(problems.isEmpty)
        #expect(records.map(\.name) == ["libfoo1", "b"])
        let record = try #require(records.first)
        #expect(record.summary == "one line in short")
        #expect(record.dependencies.last == Relation("folded"))
        #expect(record.priority == "optional")
    }

    @Test func `a byte order mark and blank lines at the start are passed over`() {
        #expect(read("\u{FEFF}\n \n\nPackage: a\nVersion: 1\n").records.map(\.name) == ["a"])
    }

    @Test func `an empty file has no records and no problems`() {
        for text in ["", "\n", " \n\r\n\t"] {
            #expect(read(text).records.isEmpty)
            #expect(read(text).problems.isEmpty)
        }
    }

    @Test func `a line may be a megabyte long`() {
        let names = (0..<100_000).map { "package-\($0)" }
        let (records, problems) = read("Package: a\nVersion: 1\nDepends: \(names.joined(separator: ", "))\n")
        #expect(problems.isEmpty)
        #expect(records.first?.dependencies.count == 100_000)
        #expect(records.first?.dependencies.last == Relation("package-99999"))
    }

    @Test(arguments: [
        ("install ok installed", PackageRecord.State.installed), ("hold ok installed", .installed),
        ("install reinstreq half-installed", .installed), ("deinstall ok config-files", .absent),
        ("unknown ok not-installed", .absent),
    ])
    func `the status tells whether a package is installed`(status: String, state: PackageRecord.State) {
        #expect(read("Package: a\nStatus: \(status)\nVersion: 1\n").records.first?.state == state)
    }

    @Test func `a package that was never there needs no version`() {
        let (records, problems) = read("Package: a\nStatus: unknown ok not-installed\n")
        #expect(problems.isEmpty)
        #expect(records.first?.state == .absent)
    }

    @Test(arguments: [
        ("Jane <j@x>", "Jane", "j@x"), ("<j@x>", "", "j@x"), ("Jane Doe", "Jane Doe", ""), ("j@x", "j@x", ""),
        ("Jane <j@x>,", "Jane", "j@x"),
        ("Jane <j@x>, Joe <k@x>", "Jane", "j@x"), ("Jane <j@x", "Jane <j@x", ""), ("> Jane", "> Jane", ""),
        ("\"", "\"", ""), ("\"\" <x>", "", "x"), ("Zoë <z@x>", "Zoë", "z@x"),
    ])
    func `a maintainer has a name and an address`(field: String, name: String, address: String) {
        let record = read("Package: a\nVersion: 1\nMaintainer: \(field)\n").records.first
        #expect(record?.maintainer == .init(name: name, address: address))
    }
}
