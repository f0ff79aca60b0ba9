// SPDX-License-Identifier: MIT
// SectionNotificationTests.swift -- what observers of sections are told.

import Foundation
import Strata
import Testing

@Suite(.timeLimit(.minutes(20))) struct SectionNotificationTests {
    @Test func `S183: sections and items that came, went and were modified; a section is told of its own`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                try realm.write {
                    for (id, age) in [(1, 10), (2, 10), (3, 20), (4, 30)] { realm.add(Person(id, "p", age: age)) }
                }
                let sections = realm.objects(Person.self).sectioned(by: \.age, ascending: true)
                queue.tokens.append(sections.observe { [unowned queue] in queue.log.append("all " + text($0)) })
                queue.tokens.append(sections[1].observe { [unowned queue] in queue.log.append("20 " + text($0)) })
                queue.tokens.append(sections.observe(keyPaths: ["age"]) { [unowned queue] in
                    queue.log.append("age " + text($0))
                })
            }
            #expect(queue.told() == ["all initial", "20 initial", "age initial"])
            try queue.run { realm in
                try realm.write { realm.object(ofType: Person.self, forPrimaryKey: 2)!.name = "q" }
            }
            #expect(queue.told() == ["all -[] +[] ~[[0, 1]] sections +[] -[]"])
            // From one section into another; the third one goes.
            try queue.run { realm in
                try realm.write {
                    realm.object(ofType: Person.self, forPrimaryKey: 1)!.age = 20
                    realm.delete(realm.object(ofType: Person.self, forPrimaryKey: 4)!)
                }
            }
            #expect(queue.told() == [
                "all -[[0, 0]] +[[1, 0]] ~[] sections +[] -[2]", "20 -[] +[[1, 0]] ~[] sections +[] -[]",
                "age -[[0, 0]] +[[1, 0]] ~[] sections +[] -[2]",
            ])
            try queue.run { realm in
                try realm.write {
                    realm.add(Person(5, "p", age: 15))
                    realm.add(Person(6, "p", age: 15))
                }
            }
            #expect(queue.told() == [
                "all -[] +[[1, 0], [1, 1]] ~[] sections +[1] -[]", "age -[] +[[1, 0], [1, 1]] ~[] sections +[1] -[]",
            ])
            try queue.run { realm in try realm.write { realm.delete(realm.objects(Person.self).where { $0.age == 20 }) } }
            #expect(queue.told() == [
                "all -[] +[] ~[] sections +[] -[2]", "20 -[] +[] ~[] sections +[] -[2]", "age -[] +[] ~[] sections +[] -[2]",
            ])
            try queue.run { realm in try realm.write { realm.add(Person(7, "p", age: 20)) } }
            #expect(queue.told().contains("20 -[] +[[2, 0]] ~[] sections +[2] -[]"))
        }
    }

    @Test func `S179 S183: sections on a queue`() throws {
        let temporary = try TemporaryRealm(), realm = try temporary.open(), queue = DispatchQueue(label: "sections")
        let told = DispatchSemaphore(value: 0)
        let token = realm.objects(Person.self).sectioned(by: \.age, ascending: true).observe(on: queue) { change in
            dispatchPrecondition(condition: .onQueue(queue))
            told.signal()
        }
        told.wait()
        try realm.write { realm.add(Person(1)) }
        told.wait()
        token.invalidate()
        queue.sync {}
    }

    /// What is told is applied to plain arrays, which must then be the sections.
    @Test func `S183: random changes lead from the sections before to those after`() throws {
        let seed = testSeed("section notifications")
        var random = SeededGenerator(state: seed)
        try withQueueRealm { queue in
            let shown = MirroredSections()
            queue.run { realm in
                let sections = realm.objects(Person.self).sectioned(by: \.age, ascending: true)
                queue.tokens.append(sections.observe { shown.follow($0) })
            }
            queue.settle()
            for _ in 0..<150 {
                try queue.run { realm in
                    try realm.write {
                        for _ in 0..<Int(random.next() % 5) {
                            let id = Int(random.next() % 25), age = Int(random.next() % 6)
                            if let person = realm.object(ofType: Person.self, forPrimaryKey: id) {
                                if random.next() % 3 == 0 { realm.delete(person) } else { person.age = age }
                            } else {
                                realm.add(Person(id, "p", age: age))
                            }
                        }
                    }
                }
                queue.settle()
            }
        }
    }
}

extension SectionNotificationTests {
    @Test func `index paths have the names of their parts`() {
        var path = IndexPath(item: 2, section: 1)
        #expect(path == [1, 2] && path == IndexPath(row: 2, section: 1))
        #expect(path.section == 1 && path.item == 2 && path.row == 2)
        (path.section, path.row) = (3, 4)
        #expect(path == [3, 4] && path.item == 4)
    }
}

private final class MirroredSections {
    private var ids: [[Int]] = []

    func follow(_ change: SectionedResultsChange<SectionedResults<Int, Person>>) {
        switch change {
        case .initial(let all): ids = all.map { $0.map(\.id) }
        case .update(let all, let deletions, let insertions, let modifications, let come, let gone):
            #expect(Set(modifications).isDisjoint(with: deletions))
            for path in deletions.reversed() { ids[path[0]].remove(at: path[1]) }
            for section in gone.reversed() { ids.remove(at: section) }
            for section in come { ids.insert([], at: section) }
            for path in insertions { ids[path[0]].insert(all[path].id, at: path[1]) }
            #expect(ids == all.map { $0.map(\.id) })
        }
    }
}
