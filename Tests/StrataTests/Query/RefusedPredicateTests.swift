// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Predicates that mean nothing, and what is said about them.
@Suite struct RefusedPredicateTests {
    @Test func `S127: no BETWEEN for strings`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.ids("string BETWEEN {'a', 'b'}") }
        }
        expect(result, says: "cannot be used on Tree: at column")
    }

    @Test func `S131: the number of elements is @count`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.ids("leaves.@size == 3") }
        }
        expect(result, says: "the number of elements is @count")
    }

    @Test func `S132: a sum is never nil`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.ids("ints.@sum == nil") }
        }
        expect(result, says: "cannot be used on Tree: at column")
    }

    @Test func `S133: the aggregate of objects stands in front of the property`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.ids("leaves.size.@max > 3") }
        }
        expect(result, says: "cannot be used on Tree: at column")
    }

    @Test func `S135: a subquery is compared with a number`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.ids("SUBQUERY(leaves, $x, $x.size > 3).@count == 'a'") }
        }
        expect(result, says: "at column")
    }

    @Test func `S141: only embedded objects are places`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in
                let box = GeoBox(bottomLeft: (0, 0), topRight: (1, 1))!
                _ = realm.objects(Tree.self).filter("leaf IN %@", box)
            }
        }
        expect(result, says: "cannot be used on Tree: at column")
    }
}
