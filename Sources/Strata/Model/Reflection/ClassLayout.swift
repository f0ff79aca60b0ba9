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
    /// Stored properties, as in `schema.properties`, then linking objects, as in `schema.computedProperties`.
    let slots: [Slot]
    /// How many of `slots` have a column.
    let storedCount: Int
    /// The names of the stored properties, for a search that mostly compares no text.
    private let storedNames: [NameBits]
    /// The slot of the primary key.
    let primaryKey: Int?
    /// Whether an instance has nothing but its row and wrappers, so that it can be made to show another row.
    let isReusable: Bool
    /// Whether the class is a ``ValidatedObject``.
    let isValidated: Bool
    /// What is wrong with the class and cannot be seen in its schema. No realm holds a class that has problems.
    let problems: [SchemaProblem]

    /// The layout of a class of the program.
    private init(_ type: ObjectBase.Type) {
        let fields = StoredProperties.of(type)
        let declared = DeclaredProperties(type)
        let all = declared.slots(fields.persisted)
        let stored = all.filter { $0.property.type != .linkingObjects }
        let computed = all.filter { $0.property.type == .linkingObjects }
        self.type = type
        slots = stored + computed
        schema = ObjectSchema(
            className: type.className(), properties: stored.map(\.property),
            computedProperties: computed.map(\.property), objectClass: type,
            isEmbedded: type is EmbeddedObject.Type, compoundIndexes: type.compoundIndexes())
        storedCount = stored.count
        storedNames = stored.map { NameBits($0.property.name) }
        primaryKey = stored.firstIndex { $0.property.isPrimaryKey }
        isReusable = !fields.hasOthers
        isValidated = SchemaDiscovery.isValidated(type)
        problems = declared.problems(fields)
    }

    /// The layout of objects that are used only by the names of their properties.
    init(dynamic schema: ObjectSchema, _ slots: [Slot]) {
        type = DynamicObject.self
        self.schema = schema
        self.slots = slots
        storedCount = slots.count { $0.property.type != .linkingObjects }
        storedNames = slots.prefix(storedCount).map { NameBits($0.property.name) }
        primaryKey = slots.firstIndex { $0.property.isPrimaryKey }
        isReusable = true
        isValidated = false
        problems = []
    }

    /// The slot of a property, or nil.
    func index(of name: String) -> Int? { slots.firstIndex { $0.property.name == name } }

    /// The slot of a stored property, or nil. The search begins at a slot and goes round.
    func storedIndex(of name: String, from first: Int) -> Int? {
        let bits = NameBits(name)
        for index in first..<max(first, storedCount) where storedNames[index] == bits { return index }
        for index in 0..<min(first, storedCount) where storedNames[index] == bits { return index }
        return index(of: name).flatMap { $0 < storedCount ? $0 : nil }
    }

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

/// What a `String` is made of: up to fifteen bytes of text, or where the text is. Strings of the same bits are equal,
/// as long as the text of one of them is not freed; others may be equal as well.
private struct NameBits: Equatable {
    private let low, high: UInt64

    init(_ name: String) { (low, high) = unsafeBitCast(name, to: (UInt64, UInt64).self) }
}

extension ClassLayout {
    /// The layouts of classes, each once.
    static func layouts(of types: [ObjectBase.Type]) -> [ClassLayout] {
        var seen = Set<ObjectIdentifier>()
        return types.filter { seen.insert(ObjectIdentifier($0)).inserted }.map(ClassLayout.of)
    }
}
