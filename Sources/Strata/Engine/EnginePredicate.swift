// SPDX-License-Identifier: MIT
// EnginePredicate.swift -- conditions as text: parsed once, resolved in each realm.

import CStrata

/// A predicate that was parsed. Immutable; may be used by every thread.
final class EnginePredicate: @unchecked Sendable {
    let handle: OpaquePointer

    /// Parses text. The corresponding C function is `strata_predicate_parse`.
    init(_ text: String, _ arguments: [strata_argument]) throws(StrataError) {
        var text = text
        var error = strata_error()
        var out: OpaquePointer?
        let status = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                strata_predicate_parse(
                    characters.baseAddress, characters.count, arguments, UInt32(arguments.count), &out, &error)
            }
        }
        guard status == .STRATA_OK, let out else { throw StrataError(status, &error) }
        handle = out
    }

    deinit { strata_predicate_free(handle) }

    /// The predicate in its plainest spelling. The corresponding C function is `strata_predicate_print`.
    var text: String {
        let size = strata_predicate_print(handle, nil, 0)
        return String(unsafeUninitializedCapacity: size + 1) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { strata_predicate_print(handle, $0.baseAddress, $0.count) }
        }
    }

    /// Whether both are of the same form. The corresponding C function is `strata_predicate_equal`.
    func isEqual(_ other: EnginePredicate) -> Bool { strata_predicate_equal(handle, other.handle) }
}

/// A condition on the objects of one table of one store.
final class EngineCondition {
    /// The nodes, which are good as long as this object.
    let nodes: UnsafeBufferPointer<strata_node>
    private let handle: UnsafeMutablePointer<strata_condition>?
    /// Whose memory the nodes point to.
    private let parts: [EngineCondition]

    /// Finds what the predicate names. The corresponding C function is `strata_predicate_resolve`.
    init(
        _ predicate: EnginePredicate, _ view: EngineView, table: UInt32, _ aliases: UnsafeBufferPointer<strata_alias>
    ) throws(StrataError) {
        var out: UnsafeMutablePointer<strata_condition>?
        let status = strata_predicate_resolve(
            predicate.handle, view.handle, table, aliases.baseAddress, UInt32(aliases.count), &out, view.error)
        guard status == .STRATA_OK, let out else { throw view.failure(status) }
        handle = out
        parts = []
        nodes = UnsafeBufferPointer(start: out.pointee.nodes, count: Int(out.pointee.node_count))
    }

    /// Takes over memory that begins with the nodes.
    init(taking memory: UnsafeMutablePointer<strata_node>, count: Int) {
        nodes = UnsafeBufferPointer(start: memory, count: count)
        handle = nil
        parts = []
    }

    /// Joins conditions, or none, by an operator.
    init(_ op: strata_operator, _ parts: [EngineCondition]) {
        let count = 1 + parts.reduce(0) { $0 + $1.nodes.count }
        let buffer = UnsafeMutableBufferPointer<strata_node>.allocate(capacity: count)
        var node = strata_node()
        node.op = op
        if op == .STRATA_AND || op == .STRATA_OR { node.children = UInt32(parts.count) }
        var end = 0
        for node in CollectionOfOne(node) + parts.flatMap(\.nodes) {
            buffer.initializeElement(at: end, to: node)
            end += 1
        }
        nodes = UnsafeBufferPointer(buffer)
        handle = nil
        self.parts = parts
    }

    /// This condition and another one. Many that are joined one by one stay one level deep.
    func and(_ other: EngineCondition) -> EngineCondition {
        let isJoined = !parts.isEmpty && nodes[0].op == .STRATA_AND
        return EngineCondition(.STRATA_AND, (isJoined ? parts : [self]) + [other])
    }

    deinit {
        if let handle { strata_condition_free(handle) } else { nodes.deallocate() }
    }
}

/// The names of properties that are not those of their columns, in all classes of a session.
final class EngineAliases {
    private(set) var all = UnsafeMutableBufferPointer<strata_alias>.allocate(capacity: 0)

    init(_ classes: [ManagedClass]) {
        var aliases: [strata_alias] = []
        for managed in classes {
            for (index, slot) in managed.layout.slots.enumerated() {
                var step = strata_step()
                if index >= managed.layout.storedCount {
                    step.kind = .STRATA_STEP_BACKLINKS
                    step.table = managed.target(ofSlot: index).table
                    step.column = managed.originColumn(ofSlot: index)
                } else if slot.property.columnName != slot.property.name {
                    step.column = managed.columns[index]
                } else {
                    continue
                }
                aliases.append(strata_alias(table: managed.table, name: copy(slot.property.name), step: step))
            }
        }
        all = .allocate(capacity: aliases.count)
        _ = all.initialize(from: aliases)
    }

    deinit {
        for alias in all { alias.name.deallocate() }
        all.deallocate()
    }

    private func copy(_ name: String) -> UnsafePointer<CChar> {
        let characters = name.utf8CString
        let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: characters.count)
        _ = copy.initialize(from: characters)
        return UnsafePointer(copy.baseAddress.unsafelyUnwrapped)
    }
}
