// SPDX-License-Identifier: MIT
// DynamicObject.swift -- objects whose properties are used by their names.

/// An object of a class that the program names by a string, or does not know.
///
/// ```swift
/// let dog = realm.dynamicObjects("Dog").first
/// dog?.name                  // Any?
/// dog?["age"] as? Int
/// try realm.write { dog?["age"] = 3 }
/// ```
///
/// Links lead to objects of a class of the program, where it has that class, and to dynamic objects otherwise.
/// Collections hold dynamic objects.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// The value of a property; the same as `self["name"]`.
    public subscript(dynamicMember member: String) -> Any? {
        get { self[member] }
        set { self[member] = newValue }
    }
}

extension ObjectBase {
    /// A list of objects by its name; stops the program if the property is something else. A list of values is read by
    /// the subscript: `object["minutes"] as? List<Int>`.
    public final func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        collection(propertyName, "list", \.isArray)
    }

    /// A set of objects by its name; stops the program if the property is something else.
    public final func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        collection(propertyName, "set", \.isSet)
    }

    /// A map of objects by its name; stops the program if the property is something else.
    public final func dynamicMap<Key: _MapKey>(_ propertyName: String) -> Map<Key, DynamicObject?> {
        collection(propertyName, "map", \.isMap)
    }

    /// A collection of a managed object, as one of dynamic objects.
    private func collection<Value: _Persistable>(
        _ name: String, _ what: String, _ isRight: KeyPath<Property, Bool>
    ) -> Value {
        let index = slotIndex(name)
        let property = layout.slots[index].property
        if !property[keyPath: isRight] || property.type != .object {
            let type = (layout.slots[index].access as? any TypedAccess.Type)?.valueType
            let fix = type.map { "; it is a \($0), which object[\"\(name)\"] gives" } ?? ""
            misuse("\(layout.schema.className).\(name) is no \(what) of objects\(fix)")
        }
        guard let managed, let session = _session, _mode == .live else {
            misuse("\(type(of: self)) is not managed, so its \(what) \(name) has no dynamic objects; add it first")
        }
        let owner = session.classes.dynamic(managed.layout.schema.className).makeObject(row.key)
        return Value._read(owner.row, managed.columns[index])
    }
}
