// SPDX-License-Identifier: MIT
// ElementAggregatesTests.swift -- the declarations of aggregates of elements and of named properties: types of results,
// which overload a program gets, and what is refused.

import Foundation
import Strata
import Testing

@Suite struct ElementAggregatesTests {
    // MARK: Values

    @Test func `S110: the least and the greatest of enums and custom types are of the type of the elements`() throws {
        try onBothOf(ManyRanks.self) { owner in
            owner.list.append(objectsIn: [.middle, .high, .low])
            owner.map["a"] = .high
            let greatest: Rank? = owner.list.max()
            #expect(owner.list.min() == .low && greatest == .high && owner.map.min() == .high)
            #expect(owner.list.average() == 5 && owner.list.average()! == 5)
            #expect(owner.list.min(ofProperty: "self") == Rank.low)
        }
        try onBothOf(ManyCelsiusOrNil.self) { owner in
            owner.list.append(objectsIn: [Celsius(2), nil, Celsius(5)])
            let least: Celsius? = owner.list.min(), sum: Celsius = owner.list.sum()
            #expect(least?.degrees == 2 && sum.degrees == 7 && owner.list.average() == 3.5)
            let nested: Celsius?? = owner.list.max(), orNil: Celsius? = owner.list.sum()
            #expect(nested??.degrees == 5 && orNil?.degrees == 7)
        }
        try onBothOf(ManyDays.self) { owner in
            owner.set.insert(objectsIn: [Day(persistedValue: Date(timeIntervalSinceReferenceDate: 86400 * 3))])
            #expect(owner.set.max()?.number == 3 && owner.list.max() == nil)
        }
    }

    @Test func `S110: a sum of enums is nil or stops the program where no case has it`() async throws {
        try onBothOf(ManyRanksOrNil.self) { owner in
            owner.list.append(objectsIn: [.low, nil, .middle])
            let none: Rank? = owner.list.sum(ofProperty: "self")
            #expect(none == nil)
            owner.list.append(.low)
            #expect(owner.list.filter { $0 != nil }.count == 3)
        }
        try onBothOf(ManyTinies.self) { owner in
            owner.list.append(objectsIn: [.one, .one])
            #expect(owner.list.sum() == .two && owner.map.average() == nil)
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(elementTypes) { realm in
                let owner = try realm.write { realm.create(ManyRanks.self, value: ["list": [Rank.low, Rank.middle]]) }
                _ = owner.list.sum()
            }
        }
        expect(result, says: "the sum is 6, which is no Rank")
    }

    @Test func `S112: sums of small raw values wrap around`() throws {
        try onBothOf(ManyTinies.self) { owner in
            owner.list.append(objectsIn: Array(repeating: .two, count: 64) + Array(repeating: .one, count: 129))
            #expect(owner.list.sum() == .one)
        }
        try onBothOf(ManySmallIntsOrNil.self) { owner in
            owner.list.append(objectsIn: [Int16.max, 1, nil])
            let sum: Int16 = owner.list.sum(), orNil: Int16? = owner.list.sum(ofProperty: "self")
            #expect(sum == Int16.min && orNil == Int16.min)
        }
    }

    @Test func `S111: an average is of the type that is asked for`() throws {
        try onBothOf(ManyInts.self) { owner in
            owner.list.append(objectsIn: [1, 2, 4, 3])
            let plain = owner.list.average(), double: Double? = owner.list.average()
            let decimal: Decimal128? = owner.list.average(), float: Float? = owner.list.average()
            let whole: Int? = owner.list.average(), any: AnyRealmValue? = owner.list.average()
            let object: NSNumber? = owner.list.average()
            #expect(plain == 2.5 && double == 2.5 && decimal == 2.5 && float == 2.5 && whole == 2)
            #expect(any == .decimal128(2.5) && object == 2.5)
            #expect(owner.list.average()! == 2.5 && (owner.list.average() ?? 0) > 2)
            #expect(owner.map.average() == nil && (owner.map.average() as Decimal128?) == nil)
        }
        try onBothOf(ManyDecimalsOrNil.self) { owner in
            owner.list.append(objectsIn: [1, nil, 2])
            owner.map["a"] = .some(3)
            let list: Decimal128? = owner.list.average(), map: Decimal128? = owner.map.average()
            let double: Double? = owner.list.average(), whole: Int? = owner.list.average()
            #expect(list == 1.5 && map == 3 && double == 1.5 && whole == 1)
        }
        try onBothOf(ManyInts.self) { owner in
            owner.list.append(objectsIn: [(1 << 53) + 1, (1 << 53) + 2, Int.max, -Int.max])
            #expect(owner.list.average() == Double((1 << 52) + 1))  // rounded once
        }
    }

    @Test func `S114: what is left of values of any type has a decimal sum if managed`() throws {
        try withRealm(elementTypes) { realm in
            let owner = try realm.write { realm.create(ManyAnything.self) }
            #expect(owner.list.distinct().sum() == .decimal128(0))
            #expect(owner.list.filter("SELF > 3").sum() == .decimal128(0))
        }
        #expect(ManyAnything().list.sum() == .int(0))
    }

    @Test func `S113: values have no properties but themselves`() async {
        let managed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(elementTypes) { realm in
                let owner = try realm.write { realm.create(ManyInts.self) }
                _ = owner.list.sum(ofProperty: "age") as Int
            }
        }
        expect(managed, says: "ManyInts.list holds values, which have no property \"age\" to be added up")
        let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Map<String, Int>().max(ofProperty: "age") as Int?
        }
        expect(unmanaged, says: "an unmanaged Map<String, Int> holds values, which have no property \"age\"")
    }

    // MARK: Named properties

    @Test func `S113: named properties as NSNumber and NSDate`() throws {
        try withTrees { realm in
            try realm.write {
                for id in 1...4 {
                    realm.create(
                        Tree.self,
                        value: [
                            "id": id, "int": id, "double": Double(id) / 2, "optInt": NSNull(),
                            "date": Date(timeIntervalSinceReferenceDate: Double(id)),
                        ] as [String: Any])
                }
            }
            let trees = realm.objects(Tree.self)
            let least: NSNumber? = trees.min(ofProperty: "int"), greatest: NSNumber? = trees.max(ofProperty: "double")
            let sum: NSNumber = trees.sum(ofProperty: "int"), average: NSNumber? = trees.average(ofProperty: "int")
            #expect(least == 1 && greatest == 2 && sum.intValue == 10 && average == 2.5)
            let first: NSDate? = trees.min(ofProperty: "date"), last: NSDate? = trees.max(ofProperty: "date")
            #expect(first == NSDate(timeIntervalSinceReferenceDate: 1) && last?.timeIntervalSinceReferenceDate == 4)
            let none: NSNumber? = trees.max(ofProperty: "optInt"), zero: NSNumber = trees.sum(ofProperty: "optInt")
            #expect(none == nil && zero == 0)
            try realm.write { trees[0].int = Int.max - 10 }
            let large: NSNumber = trees.sum(ofProperty: "int")
            #expect(large.intValue == Int.max - 1)
            let real: Double? = trees.max(ofProperty: "optInt"), wide: Double? = trees.max(ofProperty: "int")
            #expect(real == nil && wide == Double(Int.max - 10))
            let decimal: Decimal128? = trees.average(of: \.int), object: NSNumber? = trees.average(of: \.double)
            #expect(decimal != nil && object == 1.25)
        }
    }

    @Test func `S113: NSNumber holds decimal numbers with all their digits`() throws {
        let long = Decimal128(stringLiteral: "0.1234567890123456789012345678901234")
        try withTrees { realm in
            try realm.write {
                for (id, decimal) in [Decimal128(2.5), long, 4].enumerated() {
                    let value: [String: Any] = [
                        "id": id, "decimal": decimal, "mixed": AnyRealmValue.decimal128(decimal),
                    ]
                    realm.create(Tree.self, value: value)
                }
            }
            let trees = realm.objects(Tree.self)
            let least: NSNumber? = trees.min(ofProperty: "decimal")
            let greatest: NSNumber? = trees.max(ofProperty: "decimal")
            let sum: NSNumber = trees.filter("id != 1").sum(ofProperty: "decimal")
            let average: NSNumber? = trees.filter("id != 1").average(ofProperty: "decimal")
            #expect(greatest == 4 && sum == 6.5 && average == 3.25)
            #expect((least as? NSDecimalNumber)?.stringValue == "0.1234567890123456789012345678901234")
            let any: NSNumber? = trees.max(ofProperty: "mixed"), none: NSNumber? = trees.min(ofProperty: "optDecimal")
            #expect(any == 4 && none == nil)
            // Foundation's decimal numbers are less wide than those of IEEE 754.
            for (text, double) in [("1E+300", 1e300), ("-1E-300", -1e-300), ("Infinity", Double.infinity), ("-0", 0)] {
                try realm.write { trees[0].decimal = Decimal128(stringLiteral: text) }
                let result: NSNumber = trees.filter("id == 0").sum(ofProperty: "decimal")
                #expect(result.doubleValue == double, "\(text)")
            }
            try realm.write { trees[0].decimal = Decimal128(stringLiteral: "NaN") }
            #expect((trees.filter("id == 0").sum(ofProperty: "decimal") as NSNumber).doubleValue.isNaN)
        }
    }

    @Test func `S113: NSDate of numbers and NSNumber of text are refused`() async {
        let date = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).min(ofProperty: "int") as NSDate? }
        }
        expect(date, says: "the minimum of Tree.int is asked for as date, but the property is int")
        let text = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).min(ofProperty: "string") as NSNumber? }
        }
        expect(text, says: "Tree.string")
        let when = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in _ = realm.objects(Tree.self).min(ofProperty: "date") as NSNumber? }
        }
        expect(when, says: "the minimum of Tree.date is asked for as decimal128, but the property is date")
    }

    // MARK: Maps

    @Test func `S110 S111: totals of a property of the objects of a map`() throws {
        try onBoth(Maps.self) { maps in
            for (key, age) in [("a", 3), ("b", 4), ("c", 8)] {
                maps.dogs[key] = .some(Dog(value: ["name": key, "age": age]))
            }
            maps.dogs["d"] = .some(nil)
            #expect(maps.dogs.count == 4)
            let least: Int? = maps.dogs.min(ofProperty: "age"), greatest: NSNumber? = maps.dogs.max(ofProperty: "age")
            #expect(least == 3 && greatest == 8 && maps.dogs.sum(ofProperty: "age") as Int == 15)
            #expect(maps.dogs.average(ofProperty: "age") == 5 && maps.dogs.average(ofProperty: "age")! == 5)
            let decimal: Decimal128? = maps.dogs.average(ofProperty: "age")
            #expect(decimal == 5 && maps.dogs.min(of: \.age) == 3 && maps.dogs.max(of: \.age) == 8)
            #expect(maps.dogs.sum(of: \.age) == 15 && maps.dogs.average(of: \.age) == 5)
            maps.ints["x"] = 7
            #expect(maps.ints.sum(ofProperty: "self") as Int == 7 && maps.ints.average(ofProperty: "self") == 7)
        }
        let none = Maps()
        #expect(none.dogs.min(of: \.age) == nil && none.dogs.sum(of: \.age) == 0 && none.dogs.average(of: \.age) == nil)
    }

    @Test func `S110: totals of optional properties of the objects of a map`() throws {
        let types: [ObjectBase.Type] = [Shop.self, Book.self]
        try withRealm(types) { realm in
            func fill(_ shelf: Shop) {
                shelf.books["a"] = .some(Book(value: ["pages": 100, "price": Decimal128(2), "rank": Rank.high]))
                shelf.books["b"] = .some(Book(value: ["pages": NSNull(), "price": Decimal128(3), "rank": NSNull()]))
            }
            func check(_ shelf: Shop) {
                #expect(shelf.books.min(of: \.pages) == 100 && shelf.books.max(of: \.pages) == 100)
                #expect(shelf.books.sum(of: \.pages) == 100 && shelf.books.average(of: \.pages) == 100)
                #expect(shelf.books.max(of: \.rank) == .high && shelf.books.sum(of: \.price) == 5)
                let price: Decimal128? = shelf.books.average(of: \.price)
                #expect(price == 2.5)
            }
            let unmanaged = Shop()
            fill(unmanaged)
            check(unmanaged)
            let managed = try realm.write {
                let shelf = realm.create(Shop.self)
                fill(shelf)
                return shelf
            }
            check(managed)
        }
    }
}

final class Book: Object {
    @Persisted var pages: Int?
    @Persisted var price: Decimal128
    @Persisted var rank: Rank?
}

final class Shop: Object {
    @Persisted var books: Map<String, Book?>
}
