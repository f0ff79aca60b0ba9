// SPDX-License-Identifier: MIT
// ValidatedObject.swift -- classes that say which data they refuse. An addition to Realm's API.

/// A class whose objects are asked whether they may be stored, changed and deleted as a write would have it.
///
/// ```swift
/// enum BookingError: Error { case forNobody, isPaid }
///
/// class Booking: Object, ValidatedObject {
///     @Persisted(primaryKey: true) var number: Int
///     @Persisted var guests = 1
///     @Persisted var isPaid = false
///
///     func validate() throws {
///         if guests < 1 { throw BookingError.forNobody }
///     }
///
///     func validateDelete() throws {
///         if isPaid { throw BookingError.isPaid }
///     }
/// }
/// ```
///
/// At the end of each write ``validateCreate()`` is called for every object of the class that the write created, and
/// ``validateChange(of:)`` for every other one that it changed; so an object may be wrong while a write is under way.
/// What is gone by then is not asked. ``validateDelete()`` is called at once when an object is about to be deleted,
/// also one that the write created; it then still has its values, its links and those who link to it. If one of them
/// throws, the write is rolled back and throws that error: `write`, `commitWrite`, `asyncWrite` and
/// ``RealmStore/write(within:_:)``; `writeAsync` passes it to its completion.
///
/// An embedded object is a part of its owner: if it changes, its owner has changed in the property that holds it.
///
/// The methods are called on the thread of the write, on live objects, whose properties that are not persisted have
/// their initial values. They may read whatever the write sees; to change anything there, or to begin to observe it,
/// stops the program. A property counts as changed if it was assigned, even if to the value that it had, and a list,
/// set or map if something was done to its elements, also because an object is gone to which it linked. What becomes of
/// the objects to which it links otherwise, or of those that link to it, does not count. After more than a million
/// changes in one write, among which are new links to objects that were there before, all properties of all objects of
/// the class count as changed.
///
/// Only writes through a realm that holds the class ask it. Migrations do not, nor does what changes the file without
/// the class: programs in C, the tool, and realms whose `objectTypes` lack it. A class costs nothing by this unless it,
/// or another one of the realm, is a `ValidatedObject`.
///
/// A class that names the protocol must have the methods that its subclasses override.
public protocol ValidatedObject: ObjectBase {
    /// Throws if the object must not be stored as it is. A program can also call it before it adds an object.
    func validate() throws

    /// Throws if the object, which the write created, must not be stored as it is. Unless the class has another one, it
    /// calls ``validate()``.
    func validateCreate() throws

    /// Throws if the object, which the write changed, must not be stored as it is. Unless the class has another one, it
    /// calls ``validate()``.
    ///
    /// - Parameter properties: the names of the properties that were assigned, and of the collections that changed.
    func validateChange(of properties: Set<String>) throws

    /// Throws if the object must not be deleted. Unless the class has another one, everything may be.
    ///
    /// `deleteAll()` asks all objects before it deletes the first one. An embedded object is also asked before its
    /// owner is deleted, and when it has been taken from its owner, because that has another one, or its list is
    /// shorter.
    func validateDelete() throws
}

extension ValidatedObject {
    public func validate() throws {}
    public func validateCreate() throws { try validate() }
    public func validateChange(of properties: Set<String>) throws { try validate() }
    public func validateDelete() throws {}
}
