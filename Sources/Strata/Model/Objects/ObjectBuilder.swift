// SPDX-License-Identifier: MIT
// ObjectBuilder.swift -- unmanaged objects out of dictionaries, arrays and other objects.

import Foundation

/// Fills unmanaged objects with values of many shapes, for `init(value:)` and `create`.
final class ObjectBuilder {
    /// Set for `create`: links to objects of this session lead to these, and all other objects are copied. If it is not
    /// set, objects of the right class are used without a copy.
    private let session: Session?
    /// For objects that were not given a value for each property, which properties were given one.
    private(set) var mentioned: [ObjectIdentifier: Set<Int>] = [:]

    /// The copies of the objects that are being copied, so that cycles end.
    private var copies: [ObjectIdentifier: ObjectBase] = [:]

    init(copying session: Session?) { self.session = session }

    /// A new unmanaged object.
    func make(_ type: ObjectBase.Type, from value: Any) throws(StrataError) -> ObjectBase {
        if let source = value as? ObjectBase, let copy = copies[ObjectIdentifier(source)] { return copy }
        let object = type.init()
        try fill(object, object.layout, from: value)
        return object
    }

    /// Sets the properties of `object` that `value` mentions.
    func fill(_ object: ObjectBase, _ layout: ClassLayout, from value: Any) throws(StrataError) {
        let value = UntypedValue.unwrap(value)
        if UntypedValue.isNil(value) { throw wrong(layout, "nil is no object") }
        // Only instances of classes are cast, because Foundation makes objects of all other values for a cast.
        if type(of: value) is AnyClass, let source = value as? ObjectBase {
            try fill(object, layout, from: source)
        } else if type(of: value) != [String: Any].self, let values = value as? [Any] {
            if values.count > layout.storedCount {
                throw wrong(layout, "the array has \(values.count) values, the class \(layout.storedCount) properties")
            }
            for (index, value) in values.enumerated() { try set(object, layout, index, value) }
            if values.count < layout.storedCount { mentioned[ObjectIdentifier(object)] = Set(values.indices) }
        } else if let values = Self.dictionary(value) {
            var found: [Int] = []
            found.reserveCapacity(layout.storedCount)
            for (index, slot) in layout.slots.prefix(layout.storedCount).enumerated() {
                guard let value = values[slot.property.name] else { continue }
                try set(object, layout, index, value)
                found.append(index)
            }
            if found.count < layout.storedCount { mentioned[ObjectIdentifier(object)] = Set(found) }
        } else {
            throw wrong(layout, "a \(type(of: value)) is neither a dictionary, an array nor an object")
        }
    }

    /// Sets one property of an object, which may be managed.
    static func assign(_ value: Any, to object: ObjectBase, _ index: Int) throws(StrataError) {
        try ObjectBuilder(copying: nil).set(object, object.layout, index, value)
    }

    private func fill(_ object: ObjectBase, _ layout: ClassLayout, from source: ObjectBase) throws(StrataError) {
        copies[ObjectIdentifier(source)] = object
        defer { copies[ObjectIdentifier(source)] = nil }
        let other = source.layout
        var found = Set<Int>()
        for (index, slot) in layout.slots.prefix(layout.storedCount).enumerated() {
            guard let position = other.index(of: slot.property.name), position < other.storedCount else { continue }
            try set(object, layout, index, source.plainValue(position) as Any)
            found.insert(index)
        }
        if found.count < layout.storedCount { mentioned[ObjectIdentifier(object)] = found }
    }

    private func set(
        _ object: ObjectBase, _ layout: ClassLayout, _ index: Int, _ value: Any
    ) throws(StrataError) {
        let slot = layout.slots[index]
        if object._mode == .unmanaged, slot.offset >= 0,
            slot.unmanaged.store(value, slot.wrapper(in: object))
        {
            return
        }
        if slot.property.type == .linkingObjects { throw unfit(slot, value) }
        if !object.setStored(slot, index, try convert(slot, value)) { throw unfit(slot, value) }
    }

    private func convert(_ slot: ClassLayout.Slot, _ value: Any) throws(StrataError) -> _StoredValue {
        let property = slot.property
        let value = property.isCollection || property.type != .any ? Self.plain(value) : value
        if property.isMap { return .entries(try entries(slot, value)) }
        if property.isCollection { return .elements(try elements(slot, value)) }
        return try single(slot, value)
    }

    /// The value inside of an `AnyRealmValue`; other values are returned unchanged.
    private static func plain(_ value: Any) -> Any {
        guard type(of: value) == AnyRealmValue.self, let any = value as? AnyRealmValue else { return value }
        return AnyRealmValue._plain(any) ?? NSNull()
    }

    /// The value of a property that is no collection.
    private func single(_ slot: ClassLayout.Slot, _ value: Any) throws(StrataError) -> _StoredValue {
        guard slot.property.type == .object else {
            guard let stored = slot.accept(value) else { throw unfit(slot, value) }
            return try owned(stored)
        }
        if UntypedValue.isNil(value) { return .null }
        if let stored = slot.access._accept(value), case .object(let object) = stored, !(value is ObjectBase) {
            return .object(try link(slot, object))
        }
        return .object(try link(slot, UntypedValue.unwrap(value)))
    }

    // MARK: Collections

    private func elements(_ slot: ClassLayout.Slot, _ value: Any) throws(StrataError) -> [_StoredValue] {
        if UntypedValue.isNil(value) { return [] }
        let value = UntypedValue.unwrap(value)
        if let collection = value as? any PersistedCollection {
            guard case .elements(let values) = collection.contents, holdsTheSame(collection, slot) else {
                throw unfit(slot, value)
            }
            var result: [_StoredValue] = []
            result.reserveCapacity(values.count)
            for value in values { result.append(try element(slot, stored: value)) }
            return result
        }
        guard let sequence = value as? any Sequence, !(value is String), Self.dictionary(value) == nil else {
            throw unfit(slot, value)
        }
        var result: [_StoredValue] = []
        for value in Self.array(sequence) { result.append(try element(slot, value)) }
        return result
    }

    private func entries(
        _ slot: ClassLayout.Slot, _ value: Any
    ) throws(StrataError) -> [(key: String, value: _StoredValue)] {
        if UntypedValue.isNil(value) { return [] }
        let value = UntypedValue.unwrap(value)
        var result: [(key: String, value: _StoredValue)] = []
        if let collection = value as? any PersistedCollection {
            guard case .entries(let entries) = collection.contents, holdsTheSame(collection, slot) else {
                throw unfit(slot, value)
            }
            for (key, value) in entries { result.append((key, try element(slot, stored: value))) }
            return result
        }
        guard let values = Self.dictionary(value) else { throw unfit(slot, value) }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { result.append((key, try element(slot, value))) }
        return result
    }

    /// Whether a collection holds the type of values that a property holds.
    private func holdsTheSame(_ collection: any PersistedCollection, _ slot: ClassLayout.Slot) -> Bool {
        let shape = type(of: collection).elementType._shape
        return shape.type == slot.property.type
            && (shape.isOptional == slot.property.isOptional || shape.type == .object)
    }

    private func element(_ slot: ClassLayout.Slot, _ value: Any) throws(StrataError) -> _StoredValue {
        let value = slot.property.type == .any ? value : Self.plain(value)
        if slot.property.type == .object {
            if UntypedValue.isNil(value) {
                if slot.property.isMap { return .null }
                throw unfit(slot, value)
            }
            if let stored = slot.access._acceptElement(value), !(UntypedValue.unwrap(value) is ObjectBase) {
                return try element(slot, stored: stored)
            }
            return .object(try link(slot, UntypedValue.unwrap(value)))
        }
        guard let stored = slot.access._acceptElement(value) else { throw unfit(slot, value) }
        return try owned(stored)
    }

    private func element(_ slot: ClassLayout.Slot, stored: _StoredValue) throws(StrataError) -> _StoredValue {
        if slot.property.type == .object, case .object(let object) = stored { return .object(try link(slot, object)) }
        return try owned(stored)
    }

    private static func array(_ sequence: some Sequence) -> [Any] { sequence.map { $0 } }

    static func dictionary(_ value: Any) -> [String: Any]? {
        if let values = value as? [String: Any] { return values }
        guard let values = value as? [AnyHashable: Any] else { return nil }
        var result: [String: Any] = [:]
        for (key, value) in values { if let name = key as? String { result[name] = value } }
        return result
    }

    // MARK: Links

    /// The object to which a link property will lead.
    private func link(_ slot: ClassLayout.Slot, _ value: Any) throws(StrataError) -> ObjectBase {
        guard let target = slot.target else { throw unfit(slot, value) }
        guard let object = value as? ObjectBase else {
            if value is [Any] || Self.dictionary(value) != nil { return try make(target, from: value) }
            throw unfit(slot, value)
        }
        guard object.layout.schema.className == slot.property.objectClassName else { throw unfit(slot, value) }
        return try owned(object, as: target)
    }

    /// The value of a property of any type, with a copy of an object that may not be linked to itself.
    private func owned(_ stored: _StoredValue) throws(StrataError) -> _StoredValue {
        guard case .object(let object) = stored, let object = object as? ObjectBase else { return stored }
        return .object(try owned(object, as: type(of: object)))
    }

    /// The object itself, or a copy if `create` may not link to it.
    private func owned(_ object: ObjectBase, as target: ObjectBase.Type) throws(StrataError) -> ObjectBase {
        if object is DynamicObject, target != DynamicObject.self, object._mode == .live,
            session == nil || object._session === session, let managed = object._session?.managed(target)
        {
            return managed.makeObject(object.row.key)
        }
        guard let session else {
            // An embedded object that has an owner cannot get another one.
            return object._mode == .live && target is EmbeddedObject.Type ? try make(target, from: object) : object
        }
        if object._session === session && object._mode == .live && !(target is EmbeddedObject.Type) { return object }
        return try make(target, from: object)
    }

    // MARK: Failures

    private func unfit(_ slot: ClassLayout.Slot, _ value: Any) -> StrataError {
        let property = slot.property
        let text = UntypedValue.isNil(value) ? "nil" : "\(String("\(value)".prefix(80))) of type \(type(of: value))"
        return StrataError(.invalidInput, "property \(property.name) holds \(property.contentText), not \(text)")
    }

    private func wrong(_ layout: ClassLayout, _ why: String) -> StrataError {
        StrataError(.invalidInput, "no \(layout.schema.className) can be made: \(why)")
    }
}

extension Property {
    /// What the property holds, for a message.
    fileprivate var contentText: String {
        let element = objectClassName ?? "\(type)"
        if isArray { return "a list of \(element)" }
        if isSet { return "a set of \(element)" }
        if isMap { return "a map of \(element)" }
        return isOptional ? "\(element) or nil" : element
    }
}
