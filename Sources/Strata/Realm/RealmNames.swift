// SPDX-License-Identifier: MIT
// RealmNames.swift -- names that generic code written for Realm uses for what is one thing here.

/// ``Object``, in files where something else has that name.
public typealias RealmSwiftObject = Object

/// ``EmbeddedObject``, in files where something else has that name.
public typealias RealmSwiftEmbeddedObject = EmbeddedObject

/// A type that says which type is stored for it. Every type of properties does.
public typealias _HasPersistedType = _Persistable

/// A type of properties that a key path can name to sort by.
public typealias KeypathSortable = SortableType

extension RealmCollectionBase {
    /// The type of the elements.
    public typealias ElementType = Element
}
