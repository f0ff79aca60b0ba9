// SPDX-License-Identifier: MIT
// ValueConversion.swift -- which values of other types a property accepts.

import Foundation

extension ClassLayout.Slot {
    /// A single value, in its general form; nil if the property does not accept it.
    ///
    /// Integers accept integral numbers, floating point accepts all numbers, Bool accepts 0 and 1, UUID accepts its
    /// text; enums accept their raw values. Everything else must be of the right type.
    func accept(_ value: Any) -> _StoredValue? {
        if let exact = access._accept(value) { return exact }
        if property.type == .any { return AnyRealmValue.accept(value) }
        if Self.isNil(value) { return property.isOptional ? .null : nil }
        guard let converted = Self.converted(Self.unwrap(value), to: property.type), access._fits(converted) else {
            return nil
        }
        return converted
    }

    /// A value, which is not nil, as one of a type of properties; nil if it is none.
    static func converted(_ value: Any, to type: PropertyType) -> _StoredValue? {
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
        case .any: AnyRealmValue.accept(value)
        case .object, .linkingObjects: nil
        }
    }

    /// True of nil, however deeply wrapped, and of NSNull.
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
}

extension Optional: AnyOptional {
    fileprivate var content: Any? { map { $0 } }
}
