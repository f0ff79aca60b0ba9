// SPDX-License-Identifier: MIT
// Misfit.swift -- what is said of a value that does not fit its property.

import Foundation

/// A value that does not fit: where it stands, and what is wrong with it.
struct Misfit: Error {
    /// The path to the property or the element, such as `.friend.dogs[3].age`; empty for the object itself.
    private var path = ""
    private let problem: String

    init(_ problem: String) { self.problem = problem }

    /// The same, seen from further outside: `step` is `.name` of a property, `[3]` of an element or `["key"]` of a map.
    func inside(_ step: String) -> Misfit {
        var outer = self
        outer.path = step + path
        return outer
    }

    /// The error of the write that fails.
    ///
    /// - Parameter layout: the class of the object that was to be made or changed.
    func error(_ layout: ClassLayout) -> StrataError {
        let name = layout.type == DynamicObject.self ? layout.schema.className : "\(layout.type)"
        return StrataError(.invalidInput, "\(name)\(path) \(problem)")
    }
}

// MARK: Values

extension Misfit {
    /// A value for a single property or an element of a type.
    init(_ value: Any, for type: any _Persistable.Type) {
        guard let content = UntypedValue.content(value) else {
            self.init("holds \(Self.name(type)), which cannot be nil; declare it as Optional, or pass a value")
            return
        }
        self.init("holds \(Self.name(type)), and \(Self.text(content)) \(Self.reason(content, type))")
    }

    /// Why a value that is not nil does not fit a type.
    private static func reason(_ value: Any, _ type: any _Persistable.Type) -> String {
        let type = unwrapped(type)
        if let raw = rawType(type) {
            if !fits(value, raw) { return reason(value, raw) }
            return "is the raw value of no case" + cases(type)
        }
        if let stored = storedType(type) {
            return fits(value, stored) ? "is a \(name(stored)) of which none can be made" : reason(value, stored)
        }
        return reason(value, type, type._shape.type)
    }

    private static func reason(_ value: Any, _ type: any _Persistable.Type, _ kind: PropertyType) -> String {
        let scalar = UntypedValue.scalar(value)
        switch (kind, scalar) {
        case (.bool, .int), (.bool, .float), (.bool, .double), (.bool, .decimal):
            return "is a number other than 0 and 1"
        case (.int, .float(let number)) where number.rounded() != number: return "is no whole number"
        case (.int, .double(let number)) where number.rounded() != number: return "is no whole number"
        case (.int, .int), (.int, .float), (.int, .double), (.int, .decimal):
            return value is Decimal128 ? "is a decimal number; convert it" : "is \(range(of: type))"
        case (.int, _), (.float, .bool), (.double, .bool), (.decimal128, .bool): return "is no number"
        case (.float, .double), (.float, .int): return "is too large for it"
        case (.float, .decimal), (.double, .decimal): return "is a decimal number; convert it"
        case (.UUID, .string): return "is not the text of a UUID"
        case (.decimal128, .string): return "is not the text of a number"
        case (.objectId, .string): return "is text; convert it with ObjectId(string:)"
        case (.object, _): return "is neither one nor a dictionary or an array of its values"
        case (.any, _): return "is of a type that cannot be stored"
        case (.float, _), (.double, _), (.decimal128, _): return "is no number"
        case (.bool, _): return "is no truth value"
        default: return "is none"
        }
    }

    /// Whether the reason why a value does not fit is not its type.
    private static func fits(_ value: Any, _ type: any _Persistable.Type) -> Bool { type._accepted(value) != nil }

    private static func range(of type: any _Persistable.Type) -> String {
        guard let type = type as? any FixedWidthInteger.Type else { return "too large" }
        func text<Value: FixedWidthInteger>(_: Value.Type) -> String { "not between \(Value.min) and \(Value.max)" }
        return text(type)
    }

    private static func cases(_ type: any _Persistable.Type) -> String {
        guard let type = type as? any PersistableEnum.Type else { return "" }
        func all<Value: PersistableEnum>(_: Value.Type) -> String {
            let raw = Value.allCases.prefix(20).map { described($0.rawValue) }
            return "; they are " + raw.joined(separator: ", ") + (Value.allCases.count > 20 ? " and others" : "")
        }
        return all(type)
    }

    /// The type of the raw values of an enum; nil for another type.
    fileprivate static func rawType(_ type: any _Persistable.Type) -> (any _Persistable.Type)? {
        guard let type = type as? any RealmEnum.Type else { return nil }
        func raw<Value: RealmEnum>(_: Value.Type) -> any _Persistable.Type { Value.RawValue.self }
        return raw(type)
    }

    /// The type as which a custom type is stored; nil for another type.
    fileprivate static func storedType(_ type: any _Persistable.Type) -> (any _Persistable.Type)? {
        guard let type = type as? any _CustomPersistable.Type else { return nil }
        func stored<Value: _CustomPersistable>(_: Value.Type) -> any _Persistable.Type { Value.PersistedType.self }
        return stored(type)
    }

    fileprivate static func unwrapped(_ type: any _Persistable.Type) -> any _Persistable.Type {
        UntypedValue.unwrap(type: type) as? any _Persistable.Type ?? type
    }
}

// MARK: Links and collections

extension Misfit {
    /// A value for an object that is to be made.
    init(whole value: Any) {
        let text = UntypedValue.content(value).map { Self.text($0) } ?? "nil"
        self.init("is made of a dictionary, an array or an object, not of \(text)")
    }

    /// A value for a link to an object of a class.
    init(_ value: Any, linkTo className: String) {
        let reason = value is ObjectBase ? "is none" : "is neither one nor a dictionary or an array of its values"
        self.init("holds \(className), and \(Self.text(value)) \(reason)")
    }

    /// A value for a collection.
    init(_ value: Any, for collection: any PersistedCollection.Type, _ property: Property) {
        let reason =
            if value is any PersistedCollection || value is any RealmCollectionBase {
                "has other elements; pass an array or a dictionary of them"
            } else {
                property.isMap ? "is no dictionary" : "is no sequence of values"
            }
        self.init("is a \(collection.typeName), and \(Self.text(value)) \(reason)")
    }
}

// MARK: Texts

extension Misfit {
    /// The name of a type as programs write it.
    private static func name(_ type: any _Persistable.Type) -> String {
        let content = unwrapped(type)
        return "\(content)" + (content == type ? "" : "?")
    }

    /// A value for a message, on one line and cut to a reasonable length.
    private static func text(_ value: Any) -> String {
        switch value {
        case let object as ObjectBase: "an object of class \(object.layout.schema.className)"
        case let collection as any PersistedCollection: "a \(type(of: collection).typeName)"
        case let values as [Any]: "an array of \(values.count) values"
        case let values as [AnyHashable: Any]: "a dictionary of \(values.count) values"
        default: "\(described(value)) of type \(typeName(value))"
        }
    }

    /// The name of the type of a value; not that of the class which Foundation has for truth values.
    private static func typeName(_ value: Any) -> String {
        if case .bool = UntypedValue.scalar(value) { return "Bool" }
        return "\(type(of: value))"
    }

    private static func described(_ value: Any) -> String {
        if case .bool(let truth) = UntypedValue.scalar(value) { return "\(truth)" }
        let text = (value as? String ?? "\(value)").replacing("\n", with: " ")
        let cut = text.count > 80 ? text.prefix(80) + "..." : text[...]
        return value is String ? "\"\(cut)\"" : String(cut)
    }
}

extension UntypedValue {
    /// A value as an Optional enum or custom type is stored, although none can be made of it: such a property reads as
    /// nil, and by its name gives what is stored. Nil for other types, and if the value is not of the stored type.
    static func withoutCase(_ value: Any, _ type: any _Persistable.Type) -> _StoredValue? {
        let content = Misfit.unwrapped(type)
        if content == type { return nil }
        return (Misfit.rawType(content) ?? Misfit.storedType(content)).flatMap { $0._accepted(value) }
    }
}
