// SPDX-License-Identifier: MIT
// KeyPathSteps.swift -- key paths of observers, as the engine walks them.

/// Key paths by which a class is observed.
struct KeyPathSteps {
    /// The steps of each path.
    let paths: EngineKeyPaths
    /// The name of the property with which each path begins.
    let names: [String]

    /// Finds the properties of paths; stops the program if there is none of a name.
    ///
    /// - Parameter paths: names joined by dots; nil for all properties.
    init(_ paths: [String]?, _ root: ManagedClass) {
        names = (paths ?? []).map { $0.split(separator: ".", maxSplits: 1).first.map(String.init) ?? "" }
        self.paths = paths.map { $0.map { Self.steps($0, root) } }
    }

    /// Paths of values, which have no properties.
    init(_ paths: [String]?, onValuesOf collection: ManagedCollection) {
        if let path = paths?.first {
            misuse("\(collection.name) holds values, which have no property \"\(path)\"; observe it without key paths")
        }
        names = []
        self.paths = nil
    }

    private static func steps(_ path: String, _ root: ManagedClass) -> [EngineStep] {
        var managed: ManagedClass? = root, last = root.name
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return names.map { name in
            guard let current = managed else {
                misuse("\(last) is no link, so that \"\(name)\" cannot follow it in the key path \"\(path)\"")
            }
            guard let slot = current.layout.index(of: name) else {
                misuse(
                    "\(current.name) has no persisted property \"\(name)\", which the key path \"\(path)\" names; it "
                        + "has \(current.layout.slots.map(\.property.name).sorted())"
                        + CloseName.hint(name, current.layout))
            }
            last = "\(current.name).\(name)"
            let property = current.layout.slots[slot].property
            managed = property.type == .object || property.type == .linkingObjects ? current.target(ofSlot: slot) : nil
            if property.type != .linkingObjects { return .column(current.columns[slot]) }
            return .backlinks(table: current.target(ofSlot: slot).table, column: current.originColumn(ofSlot: slot))
        }
    }
}
