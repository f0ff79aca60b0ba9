// SPDX-License-Identifier: MIT
// PlainStore.swift -- the same objects in a realm, and what it answers.

import Foundation
import Strata

/// An object that queries find.
protocol PlainObject: Object {
    var id: Int { get }
    /// Groups of objects by a property that is named, with measures; nil if it cannot be grouped by.
    static func groups(_ results: Results<Self>, by name: String) -> [[PlainValue]]?
}

extension PlainObject {
    static func groups(_ results: Results<Self>, by name: String) -> [[PlainValue]]? { nil }
}

extension Sample: PlainObject {
    static func groups(_ results: Results<Sample>, by name: String) -> [[PlainValue]]? { results.groups(by: name) }
}
extension PlainSample: PlainObject {
    static func groups(_ results: Results<PlainSample>, by name: String) -> [[PlainValue]]? {
        results.groups(by: name)
    }
}
extension SamplePart: PlainObject {}
extension PlainSamplePart: PlainObject {}
extension MadeSample: PlainObject {}
extension MadePart: PlainObject {}

/// A realm with the objects of a world.
protocol PlainRealm: AnyObject {
    func create(_ rows: [PlainRow]) throws
    func change(_ row: PlainRow, _ field: PlainField) throws
    func remove(_ row: PlainRow) throws
    func verify() throws
    func object(_ row: PlainRow) -> Object
    func answer(_ query: PlainQuery) throws -> PlainAnswer
    /// Whether an index takes part in finding the objects of a query on all of a class.
    func usesIndex(_ query: PlainQuery) -> Bool
}

/// The objects in one realm, with or without indexes.
final class PlainStore<Whole: PlainObject, Part: PlainObject>: PlainRealm {
    private let temporary: TemporaryRealm
    private let schema: PlainSchema
    private let realm: Realm
    var samples: Results<Whole> { realm.objects(Whole.self) }

    init(_ schema: PlainSchema, _ embedded: [ObjectBase.Type]) throws {
        self.schema = schema
        temporary = try TemporaryRealm([Whole.self, Part.self, Location.self] + embedded)
        realm = try temporary.open()
    }

    func object(_ row: PlainRow) -> Object {
        if row.kind == .sample { return realm.object(ofType: Whole.self, forPrimaryKey: row.id)! }
        return realm.object(ofType: Part.self, forPrimaryKey: row.id)!
    }

    func verify() throws { try realm.verify() }

    // MARK: Writing

    /// A value for a property or a collection of this realm.
    private func value(_ plain: PlainValue, _ field: PlainField) -> Any {
        if let row = plain.row, field.isCustom { return Chip(row) }
        if let row = plain.row { return row.kind.isEmbedded ? values(row) : object(row) }
        switch (field.kind, plain) {
        case (.mood, .string(let raw)): return Mood(rawValue: raw)!
        case (.rank, .int(let raw)): return Rank(rawValue: raw)!
        case (.small, .int(let number)): return Int8(number)
        case (.mixed, _), (.tree, _): return plain.any
        default: return plain.argument
        }
    }

    private func values(_ row: PlainRow) -> [String: Any] {
        var result: [String: Any] = [:]
        for field in schema.fields(row.kind) {
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

    // MARK: Asking

    func answer(_ query: PlainQuery) throws -> PlainAnswer {
        switch query.start {
        case .all(.sample): try answer(query, samples)
        case .all: try answer(query, realm.objects(Part.self))
        case .parts(let owner): try answer(query, (object(owner)["parts"] as! List<Part>).results)
        case .partSet(let owner): try answer(query, (object(owner)["partSet"] as! MutableSet<Part>).results)
        case .children(let owner): try answer(query, (object(owner)["children"] as! LinkingObjects<Whole>).results)
        case .users(let owner): try answer(query, (object(owner)["users"] as! LinkingObjects<Whole>).results)
        }
    }

    private func answer<T: PlainObject>(_ query: PlainQuery, _ base: Results<T>) throws -> PlainAnswer {
        try query.question.answer(results(query, base), object)
    }

    private func results<T: PlainObject>(_ query: PlainQuery, _ base: Results<T>) -> Results<T> {
        query.stages.reduce(base) { $1.applied($0, object) }
    }

    func usesIndex(_ query: PlainQuery) -> Bool {
        switch query.start {
        case .all(.sample): results(query, samples).explain().usesIndex
        case .all: results(query, realm.objects(Part.self)).explain().usesIndex
        default: false
        }
    }
}

extension Results where Element: SampleValues {
    fileprivate func groups(by name: String) -> [[PlainValue]]? {
        switch name {
        case "int": groups(\.int)
        case "optInt": groups(\.optInt)
        case "string": groups(\.string)
        case "optString": groups(\.optString)
        case "mood": groups(\.mood)
        case "optDate": groups(\.optDate)
        case "flag": groups(\.flag)
        case "double": groups(\.double)
        case "uuid": groups(\.uuid)
        default: nil
        }
    }

    private func groups<Key: _Persistable>(_ key: KeyPath<Element, Key>) -> [[PlainValue]] {
        grouped(by: key, .sum(\.other), .average(\.int8), .min(\.optDate), .max(\.optInt), .count(\.optString)).map {
            let (sum, average, least, greatest, count) = $0.values
            return [PlainValue($0.key as Any), .int($0.count), .int(sum), PlainValue(average as Any),
                PlainValue(least as Any), PlainValue(greatest as Any), .int(count)]
        }
    }
}
