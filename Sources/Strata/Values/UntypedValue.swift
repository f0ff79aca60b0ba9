// SPDX-License-Identifier: MIT
// UntypedValue.swift -- values whose type is known only at run time: nil, Optionals, conversion.
//
// Types are compared before anything is cast: a cast that fails asks for every conformance that might help, and makes
// objects of Foundation of values that are none.

import Foundation

/// What can be found out about a value of type `Any`.
enum UntypedValue {
    /// True for nil, however deeply wrapped, and for NSNull.
    static func isNil(_ value: Any) -> Bool { content(value) == nil }

    /// The value inside of Optionals and of `AnyHashable`; nil for nil, however deeply wrapped, and for NSNull.
    static func content(_ value: Any) -> Any? {
        if isCommon(type(of: value)) { return value }
        if let hashable = exactly(value, AnyHashable.self) { return content(hashable.base) }
        if type(of: value) is AnyClass { return value is NSNull ? nil : value }
        guard let optional = value as? any AnyOptional else { return value }
        return optional.content.flatMap(content)
    }

    /// The value inside of Optionals.
    static func unwrap(_ value: Any) -> Any {
        guard let optional = value as? any AnyOptional, let content = optional.content else { return value }
        return unwrap(content)
    }

    /// The type inside of Optionals.
    static func unwrap(type: Any.Type) -> Any.Type {
        guard let optional = type as? any AnyOptional.Type else { return type }
        return unwrap(type: optional.wrappedType)
    }

    /// The object that a value is. Foundation makes objects of values that are none for a cast, so that only instances
    /// of classes are cast.
    static func object(_ value: Any) -> ObjectBase? {
        type(of: value) is AnyClass ? value as? ObjectBase : nil
    }

    /// The value inside of an `AnyRealmValue`; other values are returned unchanged.
    static func inAny(_ value: Any) -> Any {
        guard let any = exactly(value, AnyRealmValue.self) else { return value }
        return AnyRealmValue._plain(any) ?? NSNull()
    }

    /// What is stored for a value of a type that properties can have; nil for other values, and for nil.
    static func plain(_ value: Any) -> Any? {
        func stored<Value: _Persistable>(_ value: Value) -> Any? { Value._plain(value) }
        guard let value = content(value) as? any _Persistable else { return nil }
        return stored(value)
    }

    /// The value, if it is of exactly a type. Takes a fifth of the time of a cast.
    @inline(__always)
    static func exactly<Value>(_ value: Any, _ type: Value.Type) -> Value? {
        exactly(value, Swift.type(of: value), type)
    }

    @inline(__always)
    private static func exactly<Value>(_ value: Any, _ given: Any.Type, _ type: Value.Type) -> Value? {
        if given != type { return nil }
        // What is in an `Any` may be an existential itself, such as `any Sendable`, whose content has the type.
        func open<Given>(_ given: Given) -> Value? {
            Given.self == Value.self ? unsafeBitCast(given, to: Value.self) : given as? Value
        }
        return _openExistential(value, do: open)
    }

    /// Whether values of a type are neither nil nor objects.
    private static func isCommon(_ type: Any.Type) -> Bool {
        type == String.self || type == Int.self || type == [String: Any].self || type == Double.self
            || type == Bool.self || type == [Any].self || type == Date.self
    }

    // MARK: Scalars

    /// A number, a truth value, a text, bytes, a date or an identifier, in its own type; nil for everything else.
    static func scalar(_ value: Any) -> _StoredValue? {
        let type = type(of: value)
        if let value = exactly(value, type, String.self) { return .string(value) }
        if let value = exactly(value, type, Int.self) { return .int(Int64(value)) }
        if let value = exactly(value, type, Double.self) { return .double(value) }
        if let value = exactly(value, type, Bool.self) { return .bool(value) }
        if type is AnyClass { return foundation(value) }
        if let value = exactly(value, type, Date.self) { return .date(value) }
        if let value = exactly(value, type, UUID.self) { return .uuid(value) }
        if let value = exactly(value, type, Data.self) { return .data(value) }
        if let value = exactly(value, type, Float.self) { return .float(value) }
        if let value = exactly(value, type, ObjectId.self) { return .objectId(value) }
        if let value = exactly(value, type, Decimal128.self) { return .decimal(value) }
        if let value = exactly(value, type, Decimal.self) { return .decimal(Decimal128(value)) }
        if let value = value as? any FixedWidthInteger { return integer(value) }
        if let value = value as? any BinaryFloatingPoint { return .double(Double(value)) }
        return nil
    }

    private static func integer(_ value: some FixedWidthInteger) -> _StoredValue {
        Int64(exactly: value).map { .int($0) } ?? .decimal(Decimal128(value))
    }

    /// The scalar in an object of Foundation, such as `JSONSerialization` makes.
    private static func foundation(_ value: Any) -> _StoredValue? {
        switch value {
        case let value as NSNumber: number(value)
        case is NSString: (value as? String).map { .string($0) }
        case is NSData: (value as? Data).map { .data($0) }
        case is NSDate: (value as? Date).map { .date($0) }
        case is NSUUID: (value as? UUID).map { .uuid($0) }
        default: nil
        }
    }

    private static func number(_ number: NSNumber) -> _StoredValue {
        if number is NSDecimalNumber { return .decimal(Decimal128(number: number)) }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"): return .float(number.floatValue)
        case UInt8(ascii: "d"): return .double(number.doubleValue)
        case UInt8(ascii: "Q"), UInt8(ascii: "L"): return integer(number.uint64Value)
        case UInt8(ascii: "c"): return .bool(number.boolValue)  // integers of one byte have the type "i" or "s"
        default: return .int(number.int64Value)
        }
    }

    // MARK: Conversion

    /// A scalar as one of a type of properties; nil if it does not fit. Objects and values of any type are no scalars.
    ///
    /// Integers accept whole numbers, floating point all numbers that it can hold, Bool 0 and 1, UUID its text, and
    /// decimal numbers all numbers and their texts. Everything else must be of the right type.
    static func convert(_ value: Any, to type: PropertyType) -> _StoredValue? {
        guard let scalar = scalar(value) else { return nil }
        return switch (type, scalar) {
        case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double), (.string, .string), (.data, .data),
            (.date, .date), (.objectId, .objectId), (.UUID, .uuid), (.decimal128, .decimal):
            scalar
        case (.bool, _): whole(scalar, value).flatMap { $0 == 0 || $0 == 1 ? .bool($0 == 1) : nil }
        case (.int, .bool(let truth)): .int(truth ? 1 : 0)
        case (.int, _): whole(scalar, value).map { .int($0) }
        case (.float, _): real(scalar, value).flatMap { single($0) }.map { .float($0) }
        case (.double, _): real(scalar, value).map { .double($0) }
        case (.UUID, .string(let text)): UUID(uuidString: text).map { .uuid($0) }
        case (.decimal128, .string), (.decimal128, .int), (.decimal128, .float), (.decimal128, .double):
            Decimal128(converting: scalar.plain ?? value).map { .decimal($0) }
        default: nil
        }
    }

    /// The whole number that a number is.
    private static func whole(_ scalar: _StoredValue, _ value: Any) -> Int64? {
        switch scalar {
        case .int(let value): value
        case .float(let value): Int64(exactly: value)
        case .double(let value): Int64(exactly: value)
        case .decimal(let number): value is Decimal128 ? nil : Int64(exactly: number)
        default: nil
        }
    }

    private static func real(_ scalar: _StoredValue, _ value: Any) -> Double? {
        if case .decimal(let number) = scalar { return value is Decimal128 ? nil : number.doubleValue }
        return scalar.real
    }

    /// A number of single precision, unless it is too large for one.
    private static func single(_ value: Double) -> Float? {
        let single = Float(value)
        return single.isInfinite && value.isFinite ? nil : single
    }
}

/// An Optional of any type.
private protocol AnyOptional {
    var content: Any? { get }
    static var wrappedType: Any.Type { get }
}

extension Optional: AnyOptional {
    fileprivate var content: Any? { map { $0 } }
    fileprivate static var wrappedType: Any.Type { Wrapped.self }
}
