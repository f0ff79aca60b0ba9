// SPDX-License-Identifier: MIT
// ConditionNodes.swift -- the fast road from a condition to the engine: nodes, without text in between.
//
// It writes conditions of `where { }` that compare single properties with constants of their types. All others take the
// general road; see QueryNode.swift.

extension EngineCondition {
    /// A condition on the objects of a class; nil if the fast road does not know it.
    static func writing(_ condition: QueryNode, _ managed: ManagedClass) -> EngineCondition? {
        var size = 384
        while true {
            var writer = ConditionWriter(managed, size)
            if writer.write(condition, depth: 0) { return writer.nodes.finish() }
            writer.nodes.free()
            if !writer.nodes.isFull { return nil }
            managed.session.arena.reset()
            size *= 4
        }
    }
}

/// Writes the nodes of a condition on the objects of a class. Every function returns false, or nil, if the condition is
/// not for this road, or if there is no more memory.
private struct ConditionWriter {
    /// How deep conditions inside of conditions are written. The engine accepts more, and says so if they are too many.
    private static let deepest = 100

    var nodes: EngineNodeWriter
    private let managed: ManagedClass

    init(_ managed: ManagedClass, _ size: Int) {
        nodes = EngineNodeWriter(size)
        self.managed = managed
    }

    mutating func write(_ condition: QueryNode, depth: Int) -> Bool {
        if depth > Self.deepest { return false }
        switch condition {
        case .truth(let truth): return nodes.add(truth ? .always : .never)
        case .path(let path): return compare(path, .equal, CollectionOfOne(.bool(true)))
        case .not(.path(let path)): return compare(path, .equal, CollectionOfOne(.bool(false)))
        case .together(let condition): return write(condition, depth: depth)
        case .not(let condition): return nodes.add(.not) && write(condition, depth: depth + 1)
        case .compound(let compound, _, _):
            let parent = nodes.nodeCount
            return nodes.add(compound == .and ? .and : .or) && write(condition, in: parent, compound, depth)
        case .comparison(let op, .path(let path), .constant(.value(let value))):
            return op != .in && compare(path, op, CollectionOfOne(value))
        case .comparison(.in, .path(let path), .constant(.list(let list))):
            return !list.isEmpty && compare(path, .in, list)
        case .between(.path(let path), .value(let low), .value(let high)):
            return compare(path, QueryOperator(.between), [low, high])
        default: return false
        }
    }

    /// Writes conditions that one operator joins as children of one node, so that the engine can choose their order.
    private mutating func write(
        _ condition: QueryNode, in parent: Int, _ compound: QueryNode.Compound, _ depth: Int
    ) -> Bool {
        if depth > Self.deepest { return false }
        if case .compound(compound, let left, let right) = condition {
            return write(left, in: parent, compound, depth + 1) && write(right, in: parent, compound, depth + 1)
        }
        nodes.addChild(of: parent)
        return write(condition, depth: depth + 1)
    }

    private mutating func compare(
        _ path: QueryPath, _ op: QueryOperator, _ constants: some Collection<_StoredValue>
    ) -> Bool {
        guard let (steps, type) = steps(path), let values = nodes.allocate(EngineValue.self, constants.count) else {
            return false
        }
        for (index, constant) in constants.enumerated() {
            guard op.accepts(constant), let value = encoded(constant, type) else { return false }
            values.initializeElement(at: index, to: value)
        }
        return nodes.add(op.engine, options: UInt32(op.options.rawValue), steps, UnsafeBufferPointer(values))
    }

    /// The steps of a path, and the type of the value to which it leads; nil if it does not lead to a single value.
    private mutating func steps(_ path: QueryPath) -> (UnsafeBufferPointer<EngineStep>, PropertyType)? {
        guard path.aggregate == nil, path.collections.isEmpty,
            let steps = nodes.allocate(EngineStep.self, path.components.reduce(0) { $0 + $1.propertyCount })
        else { return nil }
        var count = 0
        var source: ManagedClass? = managed
        var type: PropertyType?
        for component in path.components {
            guard case .names(let names) = component, source?.layout.type == names.root else { return nil }
            for slot in names.slots {
                guard let current = source, slot < current.layout.storedCount else { return nil }
                let property = current.layout.slots[slot].property
                if property.isCollection { return nil }
                steps.initializeElement(at: count, to: .column(current.columns[slot]))
                count += 1
                type = property.type
                source = type == .object ? current.target(ofSlot: slot) : nil
            }
        }
        return type.map { (UnsafeBufferPointer(steps), $0) }
    }

    /// A constant with its bytes in the memory of the nodes; nil if it is not of the type of the property.
    private mutating func encoded(_ constant: _StoredValue, _ type: PropertyType) -> EngineValue? {
        guard let value = constant.encoded(managed.session.arena),
            value.isNull(or: type == .any ? nil : type.engineType)
        else { return nil }
        return nodes.copy(value)
    }
}

extension QueryPath.Component {
    fileprivate var propertyCount: Int { if case .names(let names) = self { names.slots.count } else { 0 } }
}
