// SPDX-License-Identifier: MIT
// ClassLayout.swift -- what is known of a class without any realm.

import Foundation

/// The persisted properties of a class and where its instances keep them. Made once per class and kept for ever.
final class ClassLayout: @unchecked Sendable {  // nothing changes after init
    /// One persisted property.
    final class Slot {
        let property: Property
        /// Where objects keep it; -1 of objects that have no fields for their properties.
        let offset: Int
        let access: any PersistedAccess.Type
        let target: ObjectBase.Type?
        /// How to read and set it while the object is unmanaged.
        let kind: UnmanagedValue

        init(property: Property, offset: Int, access: any PersistedAccess.Type, target: ObjectBase.Type?) {
            self.property = property
            self.offset = offset
            self.access = access
            self.target = target
            kind = UnmanagedValue(access, property)
        }

        /// The wrapper inside of an object.
        func wrapper(in object: ObjectBase) -> UnsafeMutableRawPointer {
            Unmanaged.passUnretained(object).toOpaque() + offset
        }
    }

    let type: ObjectBase.Type
    let schema: ObjectSchema
    /// Stored properties, then linking objects, as in `schema.properties`.
    let slots: [Slot]
    /// How many of `slots` have a column.
    let storedCount: Int
    /// The slot of the primary key.
    let primaryKey: Int?
    /// Whether an instance holds nothing but its row, so that it may be pointed to another one.
    let isReusable: Bool

    /// The layout of a class of the program.
    private init(_ type: ObjectBase.Type) {
        let fields = StoredProperties.of(type)
        let declared = DeclaredProperties(type)
        let slots = declared.slots(fields.persisted)
        let ordered = slots.filter { $0.property.type != .linkingObjects }
            + slots.filter { $0.property.type == .linkingObjects }
        self.type = type
        self.slots = ordered
        schema = ObjectSchema(
            className: type.className(), properties: ordered.map(\.property), objectClass: type,
            isEmbedded: type is EmbeddedObject.Type, compoundIndexes: declared.compoundIndexes(slots))
        storedCount = ordered.count { $0.property.type != .linkingObjects }
        primaryKey = ordered.firstIndex { $0.property.isPrimaryKey }
        isReusable = !fields.hasOthers
    }

    /// The layout of objects that are used by the names of their properties only.
    init(dynamic schema: ObjectSchema, _ slots: [Slot]) {
        type = DynamicObject.self
        self.schema = schema
        self.slots = slots
        storedCount = slots.count { $0.property.type != .linkingObjects }
        primaryKey = slots.firstIndex { $0.property.isPrimaryKey }
        isReusable = true
    }

    /// The slot of a property, or nil.
    func index(of name: String) -> Int? { slots.firstIndex { $0.property.name == name } }

    // MARK: Cache

    private static let lock = NSLock()
    nonisolated(unsafe) private static var known: [ObjectIdentifier: ClassLayout] = [:]  // guarded by `lock`

    /// The layout of a class. May be called from every thread.
    static func of(_ type: ObjectBase.Type) -> ClassLayout {
        let id = ObjectIdentifier(type)
        if let layout = lock.withLock({ known[id] }) { return layout }
        // Made outside of the lock, because initialisers of models are code of the program.
        let layout = ClassLayout(type)
        return lock.withLock {
            if let other = known[id] { return other }
            known[id] = layout
            return layout
        }
    }
}
