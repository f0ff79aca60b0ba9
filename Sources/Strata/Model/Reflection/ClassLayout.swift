// SPDX-License-Identifier: MIT
// ClassLayout.swift -- what is known of a class without a realm: its properties, and where its instances have them.

import Foundation

/// The persisted properties of a class, and where its instances have them. Made once per class and never freed.
final class ClassLayout: @unchecked Sendable {  // nothing changes after init
    /// One persisted property.
    final class Slot {
        let property: Property
        /// Where objects have it, in bytes from their start; -1 if the objects have no fields for their properties.
        let offset: Int
        let access: any PersistedAccess.Type
        let target: ObjectBase.Type?
        /// The fast access while the object is unmanaged.
        let unmanaged: UnmanagedValue

        init(property: Property, offset: Int, access: any PersistedAccess.Type, target: ObjectBase.Type?) {
            self.property = property
            self.offset = offset
            self.access = access
            self.target = target
            unmanaged = UnmanagedValue(access, property)
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
    /// Whether an instance has nothing but its row and wrappers, so that it can be made to show another row.
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

    /// The layout of objects that are used only by the names of their properties.
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
        // Made outside of the lock, because making it runs initialisers of the program.
        let layout = ClassLayout(type)
        return lock.withLock {
            if let other = known[id] { return other }
            known[id] = layout
            return layout
        }
    }
}

extension ClassLayout {
    /// The layouts of classes, each once.
    ///
    /// - Throws: `invalidInput` if two classes have the same name.
    static func layouts(of types: [ObjectBase.Type]) throws(StrataError) -> [ClassLayout] {
        var seen = Set<ObjectIdentifier>(), byName: [String: ObjectBase.Type] = [:]
        let types = types.filter { seen.insert(ObjectIdentifier($0)).inserted }
        for type in types {
            if let other = byName.updateValue(type, forKey: type.className()) {
                throw StrataError(
                    .invalidInput,
                    "There are two classes named \(type.className()): \(String(reflecting: other)) and "
                        + "\(String(reflecting: type)). Rename one, override shouldIncludeInDefaultSchema() in one, "
                        + "or list the classes in objectTypes.")
            }
        }
        return types.map(ClassLayout.of)
    }
}
