// SPDX-License-Identifier: MIT
// Query+Embedded.swift -- comparison of custom types that are stored as embedded objects.

/// Compares an embedded object with a value, member by member.
struct MemberwiseEquality {
    private let path: QueryPath

    init(_ path: QueryPath) { self.path = path }

    /// Whether values of a type that is stored as objects are compared by the members of the objects.
    static func applies(to type: any _Persistable.Type) -> Bool {
        type is any _CustomPersistable.Type || type is any _CustomOptional.Type
    }

    /// All members have the values of an object.
    func condition(_ object: EmbeddedObject) -> QueryNode {
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
        let exists = QueryNode.comparison(.notEqual, .path(path), .constant(.value(.null)))
        guard let result else { return exists }
        return mayBeMissing ? .compound(.and, exists, result) : result
    }

    private static func value(of object: EmbeddedObject, _ slot: ClassLayout.Slot, _ index: Int) -> _StoredValue {
        guard let managed = object.managed else { return slot.access._unmanagedValue(slot.wrapper(in: object)) }
        if object.isInvalidated { return .null }
        return slot.access._managedValue(object.row, managed.columns[index])
    }
}
