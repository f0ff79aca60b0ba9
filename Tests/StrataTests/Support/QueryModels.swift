// SPDX-License-Identifier: MIT
// QueryModels.swift -- a class with a property of every kind, for conditions on it.

import Foundation
import Strata
import Synchronization

/// A text in a custom type.
struct Plate: CustomPersistable {
    let text: String
    init(_ text: String) { self.text = text }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

/// A place on a map, stored as an embedded object.
struct Spot: CustomPersistable {
    var x: Int, label: String?
    init(_ x: Int, _ label: String?) { (self.x, self.label) = (x, label) }
    init(persistedValue: StoredSpot) { self.init(persistedValue.x, persistedValue.label) }
    var persistableValue: StoredSpot { StoredSpot(value: ["x": x, "label": label as Any]) }
}

class StoredSpot: EmbeddedObject {
    @Persisted var x: Int
    @Persisted var label: String?
}

/// A custom type whose stored form has a list, so that it has no members to be compared.
struct Trail: CustomPersistable {
    init() {}
    init(persistedValue: StoredTrail) {}
    var persistableValue: StoredTrail { StoredTrail() }
}

class StoredTrail: EmbeddedObject {
    @Persisted var steps: List<Int>
}

class Leaf: Object {
    @Persisted var size: Int
    @Persisted var label: String
    @Persisted var weight: Double?
    @Persisted var isGreen: Bool
    @Persisted var twigs: List<Leaf>
    @Persisted var scores: Map<String, Int>
    @Persisted(originProperty: "leaf") var trees: LinkingObjects<Tree>
    @Persisted(originProperty: "leaves") var forests: LinkingObjects<Tree>

    convenience init(_ size: Int, _ label: String = "") {
        self.init()
        self.size = size
        self.label = label
    }
}

class Bark: EmbeddedObject {
    @Persisted var color: String
    @Persisted var depth: Int
    @Persisted var leaf: Leaf?
}

/// Values of every type, alone and in collections.
class ManyValues: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var flag: Bool
    @Persisted var int: Int
    @Persisted var other: Int
    @Persisted var int8: Int8
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var second: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var objectId: ObjectId
    @Persisted var decimal: Decimal128
    @Persisted var mixed: AnyRealmValue
    @Persisted var mood: Mood
    @Persisted var rank: Rank

    @Persisted var optInt: Int?
    @Persisted var optDouble: Double?
    @Persisted var optString: String?
    @Persisted var optDate: Date?
    @Persisted var optDecimal: Decimal128?
    @Persisted var optMood: Mood?

    @Persisted var ints: List<Int>
    @Persisted var optInts: List<Int?>
    @Persisted var doubles: List<Double>
    @Persisted var strings: List<String>
    @Persisted var dates: List<Date>
    @Persisted var decimals: List<Decimal128>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var intMap: Map<String, Int>
}

/// Every kind of property that a condition can name.
class Tree: ManyValues {
    @Persisted var plate: Plate
    @Persisted var spot: Spot?
    @Persisted var trail: Trail?
    @Persisted var and: Int
    @Persisted var optPlate: Plate?

    @Persisted var leaf: Leaf?
    @Persisted var parent: Tree?
    @Persisted var bark: Bark?
    @Persisted var leaves: List<Leaf>
    @Persisted var leafSet: MutableSet<Leaf>
    @Persisted var leafMap: Map<String, Leaf?>
    @Persisted var barks: List<Bark>

    @Persisted var moods: List<Mood>
    @Persisted var stringMap: Map<String, String>

    @Persisted(originProperty: "parent") var children: LinkingObjects<Tree>

    var firstLetter: String { String(string.prefix(1)) }
    var isEven: Bool { int % 2 == 0 }
    var total: Int { int + other }
    static let asked = Mutex(0)
    /// Counts how often it is asked.
    var counted: String {
        Self.asked.withLock { $0 += 1 }
        return int % 2 == 0 ? "even" : "odd"
    }
}

let treeTypes: [ObjectBase.Type] = [
    Tree.self, Leaf.self, Bark.self, StoredSpot.self, StoredTrail.self,
]

/// Runs a body with a new realm of trees.
func withTrees(_ body: (Realm) throws -> Void) throws { try withRealm(treeTypes, body) }

extension Realm {
    /// The ids of the trees for which a condition holds, which counting and a filter of its text agree with. Whether
    /// nodes are written by `where` or resolved from text, the engine gets the same.
    func ids(_ condition: (Query<Tree>) -> Query<Bool>) -> [Int] {
        let trees = objects(Tree.self)
        let results = trees.where(condition)
        let ids = results.map(\.id)
        precondition(results.count == ids.count, "count and the result differ")
        let (text, arguments) = condition(Query<Tree>._constructForTesting())._constructPredicate()
        let filtered = trees.filter(NSPredicate(format: text, argumentArray: arguments))
        let (again, plan, plans) = (filtered.map(\.id), results.explain().plan, filtered.explain().plan)
        precondition(again == ids, "the text \(text) finds \(again) instead of \(ids)")
        precondition(plan == plans, "the text \(text) is run as \(plans) instead of \(plan)")
        return ids
    }

    /// The ids of the trees that meet a predicate.
    func ids(_ format: String, _ arguments: Any...) -> [Int] {
        objects(Tree.self).filter(NSPredicate(format: format, argumentArray: arguments)).map(\.id)
    }
}
