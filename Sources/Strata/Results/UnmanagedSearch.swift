// SPDX-License-Identifier: MIT
// UnmanagedSearch.swift -- conditions on single objects, also on those that are in no realm.

import Foundation

extension ObjectBase {
    /// Whether the object meets a condition; one that was deleted meets none.
    func meets(_ condition: any ConditionSource) -> Bool {
        if _mode == .unmanaged { return UnmanagedSearch().meets(self, condition) }
        guard let managed, !isInvalidated else { return false }
        return LiveQuery(managed, .one(row.key)).filtered(condition).count > 0
    }
}

/// Only the engine tests conditions. So an object that is in no realm is copied into a session in memory, which is
/// thrown away with this.
final class UnmanagedSearch {
    private var session: Session?

    /// The position of the first object that meets a condition, or nil.
    func first(of objects: some Sequence<Object>, meeting condition: any ConditionSource) -> Int? {
        objects.enumerated().first { meets($0.element, condition) }?.offset
    }

    /// Whether an object meets a condition.
    fileprivate func meets(_ object: ObjectBase, _ condition: any ConditionSource) -> Bool {
        if object._mode != .unmanaged { return object.meets(condition) }
        do throws(StrataError) {
            let session = try openSession()
            try session.begin(deferred: false)
            defer { session.cancel() }
            let builder = ObjectBuilder(copying: session)
            let copy = try builder.make(type(of: object), from: object)
            let policy: UpdatePolicy = copy.layout.primaryKey == nil ? .error : .all
            session.record { () throws(StrataError) in
                _ = try ObjectInserter(session, policy, mentioned: builder.mentioned).add(copy)
            }
            return copy._mode == .live && copy.meets(condition)
        } catch {
            misuse("index(matching:) of an unmanaged collection: \(error)")
        }
    }

    private func openSession() throws(StrataError) -> Session {
        if let session { return session }
        let name = "search \(UUID().uuidString)"
        let opened = try Session(
            try EngineStore(.memory(name), readOnly: false, isRelaxed: false),
            ClassLayout.layouts(of: SchemaDiscovery.defaultClasses()), version: 0, readOnly: false)
        session = opened
        return opened
    }
}
