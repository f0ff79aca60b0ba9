// SPDX-License-Identifier: MIT
import CAllocationCount
import Foundation
import Strata
import Testing

enum CountedMood: Int, PersistableEnum { case calm, cross }

final class CountedPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var age: Int
    @Persisted var score: Double
    @Persisted var name: String
    @Persisted var best: CountedPerson?
    @Persisted var mood: CountedMood
    @Persisted var height: Int?
    @Persisted var born: Date
    @Persisted(originProperty: "best") var admirers: LinkingObjects<CountedPerson>
    /// How many instances this process has made.
    nonisolated(unsafe) static var made = 0

    required init() {
        super.init()
        Self.made += 1
    }
}

/// A number that counts how often it was read out of the file.
struct CountedNumber: CustomPersistable {
    let number: Int
    nonisolated(unsafe) static var reads = 0

    init(_ number: Int) { self.number = number }
    init(persistedValue: Int) {
        Self.reads += 1
        number = persistedValue
    }
    var persistableValue: Int { number }
}

final class ProjectedCounts: Object {
    @Persisted var id: Int
    @Persisted var shown: CountedNumber
    @Persisted var hidden: CountedNumber
    @Persisted var name: String
    @Persisted var next: ProjectedCounts?
    @Persisted var others: List<ProjectedCounts>
    nonisolated(unsafe) static var made = 0

    required init() {
        super.init()
        Self.made += 1
    }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct ShownCount: ValueProjection {
    let id: Int, shown: Int, nameLength: Int
    nonisolated(unsafe) static var filled = 0

    init(projecting object: ProjectedCounts) {
        Self.filled += 1
        (id, shown, nameLength) = (object.id, object.shown.number, object.name.utf8.count)
    }
}

struct NextCount: ValueProjection {
    let next: Int?
    init(projecting object: ProjectedCounts) { next = object.next?.id }
}

/// The costs of live objects, counted as a client of the library sees them.
@Suite(.serialized) struct LiveObjectCostTests {
    private func realm(of count: Int) throws -> Realm {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "cost-\(UUID())", objectTypes: [CountedPerson.self])
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<count {
                realm.create(CountedPerson.self, value: [id, id % 100, Double(id), "name \(id)"] as [Any])
            }
        }
        return realm
    }

    @Test func `reading numbers of a live object allocates nothing`() throws {
        let realm = try realm(of: 1000)
        let person = try #require(realm.object(ofType: CountedPerson.self, forPrimaryKey: 77))
        var sum = 0.0
        let before = allocation_count()
        for _ in 0..<100_000 { sum += Double(person.age) + person.score }
        let after = allocation_count()
        #expect(after - before == 0)
        #expect(sum == 100_000 * (77 + 77))
    }

    @Test func `reading enums, Optionals and short strings of a live object allocates nothing`() throws {
        let realm = try realm(of: 1000)
        let person = try #require(realm.object(ofType: CountedPerson.self, forPrimaryKey: 77))
        try realm.write { person.mood = .cross }
        var sum = 0
        let before = allocation_count()
        for _ in 0..<10_000 {
            sum += person.mood.rawValue + (person.height ?? 1) + person.name.utf8.count
        }
        #expect(allocation_count() - before == 0)
        #expect(sum == 10_000 * (1 + 1 + 7))
    }

    @Test func `counting what links to an object allocates nothing`() throws {
        let realm = try realm(of: 10)
        let people = realm.objects(CountedPerson.self)
        let best = people[3]
        try realm.write { for person in people { person.best = best } }
        #expect(best.admirers.count == 10)
        var sum = 0
        let before = allocation_count()
        for _ in 0..<1000 { sum += best.admirers.count }
        #expect(allocation_count() - before == 0)
        #expect(sum == 10_000)
    }

    @Test func `following a link makes one object and nothing else`() throws {
        let realm = try realm(of: 10)
        let people = realm.objects(CountedPerson.self)
        let person = people[0]
        try realm.write { person.best = people[1] }
        var sum = person.best?.id ?? 0
        let made = CountedPerson.made
        let before = allocation_count()
        for _ in 0..<1000 { sum += person.best?.id ?? 0 }
        let after = allocation_count()
        #expect(sum == 1001)
        #expect(CountedPerson.made - made == 1000)
        #expect(after - before == 1000)
    }

    @Test func `changing enums, Optionals and dates of a changed object allocates nothing`() throws {
        let realm = try realm(of: 10)
        let person = try #require(realm.object(ofType: CountedPerson.self, forPrimaryKey: 7))
        try realm.write {
            (person.height, person.mood, person.born) = (1, .cross, Date(timeIntervalSince1970: 0))
            let before = allocation_count()
            for height in 0..<10_000 {
                person.height = height
                person.mood = height % 2 == 0 ? .calm : .cross
                person.born = Date(timeIntervalSince1970: Double(height))
            }
            #expect(allocation_count() - before == 0)
        }
        #expect((person.height, person.mood) == (9999, .cross))
        #expect(person.born == Date(timeIntervalSince1970: 9999))
    }

    /// What `body` returns, how many objects it made and how often it allocated.
    private func counting<Result>(_ body: () -> Result) -> (Result, made: Int, allocations: Int) {
        let made = ProjectedCounts.made, before = allocation_count()
        let result = body()
        let after = allocation_count()
        return (result, ProjectedCounts.made - made, Int(after - before))
    }

    @Test func `a value projection reads each row once, and nothing but what it names`() throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "cost-\(UUID())", objectTypes: [ProjectedCounts.self])
        let realm = try Realm(configuration: configuration)
        let count = 1000
        try realm.write {
            var last: ProjectedCounts?
            for id in 0..<count {
                let object = ProjectedCounts()
                (object.id, object.name, object.next) = (id, "name \(id)", last)
                (object.shown, object.hidden) = (CountedNumber(-id), CountedNumber(id))
                realm.add(object)
                last = object
            }
            last?.others.append(objectsIn: realm.objects(ProjectedCounts.self))
        }
        let all = realm.objects(ProjectedCounts.self), half = all.where { $0.id < 500 }, order = all.sorted(by: \.name)
        let list = try #require(all.last).others, frozen = all.freeze()
        func check(_ rows: [ShownCount], _ made: Int, _ allocations: Int, _ ids: [Int], _ what: Comment) {
            #expect(rows.map(\.id) == ids && rows.allSatisfy { $0.shown == -$0.id && $0.nameLength > 5 }, what)
            #expect(ShownCount.filled == ids.count && CountedNumber.reads == ids.count, what)
            #expect(made == 1, what)
            #expect(allocations < 100, what)  // the result, the query and what it needs for many rows: none for a row
            (ShownCount.filled, CountedNumber.reads) = (0, 0)
        }
        (ShownCount.filled, CountedNumber.reads) = (0, 0)
        var counted = counting { all.project(to: ShownCount.self) }
        check(counted.0, counted.made, counted.allocations, Array(0..<count), "all objects")
        counted = counting { half.project(to: ShownCount.self) }
        check(counted.0, counted.made, counted.allocations, Array(0..<500), "those of a condition")
        counted = counting { order.project(to: ShownCount.self) }
        check(
            counted.0, counted.made, counted.allocations, (0..<count).sorted { "name \($0)" < "name \($1)" }, "sorted")
        counted = counting { list.project(to: ShownCount.self) }
        check(counted.0, counted.made, counted.allocations, Array(0..<count), "a list")
        counted = counting { frozen.project(to: ShownCount.self) }
        check(counted.0, counted.made, counted.allocations, Array(0..<count), "frozen")
        // A link costs its object for each row, and nothing else.
        let next = counting { all.project(to: NextCount.self) }
        #expect(next.0.map(\.next) == [nil] + (0..<count - 1).map { $0 } && next.made == count)
        #expect(next.allocations < count + 20 && CountedNumber.reads == 0)
        // A query is run once, also if it is short.
        #expect(all.where { $0.id > 990 }.limit(5).project(to: ShownCount.self).map(\.id) == Array(991...995))
    }

    @Test func `a loop over the objects of a query makes one object`() throws {
        let realm = try realm(of: 1000)
        let found = realm.objects(CountedPerson.self).where { $0.score >= 500 }
        #expect(found.count == 500)
        let made = CountedPerson.made
        var sum = 0
        for person in found { sum += person.id }
        #expect(sum == (500..<1000).reduce(0, +))
        #expect(CountedPerson.made - made == 1)
    }

    @Test func `objects that are deleted during a walk are invalid, and the others are not`() throws {
        let realm = try realm(of: 100)
        var valid = 0
        try realm.write {
            for person in realm.objects(CountedPerson.self).where({ $0.score >= 50 }) {
                if person.isInvalidated { continue }
                valid += 1
                let other = realm.object(ofType: CountedPerson.self, forPrimaryKey: person.id + 1)
                if let other { realm.delete(other) }
            }
        }
        #expect(valid == 25)
        #expect(realm.objects(CountedPerson.self).count == 75)
    }

    @Test func `a walk over all objects shows what it finds meanwhile, and nothing that is deleted`() throws {
        let realm = try realm(of: 500)
        var seen: [Int] = []
        try realm.write {
            for person in realm.objects(CountedPerson.self) {
                seen.append(person.id)
                #expect(person.age == person.id % 100 + (person.id == 0 ? 0 : 1000))
                realm.object(ofType: CountedPerson.self, forPrimaryKey: person.id + 2)?.age += 1000
                let next = realm.object(ofType: CountedPerson.self, forPrimaryKey: person.id + 1)
                if let next { realm.delete(next) }
                person.age = 0
            }
        }
        #expect(seen == Array(stride(from: 0, to: 500, by: 2)))
        #expect(realm.objects(CountedPerson.self).where { $0.age == 0 }.count == 250)
    }

    @Test func `a walk shows what was committed and what was rolled back meanwhile`() throws {
        let realm = try realm(of: 300)
        var sum = 0
        for person in realm.objects(CountedPerson.self) {
            sum += person.age
            if person.id % 7 == 0 { try realm.write { person.age = 0 } }
            if person.id % 11 == 0 {
                realm.beginWrite()
                for other in realm.objects(CountedPerson.self).where({ $0.id > person.id }) { other.age += 1 }
                realm.cancelWrite()
            }
        }
        #expect(sum == (0..<300).reduce(0) { $0 + $1 % 100 })
    }

    @Test func `a property takes twelve bytes more than its value, so that numbers and links take 24`() {
        #expect(MemoryLayout<Persisted<String>>.size == 12 + MemoryLayout<String>.size)
        #expect(MemoryLayout<Persisted<CountedPerson?>>.size == 12 + MemoryLayout<CountedPerson?>.size)
        #expect(MemoryLayout<Persisted<CountedPerson?>>.stride == 24)
        #expect(MemoryLayout<Persisted<Double>>.stride == 24)
        #expect(MemoryLayout<Persisted<Int>>.stride == 24)
        #expect(MemoryLayout<Persisted<Bool>>.stride == 16)
    }

    @Test func `an object at a position, and one by its key, take one allocation`() throws {
        let realm = try realm(of: 100)
        let all = realm.objects(CountedPerson.self)
        var sum = all[7].id + (realm.object(ofType: CountedPerson.self, forPrimaryKey: 7)?.id ?? 0)
        let before = allocation_count()
        for index in 0..<100 {
            sum += all[index * 7 % 100].id
            sum += realm.object(ofType: CountedPerson.self, forPrimaryKey: index)?.id ?? 0
        }
        #expect(allocation_count() - before == 200)
        #expect(sum == 7 + 7 + 2 * 4950)
    }

    @Test func `objects at positions that follow each other are few, unless the program keeps them`() throws {
        let realm = try realm(of: 1000)
        let all = realm.objects(CountedPerson.self).sorted(by: \.score, ascending: false)
        let made = CountedPerson.made
        let before = allocation_count()
        var sum = 0
        for index in all.indices { sum += all[index].id * index }
        let after = allocation_count()
        #expect(sum == (0..<1000).reduce(0) { $0 + $1 * (999 - $1) })
        #expect(CountedPerson.made - made == 3, "the first two, and one that shows all others")
        #expect(after - before < 40)
        let kept = all.indices.map { all[$0] }
        #expect(kept.map(\.id) == (0..<1000).reversed())
    }

    @Test func `several reads of each position in turn make one object for each but leave the loop where it is`() throws {
        let realm = try realm(of: 1000)
        let all = realm.objects(CountedPerson.self).sorted(by: \.score)
        let made = CountedPerson.made
        var sum = 0
        for index in all.indices { sum += all[index].id + all[index].age - all[index].age }
        #expect(sum == 499_500)
        #expect(CountedPerson.made - made < 2010, "two of the three reads of a position")
    }

    @Test func `a result does not keep the objects of classes that have fields of their own`() throws {
        final class Holder: Object {
            @Persisted var n: Int
            var source: Results<Holder>?
        }
        try withRealm([Holder.self]) { realm in
            try realm.write { for n in 0..<10 { realm.create(Holder.self, value: [n]) } }
            weak var last: Holder?
            do {
                let all = realm.objects(Holder.self)
                for index in all.indices {
                    let holder = all[index]
                    holder.source = all
                    last = holder
                }
            }
            #expect(last == nil)
        }
    }

    @Test func `objects at positions show what changed between two of them`() throws {
        let realm = try realm(of: 60)
        let all = realm.objects(CountedPerson.self).sorted(by: \.id)
        var seen: [Int] = []
        for index in 0..<20 {
            let person = all[index]
            seen.append(person.id)
            try realm.write { realm.delete(person) }
            #expect(person.isInvalidated)
            if index % 3 == 0 { try realm.write { all[index + 2].age = -1 } }
            if index % 5 == 0 {
                realm.beginWrite()
                realm.delete(all[index + 1])
                realm.cancelWrite()
            }
        }
        #expect(seen == Array(stride(from: 0, to: 40, by: 2)))
        #expect(all.count == 40)
        #expect(all.where { $0.age == -1 }.count == 7)
        // Positions in any order give the objects that stand there.
        let rest = all.map(\.id)
        for index in [0, 1, 2, 0, 5, 6, 7, 39, 0, 38, 39, 6, 5, 4] { #expect(all[index].id == rest[index]) }
    }

    @Test func `changing numbers of a changed object allocates nothing`() throws {
        let realm = try realm(of: 10)
        let person = try #require(realm.object(ofType: CountedPerson.self, forPrimaryKey: 7))
        try realm.write {
            person.age = 1 // is noted
            person.age = 2 // copies the row
            let before = allocation_count()
            for age in 0..<100_000 { person.age = age }
            #expect(allocation_count() - before == 0)
        }
        #expect(person.age == 99_999)
    }

    @Test func `a loop over a million results makes one object`() throws {
        let realm = try realm(of: 1_000_000)
        let made = CountedPerson.made
        let before = allocation_count()
        var sum = 0
        for person in realm.objects(CountedPerson.self) { sum += person.age }
        let after = allocation_count()
        #expect(sum == 49_500_000)
        #expect(CountedPerson.made - made == 1)
        #expect(after - before < 200, "the loop, the cursor and one object: \(after - before) allocations")
    }

    @Test func `a loop over what is frozen makes one object, and leaves alone what is kept`() throws {
        let realm = try realm(of: 1000)
        let frozen = realm.objects(CountedPerson.self).where { $0.age < 50 }.sorted(by: \.score).freeze()
        var sum = 0, kept: [CountedPerson] = []
        let made = CountedPerson.made
        for person in frozen { sum += person.id }
        #expect(CountedPerson.made - made == 1)
        for person in frozen where person.id % 100 == 7 { kept.append(person) }
        #expect(CountedPerson.made - made == 2 + kept.count)
        #expect(kept.map(\.id) == Array(stride(from: 7, to: 1000, by: 100)))
        #expect(kept.allSatisfy { $0.isFrozen && $0.name == "name \($0.id)" })
        #expect(sum == (0..<1000).filter { $0 % 100 < 50 }.reduce(0, +))
    }

    @Test func `an object that is kept is left alone`() throws {
        let realm = try realm(of: 100)
        var kept: [CountedPerson] = []
        for person in realm.objects(CountedPerson.self) where person.id % 10 == 0 { kept.append(person) }
        #expect(kept.map(\.id) == Array(stride(from: 0, to: 100, by: 10)))
    }
}
