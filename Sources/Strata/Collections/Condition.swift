// SPDX-License-Identifier: MIT
// Condition.swift -- the condition of a query as a tree of plain values, and its form for the engine.

import CStrata

/// Which objects a query wants.
indirect enum Condition {
    case all
    case none
    case and([Condition])
    case or([Condition])
    case not(Condition)
    /// A property, reached by names through links, compared with values.
    case compare(path: [String], strata_operator, [_StoredValue], caseInsensitive: Bool)
}

/// One key of an order.
struct SortKey {
    var path: [String]
    var ascending: Bool
}

/// A condition and an order with the numbers of one realm, in memory that stays where it is.
final class CompiledQuery {
    private(set) var nodes: [strata_node] = []
    /// The order, if there is one.
    private(set) var sort: strata_stage?
    private let arena = ValueArena(size: 240)

    /// Stops the program if a name is unknown.
    init(_ managed: ManagedClass, _ conditions: [Condition], _ order: [SortKey]) {
        switch conditions.count {
        case 0: break
        case 1: add(conditions[0], managed)
        default: add(.and(conditions), managed)
        }
        var sorts: [strata_sort] = []
        for key in order {
            let path = columns(key.path, managed, forOrder: true)
            var sort = strata_sort()
            sort.path = arena.copy(path)
            sort.path_length = UInt32(path.count)
            sort.descending = !key.ascending
            sorts.append(sort)
        }
        guard !sorts.isEmpty else { return }
        var stage = strata_stage()
        stage.kind = .STRATA_STAGE_SORT
        stage.keys = arena.copy(sorts)
        stage.key_count = UInt32(sorts.count)
        sort = stage
    }

    private func add(_ condition: Condition, _ managed: ManagedClass) {
        var node = strata_node()
        switch condition {
        case .all: node.op = .STRATA_TRUE
        case .none: node.op = .STRATA_FALSE
        case .and(let children), .or(let children):
            if case .and = condition { node.op = .STRATA_AND } else { node.op = .STRATA_OR }
            node.children = UInt32(children.count)
            nodes.append(node)
            for child in children { add(child, managed) }
            return
        case .not(let child):
            node.op = .STRATA_NOT
            nodes.append(node)
            add(child, managed)
            return
        case .compare(let names, let op, let constants, let caseInsensitive):
            let path = columns(names, managed, forOrder: false)
            guard let operands = encode(constants, op, managed.session) else {
                node.op = op == .STRATA_NOT_EQUAL ? .STRATA_TRUE : .STRATA_FALSE
                break
            }
            node.op = op
            node.options = caseInsensitive ? UInt32(STRATA_CASE_INSENSITIVE) : 0
            node.left.path = arena.copy(path)
            node.left.path_length = UInt32(path.count)
            node.values = arena.copy(operands)
            node.value_count = UInt32(operands.count)
        }
        nodes.append(node)
    }

    /// The values of a comparison; nil if it is with an object that is not in the realm, which equals none.
    private func encode(
        _ constants: [_StoredValue], _ op: strata_operator, _ session: Session
    ) -> [strata_value]? {
        var result: [strata_value] = []
        for constant in constants {
            if let value = constant.encoded(arena) {
                result.append(value)
            } else if case .object(let object) = constant, let object = object as? ObjectBase,
                let key = session.keyForComparison(object)
            {
                result.append(strata_link(key))
            } else if op != .STRATA_IN {
                return nil
            }
        }
        return result
    }

    private func columns(_ names: [String], _ root: ManagedClass, forOrder: Bool) -> [strata_step] {
        var managed = root
        var result: [strata_step] = []
        for (position, name) in names.enumerated() {
            let className = managed.layout.schema.className
            guard let index = managed.layout.index(of: name) else {
                misuse(
                    "\(className) has no persisted property \"\(name)\", which the key path "
                        + "\"\(names.joined(separator: "."))\" names")
            }
            let property = managed.layout.slots[index].property
            if property.type == .linkingObjects || forOrder && property.isArray {
                misuse(
                    "\(className).\(name) holds many objects and cannot be part of "
                        + (forOrder ? "a sort key path" : "a condition; ask the class at the other end of the link"))
            }
            result.append(strata_step_column(managed.columns[index]))
            if position + 1 < names.count {
                guard property.type == .object else {
                    misuse("\(className).\(name) is no link, so \"\(names[position + 1])\" cannot follow it")
                }
                managed = managed.target(ofSlot: index)
            } else if forOrder, property.type == .object {
                misuse("\(className).\(name) is a link and cannot be sorted by; name a property of the linked object")
            }
        }
        return result
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
