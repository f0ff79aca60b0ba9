// SPDX-License-Identifier: MIT
// RealmCollectionValue.swift -- what can be an element of a collection.

public import Foundation

/// A type whose values can be elements of a ``List``, a ``MutableSet`` or a ``Map``.
///
/// Programs use the types that conform, and declare none of their own but by the protocols named here:
///
/// - `Bool`; `Int`, `Int8`, `Int16`, `Int32` and `Int64`; `Float` and `Double`;
/// - `String`, `Data`, `Date`, `UUID`, ``ObjectId`` and ``Decimal128``;
/// - ``AnyRealmValue``, which needs no Optional because it may hold nothing;
/// - enums that are ``PersistableEnum``;
/// - types that are ``CustomPersistable`` or ``FailableCustomPersistable``;
/// - classes derived from ``Object`` or ``EmbeddedObject``, where a set holds no embedded objects;
/// - Optionals of these. The objects of a map are always Optional, those of a list or a set never.
public protocol RealmCollectionValue: _Persistable, Hashable {
    /// The element that an object in a collection, or in a result, stands for: the object itself where the elements are
    /// objects, and otherwise the value that is stored as the object.
    static func _element(of object: AnyObject) -> Self
}

/// An element that is an object, or shows one: objects and projections of them. Not for use by programs.
public protocol _ObjectElement: RealmCollectionValue {}

extension Bool: RealmCollectionValue {}
extension Int: RealmCollectionValue {}
extension Int8: RealmCollectionValue {}
extension Int16: RealmCollectionValue {}
extension Int32: RealmCollectionValue {}
extension Int64: RealmCollectionValue {}
extension Float: RealmCollectionValue {}
extension Double: RealmCollectionValue {}
extension String: RealmCollectionValue {}
extension Data: RealmCollectionValue {}
extension Date: RealmCollectionValue {}
extension UUID: RealmCollectionValue {}
extension ObjectId: RealmCollectionValue {}
extension Optional: RealmCollectionValue where Wrapped: RealmCollectionValue & _OptionalPersistable {}

extension _PropertyShape {
    /// The shape of a collection of values of this shape.
    func many(_ collection: Collection) -> _PropertyShape {
        var shape = self
        shape.collection = collection
        if type == .object { shape.isOptional = collection == .map }
        return shape
    }
}
