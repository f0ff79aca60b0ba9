// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct CollectionTextTests {
    private struct Collections: Codable, Equatable {
        var list: List<Int?>
        var set: MutableSet<String>
        var map: Map<String, Double?>
    }

    @Test func `S216: collections are encoded as arrays and objects`() throws {
        let value = Collections(list: List(), set: MutableSet(), map: Map())
        value.list.append(objectsIn: [1, nil])
        value.set.insert("a")
        value.map["x"] = 1.5
        value.map["n"] = .some(nil)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(value)
        #expect(String(decoding: data, as: UTF8.self) == #"{"list":[1,null],"map":{"n":null,"x":1.5},"set":["a"]}"#)
        #expect(try JSONDecoder().decode(Collections.self, from: data) == value)
        try withRealm(collectionTypes) { realm in
            let lists = try realm.write { realm.create(Lists.self, value: ["ints": [1, 2]]) }
            #expect(String(decoding: try encoder.encode(lists.ints), as: UTF8.self) == "[1,2]")
        }
    }

    /// The text without the address in memory, which differs from run to run.
    private func text(_ value: some CustomStringConvertible) -> String {
        value.description.replacing(/0x[0-9a-f]+/, with: "0x0")
    }

    @Test func `S34: collections as text, with the type that is stored and the class in the realm`() throws {
        let list = List<Int?>(), map = Map<String, String>(), set = MutableSet<Int>(), moods = List<Mood>()
        list.append(objectsIn: [1, nil])
        map["k"] = "v"
        moods.append(.cross)
        #expect(text(list) == "List<int> <0x0> (\n\t[0] 1,\n\t[1] (null)\n)")
        #expect(text(map) == "Map<string, string> <0x0> (\n\t[k]: v\n)")
        #expect(text(set) == "MutableSet<int> <0x0> (\n\n)")
        #expect(text(moods) == "List<string> <0x0> (\n\t[0] cross\n)")
        #expect(list.description == list.description && list.description != List<Int?>().description)
        list.append(objectsIn: Array(repeating: 7, count: 200))
        #expect(list.description.hasSuffix("\n\t[99] 7\n\t... 102 objects skipped.\n)"))
        for key in 0..<101 { map["\(key)"] = "" }
        #expect(map.description.hasSuffix("\n\t... 2 key-value pairs skipped.\n)"))
        try withRealm(collectionTypes) { realm in
            let maps = try realm.write { realm.create(Maps.self, value: ["dogs": ["a": ["rex"]]]) }
            let dog = "Dog {\n\t\tname = rex;\n\t\tage = 0;\n\t}"
            #expect(text(maps.dogs) == "Map<string, Dog> <0x0> (\n\t[a]: \(dog)\n)")
            #expect(text(realm.objects(Dog.self)) == "Results<Dog> <0x0> (\n\t[0] \(dog)\n)")
            #expect(text(realm.dynamicObjects("Dog")) == "Results<Dog> <0x0> (\n\t[0] \(dog)\n)")
            #expect(text(AnyRealmCollection(realm.objects(Dog.self).filter("age > 1"))) == "Results<Dog> <0x0> (\n\n)")
            let lists = try realm.write { realm.create(Lists.self, value: ["bools": [true, false], "dogs": [["rex"]]]) }
            #expect(text(lists.bools) == "List<bool> <0x0> (\n\t[0] 1,\n\t[1] 0\n)")
            #expect(text(lists.bools.sorted()) == "Results<bool> <0x0> (\n\t[0] 0,\n\t[1] 1\n)")
            #expect(text(lists.dynamicList("dogs")) == "List<Dog> <0x0> (\n\t[0] \(dog)\n)")
            #expect(text(Target().inLists) == "LinkingObjects<Origin> <0x0> (\n\n)")
            let origin = try realm.write { realm.create(Origin.self, value: ["list": [["name": "u"]]]) }
            let links = text(try #require(origin.list.first).inLists)
            #expect(
                links.hasPrefix("LinkingObjects<Origin> <0x0> (\n\t[0] Origin {\n\t\tlist = List<Target> <0x0> ("))
        }
    }

    @Test func `S34: collections in values of any type as text`() throws {
        let holder = AnyHolder()
        holder.value = .fromArray([.int(1), .fromDictionary(["k": .bool(true)])])
        let expected = """
            \tvalue = List<mixed> <0x0> (
            \t\t[0] 1,
            \t\t[1] Map<string, mixed> <0x0> (
            \t\t\t[k]: 1
            \t\t)
            \t);

            """
        #expect(text(holder).contains(expected), "\(text(holder))")
        try withRealm([AnyHolder.self]) { realm in
            try realm.write { realm.add(holder) }
            #expect(text(holder).contains(expected), "\(text(holder))")
        }
    }

    @Test func `a sort descriptor as text`() {
        #expect(SortDescriptor(keyPath: "name").description == "SortDescriptor(keyPath: name, direction: ascending)")
        let descending = SortDescriptor(keyPath: "a.b", ascending: false)
        #expect("\(descending)" == "SortDescriptor(keyPath: a.b, direction: descending)")
    }

    @Test func `S111 S112: sums wrap around, averages of decimals are decimals`() throws {
        try onBoth(Lists.self) { lists in
            lists.bytes.append(objectsIn: [127, 2])
            lists.decimals.append(objectsIn: [1, 2, 4])
            lists.decimalsOrNil.append(objectsIn: [nil, 3])
            #expect(lists.bytes.sum() == -127 && lists.decimals.sum() == 7 && lists.decimals.max() == 4)
            let average: Decimal128? = lists.decimals.average()
            #expect(average == Decimal128(7) / 3)
            let other: Decimal128? = lists.decimalsOrNil.average()
            #expect(other == 3)
            #expect(lists.doubles.sum() == 0 && lists.doubles.average() == nil && lists.doubles.min() == nil)
        }
    }

    @Test func `S105: strings and data in order of their bytes`() throws {
        try withRealm(collectionTypes) { realm in
            let lists = try realm.write { realm.create(Lists.self) }
            try realm.write {
                lists.strings.append(objectsIn: ["ä", "a", "A", "aa"])
                lists.datas.append(objectsIn: [Data([2]), Data([1, 5]), Data([1])])
                lists.bools.append(objectsIn: [true, false])
            }
            #expect(Array(lists.strings.sorted()) == ["A", "a", "aa", "ä"])
            #expect(Array(lists.datas.sorted()) == [Data([1]), Data([1, 5]), Data([2])])
            #expect(Array(lists.bools.sorted()) == [false, true])
        }
    }
}
