// SPDX-License-Identifier: MIT
// PlainModels.swift -- the classes that random queries ask, once with indexes and once without any.

import Foundation
import Strata

/// Values of every type, alone and in collections. Links are added by the subclasses, each to its own family.
class SampleValues: ManyValues {
    @Persisted var optFlag: Bool?
    @Persisted var optFloat: Float?
    @Persisted var optData: Data?
    @Persisted var optUuid: UUID?
    @Persisted var optObjectId: ObjectId?
    @Persisted var optRank: Rank?
    @Persisted var tree: AnyRealmValue
    @Persisted var stringSet: MutableSet<String>
    @Persisted var stringMap: Map<String, String?>

    @Persisted var moodList: List<Mood>
    @Persisted var rankMap: Map<String, Rank?>

    @Persisted var chip: Chip?
    @Persisted var chips: List<Chip>
    @Persisted var chipMap: Map<String, Chip?>
    @Persisted var piece: SamplePiece?
    @Persisted var pieces: List<SamplePiece>
    @Persisted var place: Location?
}

class SamplePiece: EmbeddedObject {
    @Persisted var x: Int
    @Persisted var label: String?
}

/// A value that is stored as an embedded object.
struct Chip: CustomPersistable {
    let x: Int, label: String?
    init(_ x: Int, _ label: String?) { (self.x, self.label) = (x, label) }
    init(persistedValue: SamplePiece) { self.init(persistedValue.x, persistedValue.label) }
    var persistableValue: SamplePiece { SamplePiece(value: ["x": x, "label": label as Any]) }

    init(_ row: PlainRow) {
        var label: String?
        if case .string(let text)? = row.one["label"] { label = text }
        self.init(row.one["x"]?.integer ?? 0, label)
    }
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
            "flag", "int", "int8", "string", "date", "uuid", "objectId", "mixed", "mood", "rank", "optFlag", "optInt",
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
