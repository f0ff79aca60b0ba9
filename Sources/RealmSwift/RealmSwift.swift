// SPDX-License-Identifier: MIT
// RealmSwift.swift -- lets programs written for Realm import Strata under the name they know.

@_exported public import Strata
