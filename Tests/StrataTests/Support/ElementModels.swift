// SPDX-License-Identifier: MIT
// ElementModels.swift -- a list, a set and a map of every kind of elements that is a value.

import Foundation
import Strata

/// A temperature that is stored as a decimal number.
struct Kelvin: CustomPersistable, Equatable {
    var degrees: Decimal128
    init(persistedValue: Decimal128) { degrees = persistedValue }
    var persistableValue: Decimal128 { degrees }
}

/// A day, which is stored as its beginning.
struct Day: CustomPersistable, Equatable {
    var number: Int
    init(persistedValue: Date) { number = Int(persistedValue.timeIntervalSinceReferenceDate / 86400) }
    var persistableValue: Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86400) }
}

/// A list, a set and a map of one kind of elements.
class ManyOf<Value: RealmCollectionValue>: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var list: List<Value>
    @Persisted var set: MutableSet<Value>
    @Persisted var map: Map<String, Value>
}

final class ManyBools: ManyOf<Bool> {}
final class ManyInts: ManyOf<Int> {}
final class ManySmallInts: ManyOf<Int16> {}
final class ManyFloats: ManyOf<Float> {}
final class ManyDoubles: ManyOf<Double> {}
final class ManyStrings: ManyOf<String> {}
final class ManyDates: ManyOf<Date> {}
final class ManyDecimals: ManyOf<Decimal128> {}
final class ManyAnything: ManyOf<AnyRealmValue> {}
final class ManyMoods: ManyOf<Mood> {}
final class ManyRanks: ManyOf<Rank> {}
final class ManyTinies: ManyOf<Tiny> {}
final class ManyHalves: ManyOf<Half> {}
final class ManyCelsius: ManyOf<Celsius> {}
final class ManyKelvins: ManyOf<Kelvin> {}
final class ManyDays: ManyOf<Day> {}
final class ManyCodes: ManyOf<Code> {}
final class ManySerials: ManyOf<Serial> {}
final class ManyWidths: ManyOf<CGFloat> {}

final class ManyBoolsOrNil: ManyOf<Bool?> {}
final class ManyIntsOrNil: ManyOf<Int?> {}
final class ManySmallIntsOrNil: ManyOf<Int16?> {}
final class ManyFloatsOrNil: ManyOf<Float?> {}
final class ManyDoublesOrNil: ManyOf<Double?> {}
final class ManyStringsOrNil: ManyOf<String?> {}
final class ManyDatesOrNil: ManyOf<Date?> {}
final class ManyDecimalsOrNil: ManyOf<Decimal128?> {}
final class ManyMoodsOrNil: ManyOf<Mood?> {}
final class ManyRanksOrNil: ManyOf<Rank?> {}
final class ManyTiniesOrNil: ManyOf<Tiny?> {}
final class ManyHalvesOrNil: ManyOf<Half?> {}
final class ManyCelsiusOrNil: ManyOf<Celsius?> {}
final class ManyKelvinsOrNil: ManyOf<Kelvin?> {}
final class ManyDaysOrNil: ManyOf<Day?> {}
final class ManyCodesOrNil: ManyOf<Code?> {}
final class ManySerialsOrNil: ManyOf<Serial?> {}
final class ManyWidthsOrNil: ManyOf<CGFloat?> {}

let elementTypes: [ObjectBase.Type] = [
    ManyBools.self, ManyInts.self, ManySmallInts.self, ManyFloats.self, ManyDoubles.self, ManyStrings.self,
    ManyDates.self, ManyDecimals.self, ManyAnything.self, ManyMoods.self, ManyRanks.self, ManyTinies.self,
    ManyHalves.self, ManyCelsius.self, ManyKelvins.self, ManyDays.self, ManyCodes.self, ManySerials.self,
    ManyWidths.self, ManyBoolsOrNil.self, ManyIntsOrNil.self, ManySmallIntsOrNil.self, ManyFloatsOrNil.self,
    ManyDoublesOrNil.self, ManyStringsOrNil.self, ManyDatesOrNil.self, ManyDecimalsOrNil.self, ManyMoodsOrNil.self,
    ManyRanksOrNil.self, ManyTiniesOrNil.self, ManyHalvesOrNil.self, ManyCelsiusOrNil.self, ManyKelvinsOrNil.self,
    ManyDaysOrNil.self, ManyCodesOrNil.self, ManySerialsOrNil.self, ManyWidthsOrNil.self,
]

/// Runs a body with the collections of an unmanaged object and with those of a live one.
func onBothOf<Owner: Object>(_ type: Owner.Type, _ body: (Owner) throws -> Void) throws {
    try body(type.init())
    try withRealm(elementTypes) { realm in
        try realm.write { try body(realm.create(type)) }
    }
}
