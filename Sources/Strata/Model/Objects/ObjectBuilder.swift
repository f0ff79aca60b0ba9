// SPDX-License-Identifier: MIT
// ObjectBuilder.swift -- unmanaged objects out of dictionaries, arrays and other objects.

import Foundation

/// Fills unmanaged objects with values of many shapes, for `init(value:)` and `create`. Lives for one call.
///
/// What an object leads to is made while the object is; but only so many inside of each other, since the stack of a
/// thread ends. The last of them get their plain values, and what leads further is set afterwards.
struct ObjectBuilder {
    private static let deepest = 100

    /// A property that is not set yet.
    private struct Waiting {
        let object: ObjectBase
        let slot: ClassLayout.Slot
        let index: Int
        let value: Any
        let isCopied: Bool
    }

    /// Set for `create`: links to objects of this session lead to these, and all other objects are copied. If it is not
    /// set, objects of the right class are used without a copy.
    private let session: Session?
    /// Whether `mentioned` is wanted.
    private let notesMentioned: Bool
    /// For objects that were not given a value for each property, which properties were given one.
    private(set) var mentioned: [ObjectIdentifier: SlotSet] = [:]

    /// The objects that are being copied, so that circles end and are copied once.
    private var circles = CopiedCircles()
    private var depth = 0
    private var waiting: [Waiting] = []

    /// - Parameter policy: that with which the objects will be added.
    init(copying session: Session?, for policy: UpdatePolicy = .error) {
        self.session = session
        notesMentioned = policy != .error
    }

    /// A new unmanaged object.
    mutating func make(_ type: ObjectBase.Type, from value: Any) throws(StrataError) -> ObjectBase {
        do throws(Misfit) {
            let object = try new(type, from: value)
            try setWaiting()
            return object
        } catch {
            throw error.error(ClassLayout.of(type))
        }
    }

    /// Sets the properties of an object that a value mentions.
    static func fill(_ object: ObjectBase, from value: Any) throws(StrataError) {
        try naming(object) { (builder, layout) throws(Misfit) in
            try builder.fill(object, layout, from: try ObjectSource(whole: value))
        }
    }

    /// Sets one property of an object, which may be managed.
    static func assign(_ value: Any, to object: ObjectBase, _ index: Int) throws(StrataError) {
        try naming(object) { (builder, layout) throws(Misfit) in
            try builder.set(object, layout.slots[index], index, value)
        }
    }

    private static func naming(
        _ object: ObjectBase, _ body: (inout ObjectBuilder, ClassLayout) throws(Misfit) -> Void
    ) throws(StrataError) {
        let layout = object.layout
        var builder = ObjectBuilder(copying: nil)
        do throws(Misfit) {
            try body(&builder, layout)
            try builder.setWaiting()
        } catch {
            throw error.error(layout)
        }
    }

    /// Must be called before an object that was made leaves the builder.
    private mutating func setWaiting() throws(Misfit) {
        var next = 0
        while next < waiting.count {
            let current = waiting[next]
            next += 1
            do throws(Misfit) {
                if current.isCopied {
                    try setCopied(current.object, current.slot, current.index, current.value)
                } else {
                    try set(current.object, current.slot, current.index, current.value)
                }
            } catch {
                throw Misfit("leads to an object that does not fit: \(error.error(current.object.layout).message)")
            }
        }
        waiting.removeAll()
    }

    // MARK: Objects

    private mutating func new(_ type: ObjectBase.Type, from value: Any) throws(Misfit) -> ObjectBase {
        try new(type, from: try ObjectSource(whole: value))
    }

    private mutating func new(_ type: ObjectBase.Type, from source: ObjectSource) throws(Misfit) -> ObjectBase {
        if case .object(let original) = source, let copy = circles.copy(of: original) { return copy }
        let object = type.init()
        depth += 1
        defer { depth -= 1 }
        try fill(object, session?.classes.of(type).layout ?? ClassLayout.of(type), from: source)
        return object
    }

    /// Sets the properties of `object` that a source mentions.
    private mutating func fill(_ object: ObjectBase, _ layout: ClassLayout, from source: ObjectSource) throws(Misfit) {
        var found = SlotSet()
        switch source {
        case .named(let values):
            // Names are compared, because hashing them takes longer than all else.
            var next = 0
            for (name, value) in values {
                guard let index = layout.storedIndex(of: name, from: next) else { continue }
                try set(object, layout.slots[index], index, value)
                found.insert(index)
                next = index + 1
            }
        case .values(let values):
            if values.count > layout.storedCount {
                throw Misfit("has \(layout.storedCount) properties, and the array has \(values.count) values")
            }
            for index in 0..<values.count {
                try set(object, layout.slots[index], index, values[index])
                found.insert(index)
            }
        case .object(let original): found = try copy(original, to: object, layout)
        }
        if notesMentioned, found.count < layout.storedCount { mentioned[ObjectIdentifier(object)] = found }
    }

    /// Copies the properties that two objects have in common, and returns which.
    private mutating func copy(
        _ original: ObjectBase, to object: ObjectBase, _ layout: ClassLayout
    ) throws(Misfit) -> SlotSet {
        let place = try circles.begin(original, object)
        defer { circles.end(place) }
        let other = original.layout
        var found = SlotSet()
        for index in 0..<layout.storedCount {
            let slot = layout.slots[index]
            guard let position = other === layout ? index : other.index(of: slot.property.name),
                position < other.storedCount
            else { continue }
            try setCopied(object, slot, index, original.plainValue(position) as Any)
            found.insert(index)
        }
        return found
    }

    // MARK: Properties

    /// Sets a property to what another object has.
    private mutating func setCopied(
        _ object: ObjectBase, _ slot: ClassLayout.Slot, _ index: Int, _ value: Any
    ) throws(Misfit) {
        do throws(Misfit) {
            try set(object, slot, index, value, isCopied: true)
        } catch {
            // What the original reads as nil is nil in the copy.
            if UntypedValue.withoutCase(value, slot.access._type) == nil { throw error }
            try set(object, slot, index, NSNull())
        }
    }

    private mutating func set(
        _ object: ObjectBase, _ slot: ClassLayout.Slot, _ index: Int, _ value: Any, isCopied: Bool = false
    ) throws(Misfit) {
        if depth >= Self.deepest, slot.property.type == .object || slot.property.type == .any {
            circles.keepAll()
            waiting.append(Waiting(object: object, slot: slot, index: index, value: value, isCopied: isCopied))
            return
        }
        if object._mode == .unmanaged, slot.offset >= 0,
            slot.unmanaged.store(value, slot.wrapper(in: object))
        {
            return
        }
        do throws(Misfit) {
            let stored = try convert(slot, value)
            if object._mode == .live { try setWaiting() }  // what it leads to is stored at once
            if !object.setStored(slot, index, stored) { throw Misfit(value, for: slot.access._type) }
        } catch {
            // Only a row can hold what no value stands for.
            if object._mode == .live, slot.offset >= 0, let managed = object.managed, !slot.property.isCollection,
                slot.property.type != .object, let stored = UntypedValue.withoutCase(value, slot.access._type)
            {
                return _store(stored, object.row, managed.columns[index])
            }
            throw error.inside(".\(slot.property.name)")
        }
    }

    private mutating func convert(_ slot: ClassLayout.Slot, _ value: Any) throws(Misfit) -> _StoredValue {
        if slot.property.isCollection, let collection = slot.access._collectionType {
            let value = UntypedValue.inAny(value)
            return slot.property.isMap
                ? .entries(try entries(slot, collection, value)) : .elements(try elements(slot, collection, value))
        }
        return try single(slot, slot.access._type, value)
    }

    /// A single value or an element.
    private mutating func single(
        _ slot: ClassLayout.Slot, _ type: any _Persistable.Type, _ value: Any
    ) throws(Misfit) -> _StoredValue {
        switch slot.property.type {
        case .object: return try link(slot, type, slot.accepting(UntypedValue.inAny(value)))
        case .any: return try owned(try AnyRealmValue.accepting(value))
        case .linkingObjects: throw Misfit("is found by the links to the object and cannot be set")
        default:
            if let stored = type._accepted(value) ?? type._accepted(UntypedValue.inAny(value)) { return stored }
            guard let stored = type._accepted(slot.accepting(value)) else { throw Misfit(value, for: type) }
            return stored
        }
    }

    // MARK: Collections

    private mutating func elements(
        _ slot: ClassLayout.Slot, _ type: any PersistedCollection.Type, _ value: Any
    ) throws(Misfit) -> [_StoredValue] {
        guard let content = UntypedValue.content(value) else { return [] }
        var result: [_StoredValue] = []
        if let collection = content as? any PersistedCollection {
            guard case .elements(let values) = collection.contents,
                slot.holdsTheSame(Swift.type(of: collection).elementType)
            else {
                throw Misfit(content, for: type, slot.property)
            }
            result.reserveCapacity(values.count)
            for (index, value) in values.enumerated() { result.append(try element(slot, value, "[\(index)]")) }
            return result
        }
        guard let values = Self.array(content, slot) else { throw Misfit(content, for: type, slot.property) }
        result.reserveCapacity(values.count)
        let elementType = type.elementType
        for (index, value) in values.enumerated() {
            result.append(try element(slot, elementType, value, "[\(index)]"))
        }
        return result
    }

    private mutating func entries(
        _ slot: ClassLayout.Slot, _ type: any PersistedCollection.Type, _ value: Any
    ) throws(Misfit) -> [(key: String, value: _StoredValue)] {
        guard let content = UntypedValue.content(value) else { return [] }
        var result: [(key: String, value: _StoredValue)] = []
        if let collection = content as? any PersistedCollection {
            guard case .entries(let entries) = collection.contents,
                slot.holdsTheSame(Swift.type(of: collection).elementType)
            else {
                throw Misfit(content, for: type, slot.property)
            }
            for (key, value) in entries { result.append((key, try element(slot, value, "[\"\(key)\"]"))) }
            return result
        }
        guard let values = ObjectSource.dictionary(content) else { throw Misfit(content, for: type, slot.property) }
        let elementType = type.elementType
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            result.append((key, try element(slot, elementType, value, "[\"\(key)\"]")))
        }
        return result
    }

    private mutating func element(
        _ slot: ClassLayout.Slot, _ type: any _Persistable.Type, _ value: Any, _ step: @autoclosure () -> String
    ) throws(Misfit) -> _StoredValue {
        do throws(Misfit) {
            return try single(slot, type, value)
        } catch {
            throw error.inside(step())
        }
    }

    /// An element of another collection.
    private mutating func element(
        _ slot: ClassLayout.Slot, _ stored: _StoredValue, _ step: @autoclosure () -> String
    ) throws(Misfit) -> _StoredValue {
        do throws(Misfit) {
            guard slot.property.type == .object, case .object(let object as ObjectBase) = stored else {
                return try owned(stored)
            }
            return .object(try link(slot, to: object))
        } catch {
            throw error.inside(step())
        }
    }

    /// The elements of a sequence, other than text, dictionaries, and collections of a realm with other elements.
    private static func array(_ value: Any, _ slot: ClassLayout.Slot) -> [Any]? {
        if let values = UntypedValue.exactly(value, [Any].self) ?? value as? [Any] { return values }
        if UntypedValue.scalar(value) != nil || ObjectSource.dictionary(value) != nil { return nil }
        func holdsTheSame<Collection: RealmCollectionBase>(_: Collection) -> Bool {
            slot.holdsTheSame(Collection.Element.self)
        }
        if let collection = value as? any RealmCollectionBase, !holdsTheSame(collection) { return nil }
        func all(_ sequence: some Sequence) -> [Any] { sequence.map { $0 } }
        return (value as? any Sequence).map { all($0) }
    }

    // MARK: Links

    /// The value of a link, or of a custom type that is stored as an embedded object.
    private mutating func link(
        _ slot: ClassLayout.Slot, _ type: any _Persistable.Type, _ value: Any
    ) throws(Misfit) -> _StoredValue {
        guard let content = UntypedValue.content(value) else {
            guard let null = type._accepted(value) else { throw Misfit(value, for: type) }
            return null
        }
        if let object = UntypedValue.object(content) { return .object(try link(slot, to: object)) }
        if case .object(let object as ObjectBase) = type._accepted(content) {
            return .object(try link(slot, to: object))
        }
        guard let target = slot.target, let source = ObjectSource(content) else {
            throw Misfit(content, linkTo: slot.property.objectClassName ?? "nothing")
        }
        return .object(try new(target, from: source))
    }

    /// The object to which a link to an object will lead.
    private mutating func link(_ slot: ClassLayout.Slot, to object: ObjectBase) throws(Misfit) -> ObjectBase {
        guard let target = slot.target, object.layout.schema.className == slot.property.objectClassName else {
            throw Misfit(object, linkTo: slot.property.objectClassName ?? "nothing")
        }
        return try owned(object, as: target)
    }

    /// A value of any type, with copies of the objects that may not be linked to themselves.
    private mutating func owned(_ stored: _StoredValue) throws(Misfit) -> _StoredValue {
        switch stored {
        case .object(let object as ObjectBase): return .object(try owned(object))
        case .elements(let values): return .elements(try values.map { (value) throws(Misfit) in try owned(value) })
        case .entries(let entries):
            return .entries(try entries.map { (entry) throws(Misfit) in (entry.key, try owned(entry.value)) })
        default: return stored
        }
    }

    private mutating func owned(_ object: ObjectBase) throws(Misfit) -> ObjectBase {
        try owned(object, as: type(of: object))
    }

    /// The object itself, or a copy if `create` may not link to it, or if it is embedded and has an owner.
    private mutating func owned(_ given: ObjectBase, as target: ObjectBase.Type) throws(Misfit) -> ObjectBase {
        let object = typed(given, as: target)
        guard let session else {
            let isOwned = object._mode == .live && target is EmbeddedObject.Type
                && object._session?.hasOwner(object) ?? true
            return isOwned ? try new(target, from: .object(object)) : object
        }
        if object._session === session && object._mode == .live && !(target is EmbeddedObject.Type) { return object }
        return try new(target, from: .object(object))
    }

    /// A dynamic object as one of its class; any other object, and one of another realm, as it is.
    private func typed(_ object: ObjectBase, as target: ObjectBase.Type) -> ObjectBase {
        guard object is DynamicObject, target != DynamicObject.self, object._mode == .live,
            session == nil || object._session === session,
            let managed = object._session?.classes.known(target.className()), managed.layout.type == target
        else { return object }
        return managed.makeObject(object.row.key)
    }
}

/// A set of slots.
struct SlotSet {
    private var first: UInt64 = 0
    /// Those from the 65th on.
    private var others: Set<Int> = []

    var count: Int { first.nonzeroBitCount + others.count }

    func contains(_ slot: Int) -> Bool { slot < 64 ? first & 1 << slot != 0 : others.contains(slot) }

    mutating func insert(_ slot: Int) {
        if slot < 64 { first |= 1 << slot } else { others.insert(slot) }
    }
}

extension ClassLayout.Slot {
    /// A value, or what is stored for it if it is one of an enum or of another custom type, and the property one of a
    /// dynamic object, which does not know such types.
    fileprivate func accepting(_ value: Any) -> Any { offset < 0 ? UntypedValue.plain(value) ?? value : value }

    /// Whether a collection with elements of a type holds what the property holds. Dynamic objects are of any class.
    fileprivate func holdsTheSame(_ elementType: any _Persistable.Type) -> Bool {
        let shape = elementType._shape
        guard shape.type == property.type else { return false }
        guard shape.type == .object else { return shape.isOptional == property.isOptional }
        guard let target = shape.target as? ObjectBase.Type else { return true }
        return target == DynamicObject.self || target.className() == property.objectClassName
            || access._collectionType?.elementType._shape.target == DynamicObject.self
    }
}

/// What an object can be made of.
enum ObjectSource {
    /// Values by the names of properties.
    case named([String: Any])
    /// Values in the order of the properties.
    case values([Any])
    case object(ObjectBase)

    init(whole value: Any) throws(Misfit) {
        if let values = UntypedValue.exactly(value, [String: Any].self) {
            self = .named(values)
            return
        }
        guard let source = UntypedValue.content(value).flatMap({ ObjectSource($0) }) else { throw Misfit(whole: value) }
        self = source
    }

    /// Nil for a value that is none of these.
    init?(_ value: Any) {
        if let values = UntypedValue.exactly(value, [String: Any].self) {
            self = .named(values)
        } else if let values = UntypedValue.exactly(value, [Any].self) {
            self = .values(values)
        } else if let object = UntypedValue.object(value) {
            self = .object(object)
        } else if let values = value as? [Any] {
            self = .values(values)
        } else if let values = Self.dictionary(value) {
            self = .named(values)
        } else {
            return nil
        }
    }

    /// A dictionary of any type, without the keys that are no texts.
    static func dictionary(_ value: Any) -> [String: Any]? {
        if let values = value as? [String: Any] { return values }
        guard let values = value as? [AnyHashable: Any] else { return nil }
        var result: [String: Any] = [:]
        for (key, value) in values { if let name = key as? String { result[name] = value } }
        return result
    }
}
