// SPDX-License-Identifier: MIT
// PersistedCollection.swift -- what the model must know of a collection property, whatever it holds.

/// A collection that is the value of a property.
protocol PersistedCollection: AnyObject {
    /// The column that a managed collection shows; nil while it is unmanaged.
    var place: CollectionPlace? { get }
    /// The elements as they are now: `.elements` or `.entries`.
    var contents: _StoredValue { get }
    /// Makes an unmanaged collection show a column.
    func becomeManaged(_ place: CollectionPlace)
    /// The type of the elements.
    static var elementType: any RealmCollectionValue.Type { get }
    /// The name of the type, such as "List<Int>".
    static var typeName: String { get }
}
