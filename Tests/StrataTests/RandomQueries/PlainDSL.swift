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
            default: return nil
            }
        case .any(let path, let test, let none):
            return test.element(sample, path.text).map { none ? !$0 : $0 }
        case .element(let value, let path): return value.element(of: path.text, sample)
        case .count(let path, let op, let count): return path.count(sample).map { op.query($0, count) }
        case .matches(let path, let inner, let op, let count):
            guard path.text == "parts", let inner = inner.part(sample) else { return nil }
            return op.query(inner.count, count)
        case .inside(let path, let steps, let test):
            return path.text == "tree" ? test.inside(steps.reduce(sample.tree) { $1.query($0) }) : nil
        case .within(let path, let shape): return path.text == "place" ? shape.query(sample.place) : nil
        default: return nil
        }
    }

    /// A condition on the elements of `parts`.
    private func part(_ sample: Query<Sample>) -> Query<Bool>? {
        switch self {
        case .all(let left, let right):
            guard let left = left.part(sample), let right = right.part(sample) else { return nil }
            return left && right
        case .either(let left, let right):
            guard let left = left.part(sample), let right = right.part(sample) else { return nil }
            return left || right
        case .not(let inner): return inner.part(sample).map { !$0 }
        case .test(let path, let test): return test.element(sample, "parts.\(path.text)")
        default: return nil
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
        var options: StringOptions = []
        if fold.contains("c") { options.insert(.caseInsensitive) }
        if fold.contains("d") { options.insert(.diacriticInsensitive) }
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
        default: nil
        }
    }
}
