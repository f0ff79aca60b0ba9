// SPDX-License-Identifier: MIT
// Parcel.swift -- a class with a property of each kind, and a sum over all that can be read of an object.

import Strata

final class Parcel: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted(indexed: true) var weight: Int
    @Persisted var next: Parcel?
    @Persisted var parcels: List<Parcel>
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var prices: Map<String, Double>
    @Persisted var any: AnyRealmValue
    @Persisted var decimal: Decimal128
    @Persisted(originProperty: "parcels") var owners: LinkingObjects<Parcel>

    static func create(_ id: Int, in realm: Realm) {
        let values: [String: Any] = ["id": id, "name": String(repeating: "n", count: id * 60), "weight": id]
        let parcel = realm.create(Parcel.self, value: values)
        parcel.numbers.append(objectsIn: 0..<id)
        parcel.words.insert(objectsIn: ["some", "words", "\(id)"])
        parcel.prices["one"] = 2
        parcel.any = id % 2 == 0 ? .int(id) : .string("any")
        parcel.decimal = Decimal128(value: id)
        parcel.next = realm.object(ofType: Parcel.self, forPrimaryKey: id / 2)
        if let next = parcel.next { parcel.parcels.append(next) }
    }

    /// Reads each property.
    var sum: Int {
        let plain = id &+ name.utf8.count &+ weight &+ (next?.weight ?? 0) &+ (any.intValue ?? 1)
        let collections = parcels.count &+ numbers.reduce(0, +) &+ words.reduce(0) { $0 &+ $1.utf8.count } &+ owners.count
        return plain &+ collections &+ Int(prices["one"] ?? 0) &+ (decimal > 3 ? 1 : 0)
    }
}

/// A frozen realm with an object and results of it, which any thread may read.
struct FrozenParcels: @unchecked Sendable {
    let parcel: Parcel
    let all: Results<Parcel>

    init?(_ realm: Realm, _ id: Int) {
        let frozen = realm.freeze()
        guard let parcel = frozen.object(ofType: Parcel.self, forPrimaryKey: id) else { return nil }
        self.parcel = parcel
        all = frozen.objects(Parcel.self)
    }

    /// Reads each property of each object, and asks questions.
    var sum: Int {
        let answers = all.where { $0.weight > 3 }.count &+ (all.sorted(by: \.weight).first?.id ?? 0)
        return all.reduce(parcel.sum &+ answers) { $0 &+ $1.sum }
    }
}
