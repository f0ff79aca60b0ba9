// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

// Generic code as programs have it: what matters is that it compiles with the protocols that Realm has.

private func count<Model: RealmFetchable>(_ type: Model.Type, in realm: Realm) -> Int
where Model: RealmCollectionValue {
    realm.objects(type).count
}

private func names<C: RealmCollection>(_ people: C) -> [String] where C.Element: Person {
    people.sorted(byKeyPath: "name").map(\.name) + people.filter("age > 40").map(\.name)
}

private func firstOf<C: RealmCollectionBase>(_ collection: C) -> C.Element? { collection.first }

private func greatest<C: RealmCollection, Value: _HasPersistedType>(_ collection: C, _ name: String) -> Value?
where Value.PersistedType: MinMaxType {
    collection.max(ofProperty: name)
}

private func ordered<C: RealmCollection, Value: _Persistable & _HasPersistedType>(
    _ collection: C, _ path: KeyPath<C.Element, Value>
) -> Results<C.Element> where C.Element: ObjectBase, Value.PersistedType: KeypathSortable {
    collection.sorted(by: path)
}

private func unwrapped<Value: OptionalProtocol>(_ value: Value) -> Value.Wrapped? where Value.Wrapped: AddableType {
    value._optional
}

private func made<Value: _DefaultConstructible & _Persistable>(_: Value.Type) -> Value { Value() }

private struct MarkedValue<Value: RealmOptionalType & _PrimaryKey & _Indexable> {
    var value: Value?
}

private func identities<C: Sequence>(_ objects: C) -> [UInt64]
where C.Element: ObjectBase & ObjectKeyIdentifiable {
    objects.map(\.id)
}

private func identity<Model: Object & ObjectKeyIdentifiable>(_ object: Model) -> some Hashable { object.id }

extension RealmKeyedCollection {
    fileprivate var pairs: Int { keys.count }
    fileprivate func put(_ value: Value, under keys: [Key]) { for key in keys { updateValue(value, forKey: key) } }
}

extension RealmCollection where Element: ObjectBase & RealmCollectionValue {
    fileprivate var classes: Set<String> { Set(map { type(of: $0).className() }) }
}

private protocol Repository {
    associatedtype Model: Object
    var realm: Realm { get }
}

extension Repository {
    fileprivate var all: AnyRealmCollection<Model> { AnyRealmCollection(realm.objects(Model.self)) }
}

private struct People: Repository {
    typealias Model = Person
    let realm: Realm
}

class TaggedSpot: EmbeddedObject, ObjectKeyIdentifiable {
    @Persisted var name: String
}

class TaggedHouse: RealmSwiftObject, ObjectKeyIdentifiable {
    @Persisted var spots: List<TaggedSpot>
    @Persisted var sizes: Map<String, Int>
    @Persisted var numbers: List<Int>
}

@Suite struct GenericCodeTests {
    @Test func `functions over classes and collections`() throws {
        try withRealm { realm in
            try realm.write {
                for (id, name) in ["Cleo", "Ada", "Bea"].enumerated() {
                    realm.create(Person.self, value: ["id": id, "name": name, "age": 40 + id])
                }
            }
            let people = realm.objects(Person.self)
            #expect(count(Person.self, in: realm) == 3)
            #expect(names(people) == ["Ada", "Bea", "Cleo", "Ada", "Bea"])
            #expect(firstOf(people)?.name == "Cleo")
            #expect(greatest(people, "age") == 42)
            #expect(ordered(people, \.name).map(\.name) == ["Ada", "Bea", "Cleo"])
            #expect(People(realm: realm).all.count == 3 && people.classes == ["Person"])
            let list = List<Person>()
            list.append(Person(7))
            #expect(list.classes == ["Person"] && firstOf(list)?.id == 7)
        }
    }

    @Test func `markers of types`() {
        #expect(unwrapped(Int?.some(3)) == 3 && unwrapped(Double?.none) == nil)
        #expect(made(Int8.self) == 0 && made(String.self) == "" && !made(Bool.self) && made(Decimal128.self) == 0)
        #expect(made(List<Int>.self).isEmpty && made(Map<String, Int>.self).isEmpty && made(Data.self).isEmpty)
        #expect(MarkedValue(value: "a").value == "a" && MarkedValue<ObjectId>().value == nil)
    }

    @Test func `an unmanaged property that was given no value has what its type constructs`() {
        #expect(TaggedSpot().name == "")
    }

    @Test func `results are encoded as arrays`() throws {
        try withRealm([TaggedHouse.self, TaggedSpot.self]) { realm in
            let house = try realm.write { realm.create(TaggedHouse.self, value: ["numbers": [3, 1, 2]]) }
            func json(_ value: some Encodable) throws -> String {
                String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
            }
            #expect(try json(house.numbers.sorted(ascending: true)) == "[1,2,3]")
            #expect(try json(AnyRealmCollection(house.numbers)) == "[3,1,2]")
            let first: Results<Int>.ElementType = house.numbers[0]
            #expect(first == 3)
        }
    }

    @Test func `keyed collections, and embedded objects with an identity`() throws {
        try withRealm([TaggedHouse.self, TaggedSpot.self]) { realm in
            let house = try realm.write {
                realm.create(TaggedHouse.self, value: ["spots": [["name": "a"], ["name": "b"]]])
            }
            try realm.write { house.sizes.put(3, under: ["x", "y"]) }
            #expect(house.sizes.pairs == 2 && house.sizes["y"] == 3)
            let ids = identities(house.spots)
            #expect(Set(ids).count == 2 && ids == house.spots.map(\.id))
            #expect(identity(house) == identity(realm.objects(TaggedHouse.self)[0]))
            let loose = TaggedSpot()
            #expect(loose.id == loose.id && loose.id != TaggedSpot().id)
        }
    }
}
