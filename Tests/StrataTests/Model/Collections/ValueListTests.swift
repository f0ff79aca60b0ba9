// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct ValueListTests {
    /// Appends values to a list, unmanaged and managed, and reads them back in every way.
    func check<Element: RealmCollectionValue>(
        _ path: KeyPath<Lists, List<Element>>, _ values: [Element], _ location: SourceLocation = #_sourceLocation
    ) throws {
        try onBoth(Lists.self) { lists in
            let list = lists[keyPath: path]
            list.append(objectsIn: values)
            #expect(list.count == values.count, sourceLocation: location)
            #expect(Array(list) == values, sourceLocation: location)
            #expect(values.indices.map { list[$0] } == values, sourceLocation: location)
            for value in values {
                #expect(list.index(of: value) == values.firstIndex(of: value), sourceLocation: location)
            }
            list.insert(values[0], at: 1)
            list[0] = values[values.count - 1]
            list.append(values[0])
            #expect(
                Array(list) == [values[values.count - 1], values[0]] + values.dropFirst() + [values[0]],
                sourceLocation: location)
            list.removeAll()
            #expect(list.isEmpty && list.first == nil && list.last == nil, sourceLocation: location)
        }
    }

    @Test func `S83: ranges of every kind change the list as they do an array`() throws {
        let changes: [(inout ArraySlice<Int>, inout Slice<List<Int>>) -> Void] = [
            { $0.removeLast(); $1.removeLast() }, { $0.append(9); $1.append(9) }, { $0.removeAll(); $1.removeAll() },
            { $0.sort(by: >); $1.sort(by: >) }, { $0[$0.startIndex] = 7; $1[$1.startIndex] = 7 },
        ]
        for change in changes {
            try onBoth(Lists.self) { lists in
                for kind in 0..<5 {
                    var array = [3, 1, 4, 1, 5], list = lists.ints
                    list.removeAll()
                    list.append(objectsIn: array)
                    switch kind {
                    case 0: change(&array[1..<3], &list[1..<3])
                    case 1: change(&array[1...3], &list[1...3])
                    case 2: change(&array[2...], &list[2...])
                    case 3: change(&array[..<2], &list[..<2])
                    default: change(&array[...], &list[...])
                    }
                    #expect(Array(list) == array && lists.ints.count == array.count)
                }
            }
        }
    }

    @Test func `C10: lists of every type of values`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1.25), id = ObjectId.generate(), uuid = UUID()
        try check(\.bools, [true, false])
        try check(\.ints, [1, -2, .max, .min])
        try check(\.bytes, [1, -128, 127])
        try check(\.floats, [1.5, -0.25])
        try check(\.doubles, [1.5, .greatestFiniteMagnitude])
        try check(\.strings, ["", "a", "zoë", String(repeating: "long ", count: 1000)])
        try check(\.datas, [Data(), Data([1, 2, 3]), Data(repeating: 7, count: 5000)])
        try check(\.dates, [date, .distantPast])
        try check(\.uuids, [uuid, UUID()])
        try check(\.objectIds, [id, .generate()])
        try check(\.moods, [.cross, .calm])
        try check(\.ranks, [.high, .low])
    }

    @Test func `C10: lists of Optionals`() throws {
        try check(\.boolsOrNil, [true, nil, false])
        try check(\.intsOrNil, [nil, 1, 0])
        try check(\.doublesOrNil, [1.5, nil])
        try check(\.stringsOrNil, [nil, "", "a"])
        try check(\.datasOrNil, [Data(), nil])
        try check(\.datesOrNil, [Date(timeIntervalSinceReferenceDate: 3), nil])
        try check(\.uuidsOrNil, [nil, UUID()])
        try check(\.objectIdsOrNil, [nil, .generate()])
        try check(\.moodsOrNil, [nil, .merry])
    }

    @Test func `C10: lists of decimals`() throws {
        try check(\.decimals, [1, try Decimal128(string: "0.10"), -3])
        try check(\.decimalsOrNil, [nil, 2])
    }

    @Test func `S26: assigning a list copies it, and to itself keeps it`() throws {
        try onBoth(Lists.self) { lists in
            let list = lists.ints
            list.append(objectsIn: [1, 2, 3])
            lists.ints = lists.ints
            lists.ints = list
            #expect(Array(lists.ints) == [1, 2, 3])
            let other = List<Int>()
            other.append(objectsIn: [7, 8])
            lists.ints = other
            #expect(Array(list) == [7, 8])
            other.append(9)
            #expect(Array(lists.ints) == [7, 8])
        }
    }

    @Test func `S27: an unmanaged list can be changed, searched and added up, but not queried`() async {
        let list = List<Int?>()
        list.append(objectsIn: [3, nil, 1])
        list.swapAt(0, 2)
        let least: Int? = list.min(), greatest: Int? = list.max(), sum: Int = list.sum()
        #expect(Array(list) == [1, nil, 3] && least == 1 && greatest == 3 && sum == 4 && list.average() == 2)
        #expect(list.realm == nil && !list.isInvalidated && !list.isFrozen)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let list = List<Int>()
            list.append(1)
            _ = list.sorted() as Results<Int>
        }
        expect(result, says: "an unmanaged List<Int> cannot be sorted; add its object first")
    }

    @Test func `S27: an unmanaged list of objects finds the first that meets a predicate`() {
        let list = List<Dog>()
        for (name, age) in [("Rex", 3), ("Fido", 9), ("Old Rex", 12), ("Fido", 9)] {
            let dog = Dog()
            (dog.name, dog.age) = (name, age)
            list.append(dog)
        }
        #expect(list.index(matching: "age > %@", 3) == 1)
        #expect(list.index(matching: NSPredicate(format: "name BEGINSWITH 'Old'")) == 2)
        #expect(list.index(matching: { $0.name == "Fido" && $0.age > 10 }) == nil)
        #expect(list.index(matching: { $0.age > 10 }) == 2)
        #expect(list.allSatisfy { $0.realm == nil })
        #expect(NSPredicate(format: "age == 3").evaluate(with: list[0]))
    }

    @Test func `S84: strings in sets are told apart by their bytes, unmanaged and managed`() throws {
        let spellings = ["\u{E9}", "e\u{301}", "\u{E9}"], unmanaged = MutableSet<String>()
        unmanaged.insert(objectsIn: spellings)
        #expect(unmanaged.count == 2 && unmanaged.contains(spellings[1]))
        unmanaged.remove(spellings[0])
        #expect(unmanaged.count == 1 && !unmanaged.contains(spellings[0]))
        let texts = MutableSet<AnyRealmValue>()
        texts.insert(objectsIn: spellings.map { .string($0) })
        #expect(texts.count == 2)
    }

    @Test func `S27: unmanaged sets and maps can be changed and added up, but not queried`() async {
        let set = MutableSet<Int>(), map = Map<String, Int>()
        set.insert(objectsIn: [3, 1, 3])
        (map["b"], map["a"]) = (3, 1)
        #expect(set.min() == 1 && set.max() == 3 && set.sum() == 4 && set.average() == 2)
        #expect(map.min() == 1 && map.max() == 3 && map.sum() == 4 && map.average() == 2)
        #expect(set.realm == nil && map.realm == nil && !map.isInvalidated && !set.isFrozen)
        let sorted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = MutableSet<Int>().sorted() as Results<Int>
        }
        expect(sorted, says: "an unmanaged MutableSet<Int> cannot be sorted; add its object first")
        let queried = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Map<String, Dog?>().sorted(byKeyPath: "name") as Results<Dog?>
        }
        expect(queried, says: "an unmanaged Map<String, Optional<Dog>> cannot be queried; add its object first")
    }

    @Test func `S32: unmanaged lists compare by contents, managed ones by place`() throws {
        let one = List<Int>(), two = List<Int>()
        one.append(objectsIn: [1, 2])
        #expect(one != two)
        two.append(objectsIn: [1, 2])
        #expect(one == two && one.hashValue == two.hashValue)
        try withRealm(collectionTypes) { realm in
            let (a, b) = try realm.write {
                (realm.create(Lists.self, value: ["id": 1]), realm.create(Lists.self, value: ["id": 2]))
            }
            #expect(a.ints == a.ints && a.ints.hashValue == a.ints.hashValue)
            #expect(a.ints != b.ints && a.ints != List<Int>())
        }
    }

    @Test func `S37: lists got before the object is added become managed`() throws {
        try withRealm(collectionTypes) { realm in
            let lists = Lists(), ints = lists.ints, dogs = lists.dogs
            ints.append(objectsIn: [1, 2])
            dogs.append(Dog("a"))
            try realm.write { realm.add(lists) }
            #expect(ints.realm != nil && Array(ints) == [1, 2] && dogs[0].realm != nil)
            try realm.write { ints.append(3) }
            #expect(Array(lists.ints) == [1, 2, 3])
        }
    }

    @Test func `S44: create takes sequences, and nil for an empty list`() throws {
        try withRealm(collectionTypes) { realm in
            let one = try realm.write {
                realm.create(
                    Lists.self,
                    value: [
                        "id": 1, "ints": [1, 2], "strings": Set(["x"]), "intsOrNil": [1, nil] as [Int?],
                        "moods": ["cross"],
                    ])
            }
            #expect(Array(one.ints) == [1, 2] && Array(one.strings) == ["x"] && Array(one.intsOrNil) == [1, nil])
            #expect(Array(one.moods) == [.cross] && one.doubles.isEmpty)
            let two = try realm.write {
                realm.create(Lists.self, value: ["id": 2, "ints": one.ints, "strings": NSNull()])
            }
            #expect(Array(two.ints) == [1, 2] && two.strings.isEmpty)
            for wrong: [String: Any] in [["ints": ["a"]], ["ints": 5], ["ints": one.intsOrNil], ["strings": "text"]] {
                #expect(throws: Realm.Error.self) {
                    try realm.write { realm.create(Lists.self, value: wrong.merging(["id": 3]) { $1 }) }
                }
            }
        }
    }

    @Test(arguments: [UpdatePolicy.modified, .all])
    func `S56: an upsert replaces lists that differ`(policy: UpdatePolicy) throws {
        try withRealm(collectionTypes) { realm in
            let lists = try realm.write {
                realm.create(Lists.self, value: ["id": 1, "ints": [1, 2, 3], "strings": ["a"]])
            }
            try realm.write { realm.create(Lists.self, value: ["id": 1, "ints": [3, 2]], update: policy) }
            #expect(Array(lists.ints) == [3, 2] && Array(lists.strings) == ["a"])
            let copy = Lists()
            copy.id = 1
            copy.strings.append(objectsIn: ["b", "c"])
            try realm.write { realm.add(copy, update: policy) }
            #expect(lists.ints.isEmpty && Array(lists.strings) == ["b", "c"])
        }
    }

    @Test func `S77: walking a list of values while changing it visits what was there`() throws {
        try onBoth(Lists.self) { lists in
            lists.ints.append(objectsIn: 0..<1000)
            var visited = 0
            for value in lists.ints {
                visited += 1
                lists.ints.append(value)
            }
            #expect(visited == 1000 && lists.ints.count == 2000)
            for _ in lists.ints { lists.ints.removeLast() }
            #expect(lists.ints.isEmpty)
        }
    }

    @Test(arguments: 0..<7) func `S80: positions outside of a list of values trap`(step: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [step] in
            try onBoth(Lists.self) { lists in
                let list = lists.ints
                list.append(objectsIn: [1, 2])
                if list.realm == nil && step < 5 { return }
                switch step {
                case 0: _ = list[2]
                case 1: _ = list[-1]
                case 2: list.insert(5, at: 3)
                case 3: list.remove(at: 2)
                case 4: list[7] = 1
                case 5: list.removeLast(3)
                default: list.replaceSubrange(1..<3, with: [])
                }
            }
        }
        expect(result, says: step < 5 ? "is outside of Lists.ints, which has 2 elements" : "List<Int> of 2")
    }

    @Test func `S80: the ends of an empty list are nil`() throws {
        try onBoth(Lists.self) { lists in #expect(lists.strings.first == nil && lists.strings.last == nil) }
    }

    @Test(arguments: [false, true])
    func `S80: the last element of an empty list cannot be removed`(isManaged: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isManaged] in
            if !isManaged { return List<Int>().removeLast() }
            try withRealm(collectionTypes) { realm in try realm.write { realm.create(Lists.self).ints.removeLast() } }
        }
        expect(result, saysAll: "1 elements cannot be removed from a List<Int> of 0")
    }

    @Test func `S81: objects(at:) beyond the end traps`() async throws {
        try onBoth(Lists.self) { lists in
            lists.ints.append(objectsIn: [5, 6, 7])
            #expect(lists.ints.objects(at: IndexSet([0, 2])) == [5, 7])
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = List<Int>().objects(at: IndexSet([0]))
        }
        expect(result, says: "index 0 is outside of a collection of 0 elements")
    }

    @Test func `S82: moving, by position and by offsets`() throws {
        try onBoth(Lists.self) { lists in
            let list = lists.ints
            for from in 0..<6 {
                for to in 0..<6 {
                    list.removeAll()
                    list.append(objectsIn: 0..<6)
                    list.move(from: from, to: to)
                    #expect(list[to] == from && Set(list) == Set(0..<6))
                }
            }
            for mask in 0..<64 {
                for destination in 0...6 {
                    let offsets = IndexSet((0..<6).filter { mask & 1 << $0 != 0 })
                    list.removeAll()
                    list.append(objectsIn: 0..<6)
                    list.move(fromOffsets: offsets, toOffset: destination)
                    let moved = Array(offsets)
                    let expected = (0..<destination).filter { !offsets.contains($0) } + moved
                        + (destination..<6).filter { !offsets.contains($0) }
                    #expect(Array(list) == expected)
                }
            }
        }
    }

    @Test func `S83: replacing and removing ranges works as in an array`() throws {
        try onBoth(Lists.self) { lists in
            let list = lists.ints
            var array = Array(0..<8)
            list.append(objectsIn: array)
            list.replaceSubrange(2..<4, with: [20, 30, 40])
            array.replaceSubrange(2..<4, with: [20, 30, 40])
            list.removeSubrange(..<2)
            array.removeSubrange(..<2)
            list.removeSubrange(5...)
            array.removeSubrange(5...)
            list.replaceSubrange(0..<0, with: [1])
            array.replaceSubrange(0..<0, with: [1])
            list.remove(atOffsets: IndexSet([0, 2]))
            array.remove(at: 2)
            array.remove(at: 0)
            #expect(Array(list) == array)
        }
    }

    @Test func `S84: a list holds equal elements several times`() throws {
        try onBoth(Lists.self) { lists in
            let dog = Dog("a")
            lists.dogs.append(objectsIn: [dog, dog])
            lists.ints.append(objectsIn: [1, 1])
            #expect(lists.dogs.count == 2 && lists.dogs[0].isSameObject(as: lists.dogs[1]) && lists.ints.count == 2)
        }
    }

    @Test func `S93: changing a list of values outside of a write traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(collectionTypes) { realm in
                let lists = try realm.write { realm.create(Lists.self) }
                lists.strings.removeAll()
            }
        }
        expect(result, says: "Lists.strings cannot be changed outside of a write")
    }

    @Test func `C3: values in order, each once, and what they add up to`() throws {
        try withRealm(collectionTypes) { realm in
            let lists = try realm.write {
                realm.create(
                    Lists.self,
                    value: [
                        "ints": [3, 1, 3, 2], "stringsOrNil": ["b", nil, "ä", "a", "B"] as [String?],
                        "intsOrNil": [nil, 5, 7] as [Int?],
                    ])
            }
            let sorted: Results<Int> = lists.ints.sorted()
            #expect(Array(sorted) == [1, 2, 3, 3] && Array(lists.ints.distinct()) == [3, 1, 2])
            #expect(Array(sorted.distinct().sorted(ascending: false)) == [3, 2, 1])
            #expect(Array(lists.stringsOrNil.sorted()) == [nil, "B", "a", "b", "ä"])
            #expect(lists.ints.min() == 1 && lists.ints.max() == 3 && lists.ints.sum() == 9)
            #expect(lists.ints.average() == 2.25)
            let sum: Int = lists.intsOrNil.sum()
            #expect(sum == 12 && lists.intsOrNil.average() == 6)
            try realm.write { lists.ints.append(0) }
            #expect(sorted.first == 0 && sorted.count == 5 && sorted.index(of: 3) == 3)
        }
    }
}
