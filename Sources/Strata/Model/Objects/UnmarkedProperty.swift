// SPDX-License-Identifier: MIT
// UnmarkedProperty.swift -- properties declared without @Persisted: lists, linking objects and boxes.

/// A type of fields that are persisted in classes that mark none of their properties with ``Persisted``.
protocol UnmarkedProperty {
    static var access: any PersistedAccess.Type { get }
    /// How a field of this type, which is at an address, is declared with ``Persisted``.
    static func declaration(_ name: String, _ field: UnsafeMutableRawPointer) -> String
}

/// A collection that is the value of a field: `let dogs = List<Dog>()`.
enum CollectionField<Value: _Persistable & PersistedCollection>: TypedAccess {
    private static func at(_ field: UnsafeMutableRawPointer) -> Value { field.load(as: Value.self) }

    static var _wrapperSize: Int? { nil }
    static func _flags(_ field: UnsafeMutableRawPointer) -> UInt32 { 0 }
    static func _unmanagedValue(_ field: UnsafeMutableRawPointer) -> _StoredValue { Value._stored(at(field)) }
    static func _set(_ field: UnsafeMutableRawPointer, _ value: _StoredValue) -> Bool {
        guard let value = Value._value(value) else { return false }
        _ = Value._assigned(value, over: at(field))
        return true
    }
    static func _forget(_ field: UnsafeMutableRawPointer) {}
    static func _plain(_ field: UnsafeMutableRawPointer) -> Any? { at(field) }
    static func _record(_ field: UnsafeMutableRawPointer, _ row: _Row, slot: Int) -> AnyObject? { at(field) }
    static func _attach(_ field: UnsafeMutableRawPointer, _ managed: ManagedClass, _ row: _Row, slot: Int) {
        let generation = managed.session.generation
        at(field).becomeManaged(
            ManagedCollection(managed, row.key, managed.columns[slot], generation: generation))
    }
}

/// The objects that link here, as the value of a field: `let owners = LinkingObjects(fromType:property:)`.
enum LinkingField<Element: Object>: TypedAccess {
    typealias Value = LinkingObjects<Element>

    private static func at(_ field: UnsafeMutableRawPointer) -> Value { field.load(as: Value.self) }

    static var _wrapperSize: Int? { nil }
    static func _flags(_ field: UnsafeMutableRawPointer) -> UInt32 { 0 }
    static func _unmanagedValue(_ field: UnsafeMutableRawPointer) -> _StoredValue { Value._stored(at(field)) }
    static func _set(_ field: UnsafeMutableRawPointer, _ value: _StoredValue) -> Bool { false }
    static func _forget(_ field: UnsafeMutableRawPointer) {}
    static func _plain(_ field: UnsafeMutableRawPointer) -> Any? { at(field) }
    static func _record(_ field: UnsafeMutableRawPointer, _ row: _Row, slot: Int) -> AnyObject? { nil }
    static func _attach(_ field: UnsafeMutableRawPointer, _ managed: ManagedClass, _ row: _Row, slot: Int) {
        at(field).becomeManaged(managed, row.key, slot)
    }
}

extension List: UnmarkedProperty {
    static var access: any PersistedAccess.Type { CollectionField<List>.self }
    static func declaration(_ name: String, _ field: UnsafeMutableRawPointer) -> String {
        "@Persisted var \(name): \(TypeName.text("List", Element.self))"
    }
}

extension MutableSet: UnmarkedProperty {
    static var access: any PersistedAccess.Type { CollectionField<MutableSet>.self }
    static func declaration(_ name: String, _ field: UnsafeMutableRawPointer) -> String {
        "@Persisted var \(name): \(TypeName.text("MutableSet", Element.self))"
    }
}

extension Map: UnmarkedProperty {
    static var access: any PersistedAccess.Type { CollectionField<Map>.self }
    static func declaration(_ name: String, _ field: UnsafeMutableRawPointer) -> String {
        "@Persisted var \(name): \(TypeName.text("Map", Key.self, Value.self))"
    }
}

extension LinkingObjects: UnmarkedProperty {
    static var access: any PersistedAccess.Type { LinkingField<Element>.self }
    static func declaration(_ name: String, _ field: UnsafeMutableRawPointer) -> String {
        let origin = field.load(as: LinkingObjects.self).propertyName
        return "@Persisted(originProperty: \"\(origin)\") var \(name): \(TypeName.text("LinkingObjects", Element.self))"
    }
}
