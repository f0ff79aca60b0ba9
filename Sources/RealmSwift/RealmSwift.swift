// SPDX-License-Identifier: MIT
// RealmSwift.swift -- lets programs written for Realm import Strata under the name they know. As there, the import
// brings Foundation with it: model files use Date, Data and UUID without naming it.

@_exported public import Foundation
@_exported public import Strata
