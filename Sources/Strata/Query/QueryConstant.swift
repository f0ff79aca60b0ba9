// SPDX-License-Identifier: MIT
// QueryConstant.swift -- values in conditions: of programs, and on their way into the engine.

import CStrata
import Foundation

/// A value in a condition.
enum QueryConstant {
    case value(_StoredValue)
    /// What `IN` looks among, or the ends of `BETWEEN`.
    case list([_StoredValue])
    /// What places lie in.
    indirect case shape(GeoShape)
    /// A name that is no constant, for `%K`.
    case name(String)
}

extension QueryConstant {
    /// The constant of a value of unknown type; nil if conditions cannot hold it.
    init?(_ value: Any) {
        // The most common types first: finding out what a value is takes longer than most queries.
        let type = Swift.type(of: value)
        if type == Int.self, let value = value as? Int {
            self = .value(.int(Int64(value)))
        } else if type == String.self, let value = value as? String {
            self = .value(.string(value))
        } else if ClassLayout.Slot.isNil(value) {
            self = .value(.null)
        } else if let shape = GeoShape(value) {
            self = .shape(shape)
        } else if let stored = Self.single(value) {
            self = .value(stored)
        } else if let values = Self.elements(value) {
            var list: [_StoredValue] = []
            for value in values {
                guard let stored = ClassLayout.Slot.isNil(value) ? .null : Self.single(value) else { return nil }
                list.append(stored)
            }
            self = .list(list)
        } else {
            return nil
        }
    }

    /// One value, in its general form; nil if it is none.
    private static func single(_ value: Any) -> _StoredValue? {
        let value = ClassLayout.Slot.unwrap(value)
        if type(of: value) is AnyClass {
            if let number = value as? NSNumber { return Self.number(number) }
            if let text = value as? NSString { return .string(String(describing: text)) }
        }
        return switch value {
        case let value as Int: .int(Int64(value))
        case let value as String: .string(value)
        case let value as ObjectBase: .object(value)
        case let value as any PersistableEnum: stored(value)
        case let value as any _CustomPersistable: stored(value)
        case is any PersistedCollection, is [Any], is [String: Any]: nil
        case let value as Decimal: .decimal(Decimal128(value))
        case let value: AnyRealmValue.accept(value)
        }
    }

    private static func stored<Value: _Persistable>(_ value: Value) -> _StoredValue { Value._stored(value) }

    private static func number(_ number: NSNumber) -> _StoredValue {
        if let decimal = number as? NSDecimalNumber { return .decimal(Decimal128(number: decimal)) }
        return switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"): .float(number.floatValue)
        case UInt8(ascii: "d"): .double(number.doubleValue)
        default: .int(number.int64Value)
        }
    }

    /// What is in a collection; nil if the value is none.
    private static func elements(_ value: Any) -> [Any]? {
        switch value {
        case let values as [Any]: values
        case let values as Set<AnyHashable>: values.map(\.base)
        case let values as any RealmCollectionBase: all(values)
        case let values as any PersistedCollection: (values.contents.plain as? [String: Any]).map { Array($0.values) }
        case let values as any Collection: all(values)
        default: nil
        }
    }

    private static func all<C: Collection>(_ values: C) -> [Any] { values.map { $0 } }

    /// The value as a program sees it.
    var plain: Any {
        switch self {
        case .value(let value): value.plain ?? NSNull()
        case .list(let values): values.map { $0.plain ?? NSNull() }
        case .shape(let shape): shape.value
        case .name(let name): name
        }
    }

    /// The value for a message.
    var text: String {
        switch self {
        case .value(let value): value.text
        case .list(let values): "{\(values.map(\.text).joined(separator: ", "))}"
        case .shape(let shape): "\(shape.value)"
        case .name(let name): name
        }
    }

    /// All objects among the values.
    var objects: [ObjectBase] {
        switch self {
        case .value(.object(let object)): [object as? ObjectBase].compactMap { $0 }
        case .list(let values): values.flatMap(\.objects)
        default: []
        }
    }
}

// MARK: For the engine

extension QueryConstant {
    /// The argument of a predicate, whose bytes live in `arena`; nil if the engine cannot take it.
    func argument(_ arena: ValueArena) throws(StrataError) -> strata_argument? {
        var argument = strata_argument()
        switch self {
        case .name(let name): argument.value = try encode(.string(name), arena) ?? strata_null()
        case .value(let value):
            if let encoded = try encode(value, arena) {
                argument.value = encoded
            } else {
                guard case .object = value else { return nil }
                argument.kind = .STRATA_ARGUMENT_NOTHING
            }
        case .list(let values):
            var list: [strata_value] = []
            for value in values {
                if let encoded = try encode(value, arena) {
                    list.append(encoded)
                } else {
                    guard case .object = value else { return nil }
                }
            }
            argument.kind = .STRATA_ARGUMENT_LIST
            argument.values = arena.copy(list)
            argument.value_count = UInt32(list.count)
        case .shape(let shape):
            argument.kind = .STRATA_ARGUMENT_SHAPE
            argument.shape = arena.copy([shape.engine(arena)])
        }
        return argument
    }

    /// A value; nil of an object that is in no realm, and of what conditions cannot compare with.
    private func encode(_ value: _StoredValue, _ arena: ValueArena) throws(StrataError) -> strata_value? {
        switch value {
        case .object(let object):
            guard let object = object as? ObjectBase, object._mode == .live, !object.isInvalidated else { return nil }
            return strata_mixed_link(object.row.pointee.table, object.row.pointee.key)
        case .elements, .entries: return try EngineNested.encode(value, arena)
        default: return value.encoded(arena)
        }
    }
}

extension GeoShape {
    /// The shape as the engine takes it, with its points in `arena`.
    fileprivate func engine(_ arena: ValueArena) -> strata_shape {
        var shape = strata_shape()
        var points: [strata_geo_point] = []
        switch self {
        case .box(let box):
            shape.kind = .STRATA_BOX
            points = [box.bottomLeft, box.topRight].map(\.engine)
        case .circle(let circle):
            shape.kind = .STRATA_CIRCLE
            shape.radius = circle.radiusInRadians
            points = [circle.center.engine]
        case .polygon(let polygon):
            let rings = [polygon.outerRing] + polygon.holes
            shape.kind = .STRATA_POLYGON
            shape.ring_sizes = arena.copy(rings.map { UInt32($0.count) })
            shape.ring_count = UInt32(rings.count)
            points = rings.joined().map(\.engine)
        }
        shape.points = arena.copy(points)
        shape.point_count = UInt32(points.count)
        return shape
    }
}

extension GeoPoint {
    fileprivate var engine: strata_geo_point { strata_geo_point(longitude: longitude, latitude: latitude) }
}
