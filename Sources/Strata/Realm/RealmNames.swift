// SPDX-License-Identifier: MIT
// RealmNames.swift -- names that generic code written for Realm uses for what is one thing here.

/// ``Object``, in files where something else has that name.
public typealias RealmSwiftObject = Object

/// ``EmbeddedObject``, in files where something else has that name.
public typealias RealmSwiftEmbeddedObject = EmbeddedObject

/// A type of properties that a key path can name to sort by.
public typealias KeypathSortable = SortableType

extension RealmCollectionBase {
    /// The type of the elements.
    public typealias ElementType = Element
}
