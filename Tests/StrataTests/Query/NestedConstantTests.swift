// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Lists and dictionaries as constants, which values of any type are compared with.
@Suite struct NestedConstantTests {
    private let list = AnyRealmValue.fromArray([.int(1), .string("a"), .none])
    private let dictionary = AnyRealmValue.fromDictionary(["k": .int(1), "l": .fromArray([.bool(true)])])

    @Test func `S212: lists and dictionaries are compared by their contents`() throws {
        try withShelves { realm in
            try realm.write {
                realm.create(Shelf.self, value: ["id": 1, "any": list, "indexedAny": list, "anys": [list, .int(3)]])
                realm.create(Shelf.self, value: ["id": 2, "any": dictionary, "indexedAny": dictionary])
                realm.create(Shelf.self, value: ["id": 3, "any": [1, "a"] as [Any], "indexedAny": [list] as [Any]])
                realm.create(Shelf.self, value: ["id": 4])
            }
            #expect(realm.shelves { $0.any == list } == [1] && realm.shelves { $0.any == dictionary } == [2])
            #expect(realm.shelves { $0.any != list } == [2, 3, 4] && realm.shelves { !($0.any != dictionary) } == [2])
            #expect(realm.shelves { $0.indexedAny == list } == [1])
            #expect(realm.shelves { $0.indexedAny == dictionary } == [2])
            #expect(realm.shelves { $0.indexedAny.in([dictionary, list]) } == [1, 2])
            #expect(realm.shelves { $0.any.in([list, .none]) } == [1, 4])
            #expect(realm.shelves { $0.any == .fromArray([.double(1), .string("a"), .none]) } == [1])
            #expect(realm.shelves { $0.any == .fromArray([.string("a"), .int(1), .none]) } == [])
            #expect(realm.shelves { $0.any == .fromArray([]) } == [])
            #expect(realm.shelves { $0.any == .fromDictionary([:]) } == [])
            #expect(realm.shelves { $0.indexedAny[0] == list } == [3])
            #expect(realm.shelves { $0.indexedAny.any == list } == [3])
            #expect(realm.shelves { $0.any["l"] == .fromArray([.bool(true)]) } == [2])
            #expect(realm.shelves { $0.anys.contains(list) } == [1] && realm.shelves { $0.anys == list } == [1])
            #expect(realm.shelves { $0.anys.containsAny(in: [dictionary, list]) } == [1])
            // The same as arguments, and a stored list as one.
            let shelves = realm.objects(Shelf.self)
            #expect(shelves.filter("any == %@", list).map(\.id) == [1])
            #expect(shelves.filter("any == %@", shelves[0].any).map(\.id) == [1])
            #expect(shelves.filter("any != %@ AND any != nil", dictionary).map(\.id) == [1, 3])
            #expect(shelves.where { $0.any == shelves[1].indexedAny }.map(\.id) == [2])
        }
    }

    @Test func `S129: lists with objects`() throws {
        try withShelves { realm in
            let shelf = try realm.write {
                let shelf = realm.create(Shelf.self, value: ["id": 1])
                shelf.any = .fromArray([.object(shelf)])
                return shelf
            }
            let shelves = realm.objects(Shelf.self)
            #expect(shelves.where { $0.any == .fromArray([.object(shelf)]) }.count == 1)
            #expect(shelves.where { $0.any == .fromArray([.object(Shelf())]) }.isEmpty)
            #expect(shelves.where { $0.any != .fromArray([.object(Shelf())]) }.count == 1)
            #expect(shelves.where { $0.any.in([.fromArray([.object(Shelf())])]) }.isEmpty)
        }
    }

    @Test func `predicates with lists print as text that reads back`() {
        let predicate = NSPredicate(format: "any == %@", list), other = NSPredicate(format: "any == %@", dictionary)
        #expect(NSPredicate(format: "\(predicate)") == predicate && predicate != other)
        #expect(NSPredicate(format: "\(other)") == other && "\(predicate)".contains("nested('"))
    }

    @Test func `S106: lists and dictionaries have no order in conditions`() throws {
        try withShelves { realm in
            let shelves = realm.objects(Shelf.self)
            for format in ["any < %@", "any >= %@", "any BETWEEN {%@, 3}"] {
                #expect(throws: Realm.Error.self) { try shelves.filter(checking: format, list) }
            }
            for format in ["any CONTAINS %@", "limit == %@", "name IN {%@}", "any LIKE %@"] {
                #expect(throws: Realm.Error.self) { try shelves.filter(checking: format, dictionary) }
            }
        }
    }
}
