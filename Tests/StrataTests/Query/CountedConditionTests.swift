// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Counted conditions that also name properties of the object which has the collection.
@Suite struct CountedConditionTests {
    @Test func `S135: what is the same for all elements is tested outside of the count`() {
        expectPredicate("((limit == %@) && (SUBQUERY(boxes, $col1, ($col1.size == %@)).@count > %@))", [2, 1, 0]) {
            ($0.boxes.size == 1 && $0.limit == 2).count > 0
        }
        expectPredicate(
            "(((limit == %@) && (SUBQUERY(boxes, $col1, ($col1.size == %@)).@count == %@)) || NOT (limit == %@))",
            [2, 1, 0, 2]
        ) { ($0.limit == 2 && $0.boxes.size == 1).count == 0 }
        expectPredicate(
            "(((shelf.isOpen == true) && (SUBQUERY(boxes, $col1, NOT ($col1 == %@)).@count > %@)) || "
                + "(NOT (shelf.isOpen == %@) && (SUBQUERY(boxes, $col2, ($col2.size == %@)).@count > %@)))",
            [NSNull(), 1, true, 1, 1]
        ) { ($0.boxes.size == 1 || $0.shelf.isOpen).count > 1 }
    }

    /// What a condition finds, and what Swift finds with the same on each box.
    private func check(
        _ realm: Realm, _ condition: (Query<Shelf>) -> Query<Bool>, _ plain: (Shelf) -> Bool,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let expected = realm.objects(Shelf.self).sorted(by: \.id).filter(plain).map(\.id)
        #expect(realm.shelves(condition) == expected, sourceLocation: location)
        #expect(!expected.isEmpty && expected.count < 24, "the data is too simple", sourceLocation: location)
    }

    /// Realm looks for the properties in the class of the elements; #Predicate can say the same.
    @Test(
        """
        Differs from Realm: a counted condition may name properties of the owner; Realm refuses it. The meaning is \
        clear: the owner's part holds for all elements or for none.
        """
    )
    func countsBesideOwner() throws {
        try withShelves { realm in
            try realm.write {
                for id in 0..<24 {
                    let boxes = (0..<(id % 5)).map { box -> [String: Any] in
                        let inner = (0..<(box % 3)).map { ["size": $0] as [String: Any] }
                        return ["size": box, "isFull": (box + id) % 3 == 0, "boxes": inner] as [String: Any]
                    }
                    let other: Any = id % 3 == 0 ? NSNull() : realm.objects(Shelf.self)[id / 2] as Any
                    realm.create(
                        Shelf.self,
                        value: [
                            "id": id, "limit": id % 4, "isOpen": id % 5 < 2, "boxes": boxes, "name": "n\(id % 2)",
                            "shelf": other,
                        ])
                }
            }
            check(realm, { ($0.boxes.size == 1 && $0.limit == 2).count > 0 }) { shelf in
                shelf.boxes.filter { $0.size == 1 && shelf.limit == 2 }.count > 0
            }
            check(realm, { ($0.boxes.size == 1 && $0.limit == 2).count == 0 }) { shelf in
                shelf.boxes.filter { $0.size == 1 && shelf.limit == 2 }.count == 0
            }
            check(realm, { ($0.boxes.size > 1 || $0.shelf.isOpen).count > 1 }) { shelf in
                shelf.boxes.filter { $0.size > 1 || shelf.shelf?.isOpen == true }.count > 1
            }
            check(realm, { ($0.boxes.size > 1 || !$0.shelf.isOpen).count > 1 }) { shelf in
                shelf.boxes.filter { $0.size > 1 || shelf.shelf?.isOpen == false }.count > 1
            }
            check(realm, { (!($0.boxes.isFull && $0.limit > 1)).count < 3 }) { shelf in
                shelf.boxes.filter { !($0.isFull && shelf.limit > 1) }.count < 3
            }
            check(realm, { (($0.limit == 1 && $0.boxes.isFull) || ($0.name == "n1" && !$0.boxes.isFull)).count >= 1 }) {
                shelf in
                shelf.boxes.filter { (shelf.limit == 1 && $0.isFull) || (shelf.name == "n1" && !$0.isFull) }.count >= 1
            }
            check(realm, { ($0.boxes.size < 3 && $0.boxes.count == 4).count == 3 }) { shelf in
                shelf.boxes.filter { $0.size < 3 && shelf.boxes.count == 4 }.count == 3
            }
            check(realm, { ($0.boxes.isFull && $0.boxes.size.max == 3).count == 1 }) { shelf in
                shelf.boxes.filter { $0.isFull && (shelf.boxes.max(of: \.size)) == 3 }.count == 1
            }
            // Whether any part is about a box depends on the shelf.
            check(realm, { (($0.boxes.size > 1 || $0.limit == 2) && $0.name == "n1").count > 1 }) { shelf in
                shelf.boxes.filter { ($0.size > 1 || shelf.limit == 2) && shelf.name == "n1" }.count > 1
            }
            check(realm, { (!($0.boxes.isFull && $0.limit < 2) && $0.name == "n1" || $0.isOpen).count == 3 }) { shelf in
                shelf.boxes.filter { !($0.isFull && shelf.limit < 2) && shelf.name == "n1" || shelf.isOpen }.count == 3
            }
            check(realm, { (($0.boxes.size > 1 || $0.limit == 2) && ($0.boxes.isFull || $0.isOpen)).count == 0 }) {
                shelf in
                shelf.boxes.filter { ($0.size > 1 || shelf.limit == 2) && ($0.isFull || shelf.isOpen) }.count == 0
            }
            // A count in a count names both owners.
            check(realm, { (($0.boxes.boxes.size == 0 && $0.boxes.isFull && $0.limit < 3).count == 1).count > 0 }) {
                shelf in
                shelf.boxes.filter { box in
                    box.boxes.filter { $0.size == 0 && box.isFull && shelf.limit < 3 }.count == 1
                }.count > 0
            }
            check(realm, { (($0.boxes.boxes.size == 0 || $0.boxes.isFull).count == 0 && $0.limit != 0).count > 1 }) {
                shelf in
                shelf.boxes.filter { box in
                    box.boxes.filter { $0.size == 0 || box.isFull }.count == 0 && shelf.limit != 0
                }.count > 1
            }
            let isFound = #Predicate<Shelf> { shelf in
                shelf.boxes.filter { box in box.size > 0 && shelf.limit == 3 }.count > 1
            }
            let found = realm.objects(Shelf.self).filter(isFound).map(\.id)
            #expect(found == realm.shelves { ($0.boxes.size > 0 && $0.limit == 3).count > 1 } && !found.isEmpty)
        }
    }

    @Test func `Q13: conditions that cannot be counted`() async {
        let outside = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ((Query<Shelf>._constructForTesting().limit == 3).count > 0)._constructPredicate()
        }
        StrataTests.expect(
            outside,
            says: "a condition that is counted compares limit, which is no property of the elements of a "
                + "collection; put it outside of the parentheses")
        let mixed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let shelf = Query<Shelf>._constructForTesting()
            _ = ((shelf.boxes.size == shelf.limit).count > 0)._constructPredicate()
        }
        StrataTests.expect(
            mixed,
            says: "a condition that is counted compares properties of the elements of boxes with limit, "
                + "which is none; compare them with a constant")
        let two = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let shelf = Query<Shelf>._constructForTesting()
            _ = ((shelf.boxes.size == 1 && shelf.ratings == 3).count > 0)._constructPredicate()
        }
        StrataTests.expect(
            two,
            says: "a condition that is counted leads through boxes and through ratings; "
                + "count the elements of one collection at a time")
        let values = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withShelves { realm in _ = realm.objects(Shelf.self).where { ($0.ratings > 3).count > 1 } }
        }
        StrataTests.expect(values, says: "'ratings' of Shelf is no collection of objects; SUBQUERY needs one")
    }

    @Test func `S132: an aggregate has no aggregate`() async {
        let chain = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Query<Shelf>._constructForTesting().boxes.size.min.max
        }
        StrataTests.expect(chain, says: "@min of boxes.size is one value, which has no @max")
        let values = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withShelves { realm in _ = realm.objects(Shelf.self).where { $0.ratings.min.max > 3 } }
        }
        StrataTests.expect(values, says: "a path has only one aggregate")
        let single = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withShelves { realm in _ = realm.objects(Shelf.self).where { $0.limit.min > 3 } }
        }
        StrataTests.expect(single, says: "only a collection has aggregates")
        let nested = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withShelves { realm in _ = realm.objects(Shelf.self).where { $0.boxes.boxes.size.max > 3 } }
        }
        StrataTests.expect(nested, says: "use SUBQUERY")
    }
}
