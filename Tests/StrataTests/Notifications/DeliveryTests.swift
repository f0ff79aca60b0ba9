// SPDX-License-Identifier: MIT
// DeliveryTests.swift -- what closures do while they are told, and who is told of what a write found at its beginning.

import Dispatch
import Foundation
import Strata
import Testing

@Suite(.timeLimit(.minutes(20))) struct DeliveryTests {
    /// Two observers of all people. The first one adds somebody whenever it is told in a write.
    private func observeAndAdd(_ queue: QueueRealm) {
        queue.run { realm in
            for name in ["first", "second"] {
                queue.tokens.append(realm.objects(Person.self).observe { [unowned queue] change in
                    queue.log.append("\(name) \(text(change))")
                    guard name == "first", case .update(let all, _, _, _) = change, let realm = all.realm,
                        realm.isInWriteTransaction
                    else { return }
                    realm.add(Person(100 + all.count))
                })
            }
        }
        #expect(queue.told() == ["first initial 0", "second initial 0"])
    }

    @Test func `S171 S181: who is told at the beginning of a write may change the realm; the others are told later`() throws {
        try withQueueRealm { queue in
            observeAndAdd(queue)
            try queue.run { realm in
                try queue.elsewhere { $0.add(Person(1)) }
                try realm.write { realm.add(Person(2)) }
                #expect(queue.log == ["first 1: -[] +[0] ~[]"])
            }
            #expect(queue.told() == ["first 1: -[] +[0] ~[]", "first 3: -[] +[1, 2] ~[]", "second 3: -[] +[0, 1, 2] ~[]"])
            try queue.run { realm in
                try queue.elsewhere { $0.add(Person(3)) }
                realm.beginWrite()
                realm.cancelWrite()
            }
            #expect(queue.told() == ["first 4: -[] +[3] ~[]", "second 4: -[] +[3] ~[]"])
        }
    }

    @Test func `S172: what a token was not told at the beginning of a write is not lost with the write`() throws {
        try withQueueRealm { queue in
            observeAndAdd(queue)
            try queue.run { realm in
                try queue.elsewhere { $0.add(Person(1)) }
                try realm.write(withoutNotifying: [queue.tokens[1]]) { realm.add(Person(2)) }
            }
            #expect(queue.told().last == "second 3: -[] +[0, 1, 2] ~[]")
        }
    }

    @Test func `S152 S155: in a closure that is told, the realm does not move on, so that positions fit the collection`() throws {
        try withQueueRealm { queue in
            let configuration = queue.configuration
            queue.run { realm in
                queue.tokens.append(realm.objects(Person.self).observe { [unowned queue] change in
                    queue.log.append(text(change))
                    guard case .update(let all, _, _, _) = change, all.count == 1 else { return }
                    do {
                        let later = try queue.elsewhere { ThreadSafeReference(to: $0.create(Person.self, value: [2])) }
                        #expect(all.realm?.refresh() == false && all.realm?.resolve(later) == nil)
                        #expect(try Realm(configuration: configuration, queue: queue.queue) == all.realm)
                    } catch { Issue.record(error) }
                    queue.log.append("then \(all.count)")
                })
            }
            _ = queue.told()
            try queue.run { realm in try realm.write { realm.add(Person(1)) } }
            while queue.run({ _ in queue.log.count < 3 }) { Thread.sleep(forTimeInterval: 0.001) }
            #expect(queue.told() == ["1: -[] +[0] ~[]", "then 1", "2: -[] +[1] ~[]"])
        }
    }

    @Test func `S171: an observer of the realm is told that a write which changed nothing moved it on`() throws {
        try withQueueRealm { queue in
            let done = DispatchSemaphore(value: 0)
            try queue.run { realm in
                realm.autorefresh = false
                queue.tokens.append(realm.observe { [unowned queue] what, realm in
                    if what == .didChange { queue.log.append("\(what) \(realm.objects(Person.self).count)") }
                })
                try queue.elsewhere { $0.add(Person(1)) }
                realm.writeAsync {
                    realm.cancelWrite()
                } onComplete: { _ in
                    done.signal()
                }
            }
            done.wait()
            #expect(queue.told() == ["didChange 1"])
            try queue.run { realm in
                try queue.elsewhere { $0.add(Person(2)) }
                realm.beginWrite()
                #expect(queue.log == ["didChange 2"])
                realm.cancelWrite()
            }
            #expect(queue.told() == ["didChange 2"])
        }
    }

    @Test func `S170: whoever is invalidated by a closure is not told, and the last of all may end itself`() throws {
        try withQueueRealm { queue in
            queue.run { realm in
                for index in 0..<3 {
                    queue.tokens.append(realm.objects(Person.self).observe { [unowned queue] change in
                        queue.log.append("\(index) \(text(change))")
                        if case .update = change { for token in queue.tokens { token.invalidate() } }
                    })
                }
            }
            _ = queue.told()
            try queue.run { realm in try realm.write { realm.add(Person(1)) } }
            #expect(queue.told() == ["0 1: -[] +[0] ~[]"])
            queue.run { realm in
                queue.tokens = [realm.objects(Person.self).observe { [unowned queue] in queue.log.append(text($0)) }]
            }
            #expect(queue.told() == ["initial 1"])
        }
    }

    @Test func `S170 S75: what was observed before invalidate() is told of nothing any more but that it is gone`() throws {
        try withQueueRealm([Person.self, Dog.self, Maps.self]) { queue in
            try queue.run { realm in
                let (person, maps) = try realm.write {
                    (realm.create(Person.self, value: ["id": 1, "age": 5]), realm.create(Maps.self, value: ["id": 1]))
                }
                let people = realm.objects(Person.self)
                queue.tokens = [
                    people.observe { [unowned queue] in queue.log.append("results \(text($0))") },
                    person.dogs.observe { [unowned queue] in queue.log.append("list \(text($0))") },
                    maps.ints.observe { [unowned queue] _ in queue.log.append("map") },
                    people.sectioned(by: \.age).observe { [unowned queue] _ in queue.log.append("sections") },
                    person.observe { [unowned queue] (change: ObjectChange<Person>) in queue.log.append(text(change)) },
                    realm.observe { [unowned queue] what, _ in queue.log.append("\(what)") },
                ]
            }
            #expect(queue.told() == ["results initial 1", "list initial 0", "map", "sections"])
            try queue.run { realm in
                realm.invalidate()
                try queue.elsewhere { realm in
                    realm.add(Person(2, age: 6))
                    realm.objects(Person.self)[0].name = "n"
                    realm.objects(Person.self)[0].dogs.append(Dog("d"))
                    realm.objects(Maps.self)[0].ints["a"] = 1
                }
                realm.refresh()
            }
            #expect(queue.told() == ["didChange"])
            try queue.elsewhere { realm in realm.delete(realm.objects(Person.self)) }
            queue.run { $0.refresh() }
            #expect(queue.told() == ["didChange", "list 0: -[0] +[] ~[]", "deleted"])
        }
    }

    @Test func `S176: each element that leads to what was assigned is modified`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                try realm.write {
                    let dog = realm.create(Dog.self, value: ["name": "a"])
                    for id in 1...3 { realm.create(Person.self, value: ["id": id, "dog": (id == 2 ? nil : dog) as Any]) }
                }
                queue.tokens.append(realm.objects(Person.self).observe(keyPaths: ["dog.name"]) { [unowned queue] in
                    queue.log.append(text($0))
                })
            }
            _ = queue.told()
            try queue.run { realm in try realm.write { realm.objects(Dog.self)[0].name = "b" } }
            #expect(queue.told() == ["3: -[] +[] ~[0, 2]"])
        }
    }

    @Test func `S173: links are told as the objects that they lead to`() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                let person = try realm.write { realm.create(Person.self, value: ["id": 1, "dog": ["name": "a"]]) }
                queue.tokens.append(person.observe { [unowned queue] (change: ObjectChange<Person>) in
                    guard case .change(_, let properties) = change else { return }
                    for property in properties {
                        let dogs = [property.oldValue, property.newValue].map { ($0 as? Dog)?.name ?? "nobody" }
                        queue.log.append("\(property.name) \(dogs)")
                    }
                })
                try queue.elsewhere { $0.objects(Person.self)[0].dog = Dog("b") }
                realm.refresh()
                #expect(queue.log == [#"dog ["a", "b"]"#])
                try queue.elsewhere { $0.objects(Person.self)[0].dog = nil }
                realm.refresh()
                #expect(queue.log.last == #"dog ["b", "nobody"]"#)
            }
        }
    }

    // Statement 175.
    @Test(
        """
        Differs from Realm: each observer of an object is told of what its own key paths name; Realm tells all of them \
        of what those of any of them name. Nobody depends on who else observes.
        """)
    func observersHaveKeyPathsOfTheirOwn() throws {
        try withQueueRealm { queue in
            try queue.run { realm in
                let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
                for path in ["name", "age"] {
                    queue.tokens.append(person.observe(keyPaths: [path]) { [unowned queue] (_: ObjectChange<Person>) in
                        queue.log.append(path)
                    })
                }
            }
            try queue.run { realm in try realm.write { realm.objects(Person.self)[0].name = "n" } }
            #expect(queue.told() == ["name"])
        }
    }
}
