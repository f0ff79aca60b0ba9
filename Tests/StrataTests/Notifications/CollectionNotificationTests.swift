// SPDX-License-Identifier: MIT
// CollectionNotificationTests.swift -- what observers of results, lists, sets, inverse links and maps are told.

import Foundation
import Strata
import Testing

@Suite(.timeLimit(.minutes(20))) struct CollectionNotificationTests {
    private func observe<C: RealmCollection>(_ queue: QueueRealm, _ name: String, _ collection: C) {
        queue.tokens.append(collection.observe { [unowned queue] change in queue.log.append(name + text(change)) })
    }

    private func observe<C: RealmCollection>(_ queue: QueueRealm, _ collection: C) { observe(queue, "", collection) }

    @Test func `S174: objects in values of any type are followed, but not those inside of an element`() throws {
        try withQueueRealm([AnyHolder.self, Dog.self, Person.self]) { queue in
            let dog = try queue.run { realm in
                let dog = try realm.write { realm.create(Dog.self) }
                try realm.write {
                    let values: [AnyRealmValue] = [
                        .int(1), .object(dog), .fromArray([.object(dog)]), .fromDictionary(["a": .object(dog)]),
                    ]
                    for (id, value) in values.enumerated() {
                        let holder = realm.create(AnyHolder.self, value: ["id": id])
                        holder.value = value
                        holder.list.append(objectsIn: values)
                        holder.map["dog"] = .object(dog)
                        holder.map["other"] = .int(2)
                    }
                }
                observe(queue, "all ", realm.objects(AnyHolder.self).where { $0.id < 4 })
                observe(queue, "list ", realm.objects(AnyHolder.self)[0].list)
                queue.tokens.append(
                    realm.objects(AnyHolder.self)[0].map.observe { change in
                        if case .update(_, _, _, let modified) = change { queue.log.append("map \(modified)") }
                    })
                return dog
            }
            _ = queue.told()
            try queue.run { realm in try realm.write { dog.age = 5 } }
            #expect(queue.told() == ["all 4: -[] +[] ~[0, 1, 2, 3]", "list 4: -[] +[] ~[1]", "map [\"dog\"]"])
        }
    }

    // MARK: What is told, and when

    @Test func `S167: what there is comes first, some time later, and then updates`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                try realm.write { realm.add(Person(1)) }
                observe(queue, realm.objects(Person.self))
                #expect(queue.log.isEmpty)
            }
            #expect(queue.told() == ["initial 1"])
            try queue.run { realm in try realm.write { realm.add(Person(2)) } }
            #expect(queue.told() == ["2: -[] +[1] ~[]"])
        }
    }

    @Test func `S167: what is changed before the first call is part of it`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                observe(queue, realm.objects(Person.self))
                try realm.write { realm.add(Person(1)) }
            }
            #expect(queue.told() == ["initial 1"])
        }
    }

    @Test func `S168: deletions and modifications are positions before, insertions after; a move is both`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                try realm.write { for id in 0..<5 { realm.add(Person(id, "p\(id)", age: id * 10)) } }
                observe(queue, "key ", realm.objects(Person.self))
                observe(queue, "age ", realm.objects(Person.self).sorted(by: \.age))
                observe(queue, "old ", realm.objects(Person.self).where { $0.age >= 20 }.sorted(by: \.age, ascending: false))
            }
            #expect(queue.told() == ["key initial 5", "age initial 5", "old initial 3"])
            try queue.run { realm in
                try realm.write {
                    realm.object(ofType: Person.self, forPrimaryKey: 0)!.age = 35  // between 3 and 4
                    realm.object(ofType: Person.self, forPrimaryKey: 2)!.name = "second"
                    realm.delete(realm.object(ofType: Person.self, forPrimaryKey: 1)!)
                    realm.add(Person(9, "p9", age: 5))
                }
            }
            #expect(queue.told() == [
                "key 5: -[1] +[4] ~[0, 2]", "age 5: -[0, 1] +[0, 3] ~[2]", "old 4: -[] +[1] ~[2]",
            ])
        }
    }

    @Test func `S169: commits that change nothing of it are not told, and several are told at once`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                try realm.write { realm.add(Person(1, age: 3)) }
                observe(queue, realm.objects(Person.self).where { $0.age > 10 })
            }
            #expect(queue.told() == ["initial 0"])
            try queue.run { realm in
                try realm.write { realm.create(Dog.self) }
                try realm.write { realm.objects(Person.self)[0].age = 5 }
            }
            #expect(queue.told() == [])
            try queue.run { realm in
                try realm.write { realm.add(Person(2, age: 20)) }
                try realm.write { realm.add(Person(3, age: 30)) }
            }
            // The beginning of the second write tells of the first one.
            #expect(queue.told() == ["1: -[] +[0] ~[]", "2: -[] +[1] ~[]"])
            try queue.run { realm in
                for id in 4..<7 { try queue.elsewhere { $0.add(Person(id, age: id * 10)) } }
                realm.refresh()
            }
            #expect(queue.told() == ["5: -[] +[2, 3, 4] ~[]"])
        }
    }

    @Test func `S170: nothing is told after the token is gone or invalidated, not even what is pending`() throws {
        try withQueueRealm { queue in
            queue.run { realm in observe(queue, realm.objects(Person.self)) }
            _ = queue.told()
            try queue.run { realm in
                try realm.write { realm.add(Person(1)) }
                #expect(queue.tokens[0].invalidate())
                #expect(!queue.tokens[0].invalidate())
                queue.tokens = []
            }
            #expect(queue.told() == [])
            queue.run { realm in observe(queue, realm.objects(Person.self)) }
            queue.run { _ in queue.tokens = [] }
            try queue.run { realm in try realm.write { realm.add(Person(2)) } }
            queue.run { realm in
                observe(queue, realm.objects(Person.self))
                queue.tokens = []  // before it was told what there is
            }
            _ = queue.told()
            queue.run { realm in observe(queue, realm.objects(Person.self)) }
            #expect(queue.told() == ["initial 2"])
            // From elsewhere it ends, too.
            queue.tokens[0].invalidate()
            queue.settle()
            try queue.run { realm in try realm.write { realm.add(Person(3)) } }
            #expect(queue.told() == [])
        }
    }

    @Test func `S171: collections are told later, at the next write, or at a refresh`() throws {
        try withQueueRealm { queue in
            queue.run { realm in
                queue.tokens.append(realm.observe { [unowned queue] what, _ in queue.log.append("realm \(what)") })
                observe(queue, realm.objects(Person.self))
            }
            #expect(queue.told() == ["initial 0"])
            try queue.run { realm in
                try realm.write { realm.add(Person(1)) }
                #expect(queue.log == ["realm didChange"])
                realm.beginWrite()
                #expect(queue.log == ["realm didChange", "1: -[] +[0] ~[]"])
                realm.add(Person(2))
                try realm.commitWrite()
                queue.log = []
                realm.refresh()
                #expect(queue.log == ["2: -[] +[1] ~[]"])
            }
            #expect(queue.told() == ["2: -[] +[1] ~[]"])
        }
    }

    @Test func `S171: commits of others are told when the realm moves on by itself, first to observers of the realm`() throws {
        try withQueueRealm { queue in
            queue.run { realm in
                observe(queue, realm.objects(Person.self))
                queue.tokens.append(realm.observe { [unowned queue] what, _ in queue.log.append("realm \(what)") })
            }
            #expect(queue.told() == ["initial 0"])
            try queue.elsewhere { $0.add(Person(1)) }
            // No refresh: the queue is told.
            while queue.run({ _ in queue.log.count < 2 }) { Thread.sleep(forTimeInterval: 0.001) }
            #expect(queue.told() == ["realm didChange", "1: -[] +[0] ~[]"])
        }
    }

    /// A commit can be seen a moment before a realm can move to it, and must not be forgotten then.
    @Test func `S171: each of many commits of others arrives without a refresh`() throws {
        try withQueueRealm { queue in
            queue.run { realm in observe(queue, realm.objects(Person.self)) }
            for id in 0..<100 {
                try queue.elsewhere { $0.add(Person(id)) }
                while queue.run({ $0.objects(Person.self).count }) <= id { Thread.sleep(forTimeInterval: 0.0002) }
            }
        }
    }

    @Test func `S172: tokens that are named are told nothing of the write, and everything else`() throws {
        try withQueueRealm { queue in
            queue.run { realm in
                observe(queue, "one ", realm.objects(Person.self))
                observe(queue, "two ", realm.objects(Person.self))
                queue.tokens.append(realm.observe { [unowned queue] what, _ in queue.log.append("realm \(what)") })
            }
            _ = queue.told()
            try queue.elsewhere { $0.add(Person(1)) }
            try queue.run { realm in
                try realm.write(withoutNotifying: [queue.tokens[0], queue.tokens[2]]) { realm.add(Person(2)) }
            }
            #expect(queue.told().filter { !$0.hasPrefix("realm") } == [
                "one 1: -[] +[0] ~[]", "two 1: -[] +[0] ~[]", "two 2: -[] +[1] ~[]",
            ])
            try queue.run { realm in
                realm.beginWrite()
                queue.log = []
                realm.add(Person(3))
                try realm.commitWrite(withoutNotifying: queue.tokens)
            }
            #expect(queue.told() == [])
            try queue.run { realm in try realm.write { realm.add(Person(4)) } }
            #expect(queue.told() == ["realm didChange", "one 4: -[] +[3] ~[]", "two 4: -[] +[3] ~[]"])
            queue.run { _ in #expect(Set(queue.tokens + [queue.tokens[1]]).count == 3) }
        }
    }

    // MARK: What counts

    @Test func `S174: objects up to three links away count`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                try realm.write {
                    let people = (0..<5).map { Person($0) }
                    for index in 0..<4 { people[index].friend = people[index + 1] }
                    realm.add(people)
                }
                observe(queue, realm.objects(Person.self).where { $0.id == 0 })
            }
            _ = queue.told()
            try queue.run { realm in
                try realm.write { realm.object(ofType: Person.self, forPrimaryKey: 3)!.name = "three links away" }
            }
            #expect(queue.told() == ["1: -[] +[] ~[0]"])
            try queue.run { realm in
                try realm.write { realm.object(ofType: Person.self, forPrimaryKey: 4)!.name = "four links away" }
            }
            #expect(queue.told() == [])
        }
    }

    @Test func `S175 S176: only what key paths lead to counts as modified; insertions and deletions always do`() throws {
        try withQueueRealm { queue in
            let dogs = try queue.run { realm in
                try realm.write {
                    let person = realm.create(Person.self, value: ["id": 1, "dog": ["name": "a"], "dogs": [["name": "b"]]])
                    return [person.dog!, person.dogs[0]].map(ThreadSafeReference.init)
                }
            }
            queue.run { realm in
                let people = realm.objects(Person.self)
                func observe(_ paths: [String]) {
                    queue.tokens.append(people.observe(keyPaths: paths) { [unowned queue] in
                        queue.log.append("\(paths.joined(separator: " ")) \(text($0))")
                    })
                }
                for paths in [["name"], ["dog"], ["dog.name"], ["dogs"], ["dogs.name"], []] { observe(paths) }
                queue.tokens.append(people.observe(keyPaths: [\.name, \.age]) { [unowned queue] in
                    queue.log.append("typed \(text($0))")
                })
            }
            _ = queue.told()
            func told(_ change: (Person, Dog, Dog) -> Void) throws -> [String] {
                try queue.run { realm in
                    let person = realm.objects(Person.self)[0], all = realm.objects(Dog.self)
                    try realm.write { change(person, all[0], all[1]) }
                }
                return queue.told().map { String($0.prefix { $0 != ":" }.dropLast(2)) }
            }
            _ = dogs
            #expect(try told { person, _, _ in person.name = "n" } == ["name", "typed"])
            #expect(try told { person, _, _ in person.age = 1 } == ["typed"])
            #expect(try told { _, one, _ in one.name = "x" } == ["dog.name"])
            #expect(try told { _, _, other in other.name = "y" } == ["dogs.name"])
            #expect(try told { person, _, other in person.dog = other } == ["dog", "dog.name"])
            #expect(try told { person, one, _ in person.dogs.append(one) } == ["dogs", "dogs.name"])
            #expect(try told { _, one, _ in one.age = 9 } == [])
            try queue.run { realm in try realm.write { realm.add(Person(2)) } }
            #expect(queue.told().count == 7)
            try queue.run { realm in try realm.write { realm.delete(realm.objects(Person.self)[1]) } }
            let told = queue.told()
            #expect(told.count == 7 && told.allSatisfy { $0.hasSuffix("1: -[1] +[] ~[]") }, "\(told)")
        }
    }

    // MARK: Kinds of collections

    @Test func `S168 S177: lists tell the positions of what was done, and everything when their object goes`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                let person = try realm.write {
                    realm.create(Person.self, value: ["id": 1, "dogs": ["a", "b", "c"].map { ["name": $0] }])
                }
                observe(queue, person.dogs)
                observe(queue, "any ", AnyRealmCollection(person.dogs))
                observe(queue, "named ", person.dogs.filter("name > 'a'").sorted(by: \.name))
            }
            #expect(queue.told() == ["initial 3", "any initial 3", "named initial 2"])
            try queue.run { realm in
                try realm.write {
                    let dogs = realm.objects(Person.self)[0].dogs
                    dogs.insert(Dog("z"), at: 1)
                    dogs.remove(at: 0)
                    dogs[1].age = 7
                }
            }
            #expect(queue.told() == ["3: -[0] +[0] ~[1]", "any 3: -[0] +[0] ~[1]", "named 3: -[] +[2] ~[0]"])
            try queue.run { realm in try realm.write { realm.delete(realm.objects(Person.self)) } }
            #expect(queue.told() == ["0: -[0, 1, 2] +[] ~[]", "any 0: -[0, 1, 2] +[] ~[]", "named 0: -[0, 1, 2] +[] ~[]"])
            try queue.run { realm in try realm.write { realm.create(Person.self, value: ["id": 2]) } }
            #expect(queue.told() == [])
        }
    }

    @Test func `S168: lists, sets and sorted results of values`() throws {
        try withQueueRealm([Lists.self, Sets.self, Dog.self, Person.self]) { queue in
            try queue.run { realm in
                let (lists, sets) = try realm.write {
                    (
                        realm.create(Lists.self, value: ["id": 1, "ints": [3, 1, 2]]),
                        realm.create(Sets.self, value: ["id": 1, "ints": [1, 5]])
                    )
                }
                observe(queue, "list ", lists.ints)
                observe(queue, "sorted ", lists.ints.sorted())
                observe(queue, "set ", sets.ints)
            }
            #expect(queue.told() == ["list initial 3", "sorted initial 3", "set initial 2"])
            try queue.run { realm in
                try realm.write {
                    let ints = realm.objects(Lists.self)[0].ints
                    ints[0] = 9
                    ints.append(0)
                    realm.objects(Sets.self)[0].ints.insert(4)
                }
            }
            #expect(queue.told() == ["list 4: -[] +[3] ~[0]", "sorted 4: -[2] +[0, 3] ~[]", "set 3: -[] +[1] ~[]"])
        }
    }

    @Test func `S168: objects that link to an object`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                let dog = try realm.write { realm.create(Dog.self, value: ["name": "a"]) }
                observe(queue, dog.owners)
            }
            #expect(queue.told() == ["initial 0"])
            try queue.run { realm in
                try realm.write {
                    let dog = realm.objects(Dog.self)[0]
                    for id in 1...3 { realm.create(Person.self, value: ["id": id, "dog": dog]) }
                }
            }
            #expect(queue.told() == ["3: -[] +[0, 1, 2] ~[]"])
            try queue.run { realm in
                try realm.write {
                    realm.object(ofType: Person.self, forPrimaryKey: 1)!.dog = nil
                    realm.object(ofType: Person.self, forPrimaryKey: 2)!.name = "n"
                }
            }
            #expect(queue.told() == ["2: -[0] +[] ~[1]"])
        }
    }

    @Test func `S178: maps tell keys; the deletion of a value's object modifies its key`() throws {
        try withQueueRealm([Maps.self, Dog.self, Person.self]) { queue in
            try queue.run { realm in
                let maps = try realm.write {
                    realm.create(Maps.self, value: ["id": 1, "ints": ["a": 1, "b": 2], "dogs": ["x": ["name": "d"]]])
                }
                queue.tokens.append(maps.ints.observe { [unowned queue] in queue.log.append("ints " + text($0)) })
                queue.tokens.append(maps.dogs.observe { [unowned queue] in queue.log.append("dogs " + text($0)) })
            }
            #expect(queue.told() == ["ints initial 2", "dogs initial 1"])
            try queue.run { realm in
                try realm.write {
                    let maps = realm.objects(Maps.self)[0]
                    maps.ints["a"] = nil
                    maps.ints["b"] = 5
                    maps.ints["c"] = 6
                    maps.dogs["x"]??.age = 3
                }
            }
            #expect(queue.told() == ["ints 2: -[\"a\"] +[\"c\"] ~[\"b\"]", "dogs 1: -[] +[] ~[\"x\"]"])
            try queue.run { realm in try realm.write { realm.delete(realm.objects(Dog.self)) } }
            #expect(queue.told() == ["dogs 1: -[] +[] ~[\"x\"]"])
            try queue.run { realm in try realm.write { realm.delete(realm.objects(Maps.self)) } }
            #expect(queue.told() == ["ints 0: -[\"b\", \"c\"] +[] ~[]", "dogs 0: -[\"x\"] +[] ~[]"])
        }
    }

    // MARK: Random changes

    /// Everything that is told is applied to a plain array, which must then be what the results are.
    @Test func `S168 S169: random changes on several threads lead from each result to the next`() throws {
        let seed = testSeed("collection notifications")
        var random = SeededGenerator(state: seed)
        try withQueueRealm { queue in
            let shown = Mirrored()
            queue.run { realm in
                func follow(_ index: Int, _ results: Results<Person>) {
                    queue.tokens.append(results.observe { shown.follow(index, $0) })
                }
                let people = realm.objects(Person.self)
                follow(0, people)
                follow(1, people.where { $0.age > 50 })
                follow(2, people.sorted(by: \.age))
                follow(3, people.where { $0.friend.age > 50 }.sorted(by: [.init(keyPath: "friend.age"), .init(keyPath: "name")]))
                follow(4, people.distinct(by: [\.age]))
            }
            queue.settle()
            for round in 0..<60 {
                let start = random.next()
                let change: @Sendable (Realm) throws -> Void = { realm in
                    var random = SeededGenerator(state: start)
                    for _ in 0..<Int(random.next() % 8) {
                        let id = Int(random.next() % 60), age = Int(random.next() % 100)
                        if let person = realm.object(ofType: Person.self, forPrimaryKey: id) {
                            switch random.next() % 4 {
                            case 0: realm.delete(person)
                            case 1: person.friend = realm.object(ofType: Person.self, forPrimaryKey: Int(random.next() % 60))
                            case 2: person.name = "\(age)"
                            default: person.age = age
                            }
                        } else {
                            realm.add(Person(id, "\(id)", age: age))
                        }
                    }
                }
                if round % 3 == 0 { try queue.elsewhere(change) } else { try queue.run { r in try r.write { try change(r) } } }
                if round % 4 == 0 {
                    queue.run { _ = $0.refresh() }
                    queue.settle()
                    queue.run { _ in shown.check() }
                }
            }
        }
    }
}

/// What results showed, followed by what was told.
private final class Mirrored {
    private var ids = [[Int]](repeating: [], count: 5)
    private var results: [Results<Person>?] = Array(repeating: nil, count: 5)

    func follow(_ index: Int, _ change: RealmCollectionChange<Results<Person>>) {
        switch change {
        case .initial(let all):
            results[index] = all
            ids[index] = all.map(\.id)
        case .update(let all, let deletions, let insertions, let modifications):
            var now = ids[index]
            #expect(modifications.allSatisfy { $0 < now.count } && Set(modifications).isDisjoint(with: deletions))
            for position in deletions.reversed() { now.remove(at: position) }
            for position in insertions { now.insert(all[position].id, at: position) }
            ids[index] = now
            #expect(now == all.map(\.id))
        case .error(let error): Issue.record(error)
        }
    }

    func check() { for (ids, results) in zip(ids, results) { #expect(results.map { $0.map(\.id) } == ids) } }
}
