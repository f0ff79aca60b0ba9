// SPDX-License-Identifier: MIT

import CAllocationCount
import Foundation
import Strata
import Testing

/// Which values fit which properties. What is said of those that do not is in `CreateTests` and `MisfitTests`.
@Suite struct ValidValuesTests {
    private static let uuid = UUID(), id = ObjectId.generate(), date = Date(timeIntervalSince1970: 2)

    /// The name of a property, values that it accepts, and what it then holds.
    private static var valid: [(name: String, values: [Any], holds: AnyRealmValue)] {
        [
            ("bool", [true, 1, 1.0, Int8(1), NSNumber(value: true), NSNumber(value: 1), Bool?.some(true) as Any], true),
            ("bool", [false, 0, 0.0, NSNumber(value: false), NSNumber(value: 0), AnyRealmValue.bool(false)], false),
            ("int", [5, 5.0, Float(5), Int8(5), UInt64(5), CGFloat(5), NSNumber(value: 5), Int?.some(5) as Any], 5),
            ("int", [true, NSNumber(value: true), AnyRealmValue.bool(true)], 1),
            ("int8", [-5, -5.0, Int64(-5), NSNumber(value: -5), AnyRealmValue.int(-5)], -5),
            ("int16", [300, Int16(300), 300.0, NSNumber(value: 300)], 300),
            ("int32", [70_000, Int32(70_000), NSNumber(value: 70_000)], 70_000),
            ("int64", [Int.max, Int64.max, NSNumber(value: Int.max)], .int(.max)),
            ("float", [2, 2.0, Float(2), NSNumber(value: 2), NSNumber(value: 2.0)], .float(2)),
            ("double", [2, 2.0, Float(2), UInt8(2), CGFloat(2), NSNumber(value: 2)], .double(2)),
            ("string", ["b", NSString(string: "b"), String?.some("b") as Any, AnyRealmValue.string("b")], "b"),
            ("data", [Data([1]), NSData(data: Data([1]))], .data(Data([1]))),
            ("date", [date, NSDate(timeIntervalSince1970: 2)], .date(date)),
            ("uuid", [uuid, uuid.uuidString, uuid.uuidString.lowercased()], .uuid(uuid)),
            ("uuid", [NSUUID(uuidString: uuid.uuidString)!], .uuid(uuid)),
            ("objectId", [id, AnyRealmValue.objectId(id)], .objectId(id)),
            ("mood", [Mood.cross, "cross", Mood?.some(.cross) as Any, NSString(string: "cross")], "cross"),
            ("rank", [Rank.middle, 5, 5.0, NSNumber(value: 5), Int8(5)], 5),
            ("intOrNil", [5, 5.0, Int?.some(5) as Any, NSNumber(value: 5)], 5),
            ("intOrNil", [NSNull(), Int?.none as Any, String?.none as Any, Int??.some(nil) as Any], .none),
            ("intOrNil", [AnyRealmValue.none], .none),
            ("moodOrNil", [Mood.cross, "cross"], "cross"),
            ("moodOrNil", [NSNull(), Mood?.none as Any], .none),
            ("floatOrNil", [1.5, NSNumber(value: 1.5)], .float(1.5)),
            ("dateOrNil", [date], .date(date)),
        ]
    }

    @Test func `S46 S47 S48 S49: what each type of property accepts`() throws {
        try withRealm(Self.types) { realm in
            for (name, values, expected) in Self.valid {
                for value in values {
                    let unmanaged = Everything(value: [name: value])
                    let made = try realm.write { realm.create(Everything.self, value: [name: value]) }
                    for object in [unmanaged, made] {
                        let holder = Anything(value: ["value": object[name] as Any])
                        #expect(holder.value == expected, "\(name) \(value) \(type(of: value))")
                    }
                    let set = Everything()
                    set[name] = value
                    #expect("\(set[name] as Any)" == "\(made[name] as Any)")
                }
            }
        }
    }

    private static let types: [ObjectBase.Type] = [Everything.self, Anything.self, Person.self, Dog.self]

    @Test func `S48: what decimal numbers and values of any type accept`() throws {
        try withRealm(Self.types) { realm in
            let foundation = [NSDecimalNumber(string: "1.5"), NSNumber(value: 1.5)]
            let prices: [Any] = ["1.50", 1.5, Float(1.5), Decimal128(1.5)] + foundation
            for (index, price) in prices.enumerated() {
                let made = try realm.write { realm.create(Anything.self, value: ["id": index, "price": price]) }
                #expect(made.price == 1.5, "\(price)")
            }
            let dog = Dog("Rex"), list = List<AnyRealmValue>()
            list.append(7)
            let values: [(Any, AnyRealmValue)] = [
                (1, 1), (Int8(1), 1), (1.5, 1.5), (true, true), (NSNumber(value: true), true), (NSNumber(value: 1), 1),
                ("a", "a"), (NSNull(), .none), (Int?.none as Any, .none), (Self.uuid, .uuid(Self.uuid)),
                (Decimal(2), .decimal128(2)),
            ]
            for (index, (value, expected)) in values.enumerated() {
                let made = try realm.write {
                    realm.create(Anything.self, value: ["id": 100 + index, "value": value, "values": [value]])
                }
                #expect(made.value == expected && made.values.first == expected, "\(value)")
                #expect(made.value.boolValue == expected.boolValue, "numbers are no truth values")
            }
            let made = try realm.write {
                realm.create(Anything.self, value: ["id": 300, "value": ["list": list, "dog": dog] as [String: Any]])
            }
            #expect(made.value.dictionaryValue?["list"]?.listValue?.first == 7 && list.realm == nil)
            #expect(made.value.dictionaryValue?["dog"]?.object(Dog.self)?.name == "Rex")
        }
    }
}

@Suite struct CopyingTests {
    @Test func `S39: an object of this realm is copied under .error, and used as it is as a nested value`() throws {
        try withRealm { realm in
            let (person, dog) = try realm.write {
                (realm.create(Person.self, value: ["id": 1]), realm.create(Dog.self, value: ["Rex"]))
            }
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(Person.self, value: person) }
            }
            #expect(error?.message.contains("another object has the primary key id = 1") == true)
            let copy = try realm.write { realm.create(Dog.self, value: dog) }
            #expect(!copy.isSameObject(as: dog) && copy.name == "Rex" && realm.objects(Dog.self).count == 2)
            try realm.write {
                realm.create(Person.self, value: ["id": 2, "friend": person, "dog": dog])
                #expect(realm.create(Person.self, value: person, update: .all) === person)
            }
            #expect(realm.objects(Person.self).count == 2 && realm.objects(Dog.self).count == 2)
        }
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func `S45 S54: an object of another realm is upserted with the policy`(policy: Realm.UpdatePolicy) throws {
        try withRealm { one in
            let friend = try one.write { one.create(Person.self, value: ["id": 7, "name": "new", "dogs": [["Rex"]]]) }
            try withRealm { other in
                try other.write {
                    other.create(Person.self, value: ["id": 7, "name": "old", "email": "a@b"])
                    other.create(Person.self, value: ["id": 1, "friend": friend], update: policy)
                }
                let copy = try #require(other.object(ofType: Person.self, forPrimaryKey: 7))
                #expect(copy.name == "new" && copy.email == nil && copy.dogs.map(\.name) == ["Rex"])
                #expect(other.objects(Person.self).count == 2 && friend.realm == one)
            }
        }
    }

    @Test func `S43: generated defaults of what is missing are those of the object that is made`() throws {
        try withRealm { realm in
            let (one, other) = try realm.write {
                (realm.create(Everything.self, value: ["int": 1]), realm.create(Everything.self, value: ["int": 2]))
            }
            #expect(one.uuid != other.uuid && one.objectId != other.objectId && one.uuid == one.uuid && one.int == 1)
            #expect(abs(one.date.timeIntervalSinceNow) < 60)
        }
    }

    @Test func `S52: classes with more than 64 properties are upserted as others`() throws {
        try withRealm([Wide.self]) { realm in
            let made = try realm.write { realm.create(Wide.self, value: ["p0": 1, "p3": 3, "p68": 68]) }
            try realm.write {
                realm.create(Wide.self, value: ["p0": 1, "p66": 66, "p2": 2], update: .modified)
                realm.create(Wide.self, value: ["p0": 1, "p67": 67], update: .all)
            }
            #expect(made.p2 == 2 && made.p3 == 3 && made.p66 == 66 && made.p67 == 67 && made.p68 == 68)
        }
    }

    @Test func `S53: values of every type are recognised as unchanged, and changed where one bit differs`() throws {
        let temporary = try TemporaryRealm(), realm = try temporary.open()
        let long = String(repeating: "long ", count: 2000), id = ObjectId.generate(), uuid = UUID()
        let person = try realm.write { realm.create(Person.self, value: ["id": 1, "name": long]) }
        try realm.write { realm.create(Person.self, value: ["id": 1, "name": long], update: .modified) }
        #expect(person.name == long)
        let other = String(long.dropLast()) + "x"
        try realm.write { realm.create(Person.self, value: ["id": 1, "name": other], update: .modified) }
        #expect(person.name == other)
        try realm.write { realm.create(Person.self, value: ["id": 1, "name": "", "score": -0.0], update: .modified) }
        #expect(person.name == "" && person.score.sign == .minus)
        // Numbers as wide as those before, and a property behind them.
        try realm.write {
            realm.create(Person.self, value: ["id": 1, "age": 10, "score": 1.5, "email": "old"], update: .all)
        }
        try realm.write {
            realm.create(Person.self, value: ["id": 1, "age": 12, "score": 2.5, "email": "new"], update: .modified)
        }
        #expect(person.age == 12 && person.score == 2.5 && person.email == "new")
        let all = try realm.write { realm.create(Everything.self, value: ["uuid": uuid, "objectId": id]) }
        #expect(all.uuid == uuid && all.objectId == id)
    }
}

class Wide: Object {
    @Persisted(primaryKey: true) var p0: Int
    @Persisted var p1: Int
    @Persisted var p2: Int
    @Persisted var p3: Int
    @Persisted var p4: Int
    @Persisted var p5: Int
    @Persisted var p6: Int
    @Persisted var p7: Int
    @Persisted var p8: Int
    @Persisted var p9: Int
    @Persisted var p10: Int
    @Persisted var p11: Int
    @Persisted var p12: Int
    @Persisted var p13: Int
    @Persisted var p14: Int
    @Persisted var p15: Int
    @Persisted var p16: Int
    @Persisted var p17: Int
    @Persisted var p18: Int
    @Persisted var p19: Int
    @Persisted var p20: Int
    @Persisted var p21: Int
    @Persisted var p22: Int
    @Persisted var p23: Int
    @Persisted var p24: Int
    @Persisted var p25: Int
    @Persisted var p26: Int
    @Persisted var p27: Int
    @Persisted var p28: Int
    @Persisted var p29: Int
    @Persisted var p30: Int
    @Persisted var p31: Int
    @Persisted var p32: Int
    @Persisted var p33: Int
    @Persisted var p34: Int
    @Persisted var p35: Int
    @Persisted var p36: Int
    @Persisted var p37: Int
    @Persisted var p38: Int
    @Persisted var p39: Int
    @Persisted var p40: Int
    @Persisted var p41: Int
    @Persisted var p42: Int
    @Persisted var p43: Int
    @Persisted var p44: Int
    @Persisted var p45: Int
    @Persisted var p46: Int
    @Persisted var p47: Int
    @Persisted var p48: Int
    @Persisted var p49: Int
    @Persisted var p50: Int
    @Persisted var p51: Int
    @Persisted var p52: Int
    @Persisted var p53: Int
    @Persisted var p54: Int
    @Persisted var p55: Int
    @Persisted var p56: Int
    @Persisted var p57: Int
    @Persisted var p58: Int
    @Persisted var p59: Int
    @Persisted var p60: Int
    @Persisted var p61: Int
    @Persisted var p62: Int
    @Persisted var p63: Int
    @Persisted var p64: Int
    @Persisted var p65: Int
    @Persisted var p66: Int
    @Persisted var p67: Int
    @Persisted var p68: Int
}

/// The costs of creating objects, counted.
@Suite(.serialized) struct CreationCostTests {
    @Test func `creating an object from values makes one instance, and allocates little more than adding one`() throws {
        let configuration = Realm.Configuration(inMemoryIdentifier: "cost-\(UUID())", objectTypes: [CountedPerson.self])
        let realm = try Realm(configuration: configuration)
        let count = 500
        func cost(_ make: (Int) -> Void) throws -> Int {
            try realm.write {
                make(0)
                let before = allocation_count()
                for id in 1..<count { make(id) }
                return Int(allocation_count() - before)
            }
        }
        let added = try cost { id in
            let person = CountedPerson()
            (person.id, person.age, person.score, person.name) = (id, 3, 4.5, "Ada")
            realm.add(person)
        }
        var values: [String: Any] = ["age": 3, "score": 4.5, "name": "Ada"]
        let made = CountedPerson.made
        let named = try cost { id in
            values["id"] = id + count
            realm.create(CountedPerson.self, value: values)
        }
        #expect(CountedPerson.made - made == count)
        var list: [Any] = [0, 3, 4.5, "Ada"]
        let ordered = try cost { id in
            list[0] = id + 2 * count
            realm.create(CountedPerson.self, value: list)
        }
        #expect(CountedPerson.made - made == 2 * count)
        #expect(named - added < 6 * count, "\(added) and \(named) allocations")
        #expect(ordered - added < 6 * count, "\(added) and \(ordered) allocations")
        #expect(realm.objects(CountedPerson.self).where { $0.name == "Ada" }.count == 3 * count)
    }
}
