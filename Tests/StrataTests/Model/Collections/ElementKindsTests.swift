// SPDX-License-Identifier: MIT
// ElementKindsTests.swift -- every kind of elements, in every collection, read in every way.
//
// The generic functions here are not specialised: a copy of each for every kind would take the compiler longer than all
// other tests together.

import Foundation
import Strata
import Testing

/// Every kind of collection of one kind of elements. The values of maps may be Optionals of the elements.
class Elements<Element: RealmCollectionValue, Value: RealmCollectionValue>: Object {
    @Persisted var list: List<Element>
    @Persisted var map: Map<String, Value>
    override class func _realmObjectName() -> String? { "Elements" }
}

/// The same with a set, which cannot hold embedded objects.
class ElementsAndSet<Element: RealmCollectionValue, Value: RealmCollectionValue>: Elements<Element, Value> {
    @Persisted var set: MutableSet<Element>
}

/// A custom type of every type that can be stored.
struct Wrapping<Stored: RealmCollectionValue & _OptionalPersistable>: CustomPersistable {
    typealias PersistedType = Stored
    let stored: Stored
    init(persistedValue: Stored) { stored = persistedValue }
    var persistableValue: Stored { stored }
}

/// A custom type that might fail.
struct Picking<Stored: RealmCollectionValue & _OptionalPersistable>: FailableCustomPersistable {
    typealias PersistedType = Stored
    let stored: Stored
    init?(persistedValue: Stored) { stored = persistedValue }
    var persistableValue: Stored { stored }
}

struct PickedPlace: FailableCustomPersistable {
    let x: Double, y: Double
    init?(persistedValue: StoredPlace) {
        if persistedValue.x < 0 { return nil }
        (x, y) = (persistedValue.x, persistedValue.y)
    }
    var persistableValue: StoredPlace { StoredPlace(value: [x, y]) }
}

/// A custom type that is a class, and keeps the object that it was made of.
final class HeldPlace: CustomPersistable {
    let place: StoredPlace
    init(persistedValue: StoredPlace) { place = persistedValue }
    var persistableValue: StoredPlace { StoredPlace(value: [place.x, place.y]) }
    static func == (left: HeldPlace, right: HeldPlace) -> Bool {
        left.place.x == right.place.x && left.place.y == right.place.y
    }
    func hash(into hasher: inout Hasher) { hasher.combine(place.x) }
}

enum OfInt: Int, PersistableEnum { case low = -1, high = 7 }
enum OfInt8: Int8, PersistableEnum { case low = -128, high = 127 }
enum OfInt16: Int16, PersistableEnum { case low = -1, high = 7 }
enum OfInt32: Int32, PersistableEnum { case low = -1, high = 7 }
enum OfInt64: Int64, PersistableEnum { case low = -1, high = 7 }
enum OfFloat: Float, PersistableEnum { case low = -0.5, high = 7 }
enum OfDouble: Double, PersistableEnum { case low = -0.1, high = 7 }
enum OfString: String, PersistableEnum { case low = "", high = "é" }

/// One kind of elements, and the check of all collections of them.
struct ElementKind: @unchecked Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: () throws -> Void

    @_semantics("optimize.sil.specialize.generic.never")
    private init<Element: RealmCollectionValue, Value: RealmCollectionValue>(
        _ name: String, _ check: ElementCheck<Element, Value>
    ) {
        testDescription = name
        self.check = check.run
    }

    static let all: [ElementKind] = {
        var all: [ElementKind] = []
        all += stored([false, true])
        all += stored([-3, 0, 1 << 40] as [Int])
        all += stored([.min, 0, 127] as [Int8])
        all += stored([.min, 0, 127] as [Int16])
        all += stored([.min, 0, 127] as [Int32])
        all += stored([.min, 0, .max] as [Int64])
        all += stored([-1.5, 0, .infinity] as [Float])
        all += stored([-1.5, 0.1, .infinity] as [Double])
        all += stored(["", "A", "a\u{0}b", "é"])
        all += stored([Data(), Data([0]), Data(repeating: 7, count: 300)])
        all += stored([-0.25, 1e9].map { Date(timeIntervalSinceReferenceDate: $0) })
        all += stored(["00000000-0000-0000-0000-000000000001", "FF000000-0000-0000-0000-000000000000"].compactMap {
            UUID(uuidString: $0)
        })
        all += stored([ObjectId("000000000000000000000001"), ObjectId("ff0000000000000000000000")])
        all += stored([-2, 0.5, 7] as [Decimal128])
        all += sortable([.none, .bool(true), .int(1), .double(1.5), .string("a"), .uuid(UUID())] as [AnyRealmValue])
        all += values([0.5, 2] as [CGFloat])
        all += values(OfInt.allCases) + values(OfInt8.allCases) + values(OfInt16.allCases)
        all += values(OfInt32.allCases) + values(OfInt64.allCases)
        all += values(OfFloat.allCases) + values(OfDouble.allCases) + values(OfString.allCases)
        let places = [1.5, 2, -3].map { StoredPlace(value: [$0, 7]) }
        all += embedded(places.map { Place(persistedValue: $0) })
        all += embedded(places.compactMap { PickedPlace(persistedValue: $0) })
        all += embedded(places.map { HeldPlace(persistedValue: $0) })
        all.append(ElementKind("embedded objects", ElementCheck<StoredPlace, StoredPlace?>(
            { [1, 2, 3].map { StoredPlace(value: [$0, 4]) } }, { [StoredPlace(value: [1, 2]), nil] },
            hasSet: false, types: [StoredPlace.self], { $0.x }, { $0?.x })))
        all.append(ElementKind("objects", ElementCheck<Target, Target?>(
            { ["a", "b", "c"].map { Target($0) } }, { [Target("d"), nil, Target("e")] },
            types: [Target.self, Origin.self], { $0.name }, { $0?.name })))
        return all
    }()

    /// A type that is stored, its Optional, and the custom types that are stored as it.
    @_semantics("optimize.sil.specialize.generic.never")
    private static func stored<Value: SortableType & RealmCollectionValue & _OptionalPersistable>(
        _ samples: [Value]
    ) -> [ElementKind] where Value.PersistedType == Value {
        sortable(samples) + sortable([nil] + samples.map(Optional.some))
            + values(samples.map { Wrapping(persistedValue: $0) })
            + values(samples.compactMap { Picking(persistedValue: $0) })
    }

    /// A type and its Optional.
    @_semantics("optimize.sil.specialize.generic.never")
    private static func values<Value: RealmCollectionValue & _OptionalPersistable>(
        _ samples: [Value]
    ) -> [ElementKind] {
        let optionals = [nil] + samples.map(Optional.some)
        return [
            ElementKind("\(Value.self)", ElementCheck<Value, Value>({ samples }, { samples }, { $0 }, { $0 })),
            ElementKind("\(Value?.self)", ElementCheck<Value?, Value?>({ optionals }, { optionals }, { $0 }, { $0 })),
        ]
    }

    /// Values in their order.
    @_semantics("optimize.sil.specialize.generic.never")
    private static func sortable<Value: RealmCollectionValue>(
        _ samples: [Value]
    ) -> [ElementKind] where Value.PersistedType: SortableType {
        var check = ElementCheck<Value, Value>({ samples }, { samples }, { $0 }, { $0 })
        check.more = { ElementCheck<Value, Value>.readSorted($0, samples) }
        return [ElementKind("\(Value.self)", check)]
    }

    /// A custom type that is stored as embedded objects: in a list, in a list of Optionals, in maps of either.
    @_semantics("optimize.sil.specialize.generic.never")
    private static func embedded<Value: RealmCollectionValue & _OptionalPersistable>(
        _ samples: [Value]
    ) -> [ElementKind] {
        let optionals = samples.map(Optional.some), types: [ObjectBase.Type] = [StoredPlace.self]
        return [
            ElementKind("\(Value.self)", ElementCheck<Value, Value?>(
                { samples }, { optionals + [nil] }, hasSet: false, types: types, { $0 }, { $0 })),
            ElementKind("\(Value?.self)", ElementCheck<Value?, Value>(
                { optionals }, { samples }, hasSet: false, types: types, { $0 }, { $0 })),
        ]
    }
}

/// Compares collections of one kind of elements with arrays of what was put into them.
struct ElementCheck<Element: RealmCollectionValue, Value: RealmCollectionValue> {
    /// Makes elements. Each call makes other objects.
    let elements: () -> [Element]
    /// Makes values of a map.
    let values: () -> [Value]
    let hasSet: Bool
    let types: [ObjectBase.Type]
    /// What two elements are compared by.
    let key: (Element) -> AnyHashable
    let valueKey: (Value) -> AnyHashable
    /// Checks what only some kinds have, with a managed list.
    var more: (List<Element>) -> Void = { _ in }

    init(
        _ elements: @escaping () -> [Element], _ values: @escaping () -> [Value], hasSet: Bool = true,
        types: [ObjectBase.Type] = [], _ key: @escaping (Element) -> AnyHashable,
        _ valueKey: @escaping (Value) -> AnyHashable
    ) {
        self.elements = elements
        self.values = values
        self.hasSet = hasSet
        self.types = types
        self.key = key
        self.valueKey = valueKey
    }

    @_semantics("optimize.sil.specialize.generic.never")
    func run() throws {
        let type = hasSet ? ElementsAndSet<Element, Value>.self : Elements<Element, Value>.self
        let unmanaged = type.init()
        fill(unmanaged)
        check(unmanaged, "unmanaged")
        try withRealm([type] + types) { realm in
            let filled = type.init()
            try realm.write {
                realm.add(unmanaged)
                let created = realm.create(type)
                fill(created)
                check(created, "in a write")
                fill(filled)
                realm.add(filled)
            }
            check(unmanaged, "added")
            check(filled, "filled in a write and added")
            for object in realm.objects(type) { check(object, "managed") }
            more(filled.list)
        }
    }

    /// Puts each element into the list twice.
    @_semantics("optimize.sil.specialize.generic.never")
    private func fill(_ object: Elements<Element, Value>) {
        let last = elements()[0]
        for element in elements().dropFirst() { object.list.append(element) }
        object.list.append(objectsIn: [last])
        object.list.insert(contentsOf: elements(), at: object.list.count)
        for (index, value) in values().enumerated() { object.map.updateValue(value, forKey: "k\(index)") }
        guard let object = object as? ElementsAndSet<Element, Value> else { return }
        object.set.insert(objectsIn: elements())
        if !(last is ObjectBase) { for element in elements() { object.set.insert(element) } }
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private func check(_ object: Elements<Element, Value>, _ what: String) {
        let keys = elements().map(key), all = Array(keys.dropFirst() + keys.prefix(1) + keys)
        Self.read(object.list, all, key, "\(what) list")
        #expect((object.list.value(forKey: "self") as? [Any])?.count == all.count)
        check(object.map, what)
        if object.realm != nil { Self.read(object.list.results, all, key, "\(what) results") }
        guard let object = object as? ElementsAndSet<Element, Value> else { return }
        Self.read(object.set, keys, key, isOrdered: false, "\(what) set")
        #expect(object.set.allSatisfy(object.set.contains))
        if object.realm == nil { return }
        Self.read(object.set.results, keys, key, isOrdered: false, "\(what) results of a set")
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private func check(_ map: Map<String, Value>, _ what: String) {
        let expected = values().map(valueKey), keys = expected.indices.map { "k\($0)" }
        func expect(_ found: [AnyHashable], _ way: String) {
            #expect(found == expected, "\(what) map of \(Value.self), \(way)")
        }
        #expect(map.keys == keys && map.count == keys.count)
        expect(map.values.map(valueKey), "values")
        expect(keys.compactMap { map[$0].map(valueKey) }, "subscript")
        expect(keys.compactMap { map.object(forKey: $0).map(valueKey) }, "object(forKey:)")
        expect(map.map { valueKey($0.value) }, "iteration")
        expect(map.asKeyValueSequence().map { valueKey($0.value) }, "pairs")
        #expect(map["none"] == nil && expected.allSatisfy { key in map.contains { valueKey($1) == key } })
    }

    /// Reads a collection in every way.
    @_semantics("optimize.sil.specialize.generic.never")
    static func read<C: RealmCollection<Element>>(
        _ collection: C, _ expected: [AnyHashable], _ key: (Element) -> AnyHashable, isOrdered: Bool = true,
        _ what: String
    ) {
        readErased(collection, expected, key, isOrdered, what)
        readErased(AnyRealmCollection(collection), expected, key, isOrdered, "any \(what)")
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private static func readErased<C: RealmCollection<Element>>(
        _ collection: C, _ expected: [AnyHashable], _ key: (Element) -> AnyHashable, _ isOrdered: Bool, _ what: String
    ) {
        func expect(_ found: [AnyHashable], _ way: String) {
            let isSame = isOrdered ? found == expected : found.count == expected.count && Set(found) == Set(expected)
            #expect(isSame, "\(what) of \(Element.self), \(way): \(found) instead of \(expected)")
        }
        #expect(collection.count == expected.count && !collection.isEmpty)
        expect(collection.indices.map { key(collection[$0]) }, "subscript")
        var found: [AnyHashable] = []
        for element in collection { found.append(key(element)) }
        expect(found, "loop")
        let kept = Array(collection)
        expect(kept.map(key), "kept elements")
        expect(collection.map(key), "map")
        expect(collection.compactMap(key), "compactMap")
        expect(collection.reversed().reversed().map(key), "reversed")
        expect(collection.prefix(1).map(key) + collection.dropFirst().map(key), "slices")
        expect(collection.objects(at: IndexSet(collection.indices)).map(key), "objects(at:)")
        expect(collection.sorted { _, _ in false }.map(key), "sorted")
        #expect(collection.filter { key($0) == found[0] }.count == found.count { $0 == found[0] })
        #expect(collection.first.map(key) == found.first && collection.last.map(key) == found.last)
        guard isOrdered else { return }
        for (position, element) in kept.enumerated() {
            let first = element is ObjectBase ? position : found.firstIndex(of: key(element))
            #expect(collection.index(of: element) == first, "\(what) of \(Element.self), index(of:)")
        }
    }
}

extension ElementCheck where Element.PersistedType: SortableType {
    /// Reads a list that has each element twice, sorted, each once, and in sections.
    @_semantics("optimize.sil.specialize.generic.never")
    fileprivate static func readSorted(_ list: List<Element>, _ elements: [Element]) {
        let keys = elements.map { AnyHashable($0) }, twice = keys.flatMap { [$0, $0] }
        read(list.sorted(), twice, { $0 }, "sorted")
        read(list.sorted(ascending: false), twice.reversed(), { $0 }, "sorted backward")
        read(list.distinct(), Array(keys.dropFirst() + keys.prefix(1)), { $0 }, "distinct")
        let sections = list.sectioned(by: { String(describing: $0) }, ascending: true)
        let texts = sections.allKeys, found = sections.flatMap { $0.map { AnyHashable($0) } }
        let lasts = sections.map { AnyHashable($0[1]) }
        #expect(texts == elements.map { String(describing: $0) } && found == twice && lasts == keys, "\(texts) \(found)")
    }
}

@Suite struct ElementKindsTests {
    @Test(arguments: ElementKind.all)
    func `C10: collections of every kind of elements give back what they hold, however they are read`(
        _ kind: ElementKind
    ) throws {
        try kind.check()
    }

    @Test func `C10: results, pages, sections and linking objects give back objects, however they are read`() throws {
        try withRealm([Target.self, Origin.self]) { realm in
            let names = ["a", "b", "c", "d", "e"]
            try realm.write {
                for name in names { realm.create(Target.self, value: [name]) }
                let first = realm.objects(Target.self)[0], second = realm.objects(Target.self)[1]
                for count in 0..<3 {
                    let others = Array(repeating: second, count: count)
                    realm.create(Origin.self, value: ["list": [first] + others])
                }
            }
            let all = realm.objects(Target.self), sorted = all.sorted(by: \.name, ascending: false)
            let key = { (target: Target) in AnyHashable(target.name) }
            ElementCheck<Target, Target?>.read(all, names, key, "all objects")
            ElementCheck<Target, Target?>.read(sorted, names.reversed(), key, "sorted objects")
            let filtered = all.where { $0.name != "c" }
            ElementCheck<Target, Target?>.read(filtered, ["a", "b", "d", "e"], key, "filtered objects")
            let page = try sorted.page(size: 2), next = try sorted.page(size: 9, after: page.next)
            #expect((page.elements + next).map(\.name) == names.reversed() && page.first?.name == "e")
            let sections = all.sectioned(by: \.name)
            #expect(sections.map { $0.map(\.name) } == names.map { [$0] } && sections[1][0].name == "b")
            let counts = { (origin: Origin) in AnyHashable(origin.list.count) }
            ElementCheck<Origin, Origin?>.read(all[0].inLists, [1, 2, 3], counts, "linking objects")
        }
    }

    @Test func `results of a superclass hold objects of the class that was asked for`() throws {
        func all<Model: Object>(_ type: Model.Type, _ realm: Realm) -> Results<Model> { realm.objects(type) }
        try withRealm([Animal.self, Puppy.self]) { realm in
            try realm.write { realm.create(Puppy.self, value: ["Rex", 1, 30]) }
            let type: Animal.Type = Puppy.self
            let found = all(type, realm)
            #expect(found.first is Puppy && found[0].name == "Rex" && found.map(\.age) == [1])
            #expect((found.last as? Puppy)?.weeks == 30 && all(Animal.self, realm).isEmpty)
            let plain: Object.Type = Puppy.self
            #expect(all(plain, realm).compactMap { $0 as? Puppy }.map(\.weeks) == [30])
            #expect(realm.objects(plain).index(of: found[0]) == 0)
        }
    }

    @Test func `a list of custom values that are stored as embedded objects has no room for nil`() throws {
        typealias Places = Elements<Place?, Place?>
        try withRealm([Places.self, StoredPlace.self]) { realm in
            let unmanaged = Places()
            unmanaged.list.append(objectsIn: [Place(x: 1, y: 2), nil])
            #expect(throws: Realm.Error(.invalidInput, "")) { try realm.write { realm.add(unmanaged) } }
            let object = try realm.write { realm.create(Places.self) }
            #expect(throws: Realm.Error(.invalidInput, "")) { try realm.write { object.list.append(nil) } }
            #expect(object.list.isEmpty && realm.objects(Places.self).count == 1)
        }
    }

    @Test func `S214: an object that a custom type refuses reads as nil where it can`() async throws {
        try withRealm([Elements<PickedPlace?, PickedPlace?>.self, StoredPlace.self]) { realm in
            let object = try realm.write {
                let object = realm.create(Elements<PickedPlace?, PickedPlace?>.self)
                for x in [1, 2] { object.list.append(PickedPlace(persistedValue: StoredPlace(value: [x, 0]))) }
                for (key, value) in zip(["a", "b"], object.list) { object.map[key] = value }
                return object
            }
            try realm.write { for place in realm.dynamicObjects("StoredPlace").filter("x == 2") { place["x"] = -1 } }
            #expect(object.list.map { $0?.x } == [1, nil] && object.list.last == .some(nil))
            #expect(object.list.results.map { $0?.x } == [1, nil] && object.list.results[1] == nil)
            #expect(object.map.values.map { $0?.x } == [1, nil] && object.map["b"] == .some(nil))
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm([Elements<PickedPlace, PickedPlace>.self, StoredPlace.self]) { realm in
                let object = try realm.write { realm.create(Elements<PickedPlace, PickedPlace>.self) }
                try realm.write { object.list.append(try #require(PickedPlace(persistedValue: StoredPlace()))) }
                try realm.write { realm.dynamicObjects("StoredPlace").first?["x"] = -1 }
                for _ in object.list {}
            }
        }
        expect(result, says: "a collection holds an instance of StoredPlace, which is no PickedPlace")
    }
}
