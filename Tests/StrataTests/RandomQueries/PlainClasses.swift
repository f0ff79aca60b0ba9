// SPDX-License-Identifier: MIT
// PlainClasses.swift -- classes that are made while the test runs: generic ones, of types that are chosen at random.

import Foundation
import Strata

/// The types of the properties of a family of classes.
protocol PlainTypes {
    associatedtype A: _Persistable
    associatedtype B: _Persistable
    associatedtype C: _Persistable
    associatedtype D: _Persistable
    associatedtype E: _Persistable
    associatedtype F: _Persistable
    associatedtype G: _Persistable
    associatedtype H: _Persistable
    associatedtype I: _Persistable
}

/// The types before any were chosen.
enum PlainNoTypes: PlainTypes {
    typealias A = Int
    typealias B = Int
    typealias C = Int
    typealias D = Int
    typealias E = Int
    typealias F = Int
    typealias G = Int
    typealias H = Int
    typealias I = Int
}

/// The types of another family behind a new one; its last one falls out, and only makes the classes different.
enum PlainMoreTypes<New: _Persistable, Old: PlainTypes>: PlainTypes {
    typealias A = New
    typealias B = Old.A
    typealias C = Old.B
    typealias D = Old.C
    typealias E = Old.D
    typealias F = Old.E
    typealias G = Old.F
    typealias H = Old.G
    typealias I = Old.H
}

/// The same types for the classes that have indexes.
enum PlainIndexed<Plain: PlainTypes>: PlainTypes {
    typealias A = Plain.A
    typealias B = Plain.B
    typealias C = Plain.C
    typealias D = Plain.D
    typealias E = Plain.E
    typealias F = Plain.F
    typealias G = Plain.G
    typealias H = Plain.H
    typealias I = Plain.I
}

/// What the classes of a family have indexes on.
struct PlainIndexes {
    var single: [PlainClass: [String]] = [:]
    var compound: [PlainClass: [[String]]] = [:]

    /// By the types of families; those that are not in it have none.
    nonisolated(unsafe) private static var known: [ObjectIdentifier: PlainIndexes] = [:]
    private static let lock = NSLock()

    static func of(_ types: any PlainTypes.Type) -> PlainIndexes {
        lock.withLock { known[ObjectIdentifier(types)] ?? PlainIndexes() }
    }

    static func set(_ indexes: PlainIndexes, of types: any PlainTypes.Type) {
        lock.withLock { known[ObjectIdentifier(types)] = indexes }
    }
}

final class MadeSample<Types: PlainTypes>: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var a: Types.A
    @Persisted var b: Types.B
    @Persisted var c: Types.C
    @Persisted var d: Types.D
    @Persisted var e: Types.E
    @Persisted var f: Types.F
    @Persisted var tree: AnyRealmValue
    @Persisted var part: MadePart<Types>?
    @Persisted var parent: MadeSample<Types>?
    @Persisted var piece: MadePiece<Types>?
    @Persisted var place: Location?
    @Persisted var pieces: List<MadePiece<Types>>
    @Persisted var parts: List<MadePart<Types>>
    @Persisted var partSet: MutableSet<MadePart<Types>>
    @Persisted var partMap: Map<String, MadePart<Types>?>
    @Persisted(originProperty: "parent") var children: LinkingObjects<MadeSample<Types>>

    override class func _realmObjectName() -> String? { "MadeSample" }
    override class func indexedProperties() -> [String] { PlainIndexes.of(Types.self).single[.sample] ?? [] }
    override class func compoundIndexes() -> [[String]] { PlainIndexes.of(Types.self).compound[.sample] ?? [] }
}

final class MadePart<Types: PlainTypes>: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var e: Types.E
    @Persisted var g: Types.G
    @Persisted var h: Types.H
    @Persisted(originProperty: "part") var owners: LinkingObjects<MadeSample<Types>>
    @Persisted(originProperty: "parts") var users: LinkingObjects<MadeSample<Types>>

    override class func _realmObjectName() -> String? { "MadePart" }
    override class func indexedProperties() -> [String] { PlainIndexes.of(Types.self).single[.part] ?? [] }
    override class func compoundIndexes() -> [[String]] { PlainIndexes.of(Types.self).compound[.part] ?? [] }
}

final class MadePiece<Types: PlainTypes>: EmbeddedObject {
    @Persisted var h: Types.H
    @Persisted var i: Types.I

    override class func _realmObjectName() -> String? { "MadePiece" }
}

extension PlainType {
    /// The type of a property of this type and shape.
    func made(_ shape: PlainShape) -> any _Persistable.Type {
        guard case .value(let kind, let optional) = self else { return Int.self }
        return switch kind {
        case .bool: Self.type(Bool.self, optional, shape)
        case .int: Self.type(Int.self, optional, shape)
        case .small: Self.type(Int8.self, optional, shape)
        case .float: Self.type(Float.self, optional, shape)
        case .double: Self.type(Double.self, optional, shape)
        case .string: Self.type(String.self, optional, shape)
        case .data: Self.type(Data.self, optional, shape)
        case .date: Self.type(Date.self, optional, shape)
        case .uuid: Self.type(UUID.self, optional, shape)
        case .objectId: Self.type(ObjectId.self, optional, shape)
        case .decimal: Self.type(Decimal128.self, optional, shape)
        case .mood: Self.type(Mood.self, optional, shape)
        case .rank: Self.type(Rank.self, optional, shape)
        case .mixed, .tree: Self.type(AnyRealmValue.self, shape)
        }
    }

    private static func type<Value: RealmCollectionValue & _OptionalPersistable>(
        _: Value.Type, _ optional: Bool, _ shape: PlainShape
    ) -> any _Persistable.Type {
        optional ? type(Value?.self, shape) : type(Value.self, shape)
    }

    private static func type<Value: RealmCollectionValue>(
        _: Value.Type, _ shape: PlainShape
    ) -> any _Persistable.Type {
        switch shape {
        case .one, .inverse: Value.self
        case .list: List<Value>.self
        case .set: MutableSet<Value>.self
        case .map: Map<String, Value>.self
        }
    }
}
