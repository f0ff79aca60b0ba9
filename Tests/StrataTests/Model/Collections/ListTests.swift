// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct ListTests {
    /// Runs the same body on an unmanaged and on a managed list.
    func onBoth(_ names: [String] = ["a", "b", "c", "d"], _ body: (List<Dog>) throws -> Void) throws {
        let unmanaged = Person()
        unmanaged.dogs.append(objectsIn: names.map { Dog($0) })
        try body(unmanaged.dogs)
        try withRealm { realm in
            try realm.write {
                let managed = realm.create(Person.self, value: ["id": 1])
                managed.dogs.append(objectsIn: names.map { Dog($0) })
                try body(managed.dogs)
            }
        }
    }

    @Test func `S82 S83: every way to change a list`() throws {
        try onBoth { list in
            func text() -> String { list.map(\.name).joined() }
            list.append(Dog("e"))
            #expect(text() == "abcde" && list.count == 5)
            list.insert(Dog("x"), at: 0)
            list.insert(Dog("y"), at: 6)
            #expect(text() == "xabcdey")
            list.remove(at: 0)
            list.removeLast()
            #expect(text() == "abcde")
            list.move(from: 0, to: 4)
            #expect(text() == "bcdea")
            list.move(from: 4, to: 0)
            #expect(text() == "abcde")
            list.swapAt(1, 3)
            #expect(text() == "adcbe")
            list.replaceSubrange(1..<4, with: [Dog("z")])
            #expect(text() == "aze")
            list[1] = Dog("q")
            #expect(text() == "aqe" && list.first?.name == "a" && list.last?.name == "e")
            list.removeFirst(2)
            #expect(text() == "e")
            list.append(objectsIn: [list[0], list[0]])
            #expect(text() == "eee" && list.index(of: list[2]) == 0)
            list.removeSubrange(0...1)
            list.removeAll()
            #expect(list.isEmpty && list.first == nil && list.last == nil)
        }
    }

    @Test func `S26: a list assigned to itself keeps its elements`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": [["a"], ["b"]]]) }
            let other = try realm.write { realm.create(Person.self, value: ["id": 2]) }
            try realm.write {
                person.dogs = person.dogs
                other.dogs = person.dogs
            }
            #expect(person.dogs.count == 2 && other.dogs.map(\.name) == ["a", "b"])
            #expect(realm.objects(Dog.self).count == 2)
        }
    }

    @Test func `S32: managed lists are equal if they are one, unmanaged ones by contents`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
            let other = try realm.write { realm.create(Person.self, value: ["id": 2]) }
            #expect(person.dogs == person.dogs && person.dogs != other.dogs)
        }
        let dog = Dog("a"), one = List<Dog>(), two = List<Dog>()
        one.append(dog)
        #expect(one != two)
        two.append(dog)
        #expect(one == two)
    }

    @Test func `S77: walking a list while appending visits what was there`() throws {
        try onBoth { list in
            var visited = 0
            for dog in list {
                visited += 1
                list.append(dog)
            }
            #expect(visited == 4 && list.count == 8)
        }
    }

    @Test func `S103: sorting by nothing keeps the order`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": [["b"], ["a"], ["c"]]]) }
            #expect(person.dogs.sorted(by: [Strata.SortDescriptor]()).map(\.name) == ["b", "a", "c"])
            let backwards = realm.objects(Dog.self).sorted(byKeyPath: "name", ascending: false)
            #expect(backwards.sorted(by: [Strata.SortDescriptor]()).map(\.name) == ["c", "b", "a"])
        }
    }

    @Test(arguments: [-1, 2]) func `S80: positions outside of a list trap`(position: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [position] in
            try withRealm { realm in
                let person = try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": [["a"], ["b"]]]) }
                _ = person.dogs[position]
            }
        }
        expect(result, says: "index \(position) is outside of Person.dogs, which has 2 elements")
    }

    @Test func `S93: changing a list outside of a write traps, even an empty one`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
                person.dogs.removeAll()
            }
        }
        expect(result, says: "Person.dogs cannot be changed outside of a write")
    }

    @Test func `a list of a deleted object is invalid and empty`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": [["a"]]]) }
            let list = person.dogs
            try realm.write { realm.delete(person) }
            #expect(list.isInvalidated && list.isEmpty)
        }
    }

    @Test func `many elements: append, insert in the middle, read at random`() throws {
        try withRealm { realm in
            try realm.write {
                let person = realm.create(Person.self, value: ["id": 1])
                person.dogs.append(objectsIn: (0..<5000).map { Dog("\($0)", age: $0) })
                for step in 0..<500 { person.dogs.insert(Dog("new", age: -step), at: step * 2) }
            }
            let dogs = try #require(realm.objects(Person.self).first).dogs
            #expect(dogs.count == 5500 && dogs[0].name == "new" && dogs[1].age == 0 && dogs[5499].age == 4999)
        }
    }
}
