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

    @Test func `S34: collections as text`() throws {
        let list = List<Int?>(), map = Map<String, String>(), set = MutableSet<Int>()
        list.append(objectsIn: [1, nil])
        map["k"] = "v"
        #expect(list.description == "List<Optional<Int>> (\n\t[0] 1,\n\t[1] (null)\n)")
        #expect(map.description == "Map<String, String> (\n\t[k]: v\n)")
        #expect(set.description == "MutableSet<Int> (\n\n)")
        list.append(objectsIn: Array(repeating: 7, count: 200))
        #expect(list.description.hasSuffix("\n\t... 102 objects skipped.\n)"))
        try withRealm(collectionTypes) { realm in
            let maps = try realm.write { realm.create(Maps.self, value: ["dogs": ["a": ["rex"]]]) }
            #expect(maps.dogs.description.contains("[a]: Dog {\n\t\tname = rex;"))
        }
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
