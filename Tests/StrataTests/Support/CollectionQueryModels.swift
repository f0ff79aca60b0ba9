// SPDX-License-Identifier: MIT
// CollectionQueryModels.swift -- collections of enums and custom types, for conditions on them.

import Foundation
import Strata
import Testing

/// Collections of everything that is stored as something else.
class Shelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var limit: Int
    @Persisted var isOpen: Bool
    @Persisted var name: String
    @Persisted var nick: String?
    @Persisted var spot: Spot?
    @Persisted var any: AnyRealmValue
    @Persisted(indexed: true) var indexedAny: AnyRealmValue

    @Persisted var ratings: List<Int>
    @Persisted var optRatings: List<Int?>
    @Persisted var ratingSet: MutableSet<Int>
    @Persisted var ratingMap: Map<String, Int>
    @Persisted var moods: List<Mood>
    @Persisted var optMoods: List<Mood?>
    @Persisted var ranks: MutableSet<Rank>
    @Persisted var moodMap: Map<String, Mood>
    @Persisted var rankMap: Map<String, Rank?>
    @Persisted var plates: List<Plate>
    @Persisted var plateMap: Map<String, Plate?>
    @Persisted var anys: List<AnyRealmValue>

    @Persisted var spots: List<Spot>
    @Persisted var spotMap: Map<String, Spot?>
    @Persisted var boxes: List<ShelfBox>
    @Persisted var boxMap: Map<String, ShelfBox?>
    @Persisted var shelf: Shelf?
    @Persisted(originProperty: "shelf") var shelves: LinkingObjects<Shelf>
}

class ShelfBox: Object {
    @Persisted var size: Int
    @Persisted var isFull: Bool
    @Persisted var spot: Spot?
    @Persisted var spots: List<Spot>
    @Persisted var inner: ShelfBox?
    @Persisted var boxes: List<ShelfBox>
}

/// Runs a body with a new realm of shelves.
func withShelves(_ body: (Realm) throws -> Void) throws {
    try withRealm([Shelf.self, ShelfBox.self, StoredSpot.self], body)
}

extension Realm {
    /// The ids of the shelves for which a condition holds, which its text agrees with.
    func shelves(_ condition: (Query<Shelf>) -> Query<Bool>) -> [Int] {
        let shelves = objects(Shelf.self).sorted(by: \.id)
        let ids = shelves.where(condition).map(\.id)
        let (text, arguments) = condition(Query<Shelf>._constructForTesting())._constructPredicate()
        let again = shelves.filter(NSPredicate(format: text, argumentArray: arguments)).map(\.id)
        precondition(again == ids, "the text \(text) finds \(again) instead of \(ids)")
        return ids
    }
}

/// Expects the text and the values of a condition on shelves.
func expectPredicate(
    _ text: String, _ arguments: [Any] = [], _ location: SourceLocation = #_sourceLocation,
    _ condition: (Query<Shelf>) -> Query<Bool>
) {
    let (built, values) = condition(Query<Shelf>._constructForTesting())._constructPredicate()
    #expect(built == text, sourceLocation: location)
    #expect("\(values)" == "\(arguments)", sourceLocation: location)
}
