// SPDX-License-Identifier: MIT
// Deletion.swift -- what deleting an object does to those that link to it.
//
// The engine refuses to delete an object while something links to it. So links are removed first: to-one links become
// nil, and entries leave their lists. The objects that it links to stay.

import CStrata

extension Session {
    /// Deletes an object; links to it are removed.
    func delete(_ object: Object) {
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
        if !object.isInvalidated { delete(table: object.row.pointee.table, object.row.pointee.key) }
        object.row.pointee.block = nil
        object.row.pointee.epoch = 0
        object._mode = .deleted
    }

    /// Deletes objects by their keys; those that are gone are skipped.
    func delete(table: UInt32, keys: some Sequence<UInt64>) {
        for key in keys { delete(table: table, key) }
    }

    private func delete(table: UInt32, _ key: UInt64) {
        record { () throws(StrataError) in try view.unlinkAndDelete(in: table, key) }
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
