// SPDX-License-Identifier: MIT
// QueryConstant.swift -- the constants of conditions.

import Foundation

/// A value in a condition.
enum QueryConstant {
    case value(_StoredValue)
    /// The values of `IN`, or the ends of `BETWEEN`.
    case list([_StoredValue])
    /// A shape in which points may lie.
    indirect case shape(GeoShape)
    /// The name of a property, for `%K`.
    case name(String)
}

extension QueryConstant {
    /// The constant of a value of unknown type; nil if conditions cannot hold it.
    init?(_ value: Any) {
        // The most common types come first, because finding the type of a value can take longer than a query.
        let type = Swift.type(of: value)
        if type == Int.self, let value = value as? Int {
            self = .value(.int(Int64(value)))
        } else if type == String.self, let value = value as? String {
            self = .value(.string(value))
        } else if UntypedValue.isNil(value) {
            self = .value(.null)
        } else if let shape = GeoShape(value) {
            self = .shape(shape)
        } else if let stored = Self.single(value) {
            self = .value(stored)
        } else if let values = Self.elements(value) {
            var list: [_StoredValue] = []
            for value in values {
                guard let stored = UntypedValue.isNil(value) ? .null : Self.single(value) else { return nil }
                list.append(stored)
            }
            self = .list(list)
        } else {
            return nil
        }
    }

    /// One value, in its general form; nil if it is none.
    private static func single(_ value: Any) -> _StoredValue? {
        let value = UntypedValue.unwrap(value)
        if type(of: value) is AnyClass {
            if let number = value as? NSNumber { return Self.number(number) }
            if let text = value as? NSString { return .string(String(describing: text)) }
        }
        return switch value {
        case let value as Int: .int(Int64(value))
        case let value as String: .string(value)
        case let value as ObjectBase: .object(value)
        case let value as any RealmEnum: stored(value)
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

    /// The elements of a collection, or the values of a map; nil if the value is neither.
    private static func elements(_ value: Any) -> [Any]? {
        switch value {
        case let values as [Any]: values
        case let values as Set<AnyHashable>: values.map(\.base)
        case let values as any Collection: all(values)
        case let map as any PersistedCollection: (map.contents.plain as? [String: Any]).map { Array($0.values) }
        default: nil
        }
    }

    private static func all<C: Collection>(_ values: C) -> [Any] { values.map { $0 } }

    /// The value in the form in which programs use it.
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
    /// The argument of a predicate, whose bytes live in `arena`; nil if conditions cannot compare with the constant.
    func argument(_ arena: ValueArena) throws(StrataError) -> EngineArgument? {
        switch self {
        case .name(let name): return .value(.string(name, arena))
        case .value(let value):
            if let encoded = try Self.encode(value, arena) { return .value(encoded) }
            guard case .object = value else { return nil }
            return .nothing
        case .list(let values):
            var list: [EngineValue] = []
            for value in values {
                if let encoded = try Self.encode(value, arena) {
                    list.append(encoded)
                } else {
                    guard case .object = value else { return nil }
                }
            }
            return .list(list, arena)
        case .shape(let shape): return shape.argument(arena)
        }
    }

    /// A value; nil for an object that is in no realm, and for what conditions cannot compare with.
    private static func encode(_ value: _StoredValue, _ arena: ValueArena) throws(StrataError) -> EngineValue? {
        switch value {
        case .object(let object):
            guard let object = object as? ObjectBase, object._mode == .live, !object.isInvalidated else { return nil }
            return .link(object.row.key, of: object.row.table)
        case .elements, .entries:
            return try value.encodedNested(arena) { (value) throws(StrataError) in try value.encodedAny(arena) }
        default: return value.encoded(arena)
        }
    }
}

extension GeoShape {
    fileprivate func argument(_ arena: ValueArena) -> EngineArgument {
        switch self {
        case .box(let box): .box(southWest: box.bottomLeft.engine, northEast: box.topRight.engine, arena)
        case .circle(let circle): .circle(circle.center.engine, radius: circle.radiusInRadians, arena)
        case .polygon(let polygon):
            .polygon(([polygon.outerRing] + polygon.holes).map { $0.map(\.engine) }, arena)
        }
    }
}

extension GeoPoint {
    fileprivate var engine: EnginePoint { .point(latitude: latitude, longitude: longitude) }
}
