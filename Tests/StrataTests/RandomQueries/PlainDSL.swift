// SPDX-License-Identifier: MIT
// PlainDSL.swift -- conditions written with `where`, for a part of the forms.

import Foundation
import Strata

extension PlainCondition {
    /// The condition as a program writes it; nil if it has a part that is not written so here.
    func query(_ sample: Query<Sample>) -> Query<Bool>? {
        switch self {
        case .all(let left, let right):
            guard let left = left.query(sample), let right = right.query(sample) else { return nil }
            return left && right
        case .either(let left, let right):
            guard let left = left.query(sample), let right = right.query(sample) else { return nil }
            return left || right
        case .not(let inner): return inner.query(sample).map { !$0 }
        case .test(let path, let test): return test.query(sample, path.text)
        case .columns(let left, let op, let right, fold: ""):
            switch (left.text, right.text) {
            case ("int", "other"): return op.compare(sample.int, sample.other)
            case ("string", "second"): return op.compare(sample.string, sample.second)
            case ("string", "optString"): return op.compare(sample.string, sample.optString)
            case ("optString", "second"): return op.compare(sample.optString, sample.second)
            case ("optInt", "other"): return op.compare(sample.optInt, sample.other)
            default: return nil
            }
        case .columns(let left, let op, let right, let fold):
            switch (left.text, right.text) {
            case ("string", "optString"): return op.search(sample.string, sample.optString, fold)
            case ("optString", "second"): return op.search(sample.optString, sample.second, fold)
            default: return nil
            }
        case .any(let path, let test, let none):
            return test.element(sample, path.text).map { none ? !$0 : $0 }
        case .element(let value, let path): return value.element(of: path.text, sample)
        case .count(let path, let op, let count): return path.count(sample).map { op.query($0, count) }
        case .matches(let path, let inner, let op, let count):
            guard path.text == "parts", let inner = inner.part(sample, []) else { return nil }
            return op.query(inner.count, count)
        case .counted(let path, let inner, let owner, let op, let count):
            guard path.text == "parts", let inner = inner.part(sample, owner) else { return nil }
            return op.query(inner.count, count)
        case .members(let path, let test): return test.query(sample, path.text)
        case .inside(let path, let steps, let test):
            return path.text == "tree" ? test.inside(steps.reduce(sample.tree) { $1.query($0) }) : nil
        case .within(let path, let shape): return path.text == "place" ? shape.query(sample.place) : nil
        default: return nil
        }
    }

    /// A condition on the elements of `parts`, with parts about their owner.
    private func part(_ sample: Query<Sample>, _ owner: [PlainCondition]) -> Query<Bool>? {
        switch self {
        case .all(let left, let right):
            guard let left = left.part(sample, owner), let right = right.part(sample, owner) else { return nil }
            return left && right
        case .either(let left, let right):
            guard let left = left.part(sample, owner), let right = right.part(sample, owner) else { return nil }
            return left || right
        case .not(let inner): return inner.part(sample, owner).map { !$0 }
        case .ownerPart(let number): return owner[number].ownPart(sample)
        case .test(let path, let test): return test.element(sample, "parts.\(path.text)")
        default: return nil
        }
    }
}

extension PlainCondition {
    /// A condition on single properties, which can stand in a count of the elements of a collection.
    fileprivate func ownPart(_ sample: Query<Sample>) -> Query<Bool>? {
        switch self {
        case .test, .columns, .inside, .within, .count: query(sample)
        default: nil
        }
    }
}

extension PlainStep {
    fileprivate func query(_ value: Query<AnyRealmValue>) -> Query<AnyRealmValue> {
        switch self {
        case .key(let key): value[key]
        case .position(let position): value[position]
        case .any: value.any
        }
    }
}

extension PlainGeo {
    fileprivate func query(_ place: Query<Location?>) -> Query<Bool> {
        switch argument {
        case let box as GeoBox: place.geoWithin(box)
        case let circle as GeoCircle: place.geoWithin(circle)
        case let polygon: place.geoWithin(polygon as! GeoPolygon)
        }
    }
}

extension PlainPath {
    fileprivate func count(_ sample: Query<Sample>) -> Query<Int>? {
        switch text {
        case "ints": sample.ints.count
        case "parts": sample.parts.count
        case "partSet": sample.partSet.count
        case "intMap": sample.intMap.count
        case "children": sample.children.count
        case "pieces": sample.pieces.count
        default: nil
        }
    }
}

extension PlainOperator {
    fileprivate func query<T: _Persistable>(_ left: Query<T>, _ right: T) -> Query<Bool>
    where T.PersistedType: _QueryOrdered {
        switch self {
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        default: left == right
        }
    }

    fileprivate func compare<T: _OptionalPersistable>(_ left: Query<T>, _ right: Query<T?>) -> Query<Bool>?
    where T.PersistedType: _QueryOrdered {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        default: nil
        }
    }

    fileprivate func compare<T: _OptionalPersistable>(_ left: Query<T?>, _ right: Query<T>) -> Query<Bool>?
    where T.PersistedType: _QueryOrdered {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        default: nil
        }
    }

    fileprivate func search<T: _Persistable, U: _Persistable>(
        _ left: Query<T>, _ right: Query<U>, _ fold: String
    ) -> Query<Bool>? where T.PersistedType: _QueryText, U.PersistedType: _QueryText {
        let options = StringOptions(fold)
        return switch self {
        case .contains: left.contains(right, options: options)
        case .begins: left.starts(with: right, options: options)
        case .ends: left.ends(with: right, options: options)
        case .like: left.like(right, caseInsensitive: fold == "c")
        case .equal: left.equals(right, options: options)
        case .notEqual: left.notEquals(right, options: options)
        default: nil
        }
    }

    fileprivate func element<C: _QueryCollection>(_ left: Query<C>, _ right: C._QueryElement) -> Query<Bool>?
    where C._QueryElement.PersistedType: _QueryOrdered {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        default: nil
        }
    }

    fileprivate func compare<T: _Persistable>(_ left: Query<T>, _ right: Query<T>) -> Query<Bool>?
    where T.PersistedType: _QueryOrdered {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        default: nil
        }
    }
}

extension StringOptions {
    fileprivate init(_ fold: String) {
        self = []
        if fold.contains("c") { insert(.caseInsensitive) }
        if fold.contains("d") { insert(.diacriticInsensitive) }
    }
}

extension PlainValue {
    fileprivate var string: String? { if case .string(let value) = self { value } else { nil } }
    fileprivate var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    fileprivate var moment: Date? { argument as? Date }

    fileprivate func element(of name: String, _ sample: Query<Sample>) -> Query<Bool>? {
        switch name {
        case "ints": integer.map { sample.ints.contains($0) }
        case "optInts": isNull ? sample.optInts.contains(nil) : integer.map { sample.optInts.contains($0) }
        case "strings": string.map { sample.strings.contains($0) }
        case "intSet": integer.map { sample.intSet.contains($0) }
        case "intMap": integer.map { sample.intMap.contains($0) }
        default: nil
        }
    }
}

extension PlainTest {
    private func equal<T: _Persistable>(_ query: Query<T>, _ value: (PlainValue) -> T?) -> Query<Bool>? {
        switch self {
        case .compare(.equal, let constant, fold: ""): return value(constant).map { query == $0 }
        case .compare(.notEqual, let constant, fold: ""): return value(constant).map { query != $0 }
        case .among(let constants):
            let values = constants.compactMap(value)
            return values.count == constants.count ? query.in(values) : nil
        default: return nil
        }
    }

    private func ordered<T: _Persistable>(_ query: Query<T>, _ value: (PlainValue) -> T?) -> Query<Bool>?
    where T.PersistedType: _QueryOrdered {
        guard case .compare(let op, let constant, fold: "") = self, PlainOperator.order.contains(op) else {
            return equal(query, value)
        }
        return value(constant).map { op.query(query, $0) }
    }

    private func written<T: _Persistable>(_ query: Query<T>, _ value: (PlainValue) -> T?) -> Query<Bool>?
    where T.PersistedType: _QueryText & _QueryOrdered {
        guard case .compare(let op, let constant, let fold) = self, let text = value(constant) else {
            return equal(query, value)
        }
        let options = StringOptions(fold)
        switch op {
        case .contains: return query.contains(text, options: options)
        case .begins: return query.starts(with: text, options: options)
        case .ends: return query.ends(with: text, options: options)
        case .like: return query.like(text, caseInsensitive: fold == "c")
        case .equal where !fold.isEmpty: return query.equals(text, options: options)
        case .notEqual where !fold.isEmpty: return query.notEquals(text, options: options)
        default: return ordered(query, value)
        }
    }

    fileprivate func inside(_ value: Query<AnyRealmValue>) -> Query<Bool>? { ordered(value) { $0.any } }

    private func optional<T>(_ value: @escaping (PlainValue) -> T?) -> (PlainValue) -> T?? {
        { $0.isNull ? .some(nil) : value($0).map { .some($0) } }
    }

    fileprivate func query(_ sample: Query<Sample>, _ name: String) -> Query<Bool>? {
        switch name {
        case "flag": equal(sample.flag, \.bool)
        case "int": ordered(sample.int, \.integer)
        case "other": ordered(sample.other, \.integer)
        case "int8": ordered(sample.int8) { $0.integer.map { Int8($0) } }
        case "double": ordered(sample.double) { $0.argument as? Double }
        case "string": written(sample.string, \.string)
        case "second": written(sample.second, \.string)
        case "data": equal(sample.data) { $0.argument as? Data }
        case "date": ordered(sample.date, \.moment)
        case "uuid": equal(sample.uuid) { $0.argument as? UUID }
        case "objectId": equal(sample.objectId) { $0.argument as? ObjectId }
        case "decimal": ordered(sample.decimal) { $0.argument as? Decimal128 }
        case "mixed": ordered(sample.mixed) { $0.any }
        case "mood": equal(sample.mood) { $0.string.flatMap(Mood.init) }
        case "rank": ordered(sample.rank) { $0.integer.flatMap(Rank.init) }
        case "optInt": ordered(sample.optInt, optional(\.integer))
        case "optString": written(sample.optString, optional(\.string))
        case "optDate": ordered(sample.optDate, optional(\.moment))
        case "optFlag": equal(sample.optFlag, optional(\.bool))
        case "part.size": ordered(sample.part.size, \.integer)
        case "part.label": written(sample.part.label, \.string)
        case "parent.int": ordered(sample.parent.int, \.integer)
        case "parent.optString": written(sample.parent.optString, optional(\.string))
        case "parent.part.size": ordered(sample.parent.part.size, \.integer)
        case "piece.x": ordered(sample.piece.x, \.integer)
        default: nil
        }
    }

    /// A condition on any of the elements of a collection.
    fileprivate func element(_ sample: Query<Sample>, _ name: String) -> Query<Bool>? {
        switch name {
        case "parts.id": ordered(sample.parts.id, \.integer)
        case "parts.size": ordered(sample.parts.size, \.integer)
        case "parts.label": written(sample.parts.label, \.string)
        case "parts.green": equal(sample.parts.green, \.bool)
        case "partSet.size": ordered(sample.partSet.size, \.integer)
        case "partMap.size": ordered(sample.partMap.size, \.integer)
        case "children.int": ordered(sample.children.int, \.integer)
        case "pieces.x": ordered(sample.pieces.x, \.integer)
        case "chips.x": ordered(sample.chips.x, \.integer)
        case "chipMap.x": ordered(sample.chipMap.persistableValue.x, \.integer)
        case "ints": anyOf(sample.ints, \.integer)
        case "optInts": anyOf(sample.optInts, optional(\.integer))
        case "doubles": anyOf(sample.doubles) { $0.argument as? Double }
        case "strings": anyOf(sample.strings, \.string)
        case "dates": anyOf(sample.dates, \.moment)
        case "decimals": anyOf(sample.decimals) { $0.argument as? Decimal128 }
        case "anys": anyOf(sample.anys) { $0.any }
        case "intSet": anyOf(sample.intSet, \.integer)
        case "stringSet": anyOf(sample.stringSet, \.string)
        case "intMap": anyOf(sample.intMap, \.integer)
        case "stringMap": anyOf(sample.stringMap, optional(\.string))
        case "children.ints": anyOf(sample.children.ints, \.integer)
        case "parent.intMap": anyOf(sample.parent.intMap, \.integer)
        case "moodList":
            both(anyOf(sample.moodList) { $0.string.flatMap(Mood.init) }, anyOf(sample.moodList.rawValue, \.string))
        case "rankMap":
            both(
                anyOf(sample.rankMap, optional { $0.integer.flatMap(Rank.init) }),
                anyOf(sample.rankMap.rawValue, optional(\.integer)))
        default: nil
        }
    }

    /// Two ways to write one condition.
    private func both(_ left: Query<Bool>?, _ right: Query<Bool>?) -> Query<Bool>? {
        guard let left, let right else { return nil }
        return left && right
    }

    /// A condition on any of the elements of a collection of values.
    private func anyOf<C: _QueryCollection>(
        _ query: Query<C>, _ value: (PlainValue) -> C._QueryElement?
    ) -> Query<Bool>? where C._QueryElement.PersistedType: _QueryOrdered {
        switch self {
        case .compare(let op, let constant, fold: ""): return value(constant).flatMap { op.element(query, $0) }
        case .among(let constants):
            let values = constants.compactMap(value)
            return values.count == constants.count ? query.containsAny(in: values) : nil
        default: return nil
        }
    }
}
