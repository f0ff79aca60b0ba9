// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct NestedCollectionTests {
    static let types: [ObjectBase.Type] = [AnyHolder.self, Dog.self, Person.self]

    /// Runs a body on a live object whose property, list and map hold a list and a dictionary each.
    private func withHolder(_ body: (Realm, AnyHolder) throws -> Void) throws {
        try withRealm(Self.types) { realm in
            let value: AnyRealmValue = ["list": [1, "two", .none], "map": ["x": 1, "y": [2, 3]], "plain": 5]
            let holder = try realm.write {
                realm.create(AnyHolder.self, value: ["value": value, "list": [value, [10, 20]], "map": ["a": value]])
            }
            try body(realm, holder)
        }
    }

    /// The three places that a value of any type can be in, each a dictionary like the one above.
    private func places(_ holder: AnyHolder) throws -> [Map<String, AnyRealmValue>] {
        [
            try #require(holder.value.dictionaryValue), try #require(holder.list[0].dictionaryValue),
            try #require(holder.map["a"]?.dictionaryValue),
        ]
    }

    @Test func `S211: changes of a nested list are stored`() throws {
        try withHolder { realm, holder in
            for map in try places(holder) {
                let list = try #require(map["list"]?.listValue)
                #expect(list.realm == realm && !list.isInvalidated && list.count == 3 && map.count == 3)
                #expect(list.first == 1 && list.last == AnyRealmValue.none && Array(list) == [1, "two", .none])
                #expect(list.index(of: "two") == 1 && list.index(of: 1.0) == 0 && list.index(of: "x") == nil)
                try realm.write {
                    list.append(4)
                    list.append(objectsIn: [5, 6])
                    list.insert("first", at: 0)
                    list[2] = 2
                    list.remove(at: 3)
                }
                #expect(Array(list) == ["first", 1, 2, 4, 5, 6])
                try realm.write {
                    list.move(from: 0, to: 5)
                    list.swapAt(0, 1)
                    list.removeLast()
                    list.replaceSubrange(1..<3, with: [[7], ["k": 8]])
                }
                #expect(list.count == 5 && list[0] == 2 && list[1].listValue?[0] == 7 && list[4] == 6)
                #expect(list[2].dictionaryValue?["k"] == 8)
                try realm.write { list[1].listValue?.append(9) }
                #expect(list[1].listValue.map { Array($0) } == [7, 9])
                try realm.write { list.removeAll() }
                #expect(list.isEmpty && list.first == nil && map["list"]?.listValue?.count == 0)
            }
        }
    }

    @Test func `S211: changes of a nested dictionary are stored`() throws {
        try withHolder { realm, holder in
            for outer in try places(holder) {
                let map = try #require(outer["map"]?.dictionaryValue)
                #expect(map.realm == realm && map.keys == ["x", "y"] && map["x"] == 1 && map["z"] == nil)
                try realm.write {
                    map["z"] = "new"
                    map["x"] = nil
                    map.updateValue(.none, forKey: "a")
                    map["y"]?.listValue?.append(4)
                }
                #expect(map.keys == ["a", "y", "z"] && map["a"] == AnyRealmValue.none && map["z"] == "new")
                #expect(map["y"]?.listValue.map { Array($0) } == [2, 3, 4])
                #expect(map.asKeyValueSequence().map(\.key) == ["a", "y", "z"] && map.values.count == 3)
                try realm.write {
                    map.merge(["z": "other", "q": 1].map { (key: $0.key, value: $0.value) }) { old, _ in old }
                    outer["map"]?.dictionaryValue?["deep"] = ["er": [1, ["est": true]]]
                }
                #expect(map["z"] == "new" && map["q"] == 1)
                let deep = map["deep"]?.dictionaryValue?["er"]?.listValue
                #expect(deep?[1].dictionaryValue?["est"] == true)
                try realm.write { map.removeAll() }
                #expect(map.isEmpty && outer["map"]?.dictionaryValue?.isEmpty == true)
            }
        }
    }

    @Test func `S211: what is stored outlives the realm, and keys have their rules`() throws {
        let temporary = try TemporaryRealm(Self.types)
        func change() throws {
            let realm = try temporary.open()
            let holder = try realm.write {
                realm.create(AnyHolder.self, value: ["value": ["list": []] as [String: Any]])
            }
            try realm.write { holder.value.dictionaryValue?["list"]?.listValue?.append(objectsIn: [1, ["k": 2]]) }
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write { holder.value.dictionaryValue?[String(repeating: "k", count: 1025)] = 1 }
            }
        }
        try change()
        let holder = try #require(try temporary.open().objects(AnyHolder.self).first)
        let list = try #require(holder.value.dictionaryValue?["list"]?.listValue)
        #expect(list.count == 2 && list[1].dictionaryValue?["k"] == 2)
        try temporary.open().verify()
    }

    @Test func `S211: several handles on the same place see each other's changes`() throws {
        try withHolder { realm, holder in
            let one = try #require(holder.list[1].listValue), other = try #require(holder.list[1].listValue)
            let cousin = try #require(realm.objects(AnyHolder.self).first?.list[1].listValue)
            try realm.write { one.append(30) }
            #expect(Array(other) == [10, 20, 30] && Array(cousin) == [10, 20, 30])
            try realm.write { cousin[0] = ["k": 1] }
            try realm.write { other[0].dictionaryValue?["k"] = 2 }
            #expect(one[0].dictionaryValue?["k"] == 2)
        }
    }

    @Test func `S211: a handle is invalid when its place holds no collection of its kind`() throws {
        try withHolder { realm, holder in
            let map = try #require(holder.value.dictionaryValue), list = try #require(map["list"]?.listValue)
            try realm.write { map["list"] = 7 }
            #expect(list.isInvalidated && list.count == 0 && Array(list).isEmpty && !map.isInvalidated)
            try realm.write { map["list"] = ["a": 1] }
            #expect(list.isInvalidated)
            try realm.write { holder.value = [1, 2] }
            #expect(map.isInvalidated && map.keys.isEmpty && map["list"] == nil)
            let again = try #require(holder.value.listValue)
            try realm.write { realm.delete(holder) }
            #expect(again.isInvalidated && again.isEmpty)
        }
    }

    @Test func `S211: a handle follows its collection when elements around it move`() throws {
        try withHolder { realm, holder in
            let tens = try #require(holder.list[1].listValue)
            try realm.write { holder.list[0] = [[1], [2], ["k": [3]]] }
            let outer = try #require(holder.list[0].listValue)
            let two = try #require(outer[1].listValue), three = try #require(outer[2].dictionaryValue?["k"]?.listValue)
            try realm.write {
                holder.list.insert(0, at: 0)
                outer.insert(contentsOf: ["a", "b"], at: 1)
                two.append(22)
                three.append(33)
                tens.append(30)
            }
            #expect(Array(two) == [2, 22] && Array(three) == [3, 33] && Array(tens) == [10, 20, 30])
            try realm.write {
                outer.move(from: 3, to: 0)
                holder.list.swapAt(1, 2)
                outer.remove(at: 1)
                two.append(222)
                tens.append(40)
            }
            #expect(Array(two) == [2, 22, 222] && outer[0].listValue?.count == 3 && Array(tens) == [10, 20, 30, 40])
            #expect(holder.list[1].listValue == tens && holder.list[2].listValue == outer)
            try realm.write { outer.remove(at: 0) }
            #expect(two.isInvalidated && !three.isInvalidated)
            try realm.write { holder.list.removeAll() }
            #expect(outer.isInvalidated && three.isInvalidated && tens.isInvalidated)
        }
    }

    @Test func `S211: after a rollback a handle shows what it showed before`() throws {
        try withHolder { realm, holder in
            let tens = try #require(holder.list[1].listValue)
            realm.beginWrite()
            holder.list.insert(0, at: 0)
            holder.list.removeAll()
            #expect(tens.isInvalidated)
            realm.cancelWrite()
            #expect(!tens.isInvalidated && Array(tens) == [10, 20])
            try realm.write { tens.append(30) }
            #expect(holder.list[1].listValue?.count == 3 && holder.list.count == 2)
        }
    }

    @Test func `S211: objects in nested collections are added, and leave when they are deleted`() throws {
        try withHolder { realm, holder in
            let list = try #require(holder.value.dictionaryValue?["list"]?.listValue), rex = Dog("Rex")
            try realm.write { list.append(.object(rex)) }
            #expect(rex.realm == realm && list.last?.object(Dog.self)?.isSameObject(as: rex) == true)
            #expect(list.index(of: .object(rex)) == 3)
            try realm.write { holder.value.dictionaryValue?["dog"] = .object(rex) }
            try realm.write { realm.delete(rex) }
            #expect(list.count == 3 && holder.value.dictionaryValue?["dog"] == AnyRealmValue.none)
        }
    }

    @Test func `S211: a hundred levels are possible, one more throws`() throws {
        try withHolder { realm, holder in
            try realm.write { holder.value = [] }
            var list = try #require(holder.value.listValue)
            for _ in 1..<100 {
                try realm.write { list.append([]) }
                list = try #require(list[0].listValue)
            }
            #expect(throws: Realm.Error(.invalidInput, "")) { try realm.write { list.append([]) } }
            #expect(list.isEmpty && !list.isInvalidated)
            try realm.write { list.append(1) }
            #expect(list.count == 1)
        }
    }

    @Test func `S211: a set cannot be nested`() throws {
        try withHolder { realm, holder in
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write { realm.create(AnyHolder.self, value: ["value": [MutableSet<Int>()]] as [String: Any]) }
            }
        }
    }

    @Test func `S63 S211: a nested collection is changed in a write only`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(NestedCollectionTests.types) { realm in
                let holder = try realm.write { realm.create(AnyHolder.self, value: ["value": [[1]]]) }
                holder.value.listValue?[0].listValue?.append(2)
            }
        }
        expect(result, says: "AnyHolder.value[0] cannot be changed outside of a write transaction")
    }

    @Test func `S80 S211: positions outside of a nested list stop the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(NestedCollectionTests.types) { realm in
                let holder = try realm.write { realm.create(AnyHolder.self, value: ["value": ["k": [1]]]) }
                _ = holder.value.dictionaryValue?["k"]?.listValue?[1]
            }
        }
        expect(result, says: "index 1 is outside of AnyHolder.value[\"k\"], which has 1 elements")
    }

    // MARK: Comparing and copying

    @Test func `S212: unmanaged nested collections are equal if their contents are`() {
        let one: AnyRealmValue = ["a": [1, ["b": 2]]], other: AnyRealmValue = ["a": [1.0, ["b": 2]]]
        #expect(one == other && one.hashValue == other.hashValue && one != ["a": [1]] && one != ["b": [1, ["b": 2]]])
        let empty: [AnyRealmValue] = [[], [:]]
        #expect(empty[0] == .fromArray([]) && empty[1] == .fromDictionary([:]) && empty[0] != empty[1])
    }

    @Test func `S212: managed nested collections are equal if they are in the same place`() throws {
        try withHolder { realm, holder in
            let other = try realm.write {
                realm.create(AnyHolder.self, value: ["id": 2, "value": [1], "list": [[1], [1]]])
            }
            try realm.write { holder.value = [1] }
            #expect(holder.value == holder.value && holder.value != other.value && other.list[0] == other.list[0])
            #expect(other.list[0] != other.list[1] && other.list[0] != other.value && other.value != [1])
            #expect(other.list[0].listValue?.hashValue == other.list[0].listValue?.hashValue)
            let copy = AnyHolder(value: other)
            #expect(copy.value == [1] && Array(copy.list) == [[1], [1]])
        }
    }

    @Test func `S212: assigning a new collection replaces all entries`() throws {
        try withHolder { realm, holder in
            for map in try places(holder) {
                let inner = try #require(map["map"]?.dictionaryValue)
                try realm.write { map["map"] = ["n": 1] }
                #expect(inner.keys == ["n"] && map["map"]?.dictionaryValue == inner)
            }
            try realm.write {
                holder.value = [["k": "v"]]
                holder.list[1] = [5]
                holder.map["a"] = [6]
            }
            #expect(holder.value.listValue?.count == 1 && holder.list[1].listValue.map { Array($0) } == [5])
            #expect(holder.map["a"]?.listValue.map { Array($0) } == [6])
        }
    }

    @Test func `S212: a nested collection assigned onto or into itself or its parent keeps its data`() throws {
        try withHolder { realm, holder in
            let list = try #require(holder.list[1].listValue)
            try realm.write {
                holder.list[1] = .list(list)
                list.append(.list(list))
                list[2].listValue?.append(.list(list))
            }
            #expect(list.count == 3 && list[0] == 10 && list[2].listValue?.count == 3)
            #expect(list[2].listValue?[2].listValue?[2].listValue.map { Array($0) } == [10, 20])
            try realm.write { list.replaceSubrange(0..<3, with: list) }
            #expect(list.count == 3 && list[1] == 20)
            try realm.write { list.append(objectsIn: list) }
            #expect(list.count == 6 && list[5].listValue?.count == 3)
            try realm.write { list.insert(list.remove(at: 5), at: 0) }
            #expect(list.count == 6 && list[0].listValue?.count == 3 && list[1] == 10)
            try realm.write { list.remove(at: 0) }
            try realm.write { list.append(list[2]) }
            #expect(list.count == 6 && list[5].listValue?.count == 3)
            let map = try #require(holder.value.dictionaryValue), inner = try #require(map["map"]?.dictionaryValue)
            try realm.write { map["map"] = .dictionary(inner) }
            #expect(inner.keys == ["x", "y"])
            try realm.write { inner["self"] = .dictionary(map) }
            #expect(inner["self"]?.dictionaryValue?["map"]?.dictionaryValue?.keys == ["x", "y"])
            try realm.write { holder.value = .dictionary(inner) }
            #expect(holder.value.dictionaryValue?.keys == ["self", "x", "y"])
            try realm.write { holder.value = holder.value }
            #expect(holder.value.dictionaryValue?["y"]?.listValue?.count == 2)
            try realm.write { holder.list = holder.list }
            #expect(holder.list.count == 2 && holder.list[1].listValue?.count == 6)
        }
    }

    @Test func `keys of nested dictionaries may be any text, however they are stored`() throws {
        try withHolder { realm, holder in
            try realm.write { holder.value = ["a.b": 1, "$c": 2, "": 3] }
            for map in try places(holder) {
                try realm.write {
                    map["a.b"] = 5
                    map["$d"] = ["e.f": 6]
                }
                #expect(map["a.b"] == 5 && map["$d"]?.dictionaryValue?["e.f"] == 6)
                try realm.write { map["$d"]?.dictionaryValue?["e.f"] = 7 }
                #expect(map["$d"]?.dictionaryValue?["e.f"] == 7)
            }
            #expect(holder.value.dictionaryValue?.keys == ["", "$c", "$d", "a.b"])
        }
    }

    @Test func `S211: keys that differ only in the bytes of a letter stay apart wherever a value is copied`() throws {
        try withRealm(Self.types) { realm in
            let one = "\u{e9}", two = "e\u{301}"
            let map = Map<String, AnyRealmValue>()
            map[one] = 1
            map[two] = ["in": .none]
            map[two]?.dictionaryValue?[one] = 3
            map[two]?.dictionaryValue?[two] = 4
            let value = AnyRealmValue.dictionary(map)
            let holder = try realm.write {
                let holder = realm.create(AnyHolder.self)
                holder.value = value
                holder.list.append(value)
                holder.map["a"] = value
                return holder
            }
            func check(_ holder: AnyHolder, _ source: SourceLocation = #_sourceLocation) throws {
                for map in try places(holder) {
                    let inner = map[two]?.dictionaryValue
                    #expect(map.count == 2 && map[one] == 1 && inner?.count == 3, sourceLocation: source)
                    #expect(inner?[one] == 3 && inner?[two] == 4, sourceLocation: source)
                }
            }
            try check(holder)
            try check(AnyHolder(value: holder))
            try check(AnyHolder(value: AnyHolder(value: holder)))
            let frozen = holder.freeze()
            try realm.write {
                try check(realm.create(AnyHolder.self, value: frozen, update: .modified))
                try check(realm.create(AnyHolder.self, value: frozen, update: .all))
                let copy = realm.create(AnyHolder.self, value: ["id": 1])
                for name in ["value", "list", "map"] { copy[name] = holder[name] }
                try check(copy)
                let value = holder.value
                try check(realm.create(
                    AnyHolder.self, value: ["id": 2, "value": value, "list": [value], "map": ["a": value]]))
            }
            try withRealm(Self.types) { other in
                try other.write { try check(other.create(AnyHolder.self, value: holder)) }
            }
            let same = Map<String, AnyRealmValue>(), other = Map<String, AnyRealmValue>()
            same[one] = 1
            other[two] = 1
            #expect(same != other && AnyRealmValue.dictionary(same) != .dictionary(other))
            #expect(AnyRealmValue.dictionary(AnyHolder(value: holder).map) == .dictionary(AnyHolder(value: holder).map))
        }
    }

    @Test func `S211: a handle stays when a key goes that differs only in the bytes of a letter`() throws {
        try withHolder { realm, holder in
            let one = "\u{e9}", two = "e\u{301}"
            for map in try places(holder) {
                try realm.write {
                    map[one] = [1]
                    map[two] = [2]
                }
                let first = try #require(map[one]?.listValue), second = try #require(map[two]?.listValue)
                #expect(first != second)
                try realm.write { map[one] = nil }
                #expect(first.isInvalidated && !second.isInvalidated && Array(second) == [2])
                try realm.write { second.append(3) }
                #expect(map[two]?.listValue.map { Array($0) } == [2, 3])
            }
        }
    }

    @Test func `S212: an unmanaged collection put into itself is copied`() {
        let list = List<AnyRealmValue>(), map = Map<String, AnyRealmValue>()
        list.append(1)
        list.append(.list(list))
        map["list"] = .list(list)
        list[0] = .dictionary(map)
        #expect(list.count == 2 && list[1].listValue.map { Array($0) } == [1])
        #expect(list[0].dictionaryValue?["list"]?.listValue?.first == 1)
        let inner = List<AnyRealmValue>()
        list.append(.list(inner))
        inner.append("seen")
        #expect(list[2].listValue?.first == "seen")
    }

    @Test func `reading a nested list in a loop decodes it once`() throws {
        try withRealm(Self.types) { realm in
            let holder = try realm.write {
                realm.create(AnyHolder.self, value: ["value": AnyRealmValue.fromArray((0..<2000).map { [.int($0)] })])
            }
            let list = try #require(holder.value.listValue)
            var sum = 0
            for index in 0..<list.count { sum += list[index].listValue?[0].intValue ?? 0 }
            for element in list { sum += element.listValue?.first?.intValue ?? 0 }
            #expect(sum == 2 * 1999 * 1000)
        }
    }
}
