// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct CollectionLinkTests {
    func withOrigin(_ body: (Realm, Origin, [Target]) throws -> Void) throws {
        try withRealm(collectionTypes) { realm in
            try realm.write {
                let origin = realm.create(Origin.self)
                let targets = ["a", "b", "c"].map { Target($0) }
                realm.add(targets)
                try body(realm, origin, targets)
            }
        }
    }

    @Test func `S71: a deleted target leaves lists and sets, and maps keep the key`() throws {
        try withOrigin { realm, origin, targets in
            origin.list.append(objectsIn: [targets[0], targets[1], targets[0], targets[2]])
            origin.set.insert(objectsIn: targets)
            for target in targets { origin.map[target.name] = target }
            origin.map["again"] = targets[0]
            origin.one = targets[0]
            realm.delete(targets[0])
            #expect(origin.list.map(\.name) == ["b", "c"] && Set(origin.set.map(\.name)) == ["b", "c"])
            #expect(origin.map.keys == ["a", "again", "b", "c"] && origin.map["a"] == .some(nil))
            #expect(origin.map["again"] == .some(nil) && origin.map["b"]??.name == "b" && origin.one == nil)
        }
    }

    @Test func `S72: deleting the owner keeps targets; deleting a collection deletes them`() throws {
        try withOrigin { realm, origin, targets in
            origin.list.append(objectsIn: [targets[0], targets[0]])
            origin.set.insert(targets[1])
            origin.map["c"] = targets[2]
            realm.delete(origin.list)
            #expect(origin.list.isEmpty && targets[0].isInvalidated && realm.objects(Target.self).count == 2)
            realm.delete(origin.set)
            #expect(origin.set.isEmpty && realm.objects(Target.self).count == 1)
            realm.delete(origin)
            #expect(realm.objects(Target.self).map(\.name) == ["c"])
            let other = realm.create(Origin.self)
            other.map["c"] = targets[2]
            realm.delete(other.map)
            #expect(other.map.isEmpty && realm.objects(Target.self).isEmpty)
        }
    }

    @Test func `S72: deleting the objects of a result`() throws {
        try withOrigin { realm, origin, targets in
            origin.list.append(objectsIn: targets)
            realm.delete(origin.list.where { $0.name != "b" })
            #expect(origin.list.map(\.name) == ["b"] && realm.objects(Target.self).count == 1)
        }
    }

    @Test func `S73: removing from a collection only unlinks`() throws {
        try withOrigin { realm, origin, targets in
            origin.list.append(objectsIn: targets)
            origin.set.insert(objectsIn: targets)
            for target in targets { origin.map[target.name] = target }
            origin.list.remove(at: 0)
            origin.list.removeAll()
            origin.set.remove(targets[0])
            origin.set.removeAll()
            origin.map["a"] = nil
            origin.map.removeAll()
            #expect(realm.objects(Target.self).count == 3 && targets[0].inLists.isEmpty)
        }
    }

    @Test func `S76: collections of a deleted object are invalid and empty`() throws {
        try withOrigin { realm, origin, targets in
            origin.list.append(objectsIn: targets)
            let (list, set, map, results, links) =
                (origin.list, origin.set, origin.map, origin.list.results, targets[0].inLists)
            #expect(links.count == 1 && results.count == 3)
            realm.delete(origin)
            #expect(list.isInvalidated && set.isInvalidated && map.isInvalidated && results.isInvalidated)
            #expect(list.isEmpty && set.isEmpty && map.isEmpty && results.isEmpty && links.isEmpty)
            #expect(list.index(of: targets[0]) == nil && !set.contains(targets[0]) && map["a"] == nil)
        }
    }

    @Test func `S97: linking objects count each reference`() throws {
        try withOrigin { _, origin, targets in
            let target = targets[0]
            origin.list.append(objectsIn: [target, targets[1], target, target])
            origin.set.insert(objectsIn: [target, target])
            origin.map["x"] = target
            origin.map["y"] = target
            #expect(target.inLists.count == 3 && target.inSets.count == 1 && target.inMaps.count == 2)
            #expect(target.inLists.map { $0 }.count == 3 && target.inMaps[1].isSameObject(as: origin))
            origin.list.remove(at: 2)
            origin.map["x"] = targets[1]
            origin.set.removeAll()
            #expect(target.inLists.count == 2 && target.inSets.isEmpty && target.inMaps.count == 1)
        }
    }

    @Test func `S98: linking objects change at once and can be queried`() throws {
        try withOrigin { realm, origin, targets in
            let links = targets[0].inLists
            #expect(links.isEmpty)
            origin.list.append(targets[0])
            #expect(links.count == 1 && links.first?.isSameObject(as: origin) == true && links.realm == realm)
            let found = links.where { $0.list.name == "a" }, none = links.where { $0.list.name == "zzz" }
            #expect(found.count == 1 && found.first?.isSameObject(as: origin) == true && none.isEmpty)
            origin.list.append(targets[0])
            #expect(links.count == 2 && links.filter("ANY list.name == 'a'").count == 2)
            origin.list.removeAll()
            #expect(links.isEmpty && found.isEmpty)
        }
    }

    @Test func `S98: linking objects cannot be assigned`() async {
        let managed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in
                try realm.write {
                    let dog = realm.create(Dog.self)
                    dog.owners = dog.packs
                }
            }
        }
        expect(managed, says: "Dog.owners follows links backwards and cannot be set; change the links")
        let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dog = Dog()
            dog.owners = dog.packs
        }
        expect(unmanaged, says: "a LinkingObjects<Person> property cannot be set")
        let named = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Dog()["owners"] = [Person(1)]
        }
        expect(named, says: "owners")
    }

    @Test func `S99: the index of an object that is not managed, or not contained, is nil`() throws {
        try withOrigin { realm, origin, targets in
            origin.list.append(objectsIn: [targets[0], targets[1], targets[0]])
            #expect(origin.list.index(of: targets[1]) == 1 && origin.list.index(of: targets[0]) == 0)
            #expect(origin.list.index(of: targets[2]) == nil && origin.list.index(of: Target("a")) == nil)
            #expect(!origin.set.contains(Target("a")) && realm.objects(Target.self).index(of: Target("a")) == nil)
            #expect(origin.list.index(matching: { $0.name == "b" }) == 1)
        }
    }

    @Test(arguments: 0..<5) func `S99: an object of another realm is not searched for`(place: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [place] in
            try withRealm(collectionTypes) { realm in
                let stranger = try realm.write { realm.create(Target.self, value: ["name": "a"]) }
                try withRealm(collectionTypes) { other in
                    let origin = try other.write { other.create(Origin.self, value: ["list": [["name": "a"]]]) }
                    switch place {
                    case 0: _ = origin.list.index(of: stranger)
                    case 1: _ = origin.list.sorted(by: \.name).index(of: stranger)
                    case 2: _ = other.objects(Target.self).index(of: stranger)
                    case 3: _ = AnyRealmCollection(origin.list).index(of: stranger)
                    default: _ = origin.set.contains(stranger)
                    }
                }
            }
        }
        expect(result, saysAll: "Target (object 1) belongs to another realm than the query")
    }

    @Test func `S94 S95 S96: results of collections are live and keep their order`() throws {
        try withOrigin { _, origin, targets in
            let results = origin.list.where { $0.name != "b" }
            #expect(results.isEmpty)
            origin.list.append(objectsIn: [targets[2], targets[1], targets[0]])
            #expect(results.map(\.name) == ["c", "a"] && results == results)
            #expect(results != origin.list.where { $0.name != "b" })
        }
    }

    @Test func `S102: the last order comes first, and ties keep the order before`() throws {
        try withRealm { realm in
            try realm.write {
                for (name, age) in [("b", 1), ("a", 2), ("c", 1), ("a", 1)] { realm.add(Dog(name, age: age)) }
            }
            let dogs = realm.objects(Dog.self).sorted(by: \.name).sorted(by: \.age)
            #expect(dogs.map { "\($0.name)\($0.age)" } == ["a1", "b1", "c1", "a2"])
        }
    }

    @Test func `S100: values by key and by path`() throws {
        try withRealm { realm in
            let person = try realm.write {
                realm.create(Person.self, value: ["id": 1, "dogs": [["a", 3], ["b", 5], ["a", 4]]])
            }
            let dogs = person.dogs
            #expect(dogs.value(forKey: "name") as? [String] == ["a", "b", "a"])
            #expect((dogs.value(forKey: "self") as? [Dog])?.count == 3)
            #expect(dogs.value(forKeyPath: "@count") as? Int == 3 && dogs.value(forKeyPath: "@sum.age") as? Int == 12)
            #expect(dogs.value(forKeyPath: "@min.age") as? Int == 3 && dogs.value(forKeyPath: "@max.age") as? Int == 5)
            #expect(dogs.value(forKeyPath: "@avg.age") as? Double == 4)
            #expect(dogs.value(forKeyPath: "@unionOfObjects.name") as? [String] == ["a", "b", "a"])
            #expect(dogs.value(forKeyPath: "@distinctUnionOfObjects.name") as? [String] == ["a", "b"])
            #expect(realm.objects(Person.self).value(forKeyPath: "dog.name") as? [NSNull] == [NSNull()])
            #expect(AnyRealmCollection(dogs).value(forKey: "age") as? [Int] == [3, 5, 4])
            let ints = List<Int>()
            ints.append(objectsIn: [1, 2])
            #expect(ints.value(forKey: "self") as? [Int] == [1, 2] && ints.value(forKeyPath: "@max.self") as? Int == 2)
        }
    }

    @Test(
        arguments: [
            ("@sum.@count", "the key path @sum.@count nests collection operators; use one"),
            ("@max.packs.@count", "the key path @max.packs.@count nests collection operators; use one"),
            ("@middle.age", "@middle is no collection operator; there are @count, @min, @max, @sum, @avg"),
            ("color", "Dog has no persisted property \"color\""),
        ], [false, true])
    func `S100: paths that lead nowhere trap`(path: (name: String, message: String), isManaged: Bool) async {
        let name = path.name
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [name = name as String, isManaged] in
            let person = Person(value: ["id": 1, "dogs": [["a"]]])
            try withRealm { realm in
                if isManaged { try realm.write { realm.add(person) } }
                _ = person.dogs.value(forKeyPath: name)
            }
        }
        expect(result, says: path.message)
    }

    @Test func `S101: setting a property of all elements`() async throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "dogs": [["a", 3], ["b", 5]]]) }
            try realm.write {
                person.dogs.setValue(9, forKey: "age")
                realm.objects(Dog.self).where { $0.age == 9 }.setValue("x", forKey: "name")
            }
            #expect(person.dogs.map { "\($0.name)\($0.age)" } == ["x9", "x9"])
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dogs = List<Dog>()
            dogs.append(Dog("a"))
            dogs.setValue(1, forKey: "color")
        }
        expect(result, says: "Dog has no persisted property \"color\"")
    }

    @Test func `C7: any collection of one type of elements`() throws {
        try withOrigin { realm, origin, targets in
            origin.list.append(objectsIn: targets)
            origin.set.insert(targets[0])
            let all: [AnyRealmCollection<Target>] = [
                AnyRealmCollection(origin.list), AnyRealmCollection(origin.set),
                AnyRealmCollection(realm.objects(Target.self)), AnyRealmCollection(origin.list.sorted(by: \.name)),
            ]
            #expect(all.map(\.count) == [3, 1, 3, 3] && all.allSatisfy { $0.first?.name == "a" && $0.realm == realm })
            #expect(all[0] == AnyRealmCollection(origin.list) && all[0] != all[1])
            #expect(AnyRealmCollection(all[0]).map(\.name) == ["a", "b", "c"] && all[0].index(of: targets[2]) == 2)
            #expect(all[0].last?.name == "c" && !all[0].isInvalidated && all[0][1].name == "b")
        }
    }

    @Test func `M15: schemas show the kinds of collections`() throws {
        let schema = Maps().objectSchema
        #expect(schema["ints"]?.isMap == true && schema["ints"]?.type == .int && schema["ints"]?.isOptional == false)
        #expect(schema["intsOrNil"]?.isOptional == true && schema["dogs"]?.objectClassName == "Dog")
        #expect(Sets().objectSchema["strings"]?.isSet == true && Lists().objectSchema["moods"]?.isArray == true)
        #expect(Lists().objectSchema["moods"]?.type == .string && Lists().objectSchema["intsOrNil"]?.isOptional == true)
    }
}
