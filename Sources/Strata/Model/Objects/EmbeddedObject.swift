// SPDX-License-Identifier: MIT
// EmbeddedObject.swift -- the base class of objects that belong to another object.

/// The base class of stored objects that live only inside of another object.
///
/// ```swift
/// class Address: EmbeddedObject {
///     @Persisted var street = ""
///     @Persisted var city = ""
/// }
///
/// class Person: Object {
///     @Persisted var home: Address?
///     @Persisted var former: List<Address>
/// }
/// ```
///
/// An embedded object is stored by assigning it to a property, or by putting it into a list or a map, of an object; it
/// cannot be added by itself. It has exactly one owner: it is deleted with it, and also when the owner no longer holds
/// it. To give it to another owner, assign a copy, `Address(value: person.home!)`. It has no primary key.
open class EmbeddedObject: ObjectBase {
    /// Creates an unmanaged object with the default values of its properties.
    public required init() { super.init() }
}
