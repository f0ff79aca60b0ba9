// SPDX-License-Identifier: MIT
// PlainFamily.swift -- random families of classes.

import Foundation
import Strata

/// A family of classes that was made: with indexes, and the same without.
struct PlainFamily {
    let schema: PlainSchema
    let indexed: any PlainTypes.Type
    let plain: any PlainTypes.Type

    /// Properties that are chosen at random, with indexes on some of them.
    init(_ maker: inout PlainMaker) {
        // The first ones fall out. With them a family is one of its own, even if it has the types of another one.
        let chosen = (0..<18).map { _ in Self.choose(&maker) }
        var types: any PlainTypes.Type = PlainNoTypes.self
        for (type, shape) in chosen {
            let new = type.made(shape)
            types = Self.add(new, to: types)
        }
        plain = types
        let named = zip("abcdefghi", chosen.reversed()).map { name, chosen in
            PlainField(name: String(name), type: chosen.type, shape: chosen.shape)
        }
        func fields(_ names: String) -> [PlainField] { named.filter { names.contains($0.name) } }
        let id = PlainField(name: "id", type: .value(.int, optional: false))
        let tree = PlainField(name: "tree", type: .value(.tree, optional: true))
        schema = PlainSchema(fields: [
            .sample: [id] + fields("abcdef") + [tree] + PlainSchema.links,
            .part: [id] + fields("egh") + PlainSchema.inverses, .piece: fields("hi"), .place: PlainSchema.placeFields,
        ])
        indexed = Self.index(plain, PlainIndexes(schema, &maker))
    }

    private static func choose(_ maker: inout PlainMaker) -> (type: PlainType, shape: PlainShape) {
        let kind = maker.pick(PlainKind.allCases.filter { $0 != .tree })
        let shape: PlainShape = maker.oneIn(3) ? maker.pick([.list, .list, .map, .set]) : .one
        // Whether zeros and numbers that are none are twice in a set is asked elsewhere.
        let isInexact = [.float, .double, .decimal, .mixed].contains { $0 == kind }
        return (.value(kind, optional: kind == .mixed || maker.oneIn(2)), shape == .set && isInexact ? .list : shape)
    }

    private static func add<New: _Persistable, Old: PlainTypes>(
        _: New.Type, to _: Old.Type
    ) -> any PlainTypes.Type {
        PlainMoreTypes<New, Old>.self
    }

    private static func index<Plain: PlainTypes>(_: Plain.Type, _ indexes: PlainIndexes) -> any PlainTypes.Type {
        PlainIndexes.set(indexes, of: PlainIndexed<Plain>.self)
        return PlainIndexed<Plain>.self
    }

    /// Both stores of the family.
    func stores() throws -> [any PlainRealm] {
        func store<Types: PlainTypes>(_ types: Types.Type) throws -> any PlainRealm {
            try PlainStore<MadeSample<Types>, MadePart<Types>>(schema, [MadePiece<Types>.self])
        }
        return [try store(indexed), try store(plain)]
    }
}

extension PlainIndexes {
    /// Indexes on about half of what can have one, and on some pairs and threes.
    init(_ schema: PlainSchema, _ maker: inout PlainMaker) {
        for of in [PlainClass.sample, .part] {
            let fields = schema.fields(of).filter { field in
                field.shape == .one && field.kind?.isIndexable == true && field.name != "id"
            }
            single[of] = fields.map(\.name).filter { _ in maker.oneIn(2) }
            let parts = fields.filter { $0.kind != .mixed }.map(\.name)
            guard parts.count > 1 else { continue }
            for _ in 0..<maker.below(3) {
                let columns = Array(parts.shuffled(using: &maker.random).prefix(maker.oneIn(3) ? 3 : 2))
                // There is one index of the same properties behind the first one.
                let isKnown = compound[of]?.contains { $0[0] == columns[0] && Set($0) == Set(columns) } == true
                if !isKnown { compound[of, default: []].append(columns) }
            }
        }
    }

    var report: String { "indexes \(single) \(compound)" }
}
