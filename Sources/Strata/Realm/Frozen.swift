// SPDX-License-Identifier: MIT
// Frozen.swift -- passing on what is frozen, as the compiler sees it. An addition to Realm's API.

/// What can be frozen. Not for use by programs.
public protocol _Freezable {
    func freeze() -> Self
}

extension Realm: _Freezable {}
extension AnyRealmCollection: _Freezable {}
extension SectionedResults: _Freezable {}
extension ResultsSection: _Freezable {}

/// A frozen object, collection or realm that every task, actor and thread may use, many at once.
///
/// ```swift
/// let people = Frozen(realm.objects(Person.self))
/// Task.detached { print(people.value.count) }
/// ```
///
/// What `freeze()` gives may be read on every thread, too, but its type is that of the live one, which must not be
/// passed on, and the compiler cannot tell them apart. This wrapper holds nothing but what is frozen.
///
/// It keeps a version of the file, see ``Realm/freeze()``. Properties of a class that are not stored are variables of
/// the frozen object as of every other: do not set them while others read them.
///
/// Thread: any.
public struct Frozen<Content: _Freezable>: @unchecked Sendable {
    /// What is frozen.
    public let value: Content

    /// Freezes an object, a collection or a realm; one that is frozen stays as it is. Stops the program if it cannot be
    /// frozen, see ``ThreadConfined/freeze()``.
    public init(_ content: Content) { value = content.freeze() }
}
