// SPDX-License-Identifier: MIT
// ConditionNodes.swift -- conditions as nodes of the engine, without text in between.

import CStrata

extension EngineCondition {
    /// A condition of `where { }` on the objects of a class; nil if it takes the grammar of the engine to say it. Nodes
    /// are written here if they compare single values with plain constants of the same types, which holds for most.
    static func writing(_ condition: QueryNode, _ managed: ManagedClass) -> EngineCondition? {
        var size = 384
        while true {
            var writer = ConditionWriter(managed, size)
            if writer.write(condition, depth: 0) {
                return EngineCondition(taking: writer.nodes, count: writer.nodeCount)
            }
            writer.nodes.deallocate()
            if !writer.isFull { return nil }
            managed.session.arena.reset()
            size *= 4
        }
    }
}

/// Writes nodes into one piece of memory, and from its end downwards the values, steps and bytes that they point to.
private struct ConditionWriter {
    /// Of conditions inside of conditions. The engine takes more, and says so if there are too many.
    private static let deepest = 100

    let nodes: UnsafeMutablePointer<strata_node>
    private(set) var nodeCount = 0
    /// Whether writing failed for want of memory.
    private(set) var isFull = false
    private let managed: ManagedClass
    /// Where what the nodes point to begins.
    private var end: UnsafeMutableRawPointer

    init(_ managed: ManagedClass, _ size: Int) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        nodes = memory.assumingMemoryBound(to: strata_node.self)
        end = memory + size
        self.managed = managed
    }

    /// Writes a condition; false if it cannot be written as nodes, or not into this memory.
    mutating func write(_ condition: QueryNode, depth: Int) -> Bool {
        if depth > Self.deepest { return false }
        switch condition {
        case .truth(let truth): return add(truth ? .STRATA_TRUE : .STRATA_FALSE)
        case .path(let path): return compare(path, .equal, CollectionOfOne(.bool(true)))
        case .not(.path(let path)): return compare(path, .equal, CollectionOfOne(.bool(false)))
        case .not(let condition): return add(.STRATA_NOT) && write(condition, depth: depth + 1)
        case .compound(let compound, _, _):
            let parent = nodeCount
            return add(compound == .and ? .STRATA_AND : .STRATA_OR) && write(condition, in: parent, compound, depth)
        case .comparison(let op, .path(let path), .constant(.value(let value))):
            return op != .in && compare(path, op, CollectionOfOne(value))
        case .comparison(.in, .path(let path), .constant(.list(let list))):
            return !list.isEmpty && compare(path, .in, list)
        case .between(.path(let path), .value(let low), .value(let high)):
            return compare(path, QueryOperator(.STRATA_BETWEEN), [low, high])
        default: return false
        }
    }

    /// Writes what is joined by one operator as children of one node, so that all are tested in the order that is best.
    private mutating func write(
        _ condition: QueryNode, in parent: Int, _ compound: QueryNode.Compound, _ depth: Int
    ) -> Bool {
        if depth > Self.deepest { return false }
        if case .compound(compound, let left, let right) = condition {
            return write(left, in: parent, compound, depth + 1) && write(right, in: parent, compound, depth + 1)
        }
        nodes[parent].children += 1
        return write(condition, depth: depth + 1)
    }

    // MARK: Nodes

    private mutating func add(_ op: strata_operator) -> Bool {
        var node = strata_node()
        node.op = op
        return add(node)
    }

    private mutating func add(_ node: strata_node) -> Bool {
        let next = nodes + nodeCount
        isFull = UnsafeMutableRawPointer(next + 1) > end
        if isFull { return false }
        next.initialize(to: node)
        nodeCount += 1
        return true
    }

    private mutating func compare(
        _ path: QueryPath, _ op: QueryOperator, _ constants: some Collection<_StoredValue>
    ) -> Bool {
        var node = strata_node()
        node.op = op.engine
        node.options = UInt32(op.options.rawValue)
        guard let type = add(path, &node.left),
            let values = take(strata_value.self, constants.count)
        else { return false }
        node.values = UnsafePointer(values)
        for constant in constants {
            guard op.takes(constant), let value = encoded(constant, type) else { return false }
            (values + Int(node.value_count)).initialize(to: value)
            node.value_count += 1
        }
        return add(node)
    }

    // MARK: What they point to

    /// Memory for some items.
    private mutating func take<Item>(_: Item.Type, _ count: Int) -> UnsafeMutablePointer<Item>? {
        let size = (count * MemoryLayout<Item>.stride + 7) & ~7
        isFull = size > end - UnsafeMutableRawPointer(nodes + nodeCount)
        if isFull { return nil }
        end -= size
        return end.assumingMemoryBound(to: Item.self)
    }

    /// Writes the steps of a path; the type of the values it leads to, or nil if it leads to no single value.
    private mutating func add(_ path: QueryPath, _ operand: inout strata_operand) -> PropertyType? {
        guard path.aggregate == nil, path.collections.isEmpty,
            let steps = take(strata_step.self, path.pieces.reduce(0) { $0 + $1.propertyCount })
        else { return nil }
        var source: ManagedClass? = managed
        var type: PropertyType?
        for piece in path.pieces {
            guard case .names(let names) = piece, source?.layout.type == names.root else { return nil }
            for slot in names.slots {
                guard let current = source, slot < current.layout.storedCount else { return nil }
                let found = current.layout.slots[slot]
                if found.property.isCollection { return nil }
                (steps + Int(operand.path_length)).initialize(to: strata_step_column(current.columns[slot]))
                operand.path_length += 1
                type = found.property.type
                source = type == .object ? current.target(ofSlot: slot) : nil
            }
        }
        operand.path = UnsafePointer(steps)
        return type
    }

    /// A constant with its bytes here; nil if it is not of that type.
    private mutating func encoded(_ constant: _StoredValue, _ type: PropertyType) -> strata_value? {
        guard var value = constant.encoded(managed.session.arena) else { return nil }
        if value.type == .STRATA_NULL { return value }
        if type != .any && type.engineType != value.type { return nil }
        if value.type == .STRATA_STRING || value.type == .STRATA_DATA {
            let size = value.as.bytes.size
            guard let bytes = take(UInt8.self, size) else { return nil }
            if size != 0 { UnsafeMutableRawPointer(bytes).copyMemory(from: value.as.bytes.data, byteCount: size) }
            value.as.bytes.data = UnsafeRawPointer(bytes)
        }
        return value
    }
}

extension QueryPath.Piece {
    fileprivate var propertyCount: Int { if case .names(let names) = self { names.slots.count } else { 0 } }
}

extension QueryOperator {
    /// Whether a comparison with the value is one for the engine as it is. Nothing is less than nil, nor contains it or
    /// an empty text; and only strings have letters to be folded.
    fileprivate func takes(_ value: _StoredValue) -> Bool {
        let isEquality = self == .equal || self == .notEqual || self == .in
        let isBetween = engine == .STRATA_BETWEEN
        let isTextual = engine.rawValue > strata_operator.STRATA_IN.rawValue && !isBetween
        return switch value {
        case .null: isEquality
        case .string(let text): !isBetween && !(isTextual && text.isEmpty)
        case .data(let data): options.isEmpty && !(isTextual && data.isEmpty)
        default: options.isEmpty && !isTextual
        }
    }
}
