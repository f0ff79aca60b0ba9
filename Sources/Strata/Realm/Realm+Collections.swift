// SPDX-License-Identifier: MIT
// Realm+Collections.swift -- the realm of a collection, and deleting what one holds.

extension Realm {
    /// Deletes the objects of a list, which is then empty. Stops the program if the list is unmanaged.
    public func delete<Element: ObjectBase>(_ objects: List<Element>) {
        delete(objects.managed(toBe: "deleted from a realm"))
    }

    /// Deletes the objects of a set, which is then empty. Stops the program if the set is unmanaged.
    public func delete<Element: ObjectBase>(_ objects: MutableSet<Element>) {
        delete(objects.managed(toBe: "deleted from a realm"))
    }

    /// Deletes the objects of a map, which is then empty. Stops the program if the map is unmanaged.
    public func delete<Key: _MapKey, Element: ObjectBase>(_ objects: Map<Key, Element?>) {
        delete(objects.managed(toBe: "deleted from a realm"))
    }

    private func delete(_ collection: ManagedCollection) {
        let count = collection.sizeForChange()
        guard let target = collection.target else { return }
        if collection.session !== session {
            misuse("\(collection.name) belongs to another realm; delete its objects in that one")
        }
        let keys = collection.links.filter { $0 != 0 }
        // This also removes the keys of a map, and deletes embedded objects.
        collection.remove(0..<count)
        if !target.isEmbedded { session.delete(table: target.table, keys: keys) }
    }
}

extension Session {
    /// The realm that shares the session.
    var realm: Realm? { (configuration as? Realm.Configuration).map { Realm(self, $0) } }
}

extension Results {
    /// The realm that holds the elements.
    public var realm: Realm? { session.realm }
}

extension List {
    /// The realm that holds the list; nil if it is unmanaged.
    public var realm: Realm? { live?.session.realm }
}

extension MutableSet {
    /// The realm that holds the set; nil if it is unmanaged.
    public var realm: Realm? { live?.session.realm }
}

extension Map {
    /// The realm that holds the map; nil if it is unmanaged.
    public var realm: Realm? { live?.session.realm }
}

extension LinkingObjects {
    /// The realm that holds the objects; nil if the object they link to is unmanaged.
    public var realm: Realm? { session?.realm }
}
