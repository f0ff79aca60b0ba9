// SPDX-License-Identifier: MIT

import RealmSwift
import Workload

func readNames(_ persons: some Sequence<Person>) -> Int {
    var sum = 0
    for person in persons { sum &+= read(person.name) }
    return sum
}

extension StrataPeer {
    // MARK: Objects

    func lookUp(_ count: UInt64) -> Double {
        let realm = realm!
        var sum = 0
        for index in chosen(STREAM_LOOKUP, n, count) {
            let person = realm.object(ofType: Person.self, forPrimaryKey: Int(bench_person_id(UInt64(index))))!
            sum &+= person.age &+ read(person.name)
        }
        return Double(sum)
    }

    func readEmails() -> Double {
        var sum = 0
        for person in persons { sum &+= read(person.email!) }
        return Double(sum)
    }

    func readLinkedStrings() -> Double {
        var sum = 0
        for person in persons { sum &+= read(person.dog!.name) }
        return Double(sum)
    }

    func countBacklinks() -> Double {
        // Asked for after changes, too, when nothing was made ready.
        if dogs.isEmpty { dogs = Array(realm.objects(Dog.self)) }
        let targets = bench_targets(n)!
        var sum = 0.0
        for j in 0..<Int(bench_dogs(n)) {
            let links = Double(dogs[Int(targets[j])].owners.count)
            sum += links * links
        }
        return sum
    }

    func readProperty(_ count: UInt64) -> Double {
        let persons = persons
        var sum = 0
        for _ in 0..<Int(count) / persons.count {
            for person in persons {
                bench_barrier()
                sum &+= person.age
            }
        }
        return Double(sum)
    }

    func readPlainProperty(_ count: UInt64) -> Double {
        let persons = plainPersons
        var sum = 0
        for _ in 0..<Int(count) / persons.count {
            for person in persons {
                bench_barrier()
                sum &+= person.age
            }
        }
        return Double(sum)
    }

    // MARK: Scans

    func countName(_ name: String) -> Double { Double(all.where { $0.name == name }.count) }

    func iterate() -> Double {
        var sum = 0
        for person in all { sum &+= person.age }
        return Double(sum)
    }

    // MARK: Indexes and orders

    func countAges(_ count: UInt64) -> Double {
        let age = BENCH_AGE
        var sum = 0
        for _ in 0..<count { sum += all.where { $0.age == age }.count }
        return Double(sum) / Double(count)
    }

    func countRange(_ count: UInt64) -> Double {
        let ages = BENCH_AGE_FROM..<BENCH_AGE_TO
        var sum = 0
        for _ in 0..<count { sum += all.where { $0.age.contains(ages) }.count }
        return Double(sum) / Double(count)
    }

    func visitAge() -> Double {
        let age = BENCH_AGE
        var sum = 0.0
        for person in all.where({ $0.age == age }) { sum += person.score }
        return sum
    }

    func sumOfRanks(_ sorted: Results<Person>) -> Double {
        var rank = 0
        var sum = 0
        for person in sorted {
            rank &+= 1
            sum &+= rank &* person.age
        }
        return Double(sum)
    }
}
