// SPDX-License-Identifier: MIT
// EnginePredicate.swift -- conditions as text: parsed once, resolved in each store.

import CStrata

/// A predicate that was parsed. Immutable; may be used by every thread.
final class EnginePredicate: @unchecked Sendable {
    fileprivate let handle: OpaquePointer

    /// Parses text. The corresponding C function is `strata_predicate_parse`.
    init(_ text: String, _ arguments: [EngineArgument]) throws(StrataError) {
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

/// A condition on the objects of one table of one store, or on the values of one of its collections.
final class EngineCondition {
    /// The nodes, which live as long as this object.
    let nodes: UnsafeBufferPointer<strata_node>
    private let handle: UnsafeMutablePointer<strata_condition>?
    /// The conditions that this one joins. The nodes point into their memory.
    private let joined: [EngineCondition]

    /// Finds what the predicate names. The corresponding C functions are `strata_predicate_resolve` and
    /// `strata_predicate_resolve_values`.
    ///
    /// - Parameter column: the collection whose values the condition is on; nil for objects of the table.
    init(
        _ predicate: EnginePredicate, _ view: EngineView, table: UInt32, column: UInt32?, _ aliases: EngineAliases
    ) throws(StrataError) {
        var out: UnsafeMutablePointer<strata_condition>?
        let (first, count) = (aliases.all.baseAddress, UInt32(aliases.all.count))
        let status =
            if let column {
                strata_predicate_resolve_values(
                    predicate.handle, view.handle, table, column, first, count, &out, view.error)
            } else {
                strata_predicate_resolve(predicate.handle, view.handle, table, first, count, &out, view.error)
            }
        guard status == .STRATA_OK, let out else { throw view.failure(status) }
        handle = out
        joined = []
        nodes = UnsafeBufferPointer(start: out.pointee.nodes, count: Int(out.pointee.node_count))
    }

    /// Adopts memory that begins with the nodes.
    init(adopting memory: UnsafeMutablePointer<strata_node>, count: Int) {
        nodes = UnsafeBufferPointer(start: memory, count: count)
        handle = nil
        joined = []
    }

    /// Joins conditions, or none, by an operator.
    init(_ op: EngineOperator, _ conditions: [EngineCondition]) {
        let count = 1 + conditions.reduce(0) { $0 + $1.nodes.count }
        let buffer = UnsafeMutableBufferPointer<strata_node>.allocate(capacity: count)
        var node = strata_node()
        node.op = op
        if op == .STRATA_AND || op == .STRATA_OR { node.children = UInt32(conditions.count) }
        var end = 0
        for node in CollectionOfOne(node) + conditions.flatMap(\.nodes) {
            buffer.initializeElement(at: end, to: node)
            end += 1
        }
        nodes = UnsafeBufferPointer(buffer)
        handle = nil
        joined = conditions
    }

    /// This condition and another one. Many that are joined one by one stay one level deep.
    func and(_ other: EngineCondition) -> EngineCondition {
        let isConjunction = !joined.isEmpty && nodes[0].op == .STRATA_AND
        return EngineCondition(.STRATA_AND, (isConjunction ? joined : [self]) + [other])
    }

    deinit {
        if let handle { strata_condition_free(handle) } else { nodes.deallocate() }
    }
}

/// A name that predicates use for a column which has another name in the file.
struct EngineAlias {
    enum Target {
        case column(UInt32)
        /// The objects of a table that link here through a column.
        case backlinks(table: UInt32, column: UInt32)
    }

    let table: UInt32
    let name: String
    let target: Target
}

/// Aliases in memory of the engine's form.
final class EngineAliases {
    fileprivate let all: UnsafeMutableBufferPointer<strata_alias>

    init(_ aliases: [EngineAlias]) {
        all = .allocate(capacity: aliases.count)
        _ = all.initialize(from: aliases.map { alias in
            var step = strata_step()
            switch alias.target {
            case .column(let column): step.column = column
            case .backlinks(let table, let column):
                step.kind = .STRATA_STEP_BACKLINKS
                step.table = table
                step.column = column
            }
            return strata_alias(table: alias.table, name: Self.copy(alias.name), step: step)
        })
    }

    deinit {
        for alias in all { alias.name.deallocate() }
        all.deallocate()
    }

    private static func copy(_ name: String) -> UnsafePointer<CChar> {
        let characters = name.utf8CString
        let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: characters.count)
        _ = copy.initialize(from: characters)
        return UnsafePointer(copy.baseAddress.unsafelyUnwrapped)
    }
}
