// SPDX-License-Identifier: MIT
// RandomQueriesWorld.swift -- random objects: as plain values, and in two realms.

import Foundation
import Strata

enum PlainKind {
    case bool, int, small, float, double, string, data, date, uuid, objectId, decimal, mixed, mood, rank

    var isNumeric: Bool { [.int, .small, .float, .double, .decimal].contains { $0 == self } }
    var isText: Bool { self == .string || self == .data || self == .mixed }
}

enum PlainClass { case sample, part, piece }

enum PlainType: Equatable {
    case value(PlainKind, optional: Bool)
    case link(PlainClass)
}

/// Where values are: one, or many in a collection.
enum PlainShape { case one, list, set, map, inverse }

struct PlainField {
    let name: String
    let type: PlainType
    var shape = PlainShape.one

    var kind: PlainKind? { if case .value(let kind, _) = type { kind } else { nil } }
    var target: PlainClass? { if case .link(let target) = type { target } else { nil } }
    var isOptional: Bool { if case .value(_, let optional) = type { optional } else { true } }
}

extension PlainClass {
    var fields: [PlainField] {
        switch self {
        case .sample: sampleFields
        case .part: partFields
        case .piece: pieceFields
        }
    }
}

private func values(_ optional: Bool, _ fields: KeyValuePairs<String, PlainKind>) -> [PlainField] {
    fields.map { PlainField(name: $0.key, type: .value($0.value, optional: optional)) }
}

private func many(_ shape: PlainShape, _ fields: KeyValuePairs<String, PlainKind>) -> [PlainField] {
    fields.map { PlainField(name: $0.key, type: .value($0.value, optional: $0.key.hasPrefix("opt")), shape: shape) }
}

private let sampleFields =
    values(false, [
        "id": .int, "flag": .bool, "int": .int, "other": .int, "small": .small, "float": .float, "double": .double,
        "string": .string, "second": .string, "data": .data, "date": .date, "uuid": .uuid, "objectId": .objectId,
        "decimal": .decimal, "mood": .mood, "rank": .rank,
    ])
    + values(true, [
        "optFlag": .bool, "optInt": .int, "optFloat": .float, "optDouble": .double, "optString": .string,
        "optData": .data, "optDate": .date, "optUuid": .uuid, "optObjectId": .objectId, "optDecimal": .decimal,
        "optMood": .mood, "optRank": .rank, "mixed": .mixed,
    ])
    + many(.list, [
        "ints": .int, "optInts": .int, "doubles": .double, "strings": .string, "dates": .date, "decimals": .decimal,
        "anys": .mixed,
    ])
    + many(.set, ["intSet": .int, "stringSet": .string]) + many(.map, ["intMap": .int])
    + [
        PlainField(name: "stringMap", type: .value(.string, optional: true), shape: .map),
        PlainField(name: "part", type: .link(.part)), PlainField(name: "parent", type: .link(.sample)),
        PlainField(name: "piece", type: .link(.piece)), PlainField(name: "pieces", type: .link(.piece), shape: .list),
        PlainField(name: "parts", type: .link(.part), shape: .list),
        PlainField(name: "partSet", type: .link(.part), shape: .set),
        PlainField(name: "partMap", type: .link(.part), shape: .map),
        PlainField(name: "children", type: .link(.sample), shape: .inverse),
    ]
private let partFields =
    values(false, ["id": .int, "size": .int, "label": .string, "green": .bool]) + values(true, ["weight": .double])
    + [
        PlainField(name: "owners", type: .link(.sample), shape: .inverse),
        PlainField(name: "users", type: .link(.sample), shape: .inverse),
    ]
private let pieceFields = values(false, ["x": .int]) + values(true, ["label": .string])

/// What an object should hold. Inverse links are kept beside the links that they belong to.
final class PlainRow {
    let kind: PlainClass, id: Int
    var one: [String: PlainValue] = [:]
    var many: [String: [PlainValue]] = [:]  // of a map: the values in the order of the keys
    var keys: [String: [String]] = [:]

    init(_ kind: PlainClass, _ id: Int) { (self.kind, self.id) = (kind, id) }
}

struct PlainWorld {
    var samples: [PlainRow] = []
    var parts: [PlainRow] = []

    func rows(_ kind: PlainClass) -> [PlainRow] { kind == .sample ? samples : parts }

    /// Finds all inverse links again.
    func linkBack() {
        for sample in samples { sample.many["children"] = [] }
        for part in parts { (part.many["owners"], part.many["users"]) = ([], []) }
        for sample in samples {
            sample.one["parent"]?.row?.many["children"]?.append(.link(sample))
            sample.one["part"]?.row?.many["owners"]?.append(.link(sample))
            for part in sample.many["parts"] ?? [] { part.row?.many["users"]?.append(.link(sample)) }
        }
    }

    /// Takes an object out, and every link to it.
    mutating func remove(_ row: PlainRow) {
        samples.removeAll { $0 === row }
        parts.removeAll { $0 === row }
        for sample in samples {
            for (name, value) in sample.one where value.row === row { sample.one[name] = .null }
            sample.many["parts"]?.removeAll { $0.row === row }
            sample.many["partSet"]?.removeAll { $0.row === row }
            sample.many["partMap"] = sample.many["partMap"]?.map { $0.row === row ? .null : $0 }
        }
        linkBack()
    }
}

// MARK: Writing

/// The objects in one realm, with or without indexes.
final class SampleRealm<Whole: SampleValues, Part: SamplePartValues> {
    private let temporary: TemporaryRealm
    let realm: Realm
    var samples: Results<Whole> { realm.objects(Whole.self) }
    var parts: Results<Part> { realm.objects(Part.self) }

    init() throws {
        temporary = try TemporaryRealm([Whole.self, Part.self, SamplePiece.self])
        realm = try temporary.open()
    }

    func object(_ row: PlainRow) -> Object {
        if row.kind == .sample { return realm.object(ofType: Whole.self, forPrimaryKey: row.id)! }
        return realm.object(ofType: Part.self, forPrimaryKey: row.id)!
    }

    /// A value for a property or a collection of this realm.
    func value(_ plain: PlainValue, _ field: PlainField) -> Any {
        if let row = plain.row { return row.kind == .piece ? values(row) : object(row) }
        switch (field.kind, plain) {
        case (.mood, .string(let raw)): return Mood(rawValue: raw)!
        case (.rank, .int(let raw)): return Rank(rawValue: raw)!
        case (.small, .int(let number)): return Int8(number)
        case (.mixed, _): return plain.any
        default: return plain.argument
        }
    }

    func values(_ row: PlainRow) -> [String: Any] {
        var result: [String: Any] = [:]
        for field in row.kind.fields {
            switch field.shape {
            case .one: result[field.name] = value(row.one[field.name] ?? .null, field)
            case .list, .set: result[field.name] = (row.many[field.name] ?? []).map { value($0, field) }
            case .map:
                let entries = zip(row.keys[field.name] ?? [], row.many[field.name] ?? [])
                result[field.name] = Dictionary(uniqueKeysWithValues: entries.map { ($0, value($1, field)) })
            case .inverse: break
            }
        }
        return result
    }

    func create(_ rows: [PlainRow]) throws {
        try realm.write {
            for row in rows {
                if row.kind == .sample { realm.create(Whole.self, value: values(row)) }
                else { realm.create(Part.self, value: values(row)) }
            }
        }
    }

    func change(_ row: PlainRow, _ field: PlainField) throws {
        let new = value(row.one[field.name] ?? .null, field)
        try realm.write { object(row)[field.name] = new is NSNull ? nil : new }
    }

    func remove(_ row: PlainRow) throws { try realm.write { realm.delete(object(row)) } }
}
