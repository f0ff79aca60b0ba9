// SPDX-License-Identifier: MIT
// Results+JSON.swift -- objects as JSON. An addition to Realm's API.

public import Foundation

extension RealmCollectionBase where Element: _ObjectElement {
    /// The objects as an array of JSON, which the engine writes: no object is made, and no string.
    ///
    /// ```swift
    /// let page = realm.objects(Dog.self).where { $0.age > 3 }.sorted(by: \.name).limit(20)
    /// let answer = page.jsonData(of: \.name, \.age)  // [{"name":"Fido","age":4},{"name":"Rex","age":11}]
    /// ```
    ///
    /// Properties have the names that they have in the file. Dates are written as `"2026-11-23T20:15:00Z"`, data in
    /// base64, decimal numbers and identifiers as strings, a link as the primary key of the object, embedded objects and
    /// maps as objects, lists and sets as arrays. `include/strata_export.h` has the form of each type; an import of that
    /// text, also by `strata import`, gives the same values.
    ///
    /// - Parameter properties: what is written of each object, in this order; without any, all properties of its class
    ///   that are stored. A path through a link stops the program.
    public func jsonData(of properties: PartialKeyPath<Element>...) -> Data {
        let query = results.objects(toBe: "written as JSON")
        return query.json(query.managed.columns(properties.map(KeyPathNames.names)))
    }
}

extension _SnapshotSource {
    /// The object in JSON, as ``RealmCollectionBase/jsonData(of:)`` writes it. Stops the program if the object is
    /// unmanaged or was deleted.
    ///
    /// - Parameter properties: what is written, in this order; without any, all properties that are stored.
    public func jsonData(of properties: PartialKeyPath<Self>...) -> Data {
        guard _mode == .live, let managed, !isInvalidated else {
            let reason = _mode == .unmanaged ? "is in no realm; add it, or encode it with JSONEncoder" : "was deleted"
            misuse("\(LiveRow.name(self)) cannot be written as JSON: it \(reason)")
        }
        let array = LiveQuery(managed, .one(row.key)).json(managed.columns(properties.map(KeyPathNames.names)))
        return Data(array.dropFirst().dropLast())
    }
}

extension ManagedClass {
    /// The columns of properties; all columns of stored properties if there are no paths.
    fileprivate func columns(_ paths: [PropertyNames]) -> [UInt32] {
        if paths.isEmpty { return Array(columns[..<layout.storedCount]) }
        return paths.map { path in
            guard let column = column(path) else {
                misuse(
                    "\(name).\(path.names.joined(separator: ".")) is not stored in \(name), so that it cannot be "
                        + "written as JSON; name properties of \(name) itself")
            }
            return column
        }
    }

    /// The column of a stored property of the class itself, or nil.
    private func column(_ path: PropertyNames) -> UInt32? {
        guard path.names.count == 1 else { return nil }
        // Slots are those of the class that the key path begins at.
        guard path.root == layout.type, let slot = path.slots.first else { return column(named: path.names[0]) }
        return slot < layout.storedCount ? columns[slot] : nil
    }
}

extension LiveQuery {
    fileprivate func json(_ columns: [UInt32]) -> Data {
        let keys = currentKeys()
        return session.read("writing \(managed.name) as JSON") { () throws(StrataError) in
            try session.view.json(keys, in: managed.table, columns: columns)
        }
    }
}
