// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

class Mixture: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var any: List<AnyRealmValue>
    @Persisted var anySet: MutableSet<AnyRealmValue>
    @Persisted var anyMap: Map<String, AnyRealmValue>
    @Persisted var value: AnyRealmValue
    @Persisted var moods: List<Mood?>
    @Persisted var celsius: Map<String, Celsius>
    @Persisted var places: List<Place>
    @Persisted var named: Map<String, Place?>
    @Persisted var dogs: Map<String, Dog?>
    @Persisted var pack: List<Dog>
}

@Suite struct KeyedValuesTests {
    /// Runs a body on an object that is unmanaged, and on the same one managed.
    private func onBoth(_ body: (Mixture) throws -> Void) throws {
        let object = Mixture(), dog = Dog("Rex", age: 3)
        object.any.append(objectsIn: [.int(1), .none, .string("a"), .object(dog)])
        object.anySet.insert(objectsIn: [.int(1), .double(2.5)])
        object.anyMap["n"] = .int(4)
        object.anyMap["d"] = .object(dog)
        object.anyMap["l"] = .fromArray([.int(1), .int(2)])
        object.anyMap["z"] = AnyRealmValue.none
        object.value = .fromDictionary(["deep": .int(9)])
        object.moods.append(objectsIn: [.cross, nil])
        object.celsius["c"] = Celsius(3.5)
        object.places.append(objectsIn: [Place(x: 1, y: 2), Place(x: 3, y: 4)])
        object.named["p"] = Place(x: 5, y: 6)
        object.named["none"] = .some(nil)
        object.dogs["k"] = dog
        object.pack.append(objectsIn: [dog, dog])
        try body(object)
        try withRealm([Mixture.self, StoredPlace.self, Dog.self, Person.self]) { realm in
            try realm.write { realm.add(object) }
            try body(object)
        }
    }

    @Test func `S100 S213: elements by the name self are what is stored`() throws {
        try onBoth { object in
            let any = try #require(object.any.value(forKey: "self") as? [Any])
            #expect(any[0] as? Int == 1 && any[1] is NSNull && any[2] as? String == "a" && (any[3] as? Dog)?.age == 3)
            #expect(Set(try #require(object.anySet.value(forKey: "self") as? [AnyHashable])) == [1, 2.5])
            let moods = try #require(object.moods.value(forKey: "self") as? [Any])
            #expect(moods[0] as? String == "cross" && moods[1] is NSNull)
            #expect((object.places.value(forKey: "self") as? [StoredPlace])?.map(\.y) == [2, 4])
        }
    }

    @Test func `S100: properties and operators of elements of every kind`() throws {
        try onBoth { object in
            #expect(object.places.value(forKey: "x") as? [Double] == [1, 3])
            #expect(object.places.value(forKeyPath: "@sum.y") as? Double == 6)
            #expect(object.pack.value(forKeyPath: "@max.age") as? Int == 3)
            #expect(object.anySet.value(forKeyPath: "@max.self") as? Double == 2.5)
            #expect(object.any.value(forKeyPath: "@count") as? Int == 4)
            #expect(AnyRealmCollection(object.pack).value(forKey: "name") as? [String] == ["Rex", "Rex"])
        }
    }

    @Test func `S89 S213: a map gives what is stored under a key`() throws {
        try onBoth { object in
            #expect(object.anyMap.value(forKey: "n") as? Int == 4 && object.anyMap.value(forKey: "z") == nil)
            #expect((object.anyMap.value(forKey: "d") as? Dog)?.name == "Rex")
            #expect(object.anyMap.value(forKey: "missing") == nil)
            let list = object.anyMap.value(forKey: "l") as? List<AnyRealmValue>
            #expect(list.map(Array.init) == [.int(1), .int(2)])
            #expect(object.celsius.value(forKey: "c") as? Double == 3.5)
            #expect((object.named.value(forKey: "p") as? StoredPlace)?.y == 6)
            #expect(object.named.value(forKey: "none") == nil)
            #expect((object.dogs.value(forKey: "k") as? Dog)?.name == "Rex")
        }
    }

    @Test func `S100: paths of an object lead through its collections`() throws {
        try onBoth { object in
            #expect(object.value(forKeyPath: "pack.@count") as? Int == 2)
            #expect(object.value(forKeyPath: "pack.@sum.age") as? Int == 6)
            #expect(object.value(forKeyPath: "pack.name") as? [String] == ["Rex", "Rex"])
            #expect(object.value(forKeyPath: "dogs.k.name") as? String == "Rex")
            #expect(object.value(forKeyPath: "dogs.none.name") == nil)
            #expect(object.value(forKeyPath: "anyMap.d.age") as? Int == 3)
            #expect(object.value(forKeyPath: "value.deep") as? Int == 9)
            #expect(object.value(forKeyPath: "named.p.x") as? Double == 5)
        }
        try withRealm { realm in
            let rex = Dog("Rex")
            try realm.write { for id in 1...2 { realm.create(Person.self, value: ["id": id, "dogs": [rex]]) } }
            let dog = try #require(realm.objects(Dog.self).first)
            #expect(dog.value(forKeyPath: "packs.@sum.id") as? Int == 1)
        }
    }

    @Test func `what is stored as embedded objects is changed through the objects`() throws {
        try withRealm([Mixture.self, StoredPlace.self, Dog.self, Person.self]) { realm in
            let object = Mixture()
            object.places.append(Place(x: 1, y: 2))
            object.named["p"] = Place(x: 5, y: 6)
            try realm.write {
                realm.add(object)
                object.places.setValue(7, forKey: "x")
                (object.places.value(forKey: "self") as? [StoredPlace])?.first?.y = 8
                (object.named.value(forKey: "p") as? StoredPlace)?.x = 9
            }
            #expect(object.places[0] == Place(x: 7, y: 8) && object.named["p"]??.x == 9)
        }
    }

    @Test func `S220: lists, sets and maps of values of dynamic objects are read by their names`() throws {
        try onBoth { object in
            guard let realm = object.realm else { return }
            let dynamic = try #require(realm.dynamicObjects("Mixture").first)
            #expect((dynamic["moods"] as? List<String?>).map(Array.init) == ["cross", nil])
            #expect((dynamic["celsius"] as? Map<String, Double>)?["c"] == 3.5)
            #expect((dynamic["any"] as? List<AnyRealmValue>)?[0] == .int(1))
            #expect((dynamic["anySet"] as? MutableSet<AnyRealmValue>)?.contains(.int(1)) == true)
            #expect(dynamic.dynamicList("places").map { $0["x"] as? Double } == [1, 3])
            let named: Map<String, DynamicObject?> = dynamic.dynamicMap("named")
            #expect(named["p"]??["y"] as? Double == 6 && named["none"] == .some(nil))
            #expect((object["moods"] as? List<Mood?>).map(Array.init) == [.cross, nil])
        }
    }

    @Test(
        """
        Differs from Realm: `dynamicList` of a list of values stops the program and names the subscript, which gives the \
        list; Realm gives a list of dynamic objects, whose elements cannot be read. Numbers are no objects.
        """
    )
    func dynamicListOfValues() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Mixture().dynamicList("moods")
        }
        expect(
            result,
            says: "Mixture.moods is no list of objects; it is a List<Optional<Mood>>, which object[\"moods\"] gives")
    }
}
