// SPDX-License-Identifier: MIT
// KeyPathProbe.swift -- whether a key path returns the value of the property it reads, or something computed from it.

import Foundation

/// Sets the property that a key path reads to some values, in an unmanaged object, and compares them with what the key
/// path returns.
///
/// For objects and collections only the types are compared.
struct KeyPathProbe {
    /// The objects that the names lead through, outermost first, and the field of each.
    private var steps: [(object: ObjectBase, slot: ClassLayout.Slot)] = []
    /// The projection of the first object, at which the key path begins; nil if it begins at the object.
    private let projection: (any ProjectionObservable.Type)?

    /// All names but the last must be those of links.
    init(_ names: [String], from root: ObjectBase.Type, shownBy projection: (any ProjectionObservable.Type)? = nil) {
        self.projection = projection
        var type = root
        for name in names {
            let layout = ClassLayout.of(type)
            guard let slot = layout.index(of: name).map({ layout.slots[$0] }) else { return }
            steps.append((type.init(), slot))
            type = slot.target ?? type
        }
    }

    /// Whether a key path that reads the property returns its values unchanged.
    func isGiven(by keyPath: AnyKeyPath) -> Bool {
        guard let (object, slot) = steps.last, let access = slot.access as? any TypedAccess.Type else { return true }
        let given = UntypedValue.unwrap(type: type(of: keyPath).valueType)
        if given is AnyObject.Type { return true }
        guard given == UntypedValue.unwrap(type: access.valueType) || given == access.storedType else { return false }
        if steps.dropLast().contains(where: { Self.isCustom($0.slot) || $0.slot.property.isCollection }) { return true }
        let values = Self.values(slot, access)
        return values.allSatisfy { value in
            guard access._set(slot.wrapper(in: object), value), connect() else { return true }
            let start: Any = projection?.make(steps[0].object) ?? steps[0].object
            guard let read = start[keyPath: keyPath].flatMap(Self.stored) else { return true }
            return _StoredValue.order(read, access._unmanagedValue(slot.wrapper(in: object))) == 0
        }
    }

    /// Makes each object link to the next.
    private func connect() -> Bool {
        zip(steps, steps.dropFirst()).allSatisfy { step, next in
            step.slot.access._set(step.slot.wrapper(in: step.object), .object(next.object))
        }
    }

    /// Whether values are made by code of the program, which may not accept the values that are tried here.
    private static func isCustom(_ slot: ClassLayout.Slot) -> Bool {
        guard let access = slot.access as? any TypedAccess.Type else { return false }
        let type: Any.Type = UntypedValue.unwrap(type: access.valueType)
        return type is any _CustomPersistable.Type || type is any RealmEnum.Type && !(type is any PersistableEnum.Type)
    }

    /// Values that few computations leave unchanged. Large ones, for which a computation may overflow, are last. Values
    /// that do not fit the property are skipped.
    private static func values(_ slot: ClassLayout.Slot, _ access: any TypedAccess.Type) -> [_StoredValue] {
        if isCustom(slot) || slot.property.isCollection { return [] }
        if let type = UntypedValue.unwrap(type: access.valueType) as? any PersistableEnum.Type {
            return type.storedCases + [.null]
        }
        let numbers = [113.5, -97.25, 2e9]
        let values: [_StoredValue] =
            switch slot.property.type {
            case .bool: [.bool(true), .bool(false)]
            case .int: [.int(113), .int(-97), .int(30_011), .int(2_000_000_011)]
            case .float: numbers.map { .float(Float($0)) }
            case .double: numbers.map { .double($0) }
            case .decimal128: numbers.map { .decimal(Decimal128($0)) }
            case .date: numbers.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            case .string: [.string(" aB 9é "), .string(String(repeating: "x", count: 300))]
            case .data: [.data(Data([9, 0, 1])), .data(Data([2, 3]))]
            case .UUID: [.uuid(UUID()), .uuid(UUID())]
            case .objectId: [.objectId(.generate()), .objectId(.generate())]
            case .any: [.int(113), .string(" aB 9é ")]
            case .object, .linkingObjects: []
            }
        return values.isEmpty ? [] : values + [.null]
    }

    /// The general form of a value that a key path returned; nil if it has none.
    private static func stored(_ value: Any) -> _StoredValue? {
        func stored<Value: _Persistable>(_ value: Value) -> _StoredValue { Value._stored(value) }
        return (value as? any _Persistable).map { stored($0) }
    }

}

extension PersistableEnum {
    fileprivate static var storedCases: [_StoredValue] { allCases.map(_stored) }
}

extension TypedAccess {
    /// The type of the values.
    static var valueType: Any.Type { Value.self }
    /// The type behind enums and custom types, without Optionals.
    fileprivate static var storedType: Any.Type {
        func stored<V: _Persistable>(_: V.Type) -> Any.Type { V.PersistedType.self }
        return UntypedValue.unwrap(type: stored(Value.self))
    }
}
