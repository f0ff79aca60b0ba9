// SPDX-License-Identifier: MIT
// RandomElementsTests.swift -- aggregates, order, distinct values, sections and conditions of every kind of elements in
// every collection, managed and unmanaged, compared with plain arrays of what the elements are stored as.
//
// The generic functions here are not specialised, so that the compiler makes one of each and not one for every kind.

import Foundation
import Strata
import Testing

/// One kind of elements: how to make one, and what it is stored as.
private struct Kind<Value: RealmCollectionValue, Stored: Comparable & Hashable> {
    let type: ManyOf<Value>.Type
    let make: (Int) -> Value
    /// Nil for nil.
    let stored: (Value) -> Stored?

    var name: String { "\(Value.self)" }

    /// Whether `a` stands before `b` in the ascending order, nils first.
    @_semantics("optimize.sil.specialize.generic.never")
    func precedes(_ a: Value, _ b: Value) -> Bool {
        switch (stored(a), stored(b)) {
        case (let a?, let b?): a < b
        case (nil, .some): true
        default: false
        }
    }

    /// Stable.
    @_semantics("optimize.sil.specialize.generic.never")
    func sorted(_ values: [Value], ascending: Bool) -> [Stored?] {
        values.enumerated().sorted { a, b in
            let (first, second) = ascending ? (a, b) : (b, a)
            if precedes(first.element, second.element) { return true }
            if precedes(second.element, first.element) { return false }
            return a.offset < b.offset
        }.map { stored($0.element) }
    }

    @_semantics("optimize.sil.specialize.generic.never")
    func forms(_ values: some Sequence<Value>) -> [Stored?] { values.map(stored) }
}

private func distinct<Value: Hashable>(_ values: [Value]) -> [Value] {
    var seen = Set<Value>()
    return values.filter { seen.insert($0).inserted }
}

@Suite struct RandomElementsTests {
    // MARK: Collections

    /// Fills the collections of an object, and shows each with the values that it should have in its order.
    @_semantics("optimize.sil.specialize.generic.never")
    private func fill<Value, Stored>(
        _ owner: ManyOf<Value>, _ kind: Kind<Value, Stored>, _ random: inout SeededGenerator
    ) -> (list: [Value], set: [Value], map: [Value]) {
        let values = (0..<Int.random(in: 0...12, using: &random)).map { _ in
            kind.make(Int.random(in: 0..<1000, using: &random))
        }
        owner.list.append(objectsIn: values)
        owner.set.insert(objectsIn: values)
        for (index, value) in values.enumerated() { owner.map["k\(index + 10)"] = .some(value) }
        #expect(kind.forms(owner.list) == kind.forms(values), "\(kind.name)")
        #expect(Set(kind.forms(owner.set)) == Set(kind.forms(values)) && owner.map.count == values.count)
        return (Array(owner.list), Array(owner.set), owner.map.values)
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private func run<Value, Stored>(
        _ kind: Kind<Value, Stored>, _ seed: UInt64, _ check: (ManyOf<Value>, [[Value]]) throws -> Void
    ) throws {
        var random = SeededGenerator(state: seed)
        for _ in 0..<6 {
            try onBothOf(kind.type) { owner in
                let values = fill(owner, kind, &random)
                try check(owner, [values.list, values.set, values.map])
            }
        }
    }

    // MARK: Order

    @_semantics("optimize.sil.specialize.generic.never")
    private func checkOrder<C: RealmCollection, Stored>(
        _ collection: C, _ values: [C.Element], _ kind: Kind<C.Element, Stored>
    ) where C.Element.PersistedType: SortableType {
        let up = kind.sorted(values, ascending: true), down = kind.sorted(values, ascending: false)
        let unique = distinct(kind.forms(values))
        #expect(kind.forms(collection.sorted()) == up && kind.forms(collection.sorted(ascending: false)) == down)
        #expect(kind.forms(collection.sorted(byKeyPath: "self", ascending: false)) == down)
        #expect(kind.forms(collection.distinct()) == unique && kind.forms(collection.distinct(by: ["self"])) == unique)
        #expect(kind.forms(collection.distinct().sorted(ascending: false)) == distinct(down))
        #expect(kind.forms(collection.sorted().distinct()) == distinct(up) && collection.sorted().count == up.count)
        let sections = collection.sectioned(by: { "\(String(describing: kind.stored($0)))" }, ascending: false)
        #expect(sections.allKeys == distinct(down).map { "\(String(describing: $0))" })
        #expect(sections.map(\.count) == distinct(down).map { form in down.count { $0 == form } })
        #expect(kind.forms(sections.flatMap { Array($0) }) == down)
    }

    /// The elements that are equal to one of them, and their positions.
    @_semantics("optimize.sil.specialize.generic.never")
    private func checkConditions<C: RealmCollection, Stored>(
        _ collection: C, _ values: [C.Element], _ kind: Kind<C.Element, Stored>
    ) where C.Element.PersistedType: SortableType {
        guard let one = values.last else { return }
        let form = kind.stored(one)
        let equal = kind.forms(values).filter { $0 == form }, others = kind.forms(values).filter { $0 != form }
        #expect(kind.forms(collection.where { $0 == one }) == equal)
        #expect(kind.forms(collection.where { !($0 == one) }) == others)
        #expect(kind.forms(collection.where { $0 != one }) == others)
        #expect(kind.forms(collection.filter("SELF IN %@", [one])) == equal)
        #expect(kind.forms(collection.filter("SELF != %@", one).filter("TRUEPREDICATE")) == others)
        #expect(collection.filter("FALSEPREDICATE").isEmpty && collection.filter("TRUEPREDICATE").count == values.count)
        let down = kind.sorted(values, ascending: false)
        #expect(kind.forms(collection.sorted(ascending: false).where { $0 != one }) == down.filter { $0 != form })
        #expect(
            kind.forms(collection.where { $0 != one }.sorted(ascending: false).distinct())
                == distinct(down.filter { $0 != form }))
        #expect(kind.forms(collection.distinct().filter("SELF == %@", one)) == [form])
        #expect(collection.sorted(ascending: false).index(matching: { $0 == one }) == down.firstIndex(of: form))
        #expect(collection.sorted(ascending: false).distinct().index(matching: "SELF == %@", one)
            == distinct(down).firstIndex(of: form))
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private func checkOrder<Value, Stored>(
        _ kind: Kind<Value, Stored>, _ seed: UInt64
    ) throws where Value.PersistedType: SortableType {
        try run(kind, seed) { owner, values in
            if let one = values[0].last {
                let first = kind.forms(values[0]).firstIndex(of: kind.stored(one))
                #expect(owner.list.index(matching: { $0 == one }) == first)
                #expect(owner.list.index(matching: "SELF == %@", one) == first)
                #expect(owner.list.index(matching: NSPredicate(format: "SELF != %@", argumentArray: [one]))
                    == kind.forms(values[0]).firstIndex { $0 != kind.stored(one) })
                #expect(AnyRealmCollection(owner.list).index(matching: { $0 == one }) == first)
            }
            guard owner.realm != nil else { return }
            checkOrder(owner.list, values[0], kind)
            checkOrder(owner.set, values[1], kind)
            checkOrder(AnyRealmCollection(owner.list), values[0], kind)
            checkOrder(owner.list.filter("TRUEPREDICATE"), values[0], kind)
            checkConditions(owner.list, values[0], kind)
            checkConditions(owner.set, values[1], kind)
            let up = kind.sorted(values[2], ascending: true)
            #expect(kind.forms(owner.map.sorted()) == up)
            #expect(kind.forms(owner.map.sorted(byKeyPath: "self")) == up)
            checkOrder(owner.map.filter("TRUEPREDICATE"), values[2], kind)
            checkConditions(owner.map.filter("TRUEPREDICATE"), values[2], kind)
            if let one = values[2].last {
                let form = kind.stored(one)
                #expect(kind.forms(owner.map.where { $0 == one }) == kind.forms(values[2]).filter { $0 == form })
                #expect(kind.forms(owner.map.filter("SELF != %@", one)) == kind.forms(values[2]).filter { $0 != form })
            }
        }
    }

    // MARK: Aggregates

    @_semantics("optimize.sil.specialize.generic.never")
    private func checkExtremes<Value, Stored>(
        _ kind: Kind<Value, Stored>, _ seed: UInt64
    ) throws where Value.PersistedType: MinMaxType {
        try run(kind, seed) { owner, values in
            func check(_ least: Value?, _ greatest: Value?, _ values: [Value]) {
                let forms = values.compactMap(kind.stored)
                #expect(least.flatMap(kind.stored) == forms.min() && greatest.flatMap(kind.stored) == forms.max())
            }
            check(owner.list.min(), owner.list.max(), values[0])
            check(owner.set.min(), owner.set.max(), values[1])
            check(owner.map.min(), owner.map.max(), values[2])
            check(owner.list.min(ofProperty: "self"), owner.list.max(ofProperty: "self"), values[0])
            check(owner.map.min(ofProperty: "self"), owner.map.max(ofProperty: "self"), values[2])
            let any = AnyRealmCollection(owner.list)
            check(any.min(), any.max(), values[0])
            guard owner.realm != nil, let one = values[0].first else { return }
            let others = owner.list.where { $0 != one }
            check(others.min(), others.max(), values[0].filter { kind.stored($0) != kind.stored(one) })
        }
    }

    /// - Parameter isClosed: whether every sum is a value of the type.
    @_semantics("optimize.sil.specialize.generic.never")
    private func checkSums<Value, Stored>(
        _ kind: Kind<Value, Stored>, _ seed: UInt64, isClosed: Bool = true, _ number: @escaping (Stored) -> Double
    ) throws where Value.PersistedType: MinMaxType & AddableType {
        try checkExtremes(kind, seed)
        try run(kind, seed) { owner, values in
            let sums = values.map { values in values.compactMap(kind.stored).reduce(0) { $0 + number($1) } }
            let averages = zip(values, sums).map { values, sum in
                let count = values.compactMap(kind.stored).count
                return count == 0 ? nil : sum / Double(count)
            }
            func near(_ one: Double?, _ other: Double?) -> Bool {
                guard let one, let other else { return one == nil && other == nil }
                return abs(one - other) <= 1e-6 * max(1, abs(other))
            }
            /// An average that is close to a whole number may be rounded to either side of it.
            func isWhole(_ one: Int?, _ other: Double?) -> Bool {
                guard let one, let other else { return one == nil && other == nil }
                return one == Int(other) || (near(Double(one), other) && abs(other - other.rounded()) <= 1e-6)
            }
            #expect(near(owner.list.average(), averages[0]) && near(owner.set.average(), averages[1]))
            #expect(near(owner.map.average(), averages[2]) && near(owner.list.average(ofProperty: "self"), averages[0]))
            let decimal: Decimal128? = owner.list.average(), float: Float? = owner.map.average()
            #expect(near(decimal.map(\.doubleValue), averages[0]) && near(float.map { Double($0) }, averages[2]))
            let whole: Int? = owner.list.average(), object: NSNumber? = owner.set.average()
            #expect(isWhole(whole, averages[0]), "\(String(describing: whole)), \(String(describing: averages[0]))")
            #expect(near(object?.doubleValue, averages[1]))
            if !isClosed { return }
            func sum(_ value: Value) -> Double { kind.stored(value).map(number) ?? 0 }
            #expect(near(sum(owner.list.sum()), sums[0]) && near(sum(owner.set.sum()), sums[1]))
            #expect(near(sum(owner.map.sum()), sums[2]) && near(sum(owner.list.sum(ofProperty: "self")), sums[0]))
        }
    }

    // MARK: Kinds

    private static func mood(_ number: Int) -> Mood { Mood.allCases[number % 3] }
    private static func rank(_ number: Int) -> Rank { Rank.allCases[number % 3] }
    private static func date(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) / 4) }
    private static func code(_ number: Int) -> Code { Code(persistedValue: ["abc", "Abc", "äbc", "abd"][number % 4])! }
    private static func orNil<Value>(_ number: Int, _ make: (Int) -> Value) -> Value? {
        number % 4 == 0 ? nil : make(number)
    }

    /// A case of the test for a kind and for its Optional.
    @_semantics("optimize.sil.specialize.generic.never")
    private func both<Value: RealmCollectionValue & _OptionalPersistable, Stored>(
        _ kind: Kind<Value, Stored>, _ optional: ManyOf<Value?>.Type
    ) -> (Kind<Value, Stored>, Kind<Value?, Stored>) {
        let orNil = Kind<Value?, Stored>(type: optional, make: { Self.orNil($0, kind.make) }, stored: {
            $0.flatMap(kind.stored)
        })
        return (kind, orNil)
    }

    @Test func `S110 S111 S112: aggregates of numbers of every kind`() throws {
        let seed = testSeed("aggregates of elements")
        func check<Value: RealmCollectionValue & _OptionalPersistable, Stored>(
            _ kinds: (Kind<Value, Stored>, Kind<Value?, Stored>), isClosed: Bool = true,
            _ number: @escaping (Stored) -> Double
        ) throws where Value.PersistedType: MinMaxType & AddableType {
            try checkSums(kinds.0, seed, isClosed: isClosed, number)
            try checkSums(kinds.1, seed, isClosed: isClosed, number)
        }
        try check(both(Kind(type: ManyInts.self, make: { $0 - 500 }, stored: { $0 }), ManyIntsOrNil.self)) {
            Double($0)
        }
        try check(both(Kind(type: ManySmallInts.self, make: { Int16($0) }, stored: { $0 }), ManySmallIntsOrNil.self)) {
            Double($0)
        }
        try check(both(Kind(type: ManyFloats.self, make: { Float($0) / 2 }, stored: { $0 }), ManyFloatsOrNil.self)) {
            Double($0)
        }
        try check(both(Kind(type: ManyDoubles.self, make: { Double($0) / 8 }, stored: { $0 }), ManyDoublesOrNil.self)) {
            $0
        }
        try check(
            both(
                Kind(type: ManyDecimals.self, make: { Decimal128($0) / 10 }, stored: { $0 }), ManyDecimalsOrNil.self)
        ) { $0.doubleValue }
        try check(
            both(Kind(type: ManyRanks.self, make: Self.rank, stored: \.rawValue), ManyRanksOrNil.self),
            isClosed: false) { Double($0) }
        try check(
            both(
                Kind(type: ManyTinies.self, make: { $0 % 2 == 0 ? .one : .two }, stored: \.rawValue),
                ManyTiniesOrNil.self), isClosed: false) { Double($0) }
        try check(
            both(
                Kind(type: ManyHalves.self, make: { $0 % 2 == 0 ? .half : .whole }, stored: \.rawValue),
                ManyHalvesOrNil.self), isClosed: false) { Double($0) }
        try check(
            both(Kind(type: ManyCelsius.self, make: { Celsius(Double($0)) }, stored: \.degrees), ManyCelsiusOrNil.self)
        ) { $0 }
        try check(
            both(
                Kind(type: ManyKelvins.self, make: { Kelvin(persistedValue: Decimal128($0)) }, stored: \.degrees),
                ManyKelvinsOrNil.self)) { $0.doubleValue }
        try check(
            both(
                Kind(type: ManySerials.self, make: { Serial(persistedValue: $0) }, stored: \.number),
                ManySerialsOrNil.self)) { Double($0) }
        try check(
            both(Kind(type: ManyWidths.self, make: { CGFloat($0) / 4 }, stored: { Double($0) }), ManyWidthsOrNil.self)
        ) { $0 }
    }

    @Test func `S110 S113: the least and the greatest of dates of every kind`() throws {
        let seed = testSeed("extremes of dates")
        let dates = both(Kind(type: ManyDates.self, make: Self.date, stored: { $0 }), ManyDatesOrNil.self)
        try checkExtremes(dates.0, seed)
        try checkExtremes(dates.1, seed)
        let days = both(
            Kind(type: ManyDays.self, make: { Day(persistedValue: Self.date($0 * 400_000)) }, stored: \.number),
            ManyDaysOrNil.self)
        try checkExtremes(days.0, seed)
        try checkExtremes(days.1, seed)
    }

    @Test func `S103 S104 S105 S108 S115: order, distinct values, sections and conditions of every kind`() throws {
        let seed = testSeed("order of elements")
        func check<Value: RealmCollectionValue & _OptionalPersistable, Stored>(
            _ kinds: (Kind<Value, Stored>, Kind<Value?, Stored>)
        ) throws where Value.PersistedType: SortableType {
            try checkOrder(kinds.0, seed)
            try checkOrder(kinds.1, seed)
        }
        try check(both(Kind(type: ManyBools.self, make: { $0 % 2 == 0 }, stored: { $0 ? 1 : 0 }), ManyBoolsOrNil.self))
        try check(both(Kind(type: ManyInts.self, make: { $0 % 9 - 4 }, stored: { $0 }), ManyIntsOrNil.self))
        try check(
            both(Kind(type: ManySmallInts.self, make: { Int16($0 % 9) }, stored: { $0 }), ManySmallIntsOrNil.self))
        try check(both(Kind(type: ManyFloats.self, make: { Float($0 % 9) / 2 }, stored: { $0 }), ManyFloatsOrNil.self))
        try check(
            both(Kind(type: ManyDoubles.self, make: { Double($0 % 9) / 8 }, stored: { $0 }), ManyDoublesOrNil.self))
        try check(
            both(
                Kind(
                    type: ManyStrings.self,
                    make: { ["", "a", "A", "ä", String(repeating: "long", count: 90)][$0 % 5] },
                    stored: { Bytes($0) }), ManyStringsOrNil.self))
        try check(
            both(Kind(type: ManyDates.self, make: { Self.date($0 % 9 * 4) }, stored: { $0 }), ManyDatesOrNil.self))
        try check(
            both(
                Kind(type: ManyDecimals.self, make: { Decimal128($0 % 9) / 10 }, stored: { $0 }),
                ManyDecimalsOrNil.self))
        try check(
            both(Kind(type: ManyMoods.self, make: Self.mood, stored: { Bytes($0.rawValue) }), ManyMoodsOrNil.self))
        try check(both(Kind(type: ManyRanks.self, make: Self.rank, stored: \.rawValue), ManyRanksOrNil.self))
        try check(
            both(
                Kind(type: ManyTinies.self, make: { $0 % 2 == 0 ? .one : .two }, stored: \.rawValue),
                ManyTiniesOrNil.self))
        try check(
            both(
                Kind(type: ManyCelsius.self, make: { Celsius(Double($0 % 9)) }, stored: \.degrees),
                ManyCelsiusOrNil.self))
        try check(
            both(
                Kind(type: ManyKelvins.self, make: { Kelvin(persistedValue: Decimal128($0 % 9)) }, stored: \.degrees),
                ManyKelvinsOrNil.self))
        try check(both(Kind(type: ManyCodes.self, make: Self.code, stored: { Bytes($0.text) }), ManyCodesOrNil.self))
        try check(
            both(
                Kind(type: ManySerials.self, make: { Serial(persistedValue: $0 % 9) }, stored: \.number),
                ManySerialsOrNil.self))
        try check(
            both(Kind(type: ManyWidths.self, make: { CGFloat($0 % 9) }, stored: { Double($0) }), ManyWidthsOrNil.self))
        let anything = Kind(
            type: ManyAnything.self, make: { AnyRealmValue.int($0 % 9) }, stored: { $0.intValue })
        try checkOrder(anything, seed)
        try checkExtremes(anything, seed)
    }
}

/// Text in the order of its bytes.
private struct Bytes: Comparable, Hashable, CustomStringConvertible {
    let text: String
    init(_ text: String) { self.text = text }
    static func < (left: Bytes, right: Bytes) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
    static func == (left: Bytes, right: Bytes) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
    var description: String { text }
}
