// SPDX-License-Identifier: MIT
// QueryStages.swift -- what is done with the objects that meet a condition, and the paths of properties that it needs.

/// A property that is reached through to-one links, as the columns of one realm.
struct ColumnPath {
    let columns: [UInt32]
    /// The property at the end.
    let property: Property
    /// The class that the property at the end links to.
    let target: ManagedClass?

    /// Finds the columns; stops the program if a name is unknown, or if a property in front of another is no to-one
    /// link.
    init(_ names: [String], _ root: ManagedClass, for purpose: String) {
        var managed = root
        var columns: [UInt32] = []
        var last: (property: Property, target: ManagedClass?)?
        for (position, name) in names.enumerated() {
            let className = managed.name
            guard let index = managed.layout.index(of: name) else {
                misuse(
                    "\(className) has no persisted property \"\(name)\", which the key path "
                        + "\"\(names.joined(separator: "."))\" names" + CloseName.hint(name, managed.layout))
            }
            let property = managed.layout.slots[index].property
            if property.type == .linkingObjects || property.isCollection {
                misuse(
                    "\(className).\(name) holds many objects or values and cannot be part of a key path "
                        + "to be \(purpose)")
            }
            columns.append(managed.columns[index])
            last = (property, property.type == .object ? managed.target(ofSlot: index) : nil)
            if position + 1 < names.count {
                guard property.type == .object else {
                    misuse("\(className).\(name) is no link, so \"\(names[position + 1])\" cannot follow it")
                }
                managed = managed.target(ofSlot: index)
            }
        }
        guard let last else { misuse("an empty key path cannot be \(purpose) in \(root.name)") }
        self.columns = columns
        property = last.property
        target = last.target
    }

    /// The path that names joined by dots describe; stops the program as above.
    init(_ keyPath: String, _ root: ManagedClass, for purpose: String) {
        if let operation = keyPath.split(separator: ".").first(where: { $0.hasPrefix("@") }) {
            misuse(
                "\"\(operation)\" in the key path \"\(keyPath)\" gives no value that a "
                    + "\(root.name) can be \(purpose) by")
        }
        self.init(
            keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init), root, for: purpose)
    }
}

/// One key of an order.
struct SortKey {
    let path: ColumnPath
    let ascending: Bool
}

/// What is done with the objects that meet the condition.
enum QueryStage {
    case sort([SortKey])
    case distinct([ColumnPath])
    /// `count` is nil for all.
    case limit(skip: Int, count: Int?)
}

extension ColumnPath {
    /// Without the class at the end, which belongs to a session. It is needed only while stages are made.
    var withoutClass: ColumnPath { ColumnPath(columns: columns, property: property, target: nil) }

    private init(columns: [UInt32], property: Property, target: ManagedClass?) {
        self.columns = columns
        self.property = property
        self.target = target
    }
}

extension SortKey {
    /// A key of the order of a class; stops the program if the path ends at a link.
    init(_ path: ColumnPath, _ ascending: Bool, of managed: ManagedClass, named keyPath: @autoclosure () -> String) {
        if path.property.type == .object {
            misuse(
                "\(managed.layout.schema.className) is sorted by \"\(keyPath())\", which is a link; "
                    + "name a property of the linked object")
        }
        self.init(path: path, ascending: ascending)
    }

    var engine: EngineSortKey { EngineSortKey(columns: path.columns, ascending: ascending) }
}

extension QueryStage {
    /// The stage without anything that belongs to a session.
    var withoutClasses: QueryStage {
        switch self {
        case .sort(let keys): .sort(keys.map { SortKey(path: $0.path.withoutClass, ascending: $0.ascending) })
        case .distinct(let paths): .distinct(paths.map(\.withoutClass))
        case .limit: self
        }
    }

    /// The stage in the form of the engine.
    var engine: EngineStage {
        switch self {
        case .sort(let keys): .sort(keys.map(\.engine))
        case .distinct(let paths): .distinct(paths.map { EngineSortKey(columns: $0.columns) })
        case .limit(let skip, let count): .limit(EngineLimit(skip: skip, count: count))
        }
    }
}
