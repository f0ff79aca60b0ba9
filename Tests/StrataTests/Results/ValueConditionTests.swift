// SPDX-License-Identifier: MIT
// ValueConditionTests.swift -- conditions on the values of collections, and maps as results.

import Foundation
import Strata
import Testing

/// A realm with one object that has lists of values.
private func withLists(_ body: (Lists, Realm) throws -> Void) throws {
    try withRealm(collectionTypes) { realm in
        let lists = try realm.write {
            realm.create(
                Lists.self,
                value: [
                    "id": 1, "ints": [5, 1, 4, 1, 9], "strings": ["Rex", "fido", "Réx", ""],
                    "bools": [true, false, true], "intsOrNil": [3, NSNull(), 7, 3], "moods": ["calm", "merry"],
                    "datas": [Data([1, 2]), Data()], "dates": [Date(timeIntervalSinceReferenceDate: 5)],
                ] as [String: Any])
        }
        try body(lists, realm)
    }
}

@Suite struct ValueConditionTests {
    // MARK: Lists and sets

    @Test func `S139: values are filtered in the order of the list`() throws {
        try withLists { lists, _ in
            #expect(Array(lists.ints.where { $0 > 3 }) == [5, 4, 9])
            #expect(Array(lists.ints.where { $0 > 3 && !($0 == 9) || $0.in([1]) }) == [5, 1, 4, 1])
            #expect(Array(lists.ints.where { $0.contains(2...5) }) == [5, 4])
            #expect(Array(lists.ints.filter("SELF BETWEEN {%@, %@}", 2, 5)) == [5, 4])
            #expect(Array(lists.ints.filter(NSPredicate(format: "SELF == 1"))) == [1, 1])
            #expect(Array(lists.strings.where { $0.starts(with: "R") }) == ["Rex", "Réx"])
            #expect(Array(lists.strings.where { $0.equals("rex", options: [.caseInsensitive, .diacriticInsensitive]) })
                == ["Rex", "Réx"])
            #expect(Array(lists.strings.filter("SELF LIKE '*e*' OR SELF == ''")) == ["Rex", ""])
            #expect(Array(lists.bools.where { $0 }) == [true, true] && lists.bools.where { !$0 }.count == 1)
            #expect(Array(lists.intsOrNil.where { $0 != nil }) == [3, 7, 3])
            #expect(lists.intsOrNil.where { $0 == nil }.count == 1)
            #expect(Array(lists.moods.where { $0 == .merry }) == [.merry])
            #expect(Array(lists.moods.where { $0.rawValue.contains("al") }) == [.calm])
            #expect(lists.datas.where { $0 == Data() }.count == 1 && lists.dates.where { $0 > Date() }.isEmpty)
        }
    }

    @Test func `S139 S108: filters, orders and distinct values of values follow each other`() throws {
        try withLists { lists, _ in
            let some = lists.ints.where { $0 < 9 }
            #expect(Array(some.sorted()) == [1, 1, 4, 5] && Array(some.distinct()) == [5, 1, 4])
            #expect(Array(lists.ints.sorted(ascending: false).filter("SELF < 9").distinct()) == [5, 4, 1])
            #expect(Array(lists.ints.distinct().where { $0 > 1 }.where { $0 < 9 }) == [5, 4])
            #expect(some.count == 4 && some.first == 5 && some.last == 1 && some[2] == 4 && some.index(of: 4) == 2)
            #expect(some.min() == 1 && some.max() == 5 && some.sum() == 11 && some.average() == 2.75)
            #expect(some.sectioned(by: { $0 > 1 }).map(\.count) == [2, 2])
            #expect(some.value(forKeyPath: "@sum.self") as? Int == 11)
        }
    }

    @Test func `S94: filtered values are live`() throws {
        try withLists { lists, realm in
            let large = lists.ints.where { $0 > 3 }, sorted = large.sorted()
            #expect(Array(sorted) == [4, 5, 9])
            try realm.write {
                lists.ints.append(7)
                #expect(Array(sorted) == [4, 5, 7, 9] && large.count == 4)
                lists.ints.removeAll()
                #expect(sorted.isEmpty && large.first == nil)
            }
            try realm.write { realm.delete(lists) }
            #expect(large.isInvalidated && large.isEmpty)
        }
    }

    @Test func `C1: the first of the values that meets a condition`() throws {
        try withLists { lists, _ in
            #expect(lists.ints.index(matching: { $0 < 5 }) == 1 && lists.ints.index(matching: "SELF > 9") == nil)
            #expect(lists.ints.sorted().index(matching: { $0 > 3 }) == 2)
            #expect(lists.ints.distinct().sorted(ascending: false).index(matching: "SELF < %@", 5) == 2)
            #expect(lists.ints.where { $0 > 1 }.index(matching: NSPredicate(format: "SELF == 9")) == 2)
        }
    }

    @Test func `S27: the first of the unmanaged values that meets a condition`() throws {
        let lists = Lists(value: ["ints": [5, 1, 4], "strings": ["Rex", "fido"], "intsOrNil": [3, NSNull()]])
        #expect(lists.ints.index(matching: { $0 < 5 }) == 1 && lists.ints.index(matching: "SELF > 9") == nil)
        #expect(lists.ints.index(matching: NSPredicate(format: "SELF IN {4, 6}")) == 2)
        #expect(lists.strings.index(matching: { $0.ends(with: "o") }) == 1)
        #expect(lists.intsOrNil.index(matching: { $0 == nil }) == 1)
        #expect(lists.moods.index(matching: "SELF == 'x'") == nil)
        let holder = AnyHolder()
        holder.list.append(objectsIn: [.string("a"), .int(3), .object(Dog(value: ["name": "Rex"])), .bool(true)])
        #expect(holder.list.index(matching: { $0 == .bool(true) }) == 3)
        #expect(holder.list.index(matching: "SELF > 2.5") == 1)
        #expect(Target().inLists.index(matching: "map.@count == 1") == nil)
    }

    @Test func `Q12: conditions on values of any type look into them`() throws {
        try withRealm([AnyHolder.self]) { realm in
            let holder = try realm.write {
                let holder = realm.create(AnyHolder.self)
                holder.list.append(objectsIn: [
                    .int(3), .fromArray([.int(7), .string("x")]), .fromDictionary(["k": .int(9)]), .double(3), .none,
                ])
                holder.value = .fromArray([.int(4), .string("a"), .int(1), .int(4)])
                return holder
            }
            let list = holder.list
            #expect(list.where { $0 == .int(3) }.count == 2 && list.index(matching: { $0[0] == .int(7) }) == 1)
            #expect(list.index(matching: { $0["k"] > .int(8) }) == 2)
            #expect(list.index(matching: { $0.any == .string("x") }) == 1)
            #expect(list.filter("SELF['k'] == 9 OR SELF == nil").count == 2)
            guard case .list(let nested) = holder.value else {
                Issue.record("the value holds no list")
                return
            }
            #expect(Array(nested.filter("SELF >= 2")) == [.int(4), .int(4)])
            #expect(nested.where { $0 == .string("a") || $0 == .int(1) }.count == 2)
            #expect(Array(nested.filter("SELF < 9").sorted()) == [.int(1), .int(4), .int(4)])
            #expect(Array(nested.distinct().filter("SELF > 2")) == [.int(4)])
            #expect(nested.index(matching: { $0 == .string("a") }) == 1 && nested.sum() == .decimal128(9))
        }
    }

    @Test func `S85: a set of values has no index of a condition`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(collectionTypes) { realm in
                let sets = try realm.write { realm.create(Sets.self, value: ["ints": [1, 2]]) }
                #expect(Array(sets.ints.where { $0 > 1 }) == [2])
                _ = sets.ints.index(matching: { $0 > 1 })
            }
        }
        expect(result, says: "index(matching:) of a set, which has no order")
    }

    private static let unmanagedUses: [(use: @Sendable () -> Void, message: String)] = [
        ({ _ = List<Int>().filter("SELF > 3") }, "an unmanaged List<Int> cannot be queried"),
        ({ _ = List<Int>().where { $0 > 3 } }, "an unmanaged List<Int> cannot be queried"),
        ({ _ = List<Int>().distinct() }, "an unmanaged List<Int> cannot be made distinct"),
        ({ _ = List<Int>().sectioned(by: { $0 % 2 }, ascending: true) }, "an unmanaged List<Int> cannot be sorted"),
        ({ _ = List<Int>().observe { _ in } }, "a List<Int> is unmanaged; add its object to a realm to observe it"),
        ({ _ = List<Int>().freeze() }, "an unmanaged List<Int> cannot be frozen"),
        ({ _ = ManyMoods().list.sorted(ascending: false) }, "an unmanaged List<Mood> cannot be sorted"),
        ({ _ = MutableSet<Int>().filter("SELF > 3") }, "an unmanaged MutableSet<Int> cannot be queried"),
        ({ _ = MutableSet<Int>().where { $0 > 3 } }, "an unmanaged MutableSet<Int> cannot be queried"),
        ({ _ = MutableSet<Int>().distinct() }, "an unmanaged MutableSet<Int> cannot be made distinct"),
        (
            { _ = MutableSet<Int>().sectioned(by: { $0 % 2 }, ascending: true) },
            "an unmanaged MutableSet<Int> cannot be sorted"
        ),
        ({ _ = MutableSet<Int>().observe { _ in } }, "a MutableSet<Int> is unmanaged; add its object to a realm"),
        ({ _ = MutableSet<Int>().freeze() }, "an unmanaged MutableSet<Int> cannot be frozen"),
        ({ _ = Map<String, Int>().filter("SELF > 3") }, "an unmanaged Map<String, Int> cannot be queried"),
        ({ _ = Map<String, Int>().where { $0 > 3 } }, "an unmanaged Map<String, Int> cannot be queried"),
        ({ _ = Map<String, Int>().sorted(ascending: true) }, "an unmanaged Map<String, Int> cannot be sorted"),
        ({ _ = Map<String, Int>().observe { _ in } }, "a Map<String, Int> is unmanaged; add its object to a realm"),
        ({ _ = Map<String, Int>().freeze() }, "an unmanaged Map<String, Int> cannot be frozen"),
        ({ _ = List<Dog>().where { $0.age > 3 } }, "an unmanaged List<Dog> cannot be queried"),
        ({ _ = List<Dog>().sorted(byKeyPath: "name") }, "an unmanaged List<Dog> cannot be queried"),
        ({ _ = List<Dog>().distinct(by: ["name"]) }, "an unmanaged List<Dog> cannot be queried"),
        (
            { _ = MutableSet<Dog>().sectioned(by: \.name, ascending: true) },
            "an unmanaged MutableSet<Dog> cannot be queried"
        ),
    ]

    @Test(arguments: unmanagedUses.indices)
    func `S27: unmanaged collections are not queried, sorted, made distinct or sections, observed or frozen`(
        index: Int
    ) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index] in
            ValueConditionTests.unmanagedUses[index].use()
        }
        expect(result, says: Self.unmanagedUses[index].message)
    }

    @Test func `S117: a condition that does not fit the values`() async {
        let constant = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withLists { lists, _ in _ = lists.ints.filter("SELF == 'five'") }
        }
        expect(
            constant,
            says: "the predicate \"SELF == 'five'\" cannot be used on Lists.ints: at column 9: 'ints' of Lists is "
                + "an int; it cannot be compared with a string")
        let path = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withLists { lists, _ in _ = lists.ints.filter("age > 3") }
        }
        expect(path, says: "'ints' of Lists is a value (int); a path goes on only through links")
    }

    @Test("Differs from Realm: values can be filtered, as SELF; Realm raises an exception. Copies would cost more.")
    func valuesAreFiltered() throws {
        try withLists { lists, _ in
            #expect(Array(lists.ints.filter("SELF > 4")) == [5, 9] && Array(lists.ints.where { $0 > 4 }) == [5, 9])
        }
    }

    // MARK: Maps

    @Test func `C5: maps of objects as results of their values`() throws {
        try withRealm(collectionTypes) { realm in
            let maps = try realm.write {
                realm.create(
                    Maps.self,
                    value: [
                        "dogs": ["x": ["b", 3], "y": ["a", 5], "z": NSNull(), "w": ["c", 5]],
                        "ints": ["p": 2, "q": 1, "r": 4],
                    ])
            }
            let old: Results<Dog?> = maps.dogs.filter("age > %@", 4)
            #expect(old.map { $0?.name } == ["c", "a"] && old.first??.age == 5 && old[1]?.name == "a" && old.count == 2)
            #expect(maps.dogs.filter(NSPredicate(format: "age == 3")).first!!.name == "b")
            let young: Results<Dog?> = maps.dogs.where { $0.age < 4 && $0.name == "b" }
            #expect(young.map { $0!.name } == ["b"] && young.last??.age == 3)
            for dog in young { #expect(dog?.age == 3) }
            let sorted: Results<Dog?> = maps.dogs.sorted(byKeyPath: "name", ascending: false)
            #expect(sorted.map { $0?.name } == ["c", "b", "a"])
            #expect(maps.dogs.sorted(by: [SortDescriptor(keyPath: "age"), "name"]).map { $0?.name } == ["b", "a", "c"])
            #expect(maps.dogs.sorted(by: \.name).where { $0.age == 5 }.sorted(by: \.age).map { $0?.name } == ["a", "c"])
            #expect(sorted.min(of: \.age) == 3 && sorted.sum(of: \.age) == 13 && old.average(of: \.age) == 5)
            #expect(sorted.index(matching: { $0.age == 3 }) == 1 && sorted.index(of: young.first!) == 1)
            #expect(maps.dogs.sorted(by: \.name).distinct(by: [\.age]).map { $0?.name } == ["a", "b"])
            #expect(maps.dogs.results().map(\.age).reduce(0, +) == 13)
        }
    }

    @Test func `C5: maps of values as results of their values`() throws {
        try withRealm(collectionTypes) { realm in
            let maps = try realm.write {
                realm.create(
                    Maps.self,
                    value: [
                        "ints": ["p": 2, "q": 1, "r": 4], "intsOrNil": ["a": 1, "b": NSNull()], "moods": ["m": "calm"],
                    ])
            }
            let large: Results<Int> = maps.ints.where { $0 > 1 }
            #expect(Array(large) == [2, 4] && Array(maps.ints.filter("SELF < %@", 4)) == [2, 1])
            #expect(Array(maps.ints.filter(NSPredicate(format: "SELF == 1"))) == [1])
            #expect(Array(maps.ints.sorted()) == [1, 2, 4] && Array(maps.ints.sorted(ascending: false)) == [4, 2, 1])
            #expect(Array(maps.ints.sorted(byKeyPath: "self", ascending: false)) == [4, 2, 1])
            #expect(Array(maps.ints.sorted(by: [SortDescriptor(keyPath: "self")])) == [1, 2, 4])
            #expect(Array(maps.intsOrNil.where { $0 == nil }) == [nil] && maps.moods.where { $0 == .calm }.count == 1)
            #expect(Array(maps.moods.sorted()) == [.calm])
            // 90: keys and values are in one order, which is that of the results.
            #expect(zip(maps.ints.keys, maps.ints.values).allSatisfy { maps.ints[$0] == $1 })
            #expect(Array(maps.ints.filter("TRUEPREDICATE")) == maps.ints.values)
        }
    }

    // MARK: Custom types that are stored as objects

    @Test func `S27 S133: custom types that are stored as objects are filtered by their properties`() throws {
        try withRealm(customTypes + [Route.self]) { realm in
            let route = try realm.write {
                realm.create(Route.self, value: ["places": [["x": 1, "y": 2], ["x": 3, "y": 4]]])
            }
            #expect(route.places.where { $0.x > 2 }.count == 1 && route.places.filter("y < 3").count == 1)
            #expect(realm.objects(Route.self).filter("places.@max.x == 3 AND places.@count == 2").count == 1)
        }
    }
}

final class Route: Object {
    @Persisted var places: List<Place>
}
