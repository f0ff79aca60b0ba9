// SPDX-License-Identifier: MIT

import Dispatch
import RealmSwift
import Workload

extension StrataPeer {
    /// Unmanaged objects, made one by one and added.
    func insertAll() throws -> Double {
        try realm.write {
            let dogs = (0..<bench_dogs(n)).map { index in
                let dog = Dog(bench_make_dog(index))
                realm.add(dog)
                return dog
            }
            for index in 0..<n {
                let person = bench_make_person(n, index)
                realm.add(Person(person, dogs[Int(person.dog)]))
            }
        }
        return Double(n + bench_dogs(n))
    }

    func commitPersons(_ count: UInt64) throws -> Double {
        for _ in 0..<count {
            let person = bench_make_person(n, n + committed)
            committed += 1
            try realm.write {
                realm.add(Person(person, realm.object(ofType: Dog.self, forPrimaryKey: Int(person.dog) + 1)!))
            }
        }
        return Double(count)
    }

    /// As many tasks as there are writers, which write until all persons are there.
    func commitTogether(_ count: UInt64) -> Double {
        let (n, first, configuration) = (n, n + committed, realm.configuration)
        committed += count
        wait {
            let store = try await RealmStore(configuration: configuration)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<UInt64(BENCH_WRITERS) {
                    group.addTask {
                        for index in stride(from: first + writer, to: first + count, by: Int(BENCH_WRITERS)) {
                            let person = bench_make_person(n, index)
                            try await store.write { realm in
                                let dog = realm.object(ofType: Dog.self, forPrimaryKey: Int(person.dog) + 1)!
                                realm.add(Person(person, dog))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        realm.refresh()
        return Double(count)
    }

    /// Waits for what is done asynchronously.
    private func wait(for work: @escaping @Sendable () async throws -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task {
            do { try await work() } catch { bench_fail("strata-swift", "writers", "\(error)") }
            done.signal()
        }
        done.wait()
    }

    func updateScores() throws -> Double {
        try realm.write {
            for (j, person) in persons.enumerated() { person.score = bench_new_score(UInt64(j)) }
        }
        return Double(persons.count)
    }

    func updateAges() throws -> Double {
        try realm.write {
            for (j, person) in persons.enumerated() { person.age = Int(bench_new_age(UInt64(j))) }
        }
        return Double(persons.count)
    }

    func deletePersons() throws -> Double {
        try realm.write {
            for person in persons { realm.delete(person) }
        }
        return Double(persons.count)
    }

    // MARK: The list

    func clearList() {
        must {
            try realm.write {
                let list = series ?? realm.create(Series.self)
                list.elements.removeAll()
                series = list
            }
        }
    }

    func appendElements(_ count: UInt64) throws -> Double {
        let elements = series!.elements
        try realm.write {
            for j in 0..<count { elements.append(Int(bench_element(j))) }
        }
        return Double(elements.count)
    }

    func getElements(_ count: UInt64) -> Double {
        let elements = series!.elements
        var sum = 0
        for position in chosen(STREAM_POSITION, n, count) { sum &+= elements[position] }
        return Double(sum)
    }

    func insertElements(_ count: UInt64) throws -> Double {
        let elements = series!.elements
        var position = 0
        for first in stride(from: 0, to: count, by: BENCH_INSERTS) {
            try realm.write {
                for j in first..<min(first + UInt64(BENCH_INSERTS), count) {
                    position = Int(bench_choose(STREAM_POSITION, n + j, j))
                    elements.insert(Int(bench_element(n + j)), at: position)
                }
            }
        }
        return Double(elements.count) + Double(elements[position])
    }
}
