// SPDX-License-Identifier: MIT
// StandIns.swift -- what a write returns that has failed, where it should have created an object.

extension Session {
    /// An object for the code that goes on in a write which has failed: one that this write creates, so that all can
    /// be done with it that can be done with an object in a realm. It has the initial values of its properties, and
    /// becomes invalid when the write is rolled back; if its primary key is taken, it is the object that has it. There
    /// is one for each class.
    ///
    /// Nil if there can be none: in a migration, whose classes the file does not have yet, and if the write could not
    /// begin, or failed for want of room and the like.
    func standIn(for type: Object.Type) -> ObjectBase? {
        if isMigration || !failedForData { return nil }
        let managed = classes.of(type)
        if let key = standIns[managed.table] { return managed.makeObject(key) }
        willChange()
        let object = type.init(), changesNothing = [ObjectIdentifier(object): SlotSet()]
        let policy = managed.layout.primaryKey == nil ? UpdatePolicy.error : .modified
        let inserter = ObjectInserter(self, policy, mentioned: changesNothing)
        guard let key = try? inserter.add(object) else { return nil }
        standIns[managed.table] = key
        return object
    }
}
