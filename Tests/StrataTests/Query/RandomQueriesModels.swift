// SPDX-License-Identifier: MIT
// RandomQueriesModels.swift -- the classes that random queries ask, once with indexes and once without any.

import Foundation
import Strata

/// Values of every type, alone and in collections. Links are added by the subclasses, each to its own family.
class SampleValues: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var flag: Bool
    @Persisted var int: Int
    @Persisted var other: Int
    @Persisted var small: Int8
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var second: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var objectId: ObjectId
    @Persisted var decimal: Decimal128
    @Persisted var mixed: AnyRealmValue
    @Persisted var mood: Mood
    @Persisted var rank: Rank

    @Persisted var optFlag: Bool?
    @Persisted var optInt: Int?
    @Persisted var optFloat: Float?
    @Persisted var optDouble: Double?
    @Persisted var optString: String?
    @Persisted var optData: Data?
    @Persisted var optDate: Date?
    @Persisted var optUuid: UUID?
    @Persisted var optObjectId: ObjectId?
    @Persisted var optDecimal: Decimal128?
    @Persisted var optMood: Mood?
    @Persisted var optRank: Rank?

    @Persisted var ints: List<Int>
    @Persisted var optInts: List<Int?>
    @Persisted var doubles: List<Double>
    @Persisted var strings: List<String>
    @Persisted var dates: List<Date>
    @Persisted var decimals: List<Decimal128>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var stringSet: MutableSet<String>
    @Persisted var intMap: Map<String, Int>
    @Persisted var stringMap: Map<String, String?>

    @Persisted var piece: SamplePiece?
    @Persisted var pieces: List<SamplePiece>
}

class SamplePiece: EmbeddedObject {
    @Persisted var x: Int
    @Persisted var label: String?
}

class SamplePartValues: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var size: Int
    @Persisted var label: String
    @Persisted var weight: Double?
    @Persisted var green: Bool
}

final class Sample: SampleValues {
    @Persisted var part: SamplePart?
    @Persisted var parent: Sample?
    @Persisted var parts: List<SamplePart>
    @Persisted var partSet: MutableSet<SamplePart>
    @Persisted var partMap: Map<String, SamplePart?>
    @Persisted(originProperty: "parent") var children: LinkingObjects<Sample>

    override class func indexedProperties() -> [String] {
        [
            "flag", "int", "small", "string", "date", "uuid", "objectId", "mixed", "mood", "rank", "optFlag", "optInt",
            "optString", "optDate", "optUuid", "optMood", "optRank",
        ]
    }

    override class func compoundIndexes() -> [[String]] {
        [["mood", "int"], ["other", "string"], ["optInt", "optString"]]
    }
}

final class SamplePart: SamplePartValues {
    @Persisted(originProperty: "part") var owners: LinkingObjects<Sample>
    @Persisted(originProperty: "parts") var users: LinkingObjects<Sample>

    override class func indexedProperties() -> [String] { ["size", "label"] }
}

final class PlainSample: SampleValues {
    @Persisted var part: PlainSamplePart?
    @Persisted var parent: PlainSample?
    @Persisted var parts: List<PlainSamplePart>
    @Persisted var partSet: MutableSet<PlainSamplePart>
    @Persisted var partMap: Map<String, PlainSamplePart?>
    @Persisted(originProperty: "parent") var children: LinkingObjects<PlainSample>
}

final class PlainSamplePart: SamplePartValues {
    @Persisted(originProperty: "part") var owners: LinkingObjects<PlainSample>
    @Persisted(originProperty: "parts") var users: LinkingObjects<PlainSample>
}
