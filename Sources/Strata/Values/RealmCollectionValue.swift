// SPDX-License-Identifier: MIT
// RealmCollectionValue.swift -- what can be an element of a collection.

public import Foundation

/// A type whose values can be elements of a ``List``, a ``MutableSet`` or a ``Map``.
///
/// Programs use the types that conform: `Bool`, integers, `Float`, `Double`, `String`, `Data`, `Date`, `UUID`,
/// ``ObjectId``, ``Decimal128``, ``PersistableEnum`` types, model classes, and Optionals of these.
public protocol RealmCollectionValue: _Persistable, Hashable {
    /// The element that an object in a collection, or in a result, stands for: the object itself where the elements are
    /// objects, and otherwise the value that is stored as the object.
    static func _element(of object: AnyObject) -> Self
}

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
