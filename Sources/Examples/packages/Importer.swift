// SPDX-License-Identifier: MIT
// Importer.swift -- stores what was read: objects first, then the links between packages.

import DebianRecords
import Foundation
import RealmSwift

/// Replaces what the realm holds, in one transaction: after a failure or a crash it holds what it held before.
func store(_ reading: Reading, in realm: Realm, progress: Progress) throws {
    try realm.write {
        realm.deleteAll()
        let packages = addPackages(of: reading.list, to: realm, progress)
        addDependencies(reading.resolution, to: packages, progress)
        realm.add(ImportSummary(of: reading))
        progress.begin("writing to disk")
    }
    progress.end("stored everything in one transaction, safe on disk")
}

/// Pass 1. The objects come in the order of the list.
private func addPackages(of list: PackageList, to realm: Realm, _ progress: Progress) -> [Package] {
    var owners = Owners(realm: realm)
    var packages: [Package] = []
    packages.reserveCapacity(list.packages.count)
    progress.begin("creating objects", total: list.packages.count)
    for entry in list.packages {
        let package = Package(entry)
        package.maintainer = owners.maintainer(entry.record.maintainer)
        package.source = owners.source(entry.record.source)
        realm.add(package)
        packages.append(package)
        progress.advance(to: packages.count)
    }
    progress.end(
        "created \(counted(packages.count, "package")), \(counted(owners.maintainers.count, "maintainer"))"
            + " and \(counted(owners.sources.count, "source package"))")
    return packages
}

/// Pass 2, when every package that can be linked to exists.
private func addDependencies(_ resolution: Resolution, to packages: [Package], _ progress: Progress) {
    progress.begin("linking dependencies", total: packages.count)
    for (index, targets) in resolution.targets.enumerated() where !targets.isEmpty {
        packages[index].dependencies.append(objectsIn: targets.map { packages[$0] })
        progress.advance(to: index)
    }
    progress.end("linked \(counted(resolution.linkCount, "dependency", plural: "dependencies"))")
}

/// The objects that several packages share, each made when it is first needed.
private struct Owners {
    let realm: Realm
    var maintainers: [String: Maintainer] = [:]
    var sources: [String: SourcePackage] = [:]

    init(realm: Realm) { self.realm = realm }

    mutating func maintainer(_ contact: PackageRecord.Contact?) -> Maintainer? {
        guard let contact else { return nil }
        let address = contact.address.isEmpty ? contact.name : contact.address
        if let known = maintainers[address] { return known }
        let maintainer = Maintainer()
        maintainer.address = address
        maintainer.name = contact.name.isEmpty ? address : contact.name
        realm.add(maintainer)
        maintainers[address] = maintainer
        return maintainer
    }

    mutating func source(_ name: String) -> SourcePackage {
        if let known = sources[name] { return known }
        let source = SourcePackage()
        source.name = name
        realm.add(source)
        sources[name] = source
        return source
    }
}

extension Package {
    /// A package without its links.
    convenience init(_ entry: PackageList.Entry) {
        self.init()
        let record = entry.record
        name = record.name
        version = record.version.text
        section = record.section
        priority = Priority(rawValue: record.priority) ?? .unknown
        architecture = record.architecture
        installedSize = record.installedSize
        summary = record.summary
        homepage = record.homepage
        isInstalled = entry.isInstalled
    }
}

extension ImportSummary {
    convenience init(of reading: Reading) {
        self.init()
        date = Date()
        inputs = reading.inputs.joined(separator: ", ")
        recordCount = reading.recordCount
        skippedCount = reading.skippedCount
        linkCount = reading.resolution.linkCount
        unresolvedCount = reading.resolution.unresolved.count
    }
}
