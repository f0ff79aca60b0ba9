// SPDX-License-Identifier: MIT
// ObjectBuilder.swift -- unmanaged objects out of dictionaries, arrays and other objects.

import Foundation

/// Fills unmanaged objects with values of many shapes, for `init(value:)` and `create`.
final class ObjectBuilder {
    /// Set for `create`: objects of this session are linked to as they are, all others are copied. Otherwise objects
    /// of the right class are used as they are.
    private let session: Session?
    /// Which properties were mentioned, by object, where that is not all of them.
    private(set) var mentioned: [ObjectIdentifier: Set<Int>] = [:]

    init(copying session: Session?) { self.session = session }

    /// Sets the properties of `object` that `value` mentions.
    func fill(_ object: Object, _ layout: ClassLayout, from value: Any) throws(StrataError) {
        let value = ClassLayout.Slot.unwrap(value)
        if ClassLayout.Slot.isNil(value) { throw wrong(layout, "nil is no object") }
        if let source = value as? Object {
            try fill(object, layout, from: source)
        } else if let values = dictionary(value) {
            var found = Set<Int>()
            for (index, slot) in layout.slots.prefix(layout.storedCount).enumerated() {
                guard let value = values[slot.property.name] else { continue }
                try set(object, slot, value)
                found.insert(index)
            }
            mentioned[ObjectIdentifier(object)] = found
        } else if let values = value as? [Any] {
            if values.count > layout.storedCount {
                throw wrong(layout, "the array has \(values.count) values, the class \(layout.storedCount) properties")
            }
            for (slot, value) in zip(layout.slots, values) { try set(object, slot, value) }
            mentioned[ObjectIdentifier(object)] = Set(values.indices)
        } else {
            throw wrong(layout, "a \(type(of: value)) is neither a dictionary, an array nor an object")
        }
    }

    /// A new unmanaged object.
    func make(_ type: Object.Type, from value: Any) throws(StrataError) -> Object {
        let object = type.init()
        try fill(object, ClassLayout.of(type), from: value)
        return object
    }

    /// Sets one property, of an object that may be managed.
    static func assign(_ value: Any, to object: Object, _ slot: ClassLayout.Slot) throws(StrataError) {
        try ObjectBuilder(copying: nil).set(object, slot, value)
    }

    private func dictionary(_ value: Any) -> [String: Any]? {
        if let values = value as? [String: Any] { return values }
        guard let values = value as? [AnyHashable: Any] else { return nil }
        var result: [String: Any] = [:]
        for (key, value) in values { if let name = key as? String { result[name] = value } }
        return result
    }

    private func fill(_ object: Object, _ layout: ClassLayout, from source: Object) throws(StrataError) {
        let other = ClassLayout.of(type(of: source))
        var found = Set<Int>()
        for (index, slot) in layout.slots.prefix(layout.storedCount).enumerated() {
            guard let position = other.index(of: slot.property.name), position < other.storedCount else { continue }
            try set(object, slot, other.slots[position].access._any(source, other.slots[position].offset))
            found.insert(index)
        }
        if found.count < layout.storedCount { mentioned[ObjectIdentifier(object)] = found }
    }

    private func set(_ object: Object, _ slot: ClassLayout.Slot, _ value: Any) throws(StrataError) {
        let stored = try convert(slot, value)
        if !slot.access._set(slot.wrapper(in: object), stored) { throw unfit(slot, value) }
    }

    private func convert(_ slot: ClassLayout.Slot, _ value: Any) throws(StrataError) -> _StoredValue {
        guard slot.property.type == .object, let target = slot.target else {
            guard let stored = slot.accept(value) else { throw unfit(slot, value) }
            return stored
        }
        if slot.property.isArray { return .elements(try elements(slot, target, value)) }
        if ClassLayout.Slot.isNil(value) { return .null }
        return .object(try link(slot, target, ClassLayout.Slot.unwrap(value)))
    }

    private func elements(
        _ slot: ClassLayout.Slot, _ target: Object.Type, _ value: Any
    ) throws(StrataError) -> [Object] {
        if ClassLayout.Slot.isNil(value) { return [] }
        let value = ClassLayout.Slot.unwrap(value)
        let values: [Any]
        if let collection = value as? any ObjectCollection {
            values = collection.snapshot
        } else if let sequence = value as? any Sequence, !(value is String) {
            values = Self.array(sequence)
        } else {
            throw unfit(slot, value)
        }
        var result: [Object] = []
        for value in values { result.append(try link(slot, target, value)) }
        return result
    }

    private static func array(_ sequence: some Sequence) -> [Any] { sequence.map { $0 } }

    private func link(
        _ slot: ClassLayout.Slot, _ target: Object.Type, _ value: Any
    ) throws(StrataError) -> Object {
        guard let object = value as? Object else {
            if value is [Any] || dictionary(value) != nil { return try make(target, from: value) }
            throw unfit(slot, value)
        }
        guard type(of: object) == target else { throw unfit(slot, value) }
        guard let session else { return object }
        if object._session === session && object._mode == .live { return object }
        return try make(target, from: object)
    }

    private func unfit(_ slot: ClassLayout.Slot, _ value: Any) -> StrataError {
        let property = slot.property
        let expected = property.objectClassName.map { property.isArray ? "a list of \($0)" : "\($0) or nil" }
            ?? "\(property.type)\(property.isOptional ? " or nil" : "")"
        let text = ClassLayout.Slot.isNil(value) ? "nil" : "\(String("\(value)".prefix(80))) of type \(type(of: value))"
        return StrataError(.invalidInput, "property \(property.name) holds \(expected), not \(text)")
    }

    private func wrong(_ layout: ClassLayout, _ why: String) -> StrataError {
        StrataError(.invalidInput, "no \(layout.schema.className) can be made: \(why)")
    }
}
