// SPDX-License-Identifier: MIT
// Query+Embedded.swift -- comparison of custom types that are stored as embedded objects.

/// Compares the embedded objects that a path leads to with values, member by member.
///
/// A path through collections is compared as one of numbers is: `==` holds if all members of one object are equal, `!=`
/// if some object, or nil, is another value.
struct MemberwiseEquality {
    private let path: QueryPath
    /// Whether the path may lead to nil among the elements of a collection, as in a map.
    private let hasNil: Bool

    /// Nil if the values are of a type that is compared as it is: no custom type, or one stored as a plain value.
    init?(_ path: QueryPath, of type: any _Persistable.Type) {
        guard type._shape.type == .object, Self.applies(to: type) else { return nil }
        self.path = path
        hasNil = path.isElement && type is any _CustomOptional.Type
    }

    /// Whether values of a type that is stored as objects are compared by the members of the objects.
    static func applies(to type: any _Persistable.Type) -> Bool {
        type is any _CustomPersistable.Type || type is any _CustomOptional.Type
    }

    private func compareNil(_ op: QueryOperator) -> QueryNode {
        .comparison(op, .path(path), .constant(.value(.null)))
    }

    /// The path leads to one of some values.
    func isIn(_ values: [_StoredValue]) -> QueryNode {
        var members: QueryNode?
        var mayBeNil = false
        for value in values {
            if case .object(let object as EmbeddedObject) = value {
                let equal = self.members(object)
                members = members.map { .compound(.or, $0, equal) } ?? equal
            } else {
                mayBeNil = true
            }
        }
        let together = members.map { QueryNode.together($0) }
        guard mayBeNil else { return together ?? .truth(false) }
        return together.map { .compound(.or, $0, compareNil(.equal)) } ?? compareNil(.equal)
    }

    /// The path leads to another value.
    func isNot(_ value: _StoredValue) -> QueryNode {
        guard case .object(let object as EmbeddedObject) = value else { return compareNil(.notEqual) }
        var differs = QueryNode.not(members(object))
        guard path.isAny else { return differs }
        // An element whose path to the value meets a nil link has no value that could be another one.
        if let owner = path.owner {
            differs = .compound(.and, .comparison(.notEqual, .path(owner), .constant(.value(.null))), differs)
        }
        // The objects of a map are counted, but not its nils.
        return hasNil ? .compound(.or, .together(differs), compareNil(.equal)) : .together(differs)
    }

    /// All members have the values of an object.
    private func members(_ object: EmbeddedObject) -> QueryNode {
        let layout = ClassLayout.of(type(of: object))
        var result: QueryNode?
        var mayBeMissing = true
        for (index, slot) in layout.slots.enumerated() {
            let property = slot.property
            if property.isCollection || property.type == .object || property.type == .linkingObjects {
                misuse(
                    "\(layout.schema.className) cannot be compared member by member, because "
                        + "\(layout.schema.className).\(property.name) is no plain value; "
                        + "compare its members one by one")
            }
            let value = Self.value(of: object, slot, index)
            if case .null = value {} else { mayBeMissing = false }
            let member = path.appending(.names(PropertyNames([property.name], from: layout.type)))
            let equal = QueryNode.comparison(.equal, .path(member), .constant(.value(value)))
            result = result.map { .compound(.and, $0, equal) } ?? equal
        }
        // The members of a missing object are nil as well.
        guard let result else { return compareNil(.notEqual) }
        return mayBeMissing ? .compound(.and, compareNil(.notEqual), result) : result
    }

    private static func value(of object: EmbeddedObject, _ slot: ClassLayout.Slot, _ index: Int) -> _StoredValue {
        guard let managed = object.managed else { return slot.access._unmanagedValue(slot.wrapper(in: object)) }
        if object.isInvalidated { return .null }
        return slot.access._managedValue(object.row, managed.columns[index])
    }
}
