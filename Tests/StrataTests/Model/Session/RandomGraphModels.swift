// SPDX-License-Identifier: MIT
// RandomGraphModels.swift -- classes whose objects link to each other in every way, for random graphs.

import Foundation
import Strata

class GraphNode: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var number: Int = 7
    @Persisted(indexed: true) var text: String?
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var link: GraphNode?
    @Persisted var links: List<GraphNode>
    @Persisted var linkSet: MutableSet<GraphNode>
    @Persisted var linkMap: Map<String, GraphNode?>
    @Persisted var special: GraphSpecialNode?
    @Persisted var leaf: GraphLeaf?
    @Persisted var leaves: List<GraphLeaf>
    @Persisted var leafMap: Map<String, GraphLeaf?>
    @Persisted var bud: GraphBud?
    @Persisted var any: AnyRealmValue
    @Persisted var anyList: List<AnyRealmValue>
    @Persisted var anyMap: Map<String, AnyRealmValue>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Links that hold its base class cannot lead to it; values of any type can, and those of its own.
final class GraphSpecialNode: GraphNode {
    @Persisted var extra: String
}

final class GraphLeaf: EmbeddedObject {
    @Persisted var serial: Int
    @Persisted var text: String = "default"
    @Persisted var node: GraphNode?
    @Persisted var any: AnyRealmValue
    @Persisted var bud: GraphBud?
    @Persisted var buds: List<GraphBud>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Embedded in leaves, which are embedded themselves, in nodes and in trays.
final class GraphBud: EmbeddedObject {
    @Persisted var serial: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class that another realm of the same database has without nodes.
final class GraphTray: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var bud: GraphBud?
    @Persisted var buds: List<GraphBud>
    @Persisted var any: AnyRealmValue

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Objects without a primary key, each of which leads to all others.
final class GraphPerson: Object {
    @Persisted var number: Int
    @Persisted var next: GraphPerson?
    @Persisted var friends: List<GraphPerson>
    @Persisted var any: AnyRealmValue

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
