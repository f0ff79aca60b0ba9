// SPDX-License-Identifier: MIT
// UnmanagedSearch.swift -- looking for an object in a list that is not in a realm.

import CStrata
import Foundation

/// Only the engine evaluates conditions. An object that is in no realm is copied into one that is thrown away.
struct UnmanagedSearch {
    private let realm: Realm

    init() {
        let configuration = Realm.Configuration(inMemoryIdentifier: "search \(UUID().uuidString)")
        do {
            realm = try Realm(configuration: configuration)
        } catch {
            misuse("index(matching:) of an unmanaged collection: \(error)")
        }
    }

    /// The position of the first object that meets a condition, or nil.
    func first(of objects: some Sequence<Object>, meeting condition: any ConditionSource) -> Int? {
        objects.enumerated().first { meets($0.element, condition) }?.offset
    }

    private func meets(_ object: Object, _ condition: any ConditionSource) -> Bool {
        if object._mode == .live { return object.meets(condition) }
        realm.beginWrite()
        defer { realm.cancelWrite() }
        let update: Realm.UpdatePolicy = object.objectSchema.primaryKeyProperty == nil ? .error : .all
        return realm.create(type(of: object), value: object, update: update).meets(condition)
    }
}

extension ObjectBase {
    /// Whether a managed object meets a condition; one that was deleted meets none.
    func meets(_ condition: any ConditionSource) -> Bool {
        guard let managed, !isInvalidated else { return false }
        return LiveQuery(managed, .one(row.pointee.key)).filtered(condition).count > 0
    }
}
