// SPDX-License-Identifier: MIT
// Validation.swift -- asking the objects that a write creates, changes and deletes whether they agree. See
// `ValidatedObject`.

/// The classes of a session whose objects are asked, and those whose changes are changes of such an object.
struct Validation {
    /// Classes whose objects are asked, by their tables.
    private let validated: [UInt32: ManagedClass]
    /// The columns through which embedded objects of a table belong to their owners: to objects that are asked, or to
    /// embedded ones that belong to such an object.
    private let owners: [UInt32: [(owner: ManagedClass, column: UInt32)]]

    /// Whether embedded objects are among those that are asked.
    let asksEmbedded: Bool

    /// Nil if no object is asked.
    init?(_ classes: [ManagedClass]) {
        let asked = classes.filter(\.isValidated).map { ($0.table, $0) }
        validated = Dictionary(asked, uniquingKeysWith: { first, _ in first })
        if validated.isEmpty { return nil }
        asksEmbedded = asked.contains { $0.1.isEmbedded }
        var owners: [UInt32: [(ManagedClass, UInt32)]] = [:]
        var waiting = Array(validated.values), seen = Set(validated.keys)
        while let owner = waiting.popLast() {
            for (column, target, _) in owner.embeddedColumns {
                owners[target.table, default: []].append((owner, column))
                if seen.insert(target.table).inserted { waiting.append(target) }
            }
        }
        self.owners = owners
    }

    /// Asks the objects that the open write of a session has created or changed.
    func check(_ session: Session) throws {
        let changes = try session.view.changes()
        if try changes.areTooMany() { return try checkAll(session) }
        var changed = ChangedRows()
        try changes.forEach { table, key, change in
            guard case .changed(let column) = change else { return }
            try note(RowKey(table, key), column, in: session, &changed)
        }
        try changes.forEach { table, key, change in
            guard case .created = change, let managed = validated[table] else { return }
            try session.ask(managed, key) { try $0.validateCreate() }
        }
        for row in changed.columns.keys.sorted() {
            guard let managed = validated[row.table], let columns = changed.columns[row] else { continue }
            let names = Set(columns.compactMap { managed.storedProperty(ofColumn: $0)?.name })
            if names.isEmpty { continue }  // changes of what another program has added
            try session.ask(managed, row.key) { try $0.validateChange(of: names) }
        }
    }

    /// Notes a change of an object, and of those of which it is a part.
    private func note(
        _ row: RowKey, _ column: UInt32, in session: Session, _ changed: inout ChangedRows
    ) throws(StrataError) {
        var waiting = [(row, column)]
        while let (row, column) = waiting.popLast() {
            if validated[row.table] != nil { changed.columns[row, default: []].insert(column) }
            guard let owners = owners[row.table], changed.parts.insert(row).inserted else { continue }
            for (owner, column) in owners {
                let cursor = try EngineCursor(
                    session.view, linkingTo: row.key, of: row.table, from: owner.table, column)
                while let key = try cursor.nextKey() { waiting.append((RowKey(owner.table, key), column)) }
            }
        }
    }

    /// Asks all objects, because it is not known which of them were changed.
    private func checkAll(_ session: Session) throws {
        for managed in validated.values.sorted(by: { $0.table < $1.table }) {
            let names = Set(managed.layout.slots.prefix(managed.layout.storedCount).map(\.property.name))
            let first = managed.firstCreated
            let cursor = try EngineCursor(session.view, table: managed.table)
            while let key = try cursor.nextKey() {
                let isNew = first != 0 && key >= first
                try session.ask(managed, key) { try isNew ? $0.validateCreate() : $0.validateChange(of: names) }
            }
        }
    }
}

/// What a write has changed, of the objects that are asked.
private struct ChangedRows {
    var columns: [RowKey: Set<UInt32>] = [:]
    /// The embedded objects whose owners have been noted.
    var parts: Set<RowKey> = []
}

/// An object, by its table and its key.
private struct RowKey: Hashable, Comparable {
    let table: UInt32
    let key: UInt64

    init(_ table: UInt32, _ key: UInt64) { (self.table, self.key) = (table, key) }

    static func < (a: Self, b: Self) -> Bool { (a.table, a.key) < (b.table, b.key) }
}

extension Session {
    /// Whether embedded objects are asked before they are deleted.
    var asksEmbedded: Bool { validation?.asksEmbedded ?? false }

    /// Asks an object whether it may be deleted; false if it may not, and then the write fails.
    func mayDelete(_ managed: ManagedClass?, _ key: UInt64) -> Bool {
        guard let managed, managed.isValidated, validation != nil, failure == nil else { return true }
        do {
            try ask(managed, key) { if !$0.isInvalidated { try $0.validateDelete() } }
        } catch {
            refuse(error, LiveRow.name(managed.makeObject(key)))
            return false
        }
        return true
    }

    /// Asks embedded objects, and those that are embedded in them to any depth, whether they may be deleted; false if
    /// one of them may not.
    func mayDelete(_ embedded: [(ManagedClass, UInt64)]) throws(StrataError) -> Bool {
        if !asksEmbedded { return true }
        var waiting = embedded
        while let (managed, key) = waiting.popLast() {
            if !mayDelete(managed, key) { return false }
            if managed.ownsObjects { waiting += try embeddedObjects(of: managed, key) }
        }
        return true
    }

    /// Asks an object.
    fileprivate func ask(
        _ managed: ManagedClass, _ key: UInt64, _ question: (any ValidatedObject) throws -> Void
    ) throws {
        guard let object = managed.makeObject(key) as? any ValidatedObject else {
            misuse("\(managed.name) is no ValidatedObject")
        }
        try whileValidating { try question(object) }
    }
}
