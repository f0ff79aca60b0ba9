// SPDX-License-Identifier: MIT
// Deletion.swift -- what deleting an object does to those that link to it, and to its parts.
//
// The engine refuses to delete an object while something links to it. So links are removed first: to-one links become
// nil, and entries leave their lists. The objects that it links to stay, except embedded ones, which are its parts.

import CStrata

extension Session {
    /// Deletes an object; links to it are removed.
    func delete(_ object: ObjectBase) {
        checkThread()
        requireWriting { "\(type(of: object)) cannot be deleted" }
        switch object._mode {
        case .live where object._session === self: break
        case .unmanaged: misuse("\(type(of: object)) is not managed, so it cannot be deleted; only added objects can")
        case .live: misuse("\(LiveRow.name(object)) belongs to another realm; delete it in a write of that one")
        case .deleted: misuse("\(type(of: object)) is deleted twice; check isInvalidated first")
        case .tracing: misuse("an object that records a key path cannot be deleted")
        }
        if failure != nil { return }
        if !object.isKnownGone {
            delete(table: object.row.pointee.table, keys: CollectionOfOne(object.row.pointee.key))
        }
        object.row.pointee.block = nil
        object.row.pointee.epoch = 0
        object.become(.deleted, at: object._moment)
    }

    /// Deletes objects by their keys, with their embedded objects; those that are gone are skipped.
    func delete(table: UInt32, keys: some Sequence<UInt64>) {
        let owner = classes.first { $0.table == table }.flatMap { $0.ownsObjects ? $0 : nil }
        for key in keys {
            record { () throws(StrataError) in
                guard let owner else { return _ = try view.unlinkAndDelete(in: table, key) }
                try deleteWithParts(owner, key)
            }
        }
    }

    /// Deletes an object and all that are embedded in it, to any depth.
    private func deleteWithParts(_ owner: ManagedClass, _ key: UInt64) throws(StrataError) {
        var waiting = [(owner, key)]
        while let (managed, key) = waiting.popLast() {
            let parts = managed.ownsObjects ? try self.parts(of: managed, key) : []
            try view.unlinkAndDelete(in: managed.table, key)
            waiting += parts
        }
    }

    /// The objects that are embedded in an object.
    private func parts(of managed: ManagedClass, _ key: UInt64) throws(StrataError) -> [(ManagedClass, UInt64)] {
        var parts: [(ManagedClass, UInt64)] = []
        var row = managed.unbound(key)
        guard try view.bind(&row, to: managed.table, key) else { return [] }
        for (column, target, isCollection) in managed.partColumns {
            if isCollection {
                let place = CollectionPlace(managed, key, column, moment: moment)
                for part in place.links where part != 0 { parts.append((target, part)) }
            } else {
                let part = strata_row_link(&row, column)
                if part != 0 { parts.append((target, part)) }
            }
        }
        return parts
    }

    /// Deletes all objects of the classes of this realm.
    func deleteAll() {
        checkThread()
        requireWriting { "deleteAll()" }
        record { () throws(StrataError) in
            if try view.clear(classes.map(\.table)) { return }
            // An object of a class that this realm does not know links to one of ours.
            for managed in classes {
                for key in try keys(of: managed.table) { try view.unlinkAndDelete(in: managed.table, key) }
            }
        }
    }

    /// The keys of all objects of a table.
    func keys(of table: UInt32) throws(StrataError) -> [UInt64] {
        var keys: [UInt64] = []
        var row = strata_row()
        let cursor = try EngineCursor(view, table: table)
        while try cursor.next(&row) { keys.append(row.key) }
        return keys
    }
}
