// SPDX-License-Identifier: MIT

import Testing

import DebianRecords

@Suite struct PackageListTests {
    @Test func `the newest version supplies the fields and the installed record only its mark`() {
        let list = list(
            "Package: a\nStatus: install ok installed\nVersion: 1.9\nSection: old\n",
            "Package: a\nVersion: 1.10\nSection: new\n\nPackage: a\nVersion: 1.10~rc1\nSection: candidate\n")
        #expect(list.packages.count == 1)
        #expect(list.packages.first?.record.section == "new")
        #expect(list.packages.first?.isInstalled == true)
        #expect(list.supersededCount == 2)
    }

    @Test(arguments: [true, false])
    func `at equal versions the record of what can be had supplies the fields`(installedFirst: Bool) {
        let installed = "Package: a\nStatus: install ok installed\nVersion: 1\nSection: here\n"
        let available = "Package: a\nVersion: 1\nSection: there\n"
        let list = installedFirst ? list(installed, available) : list(available, installed)
        #expect(list.packages.first?.record.section == "there")
        #expect(list.packages.first?.isInstalled == true)
    }

    @Test func `of two architectures the first record stays`() {
        let list = list("Package: a\nVersion: 1\nArchitecture: amd64\n\nPackage: a\nVersion: 1\nArchitecture: i386\n")
        #expect(list.packages.map(\.record.architecture) == ["amd64"])
    }

    @Test func `what dpkg only remembers is no package`() {
        let list = list("Package: a\nStatus: deinstall ok config-files\nVersion: 1\n")
        #expect(list.packages.isEmpty)
        #expect(list.absentCount == 1)
        #expect(list.index(of: "a") == nil)
    }
}

@Suite struct ResolutionTests {
    /// The names that the package called `user` is linked to.
    private func targets(_ depends: String, _ others: String) -> (names: [String], resolution: Resolution) {
        let list = list("Package: user\nVersion: 1\nDepends: \(depends)\n\n" + others)
        let resolution = Resolution(of: list)
        let names = resolution.targets[0].map { list.packages[$0].record.name }
        return (names, resolution)
    }

    static let others = """
        Package: zeta
        Version: 1
        Provides: virtual, real

        Package: alpha
        Version: 1
        Provides: virtual (= 2)

        Package: real
        Version: 1

        """

    @Test func `a real package goes before those that provide its name`() {
        let (names, resolution) = targets("real", Self.others)
        #expect(names == ["real"])
        #expect(resolution.providerCount == 0)
    }

    @Test func `the first alternative that is a real package is taken`() {
        let (names, resolution) = targets("missing | virtual | real | zeta", Self.others)
        #expect(names == ["real"])
        #expect(resolution.alternativeCount == 1)
    }

    @Test func `of several providers the first by name is taken`() {
        let (names, resolution) = targets("missing | virtual", Self.others)
        #expect(names == ["alpha"])
        #expect(resolution.providerCount == 1)
    }

    @Test func `what nothing answers is reported`() {
        let (names, resolution) = targets("missing | gone, real", Self.others)
        #expect(names == ["real"])
        #expect(resolution.entryCount == 2)
        #expect(resolution.unresolved == [.init(package: "user", relation: Relation("missing", ["gone"]))])
    }

    @Test func `a package links to another once and never to itself`() {
        let (names, resolution) = targets("real (>= 1), real (<< 3), user, virtual, alpha", Self.others)
        #expect(names == ["real", "alpha"])
        #expect(resolution.linkCount == 2)
        #expect(resolution.entryCount == 5)
        #expect(resolution.unresolved.isEmpty)
    }
}

@Suite struct CloseNamesTests {
    let names = ["libc6", "libc6-dev", "libcap2", "bash", "zlib1g", "libsqlite3-0", "sqlite3"]

    @Test(arguments: [
        ("libc", "libc6"), ("bsah", "bash"), ("zlib1", "zlib1g"), ("SQLite", "sqlite3"), ("libc6dev", "libc6-dev"),
    ])
    func `the closest name comes first`(wanted: String, best: String) {
        #expect(closeNames(to: wanted, among: names).first == best)
    }

    @Test func `nothing close is no suggestion`() {
        #expect(closeNames(to: "completely-different", among: names).isEmpty)
    }

    @Test func `suggestions are limited`() {
        #expect(closeNames(to: "libc6", among: (0..<10).map { "libc\($0)" }, limit: 3).count == 3)
    }
}
