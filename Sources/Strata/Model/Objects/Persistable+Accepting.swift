// SPDX-License-Identifier: MIT
// Persistable+Accepting.swift -- values of unknown type, as properties of a type accept them.
//
// A property accepts its own type, and what `UntypedValue.convert` makes of scalars. Enums accept raw values, custom
// types what they are stored as.

import Foundation

extension _Persistable {
    public static func _accepted(_ value: Any) -> _StoredValue? {
        accepted(value) { UntypedValue.convert($0, to: _shape.type) }
    }

    /// A value of this type, or what `convert` makes of one that is neither that nor nil.
    fileprivate static func accepted(_ value: Any, _ convert: (Any) -> _StoredValue?) -> _StoredValue? {
        if let exact = UntypedValue.exactly(value, Self.self) { return _stored(exact) }
        guard let content = UntypedValue.content(value) else { return nil }
        if let exact = UntypedValue.exactly(content, Self.self) { return _stored(exact) }
        guard let stored = convert(content), _value(stored) != nil else { return nil }
        return stored
    }
}

extension Optional where Wrapped: _OptionalPersistable {
    public static func _accepted(_ value: Any) -> _StoredValue? {
        if let exact = UntypedValue.exactly(value, Wrapped.self) { return Wrapped._stored(exact) }
        guard let content = UntypedValue.content(value) else { return .null }
        return Wrapped._accepted(content)
    }
}

extension RealmEnum {
    public static func _accepted(_ value: Any) -> _StoredValue? { accepted(value, RawValue._accepted) }
}

extension _CustomPersistable {
    public static func _accepted(_ value: Any) -> _StoredValue? { accepted(value, PersistedType._accepted) }
}

extension ObjectBase {
    public static func _accepted(_ value: Any) -> _StoredValue? {
        UntypedValue.content(value).flatMap(UntypedValue.object).flatMap { $0 as? Self }.map { .object($0) }
    }
}

extension AnyRealmValue {
    public static func _accepted(_ value: Any) -> _StoredValue? {
        do throws(Misfit) {
            return try accepting(value)
        } catch {
            return nil
        }
    }

    /// A value that a property of any type can hold, in its general form: scalars, objects, lists and dictionaries, but
    /// no sets and no embedded objects.
    static func accepting(_ value: Any) throws(Misfit) -> _StoredValue {
        if let any = UntypedValue.exactly(value, AnyRealmValue.self) { return _stored(any) }
        guard let content = UntypedValue.content(value) else { return .null }
        if let any = UntypedValue.exactly(content, AnyRealmValue.self) { return _stored(any) }
        if let scalar = UntypedValue.scalar(content) { return scalar }
        if let collection = content as? any PersistedCollection, !type(of: collection).isSet {
            return collection.contents
        }
        switch ObjectSource(content) {
        case .object(let object as Object): return .object(object)
        case .values(let values): return .elements(try accepting(values))
        case .named(let values): return .entries(try accepting(values))
        default: break
        }
        guard let plain = UntypedValue.plain(content), let scalar = UntypedValue.scalar(plain) else {
            throw Misfit(content, for: AnyRealmValue.self)
        }
        return scalar  // of an enum, or of another custom type
    }

    private static func accepting(_ values: [Any]) throws(Misfit) -> [_StoredValue] {
        var result: [_StoredValue] = []
        result.reserveCapacity(values.count)
        for (index, value) in values.enumerated() { result.append(try accepting(value, "[\(index)]")) }
        return result
    }

    private static func accepting(_ values: [String: Any]) throws(Misfit) -> [(key: String, value: _StoredValue)] {
        var result: [(key: String, value: _StoredValue)] = []
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            result.append((key, try accepting(value, "[\"\(key)\"]")))
        }
        return result
    }

    private static func accepting(_ value: Any, _ step: @autoclosure () -> String) throws(Misfit) -> _StoredValue {
        do throws(Misfit) {
            return try accepting(value)
        } catch {
            throw error.inside(step())
        }
    }
}
