// SPDX-License-Identifier: MIT
// MigrationWork.swift -- the objects of a file while it is migrated, as they were and as they will be.

import Foundation

/// A migration that is under way. Lives for one call, on one thread.
final class MigrationWork {
    /// The file as it was, until its settled form is about to be committed.
    private(set) var oldSession: Session?
    /// The file as it will be, in its write.
    let newSession: Session
    let oldSchema: Schema
    /// The version of the file as it was.
    let oldVersion: UInt64
    /// What separated the file from the program.
    let differences: [SchemaDifference]
    /// The properties that got other names: "Dog.name", as the file had them.
    private(set) var renamed: Set<String> = []
    /// The classes that the program no longer has, and whose objects were deleted.
    private var deleted: Set<String> = []
    /// For the history of the file.
    var name: String?
    /// What was done, by class.
    private(set) var counts: [String: MigrationReport.Counts] = [:]
    /// Why the migration cannot go on.
    private(set) var failure: (any Error)?
    /// The object that the block is called with, as the file had it.
    private var current: (className: String, key: UInt64)?
    /// The object with which the block let the migration fail.
    private(set) var stoppedAt: MigrationReport.Failure?

    private let cancellation: OpeningCancellation?
    private let tellProgress: (@Sendable (MigrationProgress) -> Void)?
    private var toldAt = ContinuousClock.now

    /// - Parameter newView: a view that has begun the migration.
    init(
        old oldSession: Session, _ oldVersion: UInt64, differences: [SchemaDifference], new newView: EngineView,
        _ layouts: [ClassLayout], _ schema: Schema, _ configuration: Realm.Configuration
    ) {
        self.oldSession = oldSession
        self.oldVersion = oldVersion
        self.differences = differences
        oldSchema = oldSession.schema
        newSession = Session(migrating: newView, layouts, schema)
        cancellation = configuration.cancellation
        tellProgress = configuration.migrationProgress
    }

    /// Lets the migration fail, unless it has failed before.
    func fail(_ error: any Error) {
        if failure == nil, let current { stoppedAt = stop(current.className, current.key, error) }
        failure = failure ?? error
        newSession.fail(error as? StrataError ?? StrataError(.fail, "the migration failed: \(error)"))
    }

    private var hasFailed: Bool { failure != nil || newSession.failure != nil }

    // MARK: Enumerating

    func enumerate(_ name: String, _ block: MigrationObjectEnumerateBlock) {
        let isNew = newSession.schema[name] != nil
        guard oldSchema[name] != nil else {
            if isNew { enumerateCreated(name, block) }
            return
        }
        guard let oldSession else { misuse("a migration is used after its block") }
        let all = Results<MigrationObject>(LiveQuery(oldSession.classes.dynamic(name)))
        let total = all.count
        defer { current = nil }
        var done = 0
        for old in all {
            if done & 15 == 0 { failIfCancelled() }
            if hasFailed { return }
            done += 1
            defer { progress(name, done, total) }
            current = (name, old.row.key)
            guard isNew else {
                block(old, nil)
                counts[name, default: MigrationReport.Counts()].read += 1
                continue
            }
            let new = object(name, old.row.key)
            if new.isInvalidated { continue }
            let before = newSession.changeCount
            block(old, new)
            counts[name, default: MigrationReport.Counts()].read += 1
            if newSession.changeCount != before { counts[name]?.changed += 1 }
        }
    }

    private func enumerateCreated(_ name: String, _ block: MigrationObjectEnumerateBlock) {
        for new in Results<MigrationObject>(LiveQuery(newSession.classes.dynamic(name))) {
            if hasFailed { return }
            block(nil, new)
        }
    }

    /// An object of the new session, by the names of its properties.
    func object(_ name: String, _ key: UInt64) -> MigrationObject { Self.object(name, key, newSession) }

    /// An object of the old session or of the new one.
    static func object(_ name: String, _ key: UInt64, _ session: Session) -> MigrationObject {
        // A class that the session finds by its name makes dynamic objects.
        unsafeDowncast(session.classes.dynamic(name).makeObject(key), to: MigrationObject.self)
    }

    /// Lets the migration fail if the opening was cancelled, or the task that does it.
    func failIfCancelled() {
        if Task.isCancelled || cancellation?.isCancelled == true {
            fail(StrataError(.interrupted, "the migration was cancelled; the file is as it was"))
        }
    }

    /// Tells how far the migration is, every 50 milliseconds and at the end of a class.
    private func progress(_ name: String, _ done: Int, _ total: Int) {
        guard let tellProgress, done & 63 == 0 || done == total else { return }
        let now = ContinuousClock.now
        if done != total && now - toldAt < .milliseconds(50) { return }
        toldAt = now
        tellProgress(MigrationProgress(className: name, done: done, total: total))
    }

    // MARK: Changing

    func create(_ name: String, _ value: Any) -> MigrationObject {
        guard let type = newSession.classes.known(name)?.layout.type as? Object.Type else {
            misuse(
                newSession.schema[name]?.isEmbedded == true
                    ? "\(name) is embedded and cannot be created by itself; assign it to a property of another object"
                    : "\(name) is no class of the program, so a migration cannot create objects of it")
        }
        let made = Realm(newSession, Realm.Configuration()).make(type, value, .error)
        guard made._mode == .live else { return MigrationObject() }
        counts[name, default: MigrationReport.Counts()].created += 1
        return object(name, made.row.key)
    }

    func delete(_ object: MigrationObject) {
        if let oldSession, object._session === oldSession {
            misuse("a migration deletes an object as the file had it; delete the new one, the second of the block")
        }
        counts[object.layout.schema.className, default: MigrationReport.Counts()].deleted += 1
        newSession.delete(object)
    }

    func deleteData(_ name: String) -> Bool {
        guard oldSchema[name] != nil || newSession.schema[name] != nil else { return false }
        guard let table = newSession.view.table(named: name) else { return oldSchema[name] != nil }
        newSession.record { () throws(StrataError) in
            let keys = try newSession.keys(of: table)
            counts[name, default: MigrationReport.Counts()].deleted += keys.count
            newSession.delete(table: table, keys: keys)
        }
        if newSession.schema[name] == nil { deleted.insert(name) }
        return oldSchema[name] != nil
    }

    /// Drops the classes that were deleted, but for those that a class links to which stays and is not the program's.
    private func dropDeleted() throws(StrataError) {
        let staying = oldSchema.objectSchema.filter { newSession.schema[$0.className] == nil }
            .filter { !deleted.contains($0.className) }
        let linked = Set(staying.flatMap(\.properties).compactMap(\.objectClassName))
        let dropped = deleted.subtracting(linked).sorted()
        for other in oldSchema.objectSchema {
            guard let table = newSession.view.table(named: other.className) else { continue }
            for property in other.properties {
                // The program may have another property of that name.
                guard let column = newSession.view.column(named: property.columnName, of: table),
                    let target = newSession.view.column(column, of: table)?.target, dropped.contains(target)
                else { continue }
                try newSession.view.change(.dropColumn(table: other.className, column: property.columnName))
            }
        }
        for name in dropped { try newSession.view.change(.dropTable(name)) }
    }

    func rename(_ className: String, _ oldName: String, _ newName: String) {
        guard let old = oldSchema[className], let new = newSession.schema[className] else {
            misuse(
                "renameProperty(onType: \"\(className)\"): "
                    + (oldSchema[className] == nil
                        ? "the file has no such class; it has \(oldSchema.objectSchema.map(\.className).sorted())"
                        : "the program has no such class; leave that out, or add the class to objectTypes"))
        }
        guard old[oldName] != nil else {
            misuse("renameProperty: the file has no property \(className).\(oldName)\(CloseName.hint(oldName, old))")
        }
        guard let property = new[newName], property.type != .linkingObjects else {
            misuse("renameProperty: the program has no property \(className).\(newName)\(CloseName.hint(newName, new))")
        }
        if new.properties.contains(where: { $0.columnName == oldName }) {
            misuse(
                "renameProperty: \(className).\(oldName) is still a property of the program; to give its values to "
                    + "\(newName), too, copy them with enumerateObjects")
        }
        guard newSession.view.table(named: className).flatMap({ newSession.view.column(named: oldName, of: $0) }) != nil
        else { misuse("renameProperty: \(className).\(oldName) was renamed before") }
        renamed.insert("\(className).\(oldName)")
        change { () throws(StrataError) in
            do throws(StrataError) {
                try newSession.view.change(.renameColumn(table: className, from: oldName, to: property.columnName))
            } catch {
                guard error.code == .schemaMismatch else { throw error }
                misuse("renameProperty: \(error.message); copy the values with enumerateObjects")
            }
        }
    }

    /// Changes tables or columns; their numbers are found anew.
    private func change(_ body: () throws(StrataError) -> Void) {
        newSession.record(body)
        if newSession.failure == nil { newSession.classes.remake() }
    }

    // MARK: Ending

    /// Settles the file with what was done; it is in the file after a commit of the session.
    func finish() throws(StrataError) {
        if let failure = newSession.failure { throw failure }
        newSession.openIterators.readAll()
        try dropDeleted()
        try newSession.view.finishMigration(to: newSession.schema.declaration, name: name)
        oldSession = nil  // so that the commit does not find its version in use
    }

    /// Drops what was done.
    func cancel() { if newSession.isWriting { newSession.cancel() } }
}
