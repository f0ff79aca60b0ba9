// SPDX-License-Identifier: MIT
// Object.swift -- the base class of everything that is stored.

/// The base class of stored objects.
///
/// Declare a subclass and mark its stored properties with ``Persisted``:
///
/// ```swift
/// class Dog: Object {
///     @Persisted(primaryKey: true) var id: ObjectId
///     @Persisted var name = ""
///     @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
/// }
/// ```
///
/// An object is unmanaged, an ordinary Swift object, until it is added to a realm. From then on it is live: its
/// properties show what the realm holds and are changed inside write transactions only. A live object belongs to the
/// thread of its realm, and keeps the realm open.
open class Object: ObjectBase {
    /// Creates an unmanaged object with the default values of its properties.
    public required init() { super.init() }
}
