// SPDX-License-Identifier: MIT
// ObjectSnapshot.swift -- a copy of an object that can be passed to every thread and task. An addition to Realm's API.

/// The values that an object had at some moment. It belongs to no realm, never changes, and can be passed to every
/// thread, task and actor.
///
/// ```swift
/// let people = realm.objects(Person.self)
/// let copies = people.map { $0.snapshot(including: \.dogs) }
/// Task.detached {
///     for person in copies { print(person.name, person.dogs.map(\.name)) }
/// }
/// ```
///
/// It has the properties of the object by their names. To-one links are Optional snapshots, and collections are arrays
/// and dictionaries. It holds no version of the file. See ``ThreadSafeReference`` for passing on an object itself.
@dynamicMemberLookup
public struct ObjectSnapshot<Element: ObjectBase>: Sendable {
    let copy: ObjectCopy

    init(_ copy: ObjectCopy) { self.copy = copy }

    fileprivate func value(_ keyPath: AnyKeyPath) -> CopiedValue? {
        let names = KeyPathNames.of(keyPath)
        guard let value = copy.value(names) else { return nil }
        if names.count == 1, let index = copy.layout.index(of: names[0]) { return value.included(copy, index) }
        return value
    }

    /// The value of a property.
    public subscript<Value: _Persistable & Sendable>(dynamicMember keyPath: KeyPath<Element, Value>) -> Value {
        let stored = value(keyPath)?.stored ?? .null
        if let value = Value._value(stored) { return value }
        misuse(
            "\(Element.self).\(KeyPathNames.joined(keyPath)) holds \(stored.text), which is no \(Value.self); declare "
                + "the property as Optional")
    }

    /// The object that a link leads to. Stops the program if the snapshot was made without it.
    public subscript<Target: ObjectBase>(
        dynamicMember keyPath: KeyPath<Element, Target?>
    ) -> ObjectSnapshot<Target>? {
        if case .object(let copy) = value(keyPath) { ObjectSnapshot<Target>(copy) } else { nil }
    }

    /// The objects of a list. Stops the program if the snapshot was made without them.
    public subscript<Target: ObjectBase>(
        dynamicMember keyPath: KeyPath<Element, List<Target>>
    ) -> [ObjectSnapshot<Target>] { objects(keyPath) }

    /// The objects of a set. Stops the program if the snapshot was made without them.
    public subscript<Target: ObjectBase>(
        dynamicMember keyPath: KeyPath<Element, MutableSet<Target>>
    ) -> [ObjectSnapshot<Target>] { objects(keyPath) }

    /// The objects that link here. Stops the program if the snapshot was made without them.
    public subscript<Target: ObjectBase>(
        dynamicMember keyPath: KeyPath<Element, LinkingObjects<Target>>
    ) -> [ObjectSnapshot<Target>] { objects(keyPath) }

    /// The objects of a map; keys whose objects were deleted are left out. Stops the program if the snapshot was made
    /// without them.
    public subscript<Key: _MapKey, Target: ObjectBase>(
        dynamicMember keyPath: KeyPath<Element, Map<Key, Target?>>
    ) -> [Key: ObjectSnapshot<Target>] {
        var result: [Key: ObjectSnapshot<Target>] = [:]
        for case (let key, .object(let copy)) in entries(keyPath) {
            result[Key(_mapKey: key)] = ObjectSnapshot<Target>(copy)
        }
        return result
    }

    /// The values of a list.
    public subscript<Value: _Persistable & Sendable>(
        dynamicMember keyPath: KeyPath<Element, List<Value>>
    ) -> [Value] { values(keyPath) }

    /// The values of a set, in their order.
    public subscript<Value: _Persistable & Sendable>(
        dynamicMember keyPath: KeyPath<Element, MutableSet<Value>>
    ) -> [Value] { values(keyPath) }

    /// The values of a map.
    public subscript<Key: _MapKey, Value: _Persistable & Sendable>(
        dynamicMember keyPath: KeyPath<Element, Map<Key, Value>>
    ) -> [Key: Value] {
        var result: [Key: Value] = [:]
        for (key, value) in entries(keyPath) { result[Key(_mapKey: key)] = Value._value(value.stored) }
        return result
    }

    /// A value of any type: nil, a plain value, an array, a dictionary by strings, or an `ObjectSnapshot<Object>`, see
    /// ``of(_:)``.
    public subscript(dynamicMember keyPath: KeyPath<Element, AnyRealmValue>) -> (any Sendable)? {
        value(keyPath)?.plain
    }

    private func objects<Target: ObjectBase>(_ keyPath: AnyKeyPath) -> [ObjectSnapshot<Target>] {
        guard case .elements(let values) = value(keyPath) else { return [] }
        return values.compactMap { if case .object(let copy) = $0 { ObjectSnapshot<Target>(copy) } else { nil } }
    }

    private func values<Value: _Persistable>(_ keyPath: AnyKeyPath) -> [Value] {
        guard case .elements(let values) = value(keyPath) else { return [] }
        return values.compactMap { Value._value($0.stored) }
    }

    private func entries(_ keyPath: AnyKeyPath) -> [(key: String, value: CopiedValue)] {
        if case .entries(let entries) = value(keyPath) { entries } else { [] }
    }

    /// The same as a snapshot of a class; nil if the object was of another one.
    public func of<Target: ObjectBase>(_ type: Target.Type) -> ObjectSnapshot<Target>? {
        copy.layout.type == type ? ObjectSnapshot<Target>(copy) : nil
    }

    /// An unmanaged object with the same values, to be changed, or added to a realm. Links that the snapshot was made
    /// without are nil or empty.
    public func unmanaged() -> Element { unsafeDowncast(copy.unmanaged(), to: Element.self) }
}

extension CopiedValue {
    /// The value without its type.
    fileprivate var plain: (any Sendable)? {
        switch self {
        case .plain(let value): value.stored.sendable
        case .object(let copy): ObjectSnapshot<Object>(copy)
        case .elements(let values): values.map(\.plain)
        case .entries(let entries): Dictionary(entries.map { ($0.key, $0.value.plain) }) { $1 }
        case .leftOut: nil
        }
    }
}

extension _StoredValue {
    fileprivate var sendable: (any Sendable)? {
        switch self {
        case .bool(let value): value
        case .int(let value): Int(value)
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .uuid(let value): value
        case .objectId(let value): value
        case .decimal(let value): value
        case .null, .object, .collection, .elements, .entries: nil
        }
    }
}

// MARK: Making them

/// Objects that snapshots can be made of: all. Not for use by programs.
public protocol _SnapshotSource: ObjectBase {}

extension ObjectBase: _SnapshotSource {}

extension _SnapshotSource {
    /// A copy of the present values, for every thread: of all values, collections of values and embedded objects, and
    /// of the objects behind some links.
    ///
    /// ```swift
    /// let copy = people[0].snapshot(including: \.dogs)
    /// ```
    ///
    /// Each link costs a look at every object that it leads to. For links of these objects see ``snapshot(including:)``
    /// with names.
    ///
    /// - Parameter links: the links to follow, which may lead through others. Without any, links are left out, and
    ///   reading them stops the program.
    public func snapshot(including links: PartialKeyPath<Self>...) -> ObjectSnapshot<Self> {
        snapshot(links.map { KeyPathNames.of($0)[...] })
    }

    /// A copy of the present values, with the objects behind links by their names.
    ///
    /// ```swift
    /// let copy = people[0].snapshot(including: ["dogs", "dog"])
    /// ```
    ///
    /// - Parameter links: the links to follow; a name such as `"dogs.vet"` follows `dogs`, and `vet` of each.
    public func snapshot(including links: [String]) -> ObjectSnapshot<Self> {
        snapshot(links.map { $0.split(separator: ".").map(String.init)[...] })
    }

    private func snapshot(_ links: [ArraySlice<String>]) -> ObjectSnapshot<Self> {
        if isInvalidated { misuse("\(LiveRow.name(self)) was deleted, so that it has no values for a snapshot") }
        var paths = LinkPaths()
        for names in links { paths.add(names, from: layout) }
        var copier = ObjectCopier()
        return ObjectSnapshot(copier.copy(self, paths))
    }
}

// MARK: Other forms

extension ObjectSnapshot: Encodable {
    /// Encodes the properties by their names, without links that were left out.
    public func encode(to encoder: any Encoder) throws { try copy.encode(to: encoder) }
}

private struct PropertyKey: CodingKey {
    let stringValue: String
    init(stringValue: String) { self.stringValue = stringValue }
    var intValue: Int? { nil }
    init?(intValue: Int) { nil }
}

extension ObjectCopy: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PropertyKey.self)
        for (slot, value) in zip(layout.slots, values) {
            if case .leftOut = value { continue }
            try container.encode(value, forKey: PropertyKey(stringValue: slot.property.name))
        }
    }
}

extension CopiedValue: Encodable {
    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let copy): try copy.encode(to: encoder)
        case .elements(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        case .entries(let entries):
            var container = encoder.container(keyedBy: PropertyKey.self)
            for (key, value) in entries { try container.encode(value, forKey: PropertyKey(stringValue: key)) }
        case .plain(let value):
            var container = encoder.singleValueContainer()
            if let value = value.stored.sendable as? any Encodable {
                try container.encode(value)
            } else {
                try container.encodeNil()
            }
        case .leftOut:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }
}

extension ObjectSnapshot: Equatable {
    /// True if all values are equal, and the same links were asked for.
    public static func == (left: ObjectSnapshot, right: ObjectSnapshot) -> Bool { left.copy.isEqual(right.copy) }
}

extension ObjectCopy {
    fileprivate func isEqual(_ other: ObjectCopy) -> Bool {
        self === other || layout === other.layout && zip(values, other.values).allSatisfy { $0.isEqual($1) }
    }
}

extension CopiedValue {
    fileprivate func isEqual(_ other: CopiedValue) -> Bool {
        switch (self, other) {
        case (.plain(let one), .plain(let other)): _StoredValue.same(one.stored, other.stored)
        case (.object(let one), .object(let other)): one.isEqual(other)
        case (.elements(let one), .elements(let other)):
            one.count == other.count && zip(one, other).allSatisfy { $0.isEqual($1) }
        case (.entries(let one), .entries(let other)):
            one.count == other.count && zip(one, other).allSatisfy { $0.key == $1.key && $0.value.isEqual($1.value) }
        case (.leftOut, .leftOut): true
        default: false
        }
    }
}

extension ObjectSnapshot: CustomStringConvertible {
    /// The class and its values as text.
    public var description: String { copy.text(depth: ValueText.depth) }
}

extension ObjectCopy {
    fileprivate func text(depth: Int) -> String {
        if depth == 0 { return ValueText.tooDeep }
        let lines = zip(layout.slots, values).map { slot, value in
            "\t\(slot.property.name) = \(value.text(depth: depth - 1).replacing("\n", with: "\n\t"));\n"
        }
        return "\(layout.schema.className) {\n\(lines.joined())}"
    }
}

extension CopiedValue {
    fileprivate func text(depth: Int) -> String {
        switch self {
        case .object(let copy): copy.text(depth: depth)
        case .elements(let values): "[" + values.map { $0.text(depth: depth) }.joined(separator: ", ") + "]"
        case .entries(let entries):
            "[" + entries.map { "\($0.key): \($0.value.text(depth: depth))" }.joined(separator: ", ") + "]"
        case .plain(let value): value.stored.text
        case .leftOut: "(left out)"
        }
    }
}
