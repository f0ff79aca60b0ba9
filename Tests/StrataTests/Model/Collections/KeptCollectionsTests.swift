// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// One collection of each kind.
class Kept: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var list: List<Int>
    @Persisted var set: MutableSet<Int>
    @Persisted var map: Map<String, Int>
    @Persisted var dogs = List<Dog>()

    convenience init(_ id: Int) {
        self.init()
        self.id = id
    }
}

private let types = [Kept.self, Dog.self, Person.self]

@Suite struct KeptCollectionsTests {
    @Test func `S37: collections from before add are the property's own afterwards`() throws {
        try withRealm(types) { realm in
            let object = Kept(1)
            let list = object.list, set = object.set, map = object.map, dogs = object.dogs
            list.append(1)
            try realm.write { realm.add(object) }
            #expect(object.list === list && object.set === set && object.map === map && object.dogs === dogs)
            #expect(object["list"] as? List<Int> === list)
            try realm.write {
                list.append(2)
                object.set.insert(3)
                map["a"] = 4
                dogs.append(Dog("Rex"))
            }
            let other = try #require(realm.object(ofType: Kept.self, forPrimaryKey: 1))
            #expect(Array(other.list) == [1, 2] && Array(other.set) == [3] && other.map["a"] == 4)
            #expect(other.dogs.map(\.name) == ["Rex"] && other.list == list && object.list === list)
            try realm.write { object.list = other.list }
            #expect(Array(list) == [1, 2] && object.list === list)
            try realm.write { object.list = List() }
            #expect(list.isEmpty && object.list === list)
        }
    }

    @Test func `S37: also where the object takes the place of another`() throws {
        try withRealm(types) { realm in
            try realm.write { realm.create(Kept.self, value: ["id": 1, "list": [7], "map": ["x": 1]]) }
            for policy in [Realm.UpdatePolicy.modified, .all] {
                let object = Kept(1), list = object.list, map = object.map
                list.append(8)
                try realm.write { realm.add(object, update: policy) }
                #expect(object.list === list && object.map === map && Array(list) == [8] && map.isEmpty)
            }
        }
    }

    @Test func `S78: collections of an object whose write was rolled back are gone with it`() throws {
        try withRealm(types) { realm in
            let object = Kept(1), list = object.list
            realm.beginWrite()
            realm.add(object)
            list.append(1)
            #expect(object.list === list)
            realm.cancelWrite()
            #expect(object.isInvalidated && list.isInvalidated && list.isEmpty)
        }
    }

    @Test func `the collection of another object is not taken for the property's own`() throws {
        final class Borrowing: Object {
            nonisolated(unsafe) static var lent = List<Int>()
            @Persisted var list = Borrowing.lent
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        try withRealm(types + [Borrowing.self]) { realm in
            try realm.write {
                realm.create(Borrowing.self)
                Borrowing.lent = realm.create(Kept.self, value: ["id": 1, "list": [1, 2]]).list
            }
            #expect(realm.objects(Borrowing.self)[0].list.isEmpty)
            #expect(realm.objects(Borrowing.self).map(\.list.count) == [0])
            Borrowing.lent = List()
        }
    }

    @Test func `S77: objects that show one row after another show the collections of their rows`() throws {
        try withRealm(types) { realm in
            try realm.write {
                for id in 1...50 {
                    let object = Kept(id)
                    object.list.append(objectsIn: [id, id])
                    realm.add(object)
                    #expect(object.list[0] == id)
                }
            }
            for (index, object) in realm.objects(Kept.self).enumerated() { #expect(object.list[1] == index + 1) }
            var lists: [List<Int>] = []
            for object in realm.objects(Kept.self) { lists.append(object.list) }
            #expect(lists.map { $0[0] } == Array(1...50))
        }
    }
}

@Suite struct ListSliceTests {
    /// Runs a body on a list of numbers, unmanaged and managed, and on an array, and compares them.
    private func check(_ change: (inout List<Int>) -> Void, _ same: (inout [Int]) -> Void) throws {
        var array = Array(0..<8)
        same(&array)
        var unmanaged = Kept(1).list
        unmanaged.append(objectsIn: 0..<8)
        change(&unmanaged)
        #expect(Array(unmanaged) == array)
        try withRealm(types) { realm in
            try realm.write {
                var list = realm.create(Kept.self, value: ["id": 1, "list": Array(0..<8)]).list
                change(&list)
                #expect(Array(list) == array)
            }
        }
    }

    @Test func `C3: a slice that is assigned replaces a range, however many elements it has`() throws {
        let other = List<Int>()
        other.append(objectsIn: 100..<110)
        let numbers = Array(100..<110)
        try check({ $0[1..<3] = other[0..<5] }, { $0[1..<3] = numbers[0..<5] })
        try check({ $0[1..<6] = other[2..<3] }, { $0[1..<6] = numbers[2..<3] })
        try check({ $0[8..<8] = other[0..<2] }, { $0[8..<8] = numbers[0..<2] })
        try check({ $0[0..<8] = other[0..<0] }, { $0[0..<8] = numbers[0..<0] })
        try check({ $0[2...] = other[4...] }, { $0[2...] = numbers[4...] })
        try check({ $0[..<2] = $0[4...] }, { $0[..<2] = $0[4...] })
        try check({ $0[1..<3] = $0[1..<7] }, { $0[1..<3] = $0[1..<7] })
        #expect(Array(other) == numbers)
    }

    @Test func `C3: slices are changed in place`() throws {
        try check({ $0[2..<6].sort(by: >) }, { $0[2..<6].sort(by: >) })
        try check({ $0[2..<6].reverse() }, { $0[2..<6].reverse() })
        try check({ $0[2..<6].swapAt(2, 5) }, { $0[2..<6].swapAt(2, 5) })
        try check({ $0[2..<4][3] = 99 }, { $0[2..<4][3] = 99 })
        try check({ $0[2..<4].append(99) }, { $0[2..<4].append(99) })
        try check({ $0[2..<6].removeFirst(2) }, { $0[2..<6].removeFirst(2) })
        try check({ $0[2..<6].removeAll { $0 % 2 == 0 } }, { $0[2..<6].removeAll { $0 % 2 == 0 } })
    }

    @Test func `S80: a range outside of the list traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Kept(1).list[0..<1]
        }
        expect(result, says: "the range 0..<1 is outside of a List<Int> of 0")
    }
}
