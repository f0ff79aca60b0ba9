// SPDX-License-Identifier: MIT
// SessionClasses.swift -- the classes that a session holds, with their numbers in the file.

import Foundation

/// The classes of a session: those of the program, and those whose objects are used only by the names of their
/// properties.
final class SessionClasses {
    /// Those of the program.
    private(set) var all: [ManagedClass] = []
    /// Classes whose numbers have changed, but whose objects the program may still have.
    private var retired: [ManagedClass] = []
    private var byType: [ObjectIdentifier: ManagedClass] = [:]
    /// The class that was asked for last. Mostly it is asked for again.
    @exclusivity(unchecked) private var latest: ManagedClass?
    /// Classes whose objects are used only by the names of their properties.
    private var dynamicClasses: [String: ManagedClass] = [:]
    /// Guards `dynamicClasses` of a frozen session.
    private let dynamicLock = NSRecursiveLock()
    /// The names of properties that the file does not know.
    private(set) lazy var aliases = EngineAliases(all.flatMap(\.aliases))
    private unowned(unsafe) var owner: Session?  // which owns these classes

    private var session: Session {
        guard let owner else { misuse("the classes of a session are used before it has begun") }
        return owner
    }

    /// Gives them their session, and finds their tables and columns.
    func begin(_ session: Session, _ layouts: [ClassLayout]) {
        owner = session
        make(layouts)
    }

    private func make(_ layouts: [ClassLayout]) {
        for layout in layouts {
            guard let managed = manage(layout) else { continue }
            all.append(managed)
            byType[ObjectIdentifier(layout.type)] = managed
        }
        for managed in all { managed.resolveTargets() }
    }

    /// Finds tables and columns anew, after a migration has changed their numbers.
    func remake() {
        let layouts = all.map(\.layout)
        retired += all + dynamicClasses.values
        all = []
        byType = [:]
        latest = nil
        dynamicClasses = [:]
        session.changeCount &+= 1
        make(layouts)
    }

    /// A class with its numbers; nil if a read-only file does not have it.
    private func manage(_ layout: ClassLayout) -> ManagedClass? {
        let session = session, view = session.view
        guard let table = view.table(named: layout.schema.className) else { return nil }
        var columns: [UInt32] = []
        for (index, slot) in layout.slots.enumerated() {
            if index >= layout.storedCount {
                columns.append(UInt32(index))
            } else {
                guard let column = view.column(named: slot.property.columnName, of: table) else { return nil }
                columns.append(column)
            }
        }
        // Columns behind those of the class, which other programs have added, are none of its business; the engine
        // fills them. A migration writes them all.
        let count = session.isMigration ? nil : columns.prefix(layout.storedCount).max().map { Int($0) + 1 }
        return ManagedClass(
            layout, table: table, columns: columns, columnCount: count ?? view.columnCount(of: table), session: session)
    }

    // MARK: Finding one

    /// The class of a type; stops the program if the realm does not hold it.
    func of(_ type: ObjectBase.Type) -> ManagedClass {
        if let latest, latest.layout.type == type { return latest }
        let session = session
        if let managed = byType[ObjectIdentifier(type)] {
            if !session.isFrozen { latest = managed }
            return managed
        }
        if type == ObjectBase.self { misuse("Object itself is no model class; name one of its subclasses") }
        if let other = known(type.className()) {
            misuse(
                "\(type) is not in the schema of this realm, which holds \(other.layout.type) under the name "
                    + "\"\(other.name)\"; use that class, or open the realm with objectTypes that name \(type)")
        }
        misuse(
            "\(type) is not in the schema of this realm; "
                + (session.isReadOnly && session.schema[type.className()] != nil
                    ? "the file, which is open for reading only, does not hold it"
                    : "add it to objectTypes of the configuration"))
    }

    /// A class by its name, for objects that are used only by the names of their properties; stops the program if the
    /// file has no such table.
    func dynamic(_ name: String) -> ManagedClass {
        if session.isFrozen { return dynamicLock.withLock { findDynamic(name) } }
        return findDynamic(name)
    }

    private func findDynamic(_ name: String) -> ManagedClass {
        if let managed = dynamicClasses[name] { return managed }
        let known = all.first { $0.layout.schema.className == name }?.layout
        guard let layout = known.map(DynamicLayout.of) ?? DynamicLayout.of(table: name, session.view),
            let managed = manage(layout)
        else {
            misuse("there is no class \"\(name)\" in this realm; it has \(all.map(\.name).sorted())")
        }
        dynamicClasses[name] = managed
        managed.resolveTargets()
        return managed
    }

    /// The class of the program with a name, if the realm holds it.
    func known(_ name: String) -> ManagedClass? { all.first { $0.name == name } }

    /// The class of a table: one of the program, or one whose objects are used only by the names of their properties.
    func of(table: UInt32) -> ManagedClass? {
        if let managed = all.first(where: { $0.table == table }) { return managed }
        return session.view.tableName(table).map { dynamic($0) }
    }
}
