// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Collections compared with an element, what their elements are stored as, and custom types among them.
@Suite struct ElementComparisonTests {
    // MARK: Any of the elements

    @Test func `S136: the text of a collection compared with an element`() {
        expectPredicate("(ANY ratings == %@)", [3]) { $0.ratings == 3 }
        expectPredicate("(ANY ratings != %@)", [3]) { $0.ratings != 3 }
        expectPredicate("(ANY ratings > %@)", [3]) { $0.ratings > 3 }
        expectPredicate("(ANY ratingSet >= %@)", [3]) { $0.ratingSet >= 3 }
        expectPredicate("(ANY ratingMap < %@)", [3]) { $0.ratingMap < 3 }
        expectPredicate("(ANY optRatings <= %@)", [3]) { $0.optRatings <= 3 }
        expectPredicate("(ANY optRatings == %@)", [NSNull()]) { $0.optRatings == nil }
        expectPredicate("(ANY moods == %@)", ["calm"]) { $0.moods == .calm }
        expectPredicate("(ANY ranks > %@)", [1]) { $0.ranks > .low }
        expectPredicate("(ANY plates == %@)", ["A"]) { $0.plates == Plate("A") }
        expectPredicate("(ANY shelf.ratings == %@)", [3]) { $0.shelf.ratings == 3 }
        expectPredicate("(ANY shelves.ratings == %@)", [3]) { $0.shelves.ratings == 3 }
        expectPredicate("(ANY anys == %@)", [3]) { $0.anys == .int(3) }
    }

    @Test func `S136: a collection compared with an element means any of them`() throws {
        try withShelves { realm in
            try realm.write {
                realm.create(
                    Shelf.self,
                    value: [
                        "id": 1, "ratings": [1, 5], "optRatings": [nil, 2], "ratingSet": [1, 5],
                        "ratingMap": ["a": 1, "b": 5], "moods": [Mood.calm, .merry], "optMoods": [nil, Mood.cross],
                        "ranks": [Rank.low, .high], "moodMap": ["a": Mood.calm],
                        "rankMap": ["a": nil, "b": Rank.high] as [String: Rank?],
                        "plates": [Plate("A"), Plate("B")], "plateMap": ["a": Plate("A"), "b": nil],
                        "anys": [3, "x"],
                    ] as [String: Any])
                realm.create(Shelf.self, value: ["id": 2, "ratings": [5], "moods": [Mood.merry], "ratingMap": ["a": 5]])
                realm.create(Shelf.self, value: ["id": 3])
            }
            #expect(realm.shelves { $0.ratings == 1 } == [1] && realm.shelves { $0.ratings == 5 } == [1, 2])
            #expect(realm.shelves { $0.ratings != 5 } == [1] && realm.shelves { !($0.ratings == 5) } == [3])
            #expect(realm.shelves { $0.ratings > 4 } == [1, 2] && realm.shelves { $0.ratings < 5 } == [1])
            #expect(realm.shelves { $0.ratings >= 5 } == [1, 2] && realm.shelves { $0.ratings <= 1 } == [1])
            #expect(realm.shelves { $0.ratings > 1 && $0.ratings < 5 } == [1])
            #expect(realm.shelves { $0.ratingSet > 4 } == [1] && realm.shelves { $0.ratingMap > 4 } == [1, 2])
            #expect(realm.shelves { $0.ratingMap != 5 } == [1] && realm.shelves { $0.ratingMap == 5 } == [1, 2])
            #expect(realm.shelves { $0.optRatings == nil } == [1] && realm.shelves { $0.optRatings != nil } == [1])
            #expect(realm.shelves { $0.optRatings < 3 } == [1] && realm.shelves { $0.optRatings > 2 } == [])
            #expect(realm.shelves { $0.moods == .merry } == [1, 2] && realm.shelves { $0.moods != .merry } == [1])
            #expect(realm.shelves { $0.optMoods == nil } == [1] && realm.shelves { $0.optMoods == .calm } == [])
            #expect(realm.shelves { $0.ranks > .middle } == [1] && realm.shelves { $0.ranks < .low } == [])
            #expect(realm.shelves { $0.moodMap == .calm } == [1] && realm.shelves { $0.rankMap == nil } == [1])
            #expect(realm.shelves { $0.plates == Plate("B") } == [1] && realm.shelves { $0.plateMap == nil } == [1])
            #expect(realm.shelves { $0.anys == .string("x") } == [1] && realm.shelves { $0.anys > .int(2) } == [1])
        }
    }

    @Test func `S129: a collection of objects compared with an object`() throws {
        try withShelves { realm in
            let (one, box) = try realm.write {
                let one = realm.create(Shelf.self, value: ["id": 1, "boxes": [["size": 1], ["size": 2]]])
                realm.create(Shelf.self, value: ["id": 2, "boxMap": ["a": one.boxes[1], "b": nil], "shelf": one])
                realm.create(Shelf.self, value: ["id": 3])
                return (one, one.boxes[1])
            }
            let shelves = realm.objects(Shelf.self)
            #expect(shelves.where { $0.boxes == box }.map(\.id) == [1])
            #expect(shelves.where { $0.boxes != box }.map(\.id) == [1])
            #expect(shelves.where { $0.boxMap == box }.map(\.id) == [2])
            #expect(shelves.where { $0.boxMap == nil }.map(\.id) == [2])
            #expect(shelves.where { $0.shelves.boxes == box }.isEmpty && shelves.where { $0.shelf == one }.count == 1)
            #expect(shelves.where { ($0.boxes == box && $0.boxes.size == 2).count == 1 }.map(\.id) == [1])
        }
    }

    // MARK: What elements are stored as

    @Test func `Q15: raw values of collections and maps`() throws {
        expectPredicate("(ANY moods == %@)", ["calm"]) { $0.moods.rawValue == "calm" }
        expectPredicate("(%@ IN moods)", ["calm"]) { $0.moods.rawValue.contains("calm") }
        expectPredicate("(ANY optMoods == %@)", [NSNull()]) { $0.optMoods.rawValue == nil }
        expectPredicate("(ANY ranks IN %@)", [[2, 5]]) { $0.ranks.rawValue.containsAny(in: [2, 5]) }
        expectPredicate("(ranks.@max > %@)", [5]) { $0.ranks.rawValue.max > 5 }
        expectPredicate("(ANY moodMap == %@)", ["calm"]) { $0.moodMap.rawValue == "calm" }
        expectPredicate("(moodMap[%@] == %@)", ["a", "calm"]) { $0.moodMap.rawValue["a"] == "calm" }
        expectPredicate("(ANY moodMap.@allValues BEGINSWITH %@)", ["c"]) {
            $0.moodMap.values.rawValue.starts(with: "c")
        }
        expectPredicate("(ANY rankMap.@allValues == %@)", [2]) { $0.rankMap.values.rawValue == 2 }
        expectPredicate("(ANY rankMap == %@)", [2]) { $0.rankMap.rawValue == 2 }
        expectPredicate("(ANY plates == %@)", ["A"]) { $0.plates.persistableValue == "A" }
        expectPredicate("(ANY plateMap == %@)", ["A"]) { $0.plateMap.persistableValue == "A" }
        expectPredicate("(ANY spots.x == %@)", [2]) { $0.spots.persistableValue.x == 2 }
        expectPredicate("(ANY spots.x == %@)", [2]) { $0.spots.x == 2 }
        expectPredicate("(ANY spotMap.label == %@)", ["a"]) { $0.spotMap.label == "a" }
        try withShelves { realm in
            try realm.write {
                let values: [String: Any] = ["moods": [Mood.calm], "moodMap": ["a": Mood.cross], "ranks": [Rank.middle]]
                realm.create(Shelf.self, value: values.merging(["id": 1, "plates": [Plate("AB")]]) { $1 })
                realm.create(Shelf.self, value: ["id": 2, "rankMap": ["k": .high, "n": nil] as [String: Rank?]])
            }
            #expect(realm.shelves { $0.moods.rawValue == "calm" } == [1])
            #expect(realm.shelves { $0.moods.rawValue != "calm" } == [])
            #expect(realm.shelves { $0.moodMap.values.rawValue == "cross" } == [1])
            #expect(realm.shelves { $0.moodMap.rawValue["a"] == "cross" } == [1])
            #expect(realm.shelves { $0.ranks.rawValue > 4 } == [1])
            #expect(realm.shelves { $0.ranks.rawValue.max == 5 } == [1])
            #expect(realm.shelves { $0.rankMap.rawValue == nil } == [2])
            #expect(realm.shelves { $0.rankMap.rawValue > 8 } == [2])
            #expect(realm.shelves { $0.plates.persistableValue.containsAny(in: ["AB", "C"]) } == [1])
        }
    }

    // MARK: Members of custom types

    @Test func `S138: the text of memberwise equality in collections`() {
        let members = "(($col1.x == %@) && ($col1.label == %@))"
        expectPredicate("(SUBQUERY(spots, $col1, \(members)).@count > %@)", [1, "a", 0]) { $0.spots == Spot(1, "a") }
        expectPredicate("(SUBQUERY(spots, $col1, NOT \(members)).@count > %@)", [1, "a", 0]) {
            ($0.spots != Spot(1, "a"))
        }
        expectPredicate("(SUBQUERY(spots, $col1, \(members)).@count > %@)", [1, "a", 0]) {
            $0.spots.contains(Spot(1, "a"))
        }
        expectPredicate("NOT (SUBQUERY(spots, $col1, \(members)).@count > %@)", [1, "a", 0]) {
            !($0.spots == Spot(1, "a"))
        }
        expectPredicate("(SUBQUERY(spots, $col1, \(members)).@count == %@)", [1, "a", 2]) {
            ($0.spots == Spot(1, "a")).count == 2
        }
        expectPredicate(
            "(SUBQUERY(boxes, $col1, (SUBQUERY($col1.spots, $col2, "
                + "(($col2.x == %@) && ($col2.label == %@))).@count > %@)).@count > %@)", [1, "a", 0, 0]
        ) { $0.boxes.spots == Spot(1, "a") }
        expectPredicate(
            "(SUBQUERY(boxes, $col1, (($col1.spot.x == %@) && ($col1.spot.label == %@))).@count > %@)", [1, "a", 0]
        ) { $0.boxes.spot == Spot(1, "a") }
        expectPredicate("((spot.x == %@) && (spot.label == %@))", [1, "a"]) { $0.spot.in([Spot(1, "a")]) }
        expectPredicate("FALSEPREDICATE") { $0.spot.in([]) }
        expectPredicate("FALSEPREDICATE") { $0.spots.containsAny(in: []) }
        expectPredicate("(ANY spotMap == %@)", [NSNull()]) { $0.spotMap == nil }
    }

    @Test func `S138: members are compared within one element`() throws {
        try withShelves { realm in
            let (a, b, c) = (Spot(1, "a"), Spot(2, "b"), Spot(1, "b"))
            try realm.write {
                realm.create(Shelf.self, value: ["id": 1, "spots": [a, b], "spotMap": ["k": a, "l": b]])
                realm.create(Shelf.self, value: ["id": 2, "spots": [c], "spotMap": ["k": c, "n": nil], "spot": a])
                realm.create(Shelf.self, value: ["id": 3])
                realm.create(Shelf.self, value: ["id": 4, "spots": [Spot(0, nil)], "spotMap": ["n": nil]])
            }
            #expect(realm.shelves { $0.spots == c } == [2] && realm.shelves { $0.spots == a } == [1])
            #expect(realm.shelves { $0.spotMap == c } == [2] && realm.shelves { $0.spotMap == b } == [1])
            #expect(realm.shelves { $0.spots.contains(c) } == [2] && realm.shelves { $0.spotMap.contains(b) } == [1])
            #expect(realm.shelves { $0.spotMap.values == c } == [2])
            #expect(realm.shelves { $0.spotMap.values == nil } == [2, 4])
            #expect(realm.shelves { $0.spots == Spot(0, nil) } == [4])
            // Another value, in some element, in none, and nil among them.
            #expect(realm.shelves { $0.spots != c } == [1, 4] && realm.shelves { $0.spots != a } == [1, 2, 4])
            #expect(realm.shelves { !($0.spots == a) } == [2, 3, 4] && realm.shelves { !($0.spots != a) } == [3])
            #expect(realm.shelves { $0.spotMap != c } == [1, 2, 4] && realm.shelves { $0.spotMap != nil } == [1, 2])
            #expect(realm.shelves { $0.spotMap.contains(nil) } == [2, 4])
            // One of some values.
            #expect(realm.shelves { $0.spots.containsAny(in: [a, c]) } == [1, 2])
            #expect(realm.shelves { $0.spots.containsAny(in: []) } == [])
            #expect(realm.shelves { $0.spotMap.containsAny(in: [b, nil]) } == [1, 2, 4])
            #expect(realm.shelves { $0.spot.in([a, b]) } == [2] && realm.shelves { $0.spot.in([nil, c]) } == [1, 3, 4])
            #expect(realm.shelves { !$0.spot.in([a]) } == [1, 3, 4] && realm.shelves { $0.spot.in([]) } == [])
            #expect(realm.shelves { $0.spotMap["k"] == c } == [2])
            #expect(realm.shelves { $0.spotMap["k"] != c } == [1, 3, 4])
            // How many of them.
            #expect(realm.shelves { ($0.spots == a).count == 1 } == [1])
            #expect(realm.shelves { ($0.spots != a).count == 1 } == [1, 2, 4])
            #expect(realm.shelves { ($0.spotMap != a).count == 1 } == [1, 2])
            #expect(realm.shelves { ($0.spots == a || $0.spots == b).count == 2 } == [1])
        }
    }

    @Test func `S138: paths through several collections`() throws {
        try withShelves { realm in
            let (a, b, c) = (Spot(1, "a"), Spot(2, "b"), Spot(1, "b"))
            try realm.write {
                let first: [String: Any] = ["size": 1, "spots": [a, b], "spot": a]
                let second: [String: Any] = ["size": 2, "spots": [b], "spot": b, "inner": ["spot": c]]
                realm.create(Shelf.self, value: ["id": 1, "boxes": [first, second], "boxMap": ["k": second, "n": nil]])
                realm.create(Shelf.self, value: ["id": 2, "boxes": [["spots": [c], "boxes": [first]]]])
                realm.create(Shelf.self, value: ["id": 3, "shelf": realm.object(ofType: Shelf.self, forPrimaryKey: 1)!])
                realm.create(Shelf.self, value: ["id": 4, "shelf": realm.object(ofType: Shelf.self, forPrimaryKey: 2)!])
            }
            #expect(realm.shelves { $0.boxes.spots == c } == [2] && realm.shelves { $0.boxes.spots == b } == [1])
            #expect(realm.shelves { $0.boxes.spots != b } == [1, 2])
            #expect(realm.shelves { !($0.boxes.spots == b) } == [2, 3, 4])
            #expect(realm.shelves { $0.boxes.spot == a } == [1] && realm.shelves { $0.boxes.spot == c } == [])
            #expect(realm.shelves { $0.boxes.spot != a } == [1, 2] && realm.shelves { $0.boxes.spot == nil } == [2])
            #expect(realm.shelves { $0.boxes.spot.in([b, nil]) } == [1, 2])
            #expect(realm.shelves { $0.boxMap.spot == b } == [1])
            // An inner object that is missing has no spot.
            #expect(realm.shelves { $0.boxes.inner.spot == c } == [1])
            #expect(realm.shelves { $0.boxes.inner.spot != a } == [1])
            #expect(realm.shelves { $0.boxes.inner.spot != c } == [])
            #expect(realm.shelves { $0.boxes.boxes.spots == b } == [2])
            #expect(realm.shelves { $0.boxes.boxes.spots == c } == [])
            #expect(realm.shelves { $0.shelf.boxes.spots == c } == [4])
            #expect(realm.shelves { $0.shelf.boxes.spot == b } == [3])
            #expect(realm.shelves { ($0.boxes.spots == b).count == 2 } == [1])
            #expect(realm.shelves { ($0.boxes.spots == b && $0.boxes.size == 1).count == 1 } == [1])
            #expect(realm.shelves { ($0.boxes.spots == a && $0.boxes.spot == b).count > 0 } == [])
            #expect(realm.shelves { (($0.boxes.spots == b).count == 1).count == 2 } == [1])
        }
    }

    // MARK: Two properties

    @Test func `S130: strings and numbers of which one may be nil`() throws {
        expectPredicate("(name == nick)") { $0.name == $0.nick }
        expectPredicate("(nick != name)") { $0.nick != $0.name }
        expectPredicate("(name CONTAINS[c] nick)") { $0.name.contains($0.nick, options: .caseInsensitive) }
        expectPredicate("(nick LIKE name)") { $0.nick.like($0.name) }
        try withShelves { realm in
            try realm.write {
                realm.create(Shelf.self, value: ["id": 1, "name": "Ada", "nick": "Ad"])
                realm.create(Shelf.self, value: ["id": 2, "name": "Bo", "nick": "Bo"])
                realm.create(Shelf.self, value: ["id": 3, "name": ""])
            }
            #expect(realm.shelves { $0.name == $0.nick } == [2] && realm.shelves { $0.nick == $0.name } == [2])
            #expect(realm.shelves { $0.name != $0.nick } == [1, 3] && realm.shelves { $0.nick != $0.name } == [1, 3])
            #expect(realm.shelves { $0.name > $0.nick } == [1] && realm.shelves { $0.nick <= $0.name } == [1, 2])
            #expect(realm.shelves { $0.name.contains($0.nick) } == [1, 2])
            #expect(realm.shelves { $0.name.starts(with: $0.nick) && !$0.nick.ends(with: $0.name) } == [1])
            #expect(realm.shelves { $0.nick.equals($0.name) } == [2])
            #expect(realm.shelves { $0.nick.notEquals($0.name) } == [1, 3])
        }
    }

    @Test func `S131: counts are compared with numbers of all types`() throws {
        try withTrees { realm in
            try realm.write {
                realm.create(Tree.self, value: ["id": 1, "ints": [1, 2], "double": 2, "optDecimal": Decimal128(2)])
                realm.create(Tree.self, value: ["id": 2, "ints": [1], "double": 1.5])
            }
            #expect(realm.ids("ints.@count == double") == [1] && realm.ids("double > ints.@count") == [2])
            #expect(realm.ids("ints.@count == optDecimal") == [1] && realm.ids("ints.@count != optDecimal") == [2])
            #expect(realm.ids("ints.@count > int8") == [1, 2])
        }
    }
}
