// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct QueryTests {
    /// Ids of the people for whom a condition holds.
    private func ids(_ condition: (Query<Person>) -> Query<Bool>) throws -> [Int] {
        var result: [Int] = []
        try withRealm { realm in
            try realm.write {
                let rex = realm.create(Dog.self, value: ["name": "Rex", "age": 3])
                let bo = realm.create(Dog.self, value: ["name": "bo", "age": 7])
                realm.create(
                    Person.self,
                    value: [
                        "id": 1, "name": "Ada", "age": 10, "score": 1.5, "email": "ada@x", "dog": rex,
                        "dogs": [rex, bo],
                    ])
                realm.create(
                    Person.self, value: ["id": 2, "name": "Bea", "age": 20, "score": -1.0, "dog": bo, "dogs": [bo]])
                realm.create(Person.self, value: ["id": 3, "name": "ada", "age": 30, "email": ""])
            }
            let found = realm.objects(Person.self).where(condition)
            result = found.map(\.id)
            #expect(found.count == result.count)
        }
        return result
    }

    @Test func `Q1 Q2: comparison with values and nil`() throws {
        #expect(try ids { $0.age == 20 } == [2])
        #expect(try ids { $0.age != 20 } == [1, 3])
        #expect(try ids { $0.age > 10 } == [2, 3])
        #expect(try ids { $0.age >= 20 && $0.age <= 20 } == [2])
        #expect(try ids { $0.score < 0 } == [2])
        #expect(try ids { $0.name == "Ada" } == [1])
        #expect(try ids { $0.name > "Bea" } == [3])
    }

    @Test func `S122: nil equals nil only and has no order`() throws {
        #expect(try ids { $0.email == nil } == [2])
        #expect(try ids { $0.email != nil } == [1, 3])
        #expect(try ids { $0.email != "ada@x" } == [2, 3])
        #expect(try ids { $0.email > "" } == [1])
    }

    @Test func `Q3: logic`() throws {
        #expect(try ids { $0.age == 10 || $0.age == 30 } == [1, 3])
        #expect(try ids { !($0.age == 10 || $0.age == 30) } == [2])
        #expect(try ids { ($0.age == 10) == false } == [2, 3])
    }

    @Test func `Q4 Q5 S120 S127: in and ranges`() throws {
        #expect(try ids { $0.age.in([10, 30, 99]) } == [1, 3])
        #expect(try ids { $0.age.in([]) } == [])
        #expect(try ids { !$0.age.in([]) } == [1, 2, 3])
        #expect(try ids { $0.age.contains(10...20) } == [1, 2])
        #expect(try ids { $0.age.contains(10..<20) } == [1])
        #expect(try ids { $0.name.in(["Ada", "Bea"]) } == [1, 2])
    }

    @Test func `Q9 S121 S123: strings`() throws {
        #expect(try ids { $0.name.contains("d") } == [1, 3])
        #expect(try ids { $0.name.starts(with: "A") } == [1])
        #expect(try ids { $0.name.starts(with: "A", options: .caseInsensitive) } == [1, 3])
        #expect(try ids { $0.name.ends(with: "a") } == [1, 2, 3])
        #expect(try ids { $0.name.equals("ADA", options: .caseInsensitive) } == [1, 3])
        #expect(try ids { $0.name.contains("") } == [])
        #expect(try ids { $0.email.contains("@") } == [1])
    }

    @Test func `S129: links, to the object and through it`() throws {
        #expect(try ids { $0.dog.name == "Rex" } == [1])
        #expect(try ids { $0.dog.age > 3 } == [2])
        #expect(try ids { $0.dog == nil } == [3])
        #expect(try ids { $0.dog == Dog("Rex") } == [])
        #expect(try ids { $0.dog != Dog("Rex") } == [1, 2, 3])
    }

    @Test func `Q7 Q14 S136: any element of a list`() throws {
        #expect(try ids { $0.dogs.name == "Rex" } == [1])
        #expect(try ids { $0.dogs.age > 5 } == [1, 2])
        #expect(try ids { $0.dogs.name == "Rex" && $0.dogs.age == 7 } == [1])
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": [["a"]]]) }
            let other = try realm.write { realm.create(Dog.self) }
            #expect(realm.objects(Person.self).where { $0.dogs.contains(person.dogs[0]) }.count == 1)
            #expect(realm.objects(Person.self).where { $0.dogs.contains(other) }.isEmpty)
        }
    }

    @Test func `Q3 Q15: every type, enums, and a Bool by itself`() throws {
        try withRealm { realm in
            let date = Date(timeIntervalSinceReferenceDate: 100), id = ObjectId.generate(), uuid = UUID()
            try realm.write {
                realm.create(
                    Everything.self,
                    value: [
                        "bool": true, "date": date, "objectId": id, "uuid": uuid, "mood": Mood.cross, "rank": Rank.high,
                        "data": Data([1, 2]), "float": 2.5, "int8OrNil": 3, "dateOrNil": date,
                    ])
                realm.create(Everything.self)
            }
            let all = realm.objects(Everything.self)
            func one(_ condition: (Query<Everything>) -> Query<Bool>) -> Bool {
                all.where(condition).count == 1
            }
            #expect(one { $0.bool } && one { !$0.bool } && one { $0.bool == false })
            #expect(one { $0.date == date } && one { $0.dateOrNil >= date } && one { $0.objectId == id })
            #expect(one { $0.uuid == uuid } && one { $0.mood == .cross } && one { $0.rank == .high })
            #expect(
                one { $0.rank.rawValue > 5 } && one { $0.mood.in([.cross, .merry]) }
                    && one { $0.moodOrNil == nil } == false)
            #expect(one { $0.data.starts(with: Data([1])) } && one { $0.float == 2.5 } && one { $0.int8OrNil == 3 })
            #expect(one { $0.int8OrNil.contains(0...5) } && one { $0.data == Data([1, 2]) })
        }
    }

    @Test func `S139: filtering a filtered and sorted result`() throws {
        try withRealm { realm in
            try realm.write { for id in 0..<50 { realm.add(Person(id, age: id % 7)) } }
            let results = realm.objects(Person.self).where { $0.age == 3 }.sorted(by: \.id, ascending: false)
                .where { $0.id > 20 }
            #expect(results.map(\.id) == [45, 38, 31, 24])
        }
    }

    @Test func `S117: a key path that is no property traps`() async {
        class WithComputed: Object {
            @Persisted var value: Int
            var constant: Int { 3 }
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            class AlsoComputed: Object {
                @Persisted var value: Int
                var constant: Int { 3 }
                override class func shouldIncludeInDefaultSchema() -> Bool { false }
            }
            try withRealm([AlsoComputed.self]) { realm in
                _ = realm.objects(AlsoComputed.self).where { $0.constant == 3 }
            }
        }
        expect(result, says: "does not lead to one persisted property")
    }
}
