// SPDX-License-Identifier: MIT
// UntypedValue.swift -- values whose type is known only at run time: nil, Optionals, conversion.

import Foundation

/// What can be found out about a value of type `Any`.
enum UntypedValue {
    /// True for nil, however deeply wrapped, and for NSNull.
    static func isNil(_ value: Any) -> Bool {
        if let optional = value as? any AnyOptional { return optional.content.map(isNil) ?? true }
        // Only instances of classes are asked, because Foundation makes objects of all other values for it.
        return type(of: value) is AnyClass && value is NSNull
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

    /// A value that is not nil in the general form of a type of properties; nil if it does not fit.
    ///
    /// Integers accept integral numbers, floating point accepts all numbers, Bool accepts 0 and 1, UUID accepts its
    /// text. Everything else must be of the right type. Objects and values of any type are not converted.
    static func convert(_ value: Any, to type: PropertyType) -> _StoredValue? {
        switch type {
        case .int: integer(value).map { .int($0) }
        case .bool: truth(value).map { .bool($0) }
        case .float: real(value).map { .float(Float($0)) }
        case .double: real(value).map { .double($0) }
        case .string: (value as? String).map { .string($0) }
        case .data: (value as? Data).map { .data($0) }
        case .date: (value as? Date).map { .date($0) }
        case .objectId: (value as? ObjectId).map { .objectId($0) }
        case .UUID: ((value as? UUID) ?? (value as? String).flatMap { UUID(uuidString: $0) }).map { .uuid($0) }
        case .decimal128: value is Bool ? nil : Decimal128(converting: value).map { .decimal($0) }
        case .any, .object, .linkingObjects: nil
        }
    }

    private static func integer(_ value: Any) -> Int64? {
        if value is Bool { return nil }
        if let integer = value as? any FixedWidthInteger { return Int64(exactly: integer) }
        if let real = value as? any BinaryFloatingPoint { return Int64(exactly: Double(real)) }
        return nil
    }

    private static func truth(_ value: Any) -> Bool? {
        if let truth = value as? Bool { return truth }
        switch integer(value) {
        case 0: return false
        case 1: return true
        default: return nil
        }
    }

    private static func real(_ value: Any) -> Double? {
        if value is Bool { return nil }
        if let real = value as? any BinaryFloatingPoint { return Double(real) }
        if let integer = value as? any FixedWidthInteger { return Double(integer) }
        return nil
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
