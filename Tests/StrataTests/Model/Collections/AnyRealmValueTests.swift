// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct AnyRealmValueTests {
    static let types: [ObjectBase.Type] = [Anything.self, Dog.self, Person.self]
    static let date = Date(timeIntervalSince1970: 1_000_000.5)
    static let uuid = UUID()
    static let id = ObjectId.generate()

    static var values: [AnyRealmValue] {
        [
            .none, .bool(true), .int(-7), .float(1.5), .double(-2.25), .string("grüße"), .data(Data([0, 255])),
            .date(date), .objectId(id), .decimal128("12.50"), .uuid(uuid), .string(String(repeating: "x", count: 5000)),
            .data(Data(repeating: 3, count: 70_000)), .fromArray([.int(1), .string("two"), .none]),
            .fromDictionary(["a": .int(1), "b": .fromArray([.bool(false)]), "c": .fromDictionary([:])]),
        ]
    }

    @Test func `S21: a value starts as none`() {
        #expect(Anything().value == .none && Anything().price == 0 && Anything().discount == nil)
        #expect(AnyRealmValue() == .none)
    }

    @Test func `S8: an Optional value does not compile, and the property is nullable`() throws {
        try withRealm(Self.types) { realm in
            let property = try #require(realm.schema["Anything"]?["value"])
            #expect(property.type == .any && !property.isIndexed)
            #expect(realm.schema["Anything"]?["indexed"]?.isIndexed == true)
        }
    }

    @Test(arguments: values.indices)
    func `every case is stored and read back`(index: Int) throws {
        let value = Self.values[index]
        try withRealm(Self.types) { realm in
            let object = Anything()
            object.value = value
            try realm.write { realm.add(object) }
            let stored = AnyRealmValue._storedCopy(object.value)
            #expect(stored == AnyRealmValue._storedCopy(value))
            try realm.write { object.value = .int(1) }
            #expect(object.value == 1)
            try realm.write { object.value = value }
            #expect(AnyRealmValue._storedCopy(object.value) == AnyRealmValue._storedCopy(value))
            try realm.write { realm.create(Anything.self, value: ["id": 2, "value": value]) }
            let other = realm.object(ofType: Anything.self, forPrimaryKey: 2)
            #expect(other.map { AnyRealmValue._storedCopy($0.value) } == AnyRealmValue._storedCopy(value))
        }
    }

    @Test func `objects of every class are linked to, and vanish when they are deleted`() throws {
        try withRealm(Self.types) { realm in
            let object = Anything(), dog = Dog("Rex")
            object.value = .object(dog)
            object.indexed = .object(object)
            try realm.write { realm.add(object) }
            #expect(dog.realm == realm && object.value.object(Dog.self)?.name == "Rex")
            #expect(object.value.object(Person.self) == nil && object.indexed.object(Anything.self)?.id == 0)
            try realm.write { object.value = .fromArray([.object(Dog("Max")), .object(dog)]) }
            #expect(object.value.listValue?.map { $0.object(Dog.self)?.name } == ["Max", "Rex"])
            try realm.write {
                object.value = .object(dog)
                realm.delete(dog)
            }
            #expect(object.value == .none)
        }
    }

    @Test func `S48: any scalar, object, list or dictionary is accepted, a set is not`() throws {
        try withRealm(Self.types) { realm in
            let object = try realm.write {
                realm.create(
                    Anything.self, value: ["value": ["a": 1, "b": [true, "x", NSNull()] as [Any]], "price": "1.50"])
            }
            let map = try #require(object.value.dictionaryValue)
            #expect(map["a"] == 1 && map["b"]?.listValue?.count == 3 && object.price == 1.5)
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write { realm.create(Anything.self, value: ["id": 2, "value": MutableSet<Int>()] as [String: Any]) }
            }
        }
    }

    @Test func `S106 S128: numbers are equal by value, truth is no number, text is no number`() {
        let five: [AnyRealmValue] = [.int(5), .float(5), .double(5), .decimal128(5)]
        for one in five {
            for other in five {
                #expect(one == other && one.hashValue == other.hashValue)
            }
            #expect(one != .string("5") && one != .int(6) && one != .none)
        }
        #expect(AnyRealmValue.bool(true) != .int(1) && AnyRealmValue.double(.nan) == .float(.nan))
        #expect(Set<AnyRealmValue>([1, 1.0, true, "1", .decimal128(1)]).count == 3)
    }

    @Test func `S12 S128: queries find values across types, with an index and without`() throws {
        try withRealm(Self.types) { realm in
            let values: [AnyRealmValue] = [1, 1.0, .decimal128(1), .float(1), true, "1", .none, 2, .date(Self.date)]
            try realm.write {
                for (index, value) in values.enumerated() {
                    realm.create(Anything.self, value: ["id": index, "value": value, "indexed": value])
                }
            }
            let all = realm.objects(Anything.self)
            #expect(all.where { $0.value == 1 }.count == 4 && all.where { $0.indexed == 1 }.count == 4)
            #expect(all.where { $0.value == true }.count == 1 && all.where { $0.indexed == "1" }.count == 1)
            #expect(all.where { $0.indexed == .none }.count == 1 && all.where { $0.value > 1 }.count == 1)
            #expect(all.where { $0.indexed != 1 }.count == 5)
            #expect(all.where { $0.price == 0 }.count == 9)
        }
    }

    @Test func `S106: values sort across types`() throws {
        try withRealm(Self.types) { realm in
            let order: [AnyRealmValue] = [
                .none, false, true, .double(.nan), -1, 0.5, 1, "a", .data(Data([1])), .date(Self.date), .objectId(Self.id),
                .uuid(Self.uuid),
            ]
            try realm.write {
                for (index, value) in order.enumerated().shuffled() {
                    realm.create(Anything.self, value: ["id": index, "value": value, "indexed": value])
                }
            }
            let all = realm.objects(Anything.self)
            #expect(all.sorted(by: \.value).map(\.id) == Array(order.indices))
            #expect(all.sorted(byKeyPath: "indexed", ascending: false).map(\.id) == order.indices.reversed())
        }
    }

    // S212
    @Test(
        """
        Differs from Realm: a collection inside of an `AnyRealmValue` that is assigned to itself, or put \
        into itself, keeps its elements; Realm loses them.
        """)
    func nestedCollectionsCopiedOntoThemselves() throws {
        try withRealm(Self.types) { realm in
            let object = try realm.write { realm.create(Anything.self, value: ["value": [1, ["x": 2]] as [Any]]) }
            try realm.write { object.value = object.value }
            #expect(object.value.listValue?.count == 2)
            try realm.write { object.value = .fromArray([object.value, object.value]) }
            #expect(object.value.listValue?[1].listValue?[1].dictionaryValue?["x"] == 2)
        }
    }

    @Test func `S211: collections nest a hundred deep and no deeper`() throws {
        try withRealm(Self.types) { realm in
            func nested(_ depth: Int) -> AnyRealmValue {
                (1..<depth).reduce(AnyRealmValue.fromArray([])) { value, _ in .fromArray([value]) }
            }
            try realm.write { realm.create(Anything.self, value: ["id": 1, "value": nested(100)]) }
            let fails = [
                #expect(throws: Realm.Error(.invalidInput, "")) {
                    try realm.write { realm.create(Anything.self, value: ["id": 2, "value": nested(101)]) }
                },
                #expect(throws: Realm.Error(.invalidInput, "")) {
                    try realm.write { realm.objects(Anything.self)[0].value = nested(101) }
                },
                #expect(throws: Realm.Error(.invalidInput, "")) {
                    try realm.write { realm.objects(Anything.self)[0].value.listValue?.append(nested(100)) }
                },
            ]
            let text = "Anything.value: lists and maps nested more than 100 deep; keep the inner ones in objects"
            for error in fails { #expect(error?.message.contains(text) == true, "\(error?.message ?? "")") }
        }
    }

    @Test func `S213: subscripts give what is in the value`() throws {
        try withRealm(Self.types) { realm in
            let object = try realm.write { realm.create(Anything.self, value: ["value": 5, "indexed": "text"]) }
            #expect(object["value"] as? Int == 5 && object["indexed"] as? String == "text")
            try realm.write { object["value"] = nil }
            #expect(object["value"] == nil && object.value == .none)
            try realm.write { object["value"] = AnyRealmValue.bool(true) }
            #expect(object.value == true)
            try realm.write { object["value"] = Mood.merry }
            #expect(object.value == "merry")
            #expect(Anything(value: ["value": [Rank.high, Mood?.none as Any]]).value == [9, .none])
        }
    }

    @Test func `S215: an object of a class that the program does not know is a dynamic one`() throws {
        let temporary = try TemporaryRealm(Self.types)
        func store() throws {
            let realm = try temporary.open()
            try realm.write {
                let object = realm.create(Anything.self)
                object.value = .object(Dog("Rex", age: 3))
            }
        }
        try store()
        let realm = try Realm(configuration: .init(fileURL: temporary.url, objectTypes: [Anything.self]))
        let dog = try #require(realm.objects(Anything.self).first?.value.dynamicObject)
        #expect(dog.name as? String == "Rex" && dog["age"] as? Int == 3)
    }

    @Test func `decimal numbers keep their zeros and compare by value`() throws {
        try withRealm(Self.types) { realm in
            let object = try realm.write {
                realm.create(Anything.self, value: ["price": Decimal128("1.00"), "discount": 0.5])
            }
            #expect(object.price.description == "1.00" && object.price == 1 && object.discount == 0.5)
            try realm.write {
                object.price = .nan
                object.discount = nil
            }
            #expect(object.price.isNaN && object.discount == nil)
        }
    }
}

extension AnyRealmValue {
    /// The value without any realm, to be compared by contents.
    static func _storedCopy(_ value: AnyRealmValue) -> AnyRealmValue {
        switch value {
        case .list(let list): .fromArray(list.map(_storedCopy))
        case .dictionary(let map):
            .fromDictionary(Dictionary(uniqueKeysWithValues: map.keys.map { ($0, _storedCopy(map[$0] ?? .none)) }))
        default: value
        }
    }
}
