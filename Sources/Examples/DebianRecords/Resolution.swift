// SPDX-License-Identifier: MIT

/// Which package each dependency stands for.
///
/// Of the alternatives `a | b`, the first that is the name of a package is taken. If none is, the first for
/// which some package stands in (`Provides`) is taken, and of those packages the first by name. Otherwise the
/// dependency is unresolved. Demands on versions and architectures are not looked at. A package links to
/// another at most once, and never to itself.
public struct Resolution: Sendable {
    /// For each package of the list, the positions of those it depends on, in the order of its record.
    public private(set) var targets: [[Int]] = []
    /// Entries of dependency fields, those of the counts below and those without a link of their own included.
    public private(set) var entryCount = 0
    public private(set) var linkCount = 0
    /// Entries for which a later alternative was taken.
    public private(set) var alternativeCount = 0
    /// Entries for which a provider was taken.
    public private(set) var providerCount = 0
    /// Entries that nothing in the list answers.
    public private(set) var unresolved: [Unresolved] = []

    public struct Unresolved: Equatable, Sendable {
        public let package: String
        public let relation: Relation

        public init(package: String, relation: Relation) {
            self.package = package
            self.relation = relation
        }
    }

    public init(of list: PackageList) {
        let providers = Self.firstProviders(in: list)
        targets.reserveCapacity(list.packages.count)
        for (index, entry) in list.packages.enumerated() {
            var found: [Int] = []
            var seen: Set<Int> = [index]
            for relation in entry.record.dependencies {
                entryCount += 1
                guard let target = target(of: relation, in: list, providers: providers) else {
                    unresolved.append(Unresolved(package: entry.record.name, relation: relation))
                    continue
                }
                if seen.insert(target).inserted { found.append(target) }
            }
            linkCount += found.count
            targets.append(found)
        }
    }

    private mutating func target(of relation: Relation, in list: PackageList, providers: [String: Int]) -> Int? {
        if let index = list.index(of: relation.first) { return index }
        for other in relation.others {
            guard let index = list.index(of: other) else { continue }
            alternativeCount += 1
            return index
        }
        for name in [relation.first] + relation.others {
            guard let index = providers[name] else { continue }
            providerCount += 1
            return index
        }
        return nil
    }

    /// For each virtual package, the provider whose name comes first.
    private static func firstProviders(in list: PackageList) -> [String: Int] {
        var providers: [String: Int] = [:]
        for (index, entry) in list.packages.enumerated() {
            for name in entry.record.provides {
                guard let other = providers[name] else {
                    providers[name] = index
                    continue
                }
                if entry.record.name < list.packages[other].record.name { providers[name] = index }
            }
        }
        return providers
    }
}
