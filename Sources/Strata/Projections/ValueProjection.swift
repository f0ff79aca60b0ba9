// SPDX-License-Identifier: MIT
// ValueProjection.swift -- values made of some properties of objects, to be passed anywhere.

/// A value that is made of some properties of an object, and knows nothing of it any more.
///
/// ```swift
/// struct PersonRow: ValueProjection {
///     let name: String, breed: String?
///     init(projecting person: Person) {
///         name = person.name
///         breed = person.dog?.breed
///     }
/// }
///
/// let rows = realm.objects(Person.self).sorted(by: \.name).project(to: PersonRow.self)  // [PersonRow]
/// ```
public protocol ValueProjection: Sendable {
    /// The class of the objects.
    associatedtype Root: ObjectBase
    /// Takes what is needed of an object, which must not be kept.
    init(projecting object: Root)
}

extension RealmCollection where Element: ObjectBase {
    /// A value for each object, in one pass: one object shows one row after the other, and only the properties that the
    /// value reads are read.
    public func project<Row: ValueProjection>(to type: Row.Type) -> [Row] where Row.Root == Element {
        map { Row(projecting: $0) }
    }
}
