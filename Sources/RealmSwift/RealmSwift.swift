// SPDX-License-Identifier: MIT
// RealmSwift.swift -- lets programs written for Realm import Strata under the name they know. As there, the import
// brings Foundation with it: model files use Date, Data and UUID without naming it.

@_exported public import Foundation
@_exported public import Strata

// A name that Foundation has, too, would be ambiguous. A declaration of the module that re-exports both stands before
// those of the modules it re-exports. Where a file imports Foundation by name as well, calls such as
// `SortDescriptor(keyPath: "name")` are told apart by their labels, and a type is written as with Realm:
// `RealmSwift.SortDescriptor`. `Tests/Scripts/check-names` finds names that need this.

/// By which property, and in which direction, objects are sorted.
public typealias SortDescriptor = Strata.SortDescriptor

/// Is told of events that no call fails with. In programs that import another `Logger` besides, name `RealmLogger`.
public typealias Logger = RealmLogger
