// SPDX-License-Identifier: MIT
// ClassLayout.swift -- what is known of a class without any realm.

import Foundation

/// The persisted properties of a class and where its instances keep them. Made once per class and kept for ever.
final class ClassLayout: @unchecked Sendable {  // nothing changes after init
    /// One persisted property.
    final class Slot {
        let property: Property
        let offset: Int
        let access: any PersistedAccess.Type
        let target: Object.Type?

        init(property: Property, offset: Int, access: any PersistedAccess.Type, target: Object.Type?) {
            self.property = property
            self.offset = offset
            self.access = access
            self.target = target
        }

        /// The wrapper inside of an object.
        func wrapper(in object: Object) -> UnsafeMutableRawPointer {
            Unmanaged.passUnretained(object).toOpaque() + offset
        }
    }

    let type: Object.Type
    let schema: ObjectSchema
    /// Stored properties, then linking objects, as in `schema.properties`.
    let slots: [Slot]
    /// How many of `slots` have a column.
    let storedCount: Int
    /// The slot of the primary key.
    let primaryKey: Int?
    /// Whether an instance holds nothing but its row, so that it may be pointed to another one.
    let isReusable: Bool
    /// Whether making an instance makes identifiers or dates that a row does not need.
    let needsBuildingFlag: Bool

    private init(_ type: Object.Type) {
        let fields = StoredProperties(type)
        let prototype = type.init()
        let key = type.primaryKey()
        let indexed = Set(type.indexedProperties())
        let slots = fields.wrappers.map { Self.slot($0, prototype, key, indexed) }
        let ordered = slots.filter { $0.property.type != .linkingObjects }
            + slots.filter { $0.property.type == .linkingObjects }
        if let key, !slots.contains(where: { $0.property.name == key }) {
            misuse("\(type).primaryKey() returns \"\(key)\", which is no persisted property of \(type)")
        }
        self.type = type
        self.slots = ordered
        schema = ObjectSchema(className: type.className(), properties: ordered.map(\.property))
        storedCount = ordered.count { $0.property.type != .linkingObjects }
        primaryKey = ordered.firstIndex { $0.property.isPrimaryKey }
        isReusable = !fields.hasOthers
        needsBuildingFlag = fields.wrappers.contains { $0.access._needsInitial }
    }

    private static func slot(
        _ field: WrapperField, _ prototype: Object, _ primaryKey: String?, _ indexed: Set<String>
    ) -> Slot {
        let wrapper = Unmanaged.passUnretained(prototype).toOpaque() + field.offset
        let shape = field.access._shape
        let flags = field.access._flags(wrapper)
        let isPrimary = flags & PersistedHeader.primaryKey != 0 || primaryKey == field.name
        let isIndexed = flags & PersistedHeader.indexed != 0 || indexed.contains(field.name)
        var origin: String?
        if case .string(let name) = field.access._unmanagedValue(wrapper), shape.type == .linkingObjects {
            origin = name
        }
        let target = shape.target as? Object.Type
        return Slot(
            property: Property(
                name: field.name, columnName: field.name, type: shape.type, isArray: shape.isList,
                isIndexed: isPrimary || isIndexed, isPrimaryKey: isPrimary, isOptional: shape.isOptional,
                objectClassName: target?.className(), linkOriginPropertyName: origin),
            offset: field.offset, access: field.access, target: target)
    }

    /// The slot of a property, or nil.
    func index(of name: String) -> Int? { slots.firstIndex { $0.property.name == name } }

    // MARK: Cache

    private static let lock = NSLock()
    nonisolated(unsafe) private static var known: [ObjectIdentifier: ClassLayout] = [:]  // guarded by `lock`

    /// The layout of a class. May be called from every thread.
    static func of(_ type: Object.Type) -> ClassLayout {
        let id = ObjectIdentifier(type)
        if let layout = lock.withLock({ known[id] }) { return layout }
        // Made outside of the lock, because initialisers of models are code of the program.
        StoredProperties.checkLayout()
        let layout = ClassLayout(type)
        return lock.withLock {
            if let other = known[id] { return other }
            known[id] = layout
            return layout
        }
    }
}
