// SPDX-License-Identifier: MIT
// RealmFetchable.swift -- what `Realm.objects(_:)` returns objects of.

/// The classes of which `Realm.objects(_:)` returns the objects, for constraints of generic code: ``Object`` and its
/// subclasses.
///
/// ```swift
/// func count<Model: RealmFetchable>(_ type: Model.Type, in realm: Realm) -> Int { realm.objects(type).count }
/// ```
public protocol RealmFetchable: Object {}

extension Object: RealmFetchable {}
