// SPDX-License-Identifier: MIT
// QueryStages.swift -- what is done with the objects that a query finds, and its form for the engine.

import CStrata

/// A property, reached through to-one links, with the numbers of one realm.
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
            let className = managed.layout.schema.className
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
        guard let last else { misuse("an empty key path cannot be \(purpose) in \(root.layout.schema.className)") }
        self.columns = columns
        property = last.property
        target = last.target
    }

    /// The same, of names joined by dots.
    init(_ keyPath: String, _ root: ManagedClass, for purpose: String) {
        if let operation = keyPath.split(separator: ".").first(where: { $0.hasPrefix("@") }) {
            misuse(
                "\"\(operation)\" in the key path \"\(keyPath)\" gives no value that a "
                    + "\(root.layout.schema.className) can be \(purpose) by")
        }
        self.init(
            keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init), root, for: purpose)
    }

    /// The path as the engine takes it, in memory of `arena`.
    func steps(_ arena: ValueArena) -> (UnsafePointer<strata_step>, UInt32) {
        (arena.copy(columns.map(strata_step_column)), UInt32(columns.count))
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

/// Stages as the engine takes them, in memory that stays where it is.
final class EngineStages {
    private(set) var all: [strata_stage] = []
    private let arena = ValueArena(size: 512)

    init(_ stages: [QueryStage]) {
        for stage in stages { all.append(compile(stage)) }
    }

    private func compile(_ stage: QueryStage) -> strata_stage {
        var result = strata_stage()
        switch stage {
        case .sort(let keys):
            result.kind = .STRATA_STAGE_SORT
            set(&result, keys.map { compile($0.path, ascending: $0.ascending) })
        case .distinct(let paths):
            result.kind = .STRATA_STAGE_DISTINCT
            set(&result, paths.map { compile($0, ascending: true) })
        case .limit(let skip, let count): result = Self.limit(skip: skip, count: count)
        }
        return result
    }

    private func set(_ stage: inout strata_stage, _ keys: [strata_sort]) {
        stage.keys = arena.copy(keys)
        stage.key_count = UInt32(keys.count)
    }

    private func compile(_ path: ColumnPath, ascending: Bool) -> strata_sort {
        var sort = strata_sort()
        (sort.path, sort.path_length) = path.steps(arena)
        sort.descending = !ascending
        return sort
    }

    static func limit(skip: Int, count: Int?) -> strata_stage {
        var stage = strata_stage()
        stage.kind = .STRATA_STAGE_LIMIT
        stage.skip = UInt64(skip)
        stage.limit = count.map { UInt64($0) } ?? UInt64.max
        return stage
    }
}

extension Session {
    /// The key of an object that a query compares with; nil if it is unmanaged or deleted.
    func keyForComparison(_ object: ObjectBase) -> UInt64? {
        guard object._mode == .live else { return nil }
        if object._session !== self { misuse("\(LiveRow.name(object)) belongs to another realm than the query") }
        return object.isInvalidated ? nil : object.row.pointee.key
    }
}
