// SPDX-License-Identifier: MIT
// What live objects cost: the median of eleven rounds each, in one run.

import RealmSwift

final class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var age: Int
    @Persisted var score: Double
    @Persisted var name: String
}

/// Nanoseconds per operation, and what the operations came to.
typealias Measurement = (nanoseconds: Double, answer: Int)

/// The median of eleven rounds of a body that does `operations`.
func measure(_ operations: Int, _ body: () -> Int) -> Measurement {
    var answer = 0
    var rounds: [Double] = []
    for _ in 0..<11 {
        let elapsed = ContinuousClock().measure { answer = body() }
        rounds.append(nanoseconds(elapsed) / Double(operations))
    }
    return (rounds.sorted()[5], answer)
}

func nanoseconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) * 1e9 + Double(duration.components.attoseconds) / 1e9
}

func report(_ what: String, _ nanoseconds: Double) {
    print("\(what): \((nanoseconds * 100).rounded() / 100) ns")
}

/// Adds up a property, read again and again. The compiler folds the same loop over a plain object into one
/// multiplication, so there is none to compare with; a load and an addition take about half a nanosecond.
func sumOfReads(_ person: Person, _ reads: Int) -> Int {
    var sum = 0
    for _ in 0..<reads { sum &+= person.age }
    return sum
}

let count = 1_000_000
let realm = try Realm(configuration: .init(inMemoryIdentifier: "bench", objectTypes: [Person.self]))
let filling = try ContinuousClock().measure {
    try realm.write {
        for id in 0..<count {
            let person = Person()
            person.id = id
            person.age = id % 100
            person.score = Double(id)
            person.name = "Person \(id)"
            realm.add(person)
        }
    }
}
report("add an object, in one transaction of a million, in memory", nanoseconds(filling) / Double(count))

let reads = 10_000_000
let person = realm.object(ofType: Person.self, forPrimaryKey: 77)!
let property = measure(reads) { sumOfReads(person, reads) }
precondition(property.answer == 77 * reads)
report("read an Int of a live object", property.nanoseconds)

let loop = measure(count) {
    var sum = 0
    for person in realm.objects(Person.self) { sum &+= person.age }
    return sum
}
precondition(loop.answer == 49_500_000)
report("for-in over a million objects and read an Int, per object", loop.nanoseconds)

let scan = measure(count) { realm.objects(Person.self).where { $0.score > 500_000 }.count }
precondition(scan.answer == 499_999)
report("count a double > x over a million objects, per object", scan.nanoseconds)
