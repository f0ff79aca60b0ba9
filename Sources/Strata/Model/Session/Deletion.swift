// SPDX-License-Identifier: MIT
// Deletion.swift -- what deleting an object does to the objects that link to it, and to those embedded in it.
//
// The engine refuses to delete an object while something links to it. So links are removed first: to-one links become
// nil, and elements leave their lists. The objects to which the deleted one links stay. Embedded objects are deleted
// with their owner.

extension Session {
    /// Deletes an object; links to it are removed.
    func delete(_ object: ObjectBase) {
        checkThread()
        requireWriting { "\(type(of: object)) cannot be deleted" }
        switch object._mode {
        case .live where object._session === self: break
        case .unmanaged where failure != nil: return  // one that was to be added or created
        case .unmanaged: misuse("\(type(of: object)) is not managed, so it cannot be deleted; only added objects can")
        case .live: misuse("\(LiveRow.name(object)) belongs to another realm; delete it in a write of that one")
        case .deleted: misuse("\(type(of: object)) is deleted twice; check isInvalidated first")
        case .recording: misuse("an object that records a key path cannot be deleted")
        }
        if failure != nil { return }
        if !object.isKnownGone {
            delete(table: object.row.table, keys: CollectionOfOne(object.row.key))
            if failure != nil { return }  // it is still there when the write has been rolled back
        }
        object.row.forgetBlock()
        object.become(.deleted, in: object._generation)
    }

    /// Deletes objects by their keys, with their embedded objects. Keys of objects that are gone are skipped.
    func delete(table: UInt32, keys: some Sequence<UInt64>) {
        // A migration may delete objects of a class that the program no longer has, and what is embedded in them.
        let managed = isMigration ? classes.of(table: table) : classes.all.first { $0.table == table }
        let owner = managed.flatMap { $0.ownsObjects ? $0 : nil }
        for key in keys where mayDelete(managed, key) {
            record { () throws(StrataError) in
                guard let owner else { return _ = try view.unlinkAndDelete(in: table, key) }
                if asksEmbedded, try !mayDelete(embeddedObjects(of: owner, key)) { return }
                try deleteWithEmbedded(owner, key)
            }
        }
    }

    /// Deletes an object and all that are embedded in it, to any depth.
    private func deleteWithEmbedded(_ owner: ManagedClass, _ key: UInt64) throws(StrataError) {
        let embedded = try embeddedObjects(of: owner, key)
        try view.unlinkAndDelete(in: owner.table, key)
        try deleteOwned(embedded)
    }

    /// Deletes embedded objects that have lost their owner, with all that are embedded in them.
    ///
    /// In a migration, those stay to which others link: the class may become embedded by it, and until then an object
    /// may have several owners.
    private func deleteOwned(_ objects: [(ManagedClass, UInt64)]) throws(StrataError) {
        var waiting = objects
        while let (managed, key) = waiting.popLast() {
            let embedded = managed.ownsObjects ? try embeddedObjects(of: managed, key) : []
            if isMigration {
                if try !view.deleteUnlessLinked(in: managed.table, key) { continue }
            } else {
                try view.unlinkAndDelete(in: managed.table, key)
            }
            waiting += embedded
        }
    }

    /// Deletes embedded objects that were taken from their owner.
    func deleteEmbedded(_ keys: [UInt64], of embedded: ManagedClass) {
        embeddedDeletions &+= 1
        record { () throws(StrataError) in
            let objects = keys.map { (embedded, $0) }
            if try mayDelete(objects) { try deleteOwned(objects) }
        }
    }

    /// Whether an embedded object has an owner. Outside of a migration each has.
    func hasOwner(_ object: ObjectBase) -> Bool {
        guard isMigration, !isFrozen, let embedded = object.managed else { return true }
        let view = view.unretained, table = embedded.table
        do throws(StrataError) {
            for origin in classes.all {
                for (column, target, _) in origin.embeddedColumns where target.table == table {
                    if try view.backlinkCount(object.row.key, of: table, from: origin.table, column) > 0 { return true }
                }
            }
            return false
        } catch {
            fail(error)
            return true
        }
    }

    /// The objects that are embedded in an object.
    func embeddedObjects(
        of managed: ManagedClass, _ key: UInt64
    ) throws(StrataError) -> [(ManagedClass, UInt64)] {
        var row = managed.unbound(key)
        guard try view.bind(&row, to: managed.table, key) else { return [] }
        var result: [(ManagedClass, UInt64)] = []
        for (column, target, isCollection) in managed.embeddedColumns {
            let keys = isCollection
                ? ManagedCollection(managed, key, column, generation: generation).links
                : [row.link(column)]
            for key in keys where key != 0 { result.append((target, key)) }
        }
        return result
    }

    /// Deletes all objects of the classes of this realm.
    func deleteAll() {
        checkThread()
        requireWriting { "deleteAll()" }
        record { () throws(StrataError) in
            for managed in classes.all where validation != nil && managed.isValidated {
                for key in try keys(of: managed.table) where !mayDelete(managed, key) { return }
            }
            if try view.clear(classes.all.map(\.table)) { return }
            // An object of a class that this realm does not know links to one of ours, or owns one. So they go one by
            // one, with what they own.
            for managed in classes.all where !managed.isEmbedded {
                for key in try keys(of: managed.table) { try deleteWithEmbedded(managed, key) }
            }
        }
    }

    /// The keys of all objects of a table.
    func keys(of table: UInt32) throws(StrataError) -> [UInt64] {
        var keys: [UInt64] = []
        let cursor = try EngineCursor(view, table: table)
        while let key = try cursor.nextKey() { keys.append(key) }
        return keys
    }
}
