// SPDX-License-Identifier: MIT
// Model.swift -- what is stored: packages, who looks after them, what they are built from, and the last import.

import Foundation
import RealmSwift

/// How much a system needs a package, in Debian's words.
enum Priority: String, PersistableEnum {
    case required, important, standard, optional, extra
    /// The record does not say, or says something else.
    case unknown
}

/// A binary package in its newest version.
final class Package: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var version: String
    @Persisted(indexed: true) var section: String
    @Persisted var priority: Priority
    @Persisted var architecture: String
    /// In bytes.
    @Persisted var installedSize: Int
    @Persisted var summary: String
    @Persisted var homepage: String?
    @Persisted var isInstalled: Bool
    @Persisted var maintainer: Maintainer?
    @Persisted var source: SourcePackage?
    @Persisted var dependencies: List<Package>
    @Persisted(originProperty: "dependencies") var dependents: LinkingObjects<Package>
}

/// A person or a team.
final class Maintainer: Object {
    /// The mail address; the name where there is none.
    @Persisted(primaryKey: true) var address: String
    @Persisted var name: String
    @Persisted(originProperty: "maintainer") var packages: LinkingObjects<Package>
}

/// What one or more binary packages are built from.
final class SourcePackage: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "source") var packages: LinkingObjects<Package>
}

/// Where the packages of a file came from. A file holds one, stored in the same transaction as they are.
final class ImportSummary: Object {
    @Persisted var date: Date
    /// What was read, for people.
    @Persisted var inputs: String
    @Persisted var recordCount: Int
    /// Malformed records.
    @Persisted var skippedCount: Int
    @Persisted var linkCount: Int
    /// Dependencies that no package answers.
    @Persisted var unresolvedCount: Int
}
