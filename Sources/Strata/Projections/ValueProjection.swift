// SPDX-License-Identifier: MIT
// ValueProjection.swift -- values made of some properties of objects, to be passed anywhere.
//
// The loop is compiled into programs, so that their initialisers read properties in place.

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
    /// A value for each object, in one pass: the query is run once, one object shows one row after the other, and only
    /// the properties that the value reads are read, out of the file. Nothing else is allocated for a row.
    ///
    /// A property behind a link costs an object for each row, as following a link always does.
    @inlinable
    public func project<Row: ValueProjection>(to type: Row.Type) -> [Row] where Row.Root == Element {
        var objects = makeIterator(), rows: [Row] = []
        rows.reserveCapacity(count)  // asked after the query was run, so that it is run once
        while let object = objects.next() { rows.append(Row(projecting: object)) }
        return rows
    }
}
