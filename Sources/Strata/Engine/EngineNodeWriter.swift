// SPDX-License-Identifier: MIT
// EngineNodeWriter.swift -- writes the nodes of a condition, with all that they point to, into one piece of memory.
//
// Nodes grow upwards from the beginning, and the values, steps and bytes that they point to downwards from the end. So
// a condition is one allocation, and is freed with its nodes.

import CStrata

/// Writes the nodes of one condition. A call that returns false or nil for want of memory sets `isFull`; the writer is
/// then of no further use, and a larger one can be tried.
struct EngineNodeWriter {
    private let nodes: UnsafeMutablePointer<strata_node>
    private(set) var nodeCount = 0
    /// Whether writing failed for want of memory.
    private(set) var isFull = false
    /// Where what the nodes point to begins.
    private var end: UnsafeMutableRawPointer

    /// - Parameter size: how many bytes there are at least.
    init(_ size: Int) {
        // Memory with an alignment of its own, as raw memory has, takes the allocator twice as long.
        let capacity = size / MemoryLayout<strata_node>.stride + 1
        nodes = .allocate(capacity: capacity)
        end = UnsafeMutableRawPointer(nodes + capacity)
    }

    /// The condition, which adopts the memory. Either this or `free()` is called, once.
    consuming func finish() -> EngineCondition { EngineCondition(adopting: nodes, count: nodeCount) }

    consuming func free() { nodes.deallocate() }

    // MARK: Nodes

    /// Adds a node without operands.
    mutating func add(_ op: EngineOperator) -> Bool {
        var node = strata_node()
        node.op = op
        return add(node)
    }

    /// Must be called before a node is added that is a child of an earlier one.
    func addChild(of parent: Int) { nodes[parent].children += 1 }

    /// Adds a comparison of the values that a path leads to with constants.
    mutating func add(
        _ op: EngineOperator, options: UInt32, _ path: UnsafeBufferPointer<EngineStep>,
        _ values: UnsafeBufferPointer<EngineValue>
    ) -> Bool {
        var node = strata_node()
        node.op = op
        node.options = options
        node.left.path = path.baseAddress
        node.left.path_length = UInt32(path.count)
        node.values = values.baseAddress
        node.value_count = UInt32(values.count)
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

    // MARK: What they point to

    /// Memory for some items, which is not initialised.
    mutating func allocate<Item>(_: Item.Type, _ count: Int) -> UnsafeMutableBufferPointer<Item>? {
        let size = (count * MemoryLayout<Item>.stride + 7) & ~7
        isFull = size > end - UnsafeMutableRawPointer(nodes + nodeCount)
        if isFull { return nil }
        end -= size
        return UnsafeMutableBufferPointer(start: end.assumingMemoryBound(to: Item.self), count: count)
    }

    /// A copy of a value, with its bytes in the memory of the nodes.
    mutating func copy(_ value: EngineValue) -> EngineValue? {
        guard value.hasBytes else { return value }
        var value = value
        let size = value.as.bytes.size
        guard let bytes = allocate(UInt8.self, size)?.baseAddress else { return nil }
        if size != 0 { UnsafeMutableRawPointer(bytes).copyMemory(from: value.as.bytes.data, byteCount: size) }
        value.as.bytes.data = UnsafeRawPointer(bytes)
        return value
    }
}

/// One step of a path.
typealias EngineStep = strata_step

extension strata_step {
    static func column(_ column: UInt32) -> strata_step { strata_step_column(column) }
}

extension strata_value {
    /// Whether the value is null or of a type.
    func isNull(or type: EngineType?) -> Bool { self.type == .STRATA_NULL || type == nil || self.type == type }
}
