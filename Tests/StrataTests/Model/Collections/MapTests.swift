// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct MapTests {
    @Test func `C5: every way to read and change a map`() throws {
        try onBoth(Maps.self) { maps in
            let map = maps.ints
            map["b"] = 2
            map["a"] = 1
            map["ä"] = 3
            map[""] = 0
            #expect(map.keys == ["", "a", "b", "ä"] && map.values == [0, 1, 2, 3] && map.count == 4)
            #expect(map["a"] == 1 && map["x"] == nil && map.object(forKey: "b") == 2)
            map["a"] = 10
            map.updateValue(20, forKey: "b")
            map.removeObject(for: "")
            map.removeObject(for: "missing")
            #expect(map.map { "\($0.key)\($0.value)" } == ["a10", "b20", "ä3"])
            #expect(map.asKeyValueSequence().map { "\($0.key)\($0.value)" } == ["a10", "b20", "ä3"])
            #expect(map.contains { $0 == "a" && $1 == 10 } && !map.contains { _, value in value == 99 })
            map["n", default: 5] += 1
            #expect(map["n"] == 6 && map.min() == 3 && map.max() == 20 && map.sum() == 39 && map.average() == 9.75)
            map.removeAll()
            #expect(map.isEmpty && map.keys.isEmpty)
        }
    }

    @Test func `C10: maps of several types`() throws {
        try onBoth(Maps.self) { maps in
            let long = String(repeating: "long ", count: 2000)
            maps.strings["k"] = long
            maps.strings[String(repeating: "k", count: 900)] = "v"
            maps.doubles["pi"] = 3.5
            maps.moods["m"] = .cross
            #expect(maps.strings["k"] == long && maps.strings[String(repeating: "k", count: 900)] == "v")
            #expect(maps.doubles["pi"] == 3.5 && maps.moods["m"] == .cross)
        }
    }

    @Test func `many entries`() throws {
        try withRealm(collectionTypes) { realm in
            let maps = try realm.write {
                let maps = realm.create(Maps.self)
                for value in 0..<2000 { maps.ints["key \(value * 7919 % 2000)"] = value }
                return maps
            }
            #expect(maps.ints.count == 2000 && maps.ints["key 7919"] == nil && maps.ints["key \(7919 % 2000)"] == 1)
            #expect(maps.ints.keys == maps.ints.keys.sorted() && Set(maps.ints.values) == Set(0..<2000))
        }
    }

    // S87
    @Test(
        """
        Differs from Realm: a map key with a dot or a leading dollar sign makes `write` throw and roll back; \
        Realm raises an exception of Objective-C.
        """,
        arguments: ["a.b", "$a", String(repeating: "k", count: 1025)])
    func unfitMapKeysFailTheWrite(key: String) throws {
        try withRealm(collectionTypes) { realm in
            let maps = try realm.write { realm.create(Maps.self) }
            #expect { try realm.write { maps.ints[key] = 1 } } throws: { error in
                (error as? Realm.Error)?.code == .invalidInput && "\(error)".contains("Maps.ints: the map key")
            }
            #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(Maps.self, value: ["id": 2, "ints": [key: 1]]) }
            }
            #expect(maps.ints.isEmpty && realm.objects(Maps.self).count == 1)
            try realm.write { maps.ints["a$"] = 1 }
            #expect(maps.ints["a$"] == 1)
        }
    }

    @Test func `S88: nil removes an entry, .some(nil) stores a nil`() throws {
        try onBoth(Maps.self) { maps in
            maps.ints["a"] = 1
            maps.ints["a"] = nil
            #expect(maps.ints.isEmpty)
            let map = maps.intsOrNil
            map["a"] = .some(nil)
            map.updateValue(nil, forKey: "b")
            map["c"] = 3
            #expect(map.count == 3 && map["a"] == .some(nil) && map["b"] == .some(nil) && map["c"] == 3)
            #expect(map["x"] == Int??.none && map.values == [nil, nil, 3])
            map["a"] = nil
            map["c"] = nil
            #expect(map.keys == ["b"])
        }
    }

    @Test func `S89: values by name`() throws {
        try onBoth(Maps.self) { maps in
            maps.ints.setValue(5, forKey: "a")
            maps.ints.setValue(Int8(6), forKey: "b")
            maps.ints.setValue(nil, forKey: "a")
            #expect(maps.ints.keys == ["b"] && maps.ints.value(forKey: "b") as? Int == 6)
            maps.intsOrNil.setValue(Int?.none as Any, forKey: "n")
            #expect(maps.intsOrNil["n"] == .some(nil))
            maps.intsOrNil.setValue(nil, forKey: "n")
            #expect(maps.intsOrNil.isEmpty, "as by the subscript, a nil of no type removes the key")
        }
    }

    @Test func `S89: what is an operator elsewhere is a key of a map`() throws {
        try onBoth(Maps.self) { maps in
            maps.ints["a"] = 5
            for name in ["@max", "@count", "@keys", "@values"] {
                #expect(maps.ints.value(forKey: name) == nil && maps.value(forKeyPath: "ints.\(name)") == nil)
                maps.ints[name] = 1
                #expect(maps.ints.value(forKey: name) as? Int == 1)
            }
        }
    }

    @Test func `S90: keys and values are in one order`() throws {
        try onBoth(Maps.self) { maps in
            for value in 0..<300 { maps.strings["\(value * 37 % 300)"] = "\(value * 37 % 300)" }
            #expect(maps.strings.keys == maps.strings.values && maps.strings.count == 300)
        }
    }

    @Test func `S91: merging asks about conflicts only`() throws {
        try onBoth(Maps.self) { maps in
            maps.ints["a"] = 1
            var asked: [[Int]] = []
            maps.ints.merge(["a": 10, "b": 20].map { (key: $0.key, value: $0.value) }) {
                asked.append([$0, $1])
                return $0 + $1
            }
            #expect(maps.ints["a"] == 11 && maps.ints["b"] == 20 && asked == [[1, 10]])
            let other = Map<String, Int>()
            other["b"] = 1
            other["c"] = 2
            maps.ints.merge(other) { $1 }
            #expect(maps.ints["b"] == 1 && maps.ints["c"] == 2)
            maps.ints.merge(["c": 7]) { $1 }
            #expect(maps.ints["c"] == 7)
        }
    }

    @Test func `S26: assigning a map copies it, and to itself keeps it`() throws {
        try onBoth(Maps.self) { maps in
            let map = maps.ints, other = Map<String, Int>()
            map["a"] = 1
            maps.ints = maps.ints
            #expect(maps.ints["a"] == 1)
            other["b"] = 2
            maps.ints = other
            other["c"] = 3
            #expect(map.keys == ["b"])
        }
    }

    @Test func `S32: unmanaged maps compare by contents, managed ones by place`() throws {
        let one = Map<String, Int?>(), two = Map<String, Int?>()
        one["a"] = .some(nil)
        #expect(one != two)
        two["a"] = .some(nil)
        #expect(one == two && one.hashValue == two.hashValue)
        two["a"] = 1
        #expect(one != two)
        try withRealm(collectionTypes) { realm in
            let (a, b) = try realm.write {
                (realm.create(Maps.self, value: ["id": 1]), realm.create(Maps.self, value: ["id": 2]))
            }
            #expect(a.ints == a.ints && a.ints != b.ints && a.ints != Map<String, Int>())
        }
    }

    @Test func `S37 S44: maps of added and created objects`() throws {
        try withRealm(collectionTypes) { realm in
            let maps = Maps(), ints = maps.ints
            ints["a"] = 1
            maps.dogs["d"] = Dog("rex")
            maps.dogs["none"] = .some(nil)
            try realm.write { realm.add(maps) }
            #expect(ints["a"] == 1 && ints.realm != nil)
            #expect(maps.dogs["d"]??.name == "rex" && maps.dogs["none"] == .some(nil))
            let created = try realm.write {
                realm.create(
                    Maps.self,
                    value: [
                        "id": 1, "ints": maps.ints, "dogs": ["x": ["name": "ina"], "y": NSNull()], "strings": NSNull(),
                    ])
            }
            #expect(created.ints["a"] == 1 && created.dogs["x"]??.name == "ina" && created.dogs["y"] == .some(nil))
            #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(Maps.self, value: ["id": 2, "ints": [1, 2]]) }
            }
        }
    }

    @Test(arguments: [UpdatePolicy.modified, .all]) func `S56: an upsert replaces maps`(policy: UpdatePolicy) throws {
        try withRealm(collectionTypes) { realm in
            let maps = try realm.write { realm.create(Maps.self, value: ["id": 1, "ints": ["a": 1, "b": 2]]) }
            try realm.write { realm.create(Maps.self, value: ["id": 1, "ints": ["b": 3]], update: policy) }
            #expect(maps.ints.keys == ["b"] && maps.ints["b"] == 3)
        }
    }

    @Test func `S77: walking a map while changing it visits what was there`() throws {
        try onBoth(Maps.self) { maps in
            for value in 0..<100 { maps.ints["\(value)"] = value }
            var sum = 0
            for entry in maps.ints {
                sum += entry.value
                maps.ints[entry.key] = nil
            }
            #expect(sum == 4950 && maps.ints.isEmpty)
        }
    }

    @Test func `S93: changing a map outside of a write traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(collectionTypes) { realm in
                let maps = try realm.write { realm.create(Maps.self) }
                maps.ints["a"] = nil
            }
        }
        expect(result, says: "Maps.ints cannot be changed outside of a write")
    }

    @Test func `C5: maps of objects are queried by their values`() throws {
        try withRealm(collectionTypes) { realm in
            let maps = try realm.write {
                realm.create(
                    Maps.self,
                    value: ["dogs": ["x": ["b", 3], "y": ["a", 5], "z": NSNull()], "ints": ["p": 2, "q": 1]])
            }
            #expect(maps.dogs.sorted(by: \.name).map { $0?.name } == ["a", "b"])
            #expect(maps.dogs.where { $0.age > 3 }.map { $0?.name } == ["a"])
            #expect(Array(maps.ints.sorted()) == [1, 2])
        }
    }
}
