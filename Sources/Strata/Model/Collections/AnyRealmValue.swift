// SPDX-License-Identifier: MIT
// AnyRealmValue.swift -- a value of any type that can be stored.

public import Foundation

/// A value of any type that can be stored, or none: the type of properties whose type is not known beforehand.
///
/// ```swift
/// class Setting: Object {
///     @Persisted var value: AnyRealmValue
/// }
///
/// let setting = Setting()
/// setting.value = .int(5)
/// setting.value = ["size": 12, "tags": ["a", "b"]]
/// if let size = setting.value.dictionaryValue?["size"]?.intValue { print(size) }
/// ```
///
/// The property is not declared as Optional: ``none`` is its nil. Embedded objects and sets cannot be held.
///
/// Numbers are equal if their values are, whatever their types: `.int(5) == .double(5)`. The order of values is: none,
/// truth values, numbers, strings, data, dates, object identifiers, UUIDs, objects, lists, dictionaries.
public enum AnyRealmValue {
    /// No value; what nil is elsewhere.
    case none
    /// An integer.
    case int(Int)
    /// A truth value.
    case bool(Bool)
    /// A number of single precision.
    case float(Float)
    /// A number of double precision.
    case double(Double)
    /// A text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A date.
    case date(Date)
    /// An object of any class.
    case object(Object)
    /// An object identifier.
    case objectId(ObjectId)
    /// A decimal number.
    case decimal128(Decimal128)
    /// A UUID.
    case uuid(UUID)
    /// Values under keys, which may be dictionaries and lists themselves.
    case dictionary(Map<String, AnyRealmValue>)
    /// Values in order, which may be dictionaries and lists themselves.
    case list(List<AnyRealmValue>)

    /// Creates the value ``none``.
    public init() { self = .none }

    /// A dictionary of values.
    public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in dictionary { map[key] = value }
        return .dictionary(map)
    }

    /// A list of values.
    public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: array)
        return .list(list)
    }
}

@available(*, unavailable, message: "objects and collections in it belong to one thread")
extension AnyRealmValue: Sendable {}

// MARK: What is in it

extension AnyRealmValue {
    /// The integer, or nil if this is something else.
    public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
    /// The truth value, or nil if this is something else.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number of single precision, or nil if this is something else.
    public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
    /// The number of double precision, or nil if this is something else.
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
    /// The text, or nil if this is something else.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The bytes, or nil if this is something else.
    public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
    /// The date, or nil if this is something else.
    public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
    /// The object identifier, or nil if this is something else.
    public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }
    /// The decimal number, or nil if this is something else.
    public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }
    /// The UUID, or nil if this is something else.
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
    /// The dictionary, or nil if this is something else.
    public var dictionaryValue: Map<String, AnyRealmValue>? { if case .dictionary(let map) = self { map } else { nil } }
    /// The list, or nil if this is something else.
    public var listValue: List<AnyRealmValue>? { if case .list(let list) = self { list } else { nil } }

    /// The object, or nil if this is something else or an object of another class.
    public func object<T: Object>(_ objectType: T.Type) -> T? {
        if case .object(let object) = self { object as? T } else { nil }
    }

    /// The object as one whose properties are used by their names; nil if this is something else, or an unmanaged
    /// object. An object of a class that the program does not know is of no other use.
    public var dynamicObject: DynamicObject? {
        guard case .object(let object) = self else { return nil }
        return (object as? DynamicObject) ?? object.asDynamic
    }
}

extension AnyRealmValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral {
    /// An integer.
    public init(integerLiteral value: Int) { self = .int(value) }
    /// A number of double precision.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension AnyRealmValue: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A list.
    public init(arrayLiteral elements: AnyRealmValue...) { self = .fromArray(elements) }
    /// A dictionary; of equal keys the last counts.
    public init(dictionaryLiteral elements: (String, AnyRealmValue)...) {
        self = .fromDictionary(Dictionary(elements) { $1 })
    }
}

// MARK: Equality

extension AnyRealmValue: Hashable {
    /// Compares values: numbers of all types by their values, objects by identity, collections as they compare.
    public static func == (left: AnyRealmValue, right: AnyRealmValue) -> Bool {
        switch (left, right) {
        case (.object(let a), .object(let b)): a == b || a.isIdentical(to: b)
        case (.list(let a), .list(let b)): a == b
        case (.dictionary(let a), .dictionary(let b)): a == b
        case (.object, _), (_, .object), (.list, _), (_, .list), (.dictionary, _), (_, .dictionary): false
        default: _StoredValue.order(_stored(left), _stored(right)) == 0
        }
    }

    /// Equal values hash alike.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): Self.hash(Double(value), into: &hasher)
        case .float(let value): Self.hash(Double(value), into: &hasher)
        case .double(let value): Self.hash(value, into: &hasher)
        case .decimal128(let value): Self.hash(value.doubleValue, into: &hasher)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .object, .list, .dictionary: hasher.combine(1)  // equality of these depends on where they live
        }
    }

    private static func hash(_ number: Double, into hasher: inout Hasher) {
        hasher.combine(number.isNaN ? Double.nan.bitPattern : (number == 0 ? 0 : number).bitPattern)
    }
}
