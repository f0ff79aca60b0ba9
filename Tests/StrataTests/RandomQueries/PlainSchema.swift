// SPDX-License-Identifier: MIT
// PlainSchema.swift -- which properties the classes of random queries have.

import Strata

enum PlainKind: CaseIterable {
    case bool, int, small, float, double, string, data, date, uuid, objectId, decimal, mood, rank
    /// A value of any type, and one that may hold lists and dictionaries.
    case mixed, tree

    var isNumeric: Bool { [.int, .small, .float, .double, .decimal].contains { $0 == self } }
    var isText: Bool { self == .string || self == .data || self == .mixed }
    var isIndexable: Bool { ![.float, .double, .data, .decimal, .tree].contains { $0 == self } }
}

/// The classes of a family: two with primary keys, and two that are embedded in the first of them.
enum PlainClass: CaseIterable {
    case sample, part, piece, place

    var isEmbedded: Bool { self == .piece || self == .place }
}

enum PlainType: Equatable {
    case value(PlainKind, optional: Bool)
    case link(PlainClass)
}

/// Where values are: one, or many in a collection.
enum PlainShape: CaseIterable { case one, list, set, map, inverse }

struct PlainField {
    let name: String
    let type: PlainType
    var shape = PlainShape.one
    /// Whether the values of the property are of a custom type.
    var isCustom = false

    var kind: PlainKind? { if case .value(let kind, _) = type { kind } else { nil } }
    var target: PlainClass? { if case .link(let target) = type { target } else { nil } }
    var isOptional: Bool { if case .value(_, let optional) = type { optional } else { true } }
}

/// The properties of a family of classes.
struct PlainSchema {
    var fields: [PlainClass: [PlainField]]

    func fields(_ of: PlainClass) -> [PlainField] { fields[of] ?? [] }

    var report: String {
        let made = (fields(.sample) + fields(.part) + fields(.piece)).filter { $0.name.count == 1 }
        return made.map { "\($0.name) \($0.type) \($0.shape)" }.joined(separator: "; ")
    }

    /// The family of ``Sample``.
    static let declared = PlainSchema(fields: [
        .sample: valueFields + links + chips, .part: partFields + inverses, .piece: pieceFields, .place: placeFields,
    ])

    /// The links that every family has.
    static let links = [
        PlainField(name: "part", type: .link(.part)), PlainField(name: "parent", type: .link(.sample)),
        PlainField(name: "piece", type: .link(.piece)), PlainField(name: "place", type: .link(.place)),
        PlainField(name: "pieces", type: .link(.piece), shape: .list),
        PlainField(name: "parts", type: .link(.part), shape: .list),
        PlainField(name: "partSet", type: .link(.part), shape: .set),
        PlainField(name: "partMap", type: .link(.part), shape: .map),
        PlainField(name: "children", type: .link(.sample), shape: .inverse),
    ]
    private static let chips = [
        PlainField(name: "chip", type: .link(.piece), isCustom: true),
        PlainField(name: "chips", type: .link(.piece), shape: .list, isCustom: true),
        PlainField(name: "chipMap", type: .link(.piece), shape: .map, isCustom: true),
    ]
    static let inverses = [
        PlainField(name: "owners", type: .link(.sample), shape: .inverse),
        PlainField(name: "users", type: .link(.sample), shape: .inverse),
    ]
    static let placeFields =
        values(false, ["type": .string])
        + [PlainField(name: "coordinates", type: .value(.double, optional: false), shape: .list)]

    private static let valueFields =
        values(false, [
            "id": .int, "flag": .bool, "int": .int, "other": .int, "int8": .small, "float": .float, "double": .double,
            "string": .string, "second": .string, "data": .data, "date": .date, "uuid": .uuid, "objectId": .objectId,
            "decimal": .decimal, "mood": .mood, "rank": .rank,
        ])
        + values(true, [
            "optFlag": .bool, "optInt": .int, "optFloat": .float, "optDouble": .double, "optString": .string,
            "optData": .data, "optDate": .date, "optUuid": .uuid, "optObjectId": .objectId, "optDecimal": .decimal,
            "optMood": .mood, "optRank": .rank, "mixed": .mixed, "tree": .tree,
        ])
        + many(.list, [
            "ints": .int, "optInts": .int, "doubles": .double, "strings": .string, "dates": .date,
            "decimals": .decimal, "anys": .mixed, "moodList": .mood,
        ])
        + many(.set, ["intSet": .int, "stringSet": .string]) + many(.map, ["intMap": .int])
        + [
            PlainField(name: "stringMap", type: .value(.string, optional: true), shape: .map),
            PlainField(name: "rankMap", type: .value(.rank, optional: true), shape: .map),
        ]
    private static let partFields =
        values(false, ["id": .int, "size": .int, "label": .string, "green": .bool]) + values(true, ["weight": .double])
    private static let pieceFields = values(false, ["x": .int]) + values(true, ["label": .string])

    private static func values(_ optional: Bool, _ fields: KeyValuePairs<String, PlainKind>) -> [PlainField] {
        fields.map { PlainField(name: $0.key, type: .value($0.value, optional: optional)) }
    }

    private static func many(_ shape: PlainShape, _ fields: KeyValuePairs<String, PlainKind>) -> [PlainField] {
        fields.map { PlainField(name: $0.key, type: .value($0.value, optional: $0.key.hasPrefix("opt")), shape: shape) }
    }
}
