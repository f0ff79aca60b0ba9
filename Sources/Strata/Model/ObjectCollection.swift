// SPDX-License-Identifier: MIT
// ObjectCollection.swift -- what the model must know of a collection property, whatever it holds.

import CStrata

/// A collection of objects that is the value of a property.
protocol ObjectCollection: AnyObject {
    /// The elements, as they are now.
    var snapshot: [Object] { get }
    /// Makes an unmanaged collection show a column of a row.
    func becomeManaged(_ managed: ManagedClass, _ key: UInt64, _ column: UInt32, _ target: ManagedClass)
}
