// SPDX-License-Identifier: MIT
// ObjectKeyIdentifiable.swift -- objects as elements of views.

/// Gives a class of objects an identity that lists of views and diffs can use.
///
/// The identity of a live object is its row, so that two instances of it have the same; that of an unmanaged one is
/// the instance. A class with a property `id` of its own is identified by that.
public protocol ObjectKeyIdentifiable: Identifiable, ObjectBase {
    /// The identity of the object, within its class.
    var id: UInt64 { get }
}

extension ObjectKeyIdentifiable {
    /// The identity of the object, within its class.
    public var id: UInt64 {
        if _mode == .live { return row.key }
        return UInt64(UInt(bitPattern: ObjectIdentifier(self)))
    }
}
