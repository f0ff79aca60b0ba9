// SPDX-License-Identifier: MIT
// Questions.swift -- the five questions, each answered from the file alone.

import RealmSwift

/// An answer as a table, with what it took.
struct Answer {
    var title: String
    var table: Table
    /// Lines below the table.
    var notes: [String] = []
    /// Objects whose values were looked at, each time they were.
    var visited: Visits
}

/// How many rows an answer visited: counted where the program walks them, explained where the engine does.
enum Visits {
    case counted(Int)
    case explained(Results<Package>)
}

struct Questions {
    let realm: Realm

    /// 1. The ten packages most others depend on; of equals, the first by name.
    func mostNeeded() -> Answer {
        var top = TopList<String>(limit: 10)
        var visited = 0
        for package in realm.objects(Package.self) {
            visited += 1
            let count = package.dependents.count
            if top.admits(count) { top.insert(package.name, count) }
        }
        var table = Table(columns: [
            .init(title: "#", isNumeric: true), .init(title: "package"), .init(title: "dependents", isNumeric: true),
            .init(title: "summary"),
        ])
        for (rank, entry) in top.entries.enumerated() {
            let package = realm.object(ofType: Package.self, forPrimaryKey: entry.value)
            visited += 1
            table.rows.append([
                "\(rank + 1)", entry.value, grouped(entry.count), shortened(package?.summary ?? "", to: 60),
            ])
        }
        return Answer(title: "The ten packages most others depend on", table: table, visited: .counted(visited))
    }

    /// 2. Everything that would break without a package: what depends on it, what depends on that, and so on.
    func broken(without package: Package) -> Answer {
        var table = Table(columns: [
            .init(title: "step", isNumeric: true), .init(title: "packages", isNumeric: true), .init(title: "such as"),
        ])
        var visited = 1
        var broken: Set<String> = [package.name]
        var level = [package]
        var depth = 0
        while true {
            var next: [Package] = []
            for package in level {
                for dependent in package.dependents {
                    visited += 1
                    if broken.insert(dependent.name).inserted { next.append(dependent) }
                }
            }
            if next.isEmpty { break }
            depth += 1
            let names = next.map(\.name).sorted().prefix(5).joined(separator: ", ")
            table.rows.append(["\(depth)", grouped(next.count), shortened(names, to: 80)])
            level = next
        }
        let total = realm.objects(Package.self).count
        let note = "\(grouped(broken.count - 1)) of \(counted(total, "package")) would break"
        return Answer(
            title: "What would break without \(package.name), step by step", table: table, notes: [note],
            visited: .counted(visited))
    }

    /// 3. Installed size by section.
    func sizeBySection() -> Answer {
        var sections: [String: (count: Int, size: Int)] = [:]
        var visited = 0
        for package in realm.objects(Package.self) {
            visited += 1
            let installedSize = package.installedSize
            sections[package.section, default: (0, 0)].count += 1
            sections[package.section, default: (0, 0)].size += installedSize
        }
        let total = sections.values.reduce(0) { $0 + $1.size }
        var table = Table(columns: [
            .init(title: "section"), .init(title: "packages", isNumeric: true),
            .init(title: "installed size", isNumeric: true), .init(title: "share", isNumeric: true),
        ])
        func row(_ name: String, _ count: Int, _ bytes: Int) -> [String] {
            let percent = total == 0 ? "" : "\((bytes / 1024 * 1000 / max(1, total / 1024) + 5) / 10) %"
            return [name, grouped(count), size(bytes), percent]
        }
        let sorted = sections.sorted { ($1.value.size, $0.key) < ($0.value.size, $1.key) }
        for (name, figures) in sorted.prefix(12) {
            table.rows.append(row(name.isEmpty ? "(none)" : name, figures.count, figures.size))
        }
        let others = sorted.dropFirst(12)
        if !others.isEmpty {
            let count = others.reduce(0) { $0 + $1.value.count }
            let size = others.reduce(0) { $0 + $1.value.size }
            table.rows.append(row("\(others.count) others", count, size))
        }
        return Answer(title: "Installed size by section", table: table, visited: .counted(visited))
    }

    /// 4. The maintainers with most packages; of equals, the first by address.
    func busiestMaintainers() -> Answer {
        var top = TopList<String>(limit: 10)
        var visited = 0
        for maintainer in realm.objects(Maintainer.self) {
            visited += 1
            let count = maintainer.packages.count
            if top.admits(count) { top.insert(maintainer.address, count) }
        }
        var table = Table(columns: [
            .init(title: "#", isNumeric: true), .init(title: "maintainer"), .init(title: "packages", isNumeric: true),
            .init(title: "sources", isNumeric: true), .init(title: "address"),
        ])
        for (rank, entry) in top.entries.enumerated() {
            guard let maintainer = realm.object(ofType: Maintainer.self, forPrimaryKey: entry.value) else { continue }
            var sources: Set<String> = []
            for package in maintainer.packages {
                visited += 1
                if let source = package.source { sources.insert(source.name) }
            }
            table.rows.append([
                "\(rank + 1)", shortened(maintainer.name, to: 44), grouped(entry.count), grouped(sources.count),
                shortened(maintainer.address, to: 52),
            ])
        }
        return Answer(title: "The maintainers with most packages", table: table, visited: .counted(visited))
    }

    /// 5. Packages whose name contains a word, in capital or small letters.
    func named(_ word: String) -> Answer {
        let found = realm.objects(Package.self)
            .where { $0.name.contains(word, options: .caseInsensitive) }
            .sorted(byKeyPath: "name")
        var table = Table(columns: [
            .init(title: "package"), .init(title: "version"), .init(title: "size", isNumeric: true),
            .init(title: "summary"),
        ])
        let limit = 10
        for package in found.prefix(limit) {
            table.rows.append([
                package.name, shortened(package.version, to: 24), size(package.installedSize),
                shortened(package.summary, to: 56),
            ])
        }
        var notes: [String] = []
        if found.isEmpty { notes.append("no name contains \"\(word)\"") }
        if found.count > limit { notes.append("and \(grouped(found.count - limit)) more") }
        return Answer(
            title: "Packages whose name contains \"\(word)\"", table: table, notes: notes, visited: .explained(found))
    }
}
