// SPDX-License-Identifier: MIT

/// The packages of several lists, each name once.
///
/// Of several records of one name, whatever their list and architecture, the newest version supplies the
/// fields; if versions are equal, a record of what can be had goes before one of what is installed, and the
/// earlier one before the later. A package is installed if any of its records says so.
public struct PackageList: Sendable {
    /// In the order in which the names were met first.
    public private(set) var packages: [Entry] = []
    /// Records of packages that dpkg only remembers. They are no packages here.
    public private(set) var absentCount = 0
    /// Records of a name that another record stands for.
    public private(set) var supersededCount = 0
    private var indexes: [String: Int] = [:]

    public struct Entry: Sendable {
        public var record: PackageRecord
        public var isInstalled: Bool
    }

    public init() {}

    public mutating func add(_ record: PackageRecord) {
        if record.state == .absent {
            absentCount += 1
            return
        }
        let isInstalled = record.state == .installed
        guard let index = indexes[record.name] else {
            indexes[record.name] = packages.count
            packages.append(Entry(record: record, isInstalled: isInstalled))
            return
        }
        supersededCount += 1
        if isInstalled { packages[index].isInstalled = true }
        if supersedes(record, packages[index].record) { packages[index].record = record }
    }

    /// The position of a package in `packages`.
    public func index(of name: String) -> Int? {
        indexes[name]
    }

    private func supersedes(_ candidate: PackageRecord, _ current: PackageRecord) -> Bool {
        if candidate.version != current.version { return candidate.version > current.version }
        return candidate.state == .available && current.state == .installed
    }
}
