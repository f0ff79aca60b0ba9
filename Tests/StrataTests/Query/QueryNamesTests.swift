// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Its properties have each other's names in the file.
class Renamed: Object {
    @Persisted(indexed: true) var size: Int
    @Persisted var weight: Int
    @Persisted var next: Renamed?
    @Persisted(originProperty: "next") var before: LinkingObjects<Renamed>
    override class func propertiesMapping() -> [String: String] {
        ["size": "weight", "weight": "mass", "next": "follower"]
    }
}

/// Declares its collections without marks.
class OldStyle: Object {
    let leaves = List<Leaf>()
    let numbers = List<Int>()
    let age = RealmProperty<Int?>()
}

/// Which properties the names in conditions mean.
@Suite struct QueryNamesTests {
    @Test func `names of the class count, whatever the file calls them`() throws {
        try withRealm([Renamed.self]) { realm in
            try realm.write {
                let first = realm.create(Renamed.self, value: ["size": 1, "weight": 10])
                realm.create(Renamed.self, value: ["size": 2, "weight": 20, "next": first])
            }
            let all = realm.objects(Renamed.self)
            #expect(all.where { $0.size == 1 }.first?.weight == 10 && all.filter("weight == 20").first?.size == 2)
            #expect(all.where { $0.size == 1 }.explain().usesIndex)
            #expect(all.where { $0.next.weight == 10 }.first?.size == 2 && all.filter("next.size == 1").count == 1)
            #expect(
                all.where { $0.before.count == 1 }.first?.size == 1 && all.filter("ANY before.weight == 20").count == 1)
            #expect(all.sorted(by: \.weight, ascending: false).map(\.size) == [2, 1] && all.sum(of: \.weight) == 30)
            #expect(all.grouped(by: \.weight).map(\.key) == [10, 20] && all.distinct(by: ["next.size"]).count == 1)
            let dynamic = realm.dynamicObjects("Renamed")
            #expect(
                dynamic.filter("weight == 20").first?["size"] as? Int == 2
                    && dynamic.sorted(byKeyPath: "size").count == 2)
        }
    }

    @Test func `collections that are declared without marks`() throws {
        try withRealm([OldStyle.self, Leaf.self, Tree.self] + treeTypes.filter { $0 != Tree.self && $0 != Leaf.self }) {
            realm in
            try realm.write {
                let old = realm.create(OldStyle.self, value: ["leaves": [["size": 3]], "numbers": [1, 2]])
                old.age.value = 7
                realm.create(OldStyle.self)
            }
            let all = realm.objects(OldStyle.self)
            #expect(all.where { $0.leaves.size == 3 }.count == 1 && all.where { $0.numbers.contains(2) }.count == 1)
            #expect(
                all.filter("age == 7 AND numbers.@sum == 3").count == 1 && all.where { $0.leaves.count == 0 }.count == 1
            )
        }
    }
}
