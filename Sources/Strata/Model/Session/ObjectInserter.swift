// SPDX-License-Identifier: MIT
// ObjectInserter.swift -- makes unmanaged objects managed, together with all objects that they reach.
//
// An object first gets a row with its plain values, and shows this row from then on; its links are followed only after
// that. So cycles end, and a chain of any length needs no deep recursion: an object whose links are not set yet waits
// in a list.

/// Adds unmanaged objects to a realm. Lives for one call.
final class ObjectInserter {
    /// An object that has its row, but not yet its links and the contents of its collections.
    struct Waiting {
        let object: ObjectBase
        let managed: ManagedClass
        /// Whether the row was there before.
        let existed: Bool
        let links: [(slot: Int, link: Link)]

        var key: UInt64 { object.row.key }
    }

    /// The value of a property that may lead to objects which are not managed yet.
    enum Link {
        case one(ObjectBase?)
        /// A collection: `.elements` or `.entries`.
        case many(_StoredValue)
        /// A property of any type, with objects in its value.
        case any(_StoredValue)
    }

    /// How the value of a property gets into the row.
    private enum Answer {
        /// The row has it.
        case plain(EngineValue)
        /// It is set after all objects have their rows. Until then the row has `now`.
        case link(Link, now: EngineValue? = nil)
        /// The row already is as it must be.
        case none
    }

    let session: Session
    let policy: UpdatePolicy
    /// For objects that exist already, which of their properties must be changed; all of them, if an object is not
    /// here.
    private let mentioned: [ObjectIdentifier: SlotSet]
    private var waiting: [Waiting] = []

    init(_ session: Session, _ policy: UpdatePolicy, mentioned: [ObjectIdentifier: SlotSet] = [:]) {
        self.session = session
        self.policy = policy
        self.mentioned = mentioned
    }

    /// Adds an object and all that it reaches, unless it is managed already. Returns its key.
    func add(_ object: ObjectBase) throws(StrataError) -> UInt64 {
        let key = try insert(object), deletions = session.embeddedDeletions
        var next = 0
        while next < waiting.count {
            let current = waiting[next]
            next += 1
            // An embedded object that was replaced meanwhile, because a value leads to its owner twice, gets nothing.
            if session.embeddedDeletions != deletions, current.managed.isEmbedded,
                try !session.view.exists(current.key, in: current.managed.table)
            {
                continue
            }
            for (slot, link) in current.links { try set(current, slot, link) }
        }
        waiting.removeAll()
        return key
    }

    /// The key of an object that is managed already; nil of an unmanaged one. Stops the program if the object cannot be
    /// used here.
    ///
    /// - Parameter isLinked: whether the object is the target of a link. The engine then finds out whether it exists.
    private func managedKey(_ object: ObjectBase, isLinked: Bool = false) -> UInt64? {
        switch object._mode {
        case .unmanaged: return nil
        case .live where object._session === session:
            if isLinked ? object.isKnownGone : object.isInvalidated {
                misuse("\(LiveRow.name(object)) was deleted and cannot be used again")
            }
            if object.isEmbedded && session.hasOwner(object) {
                let copy = object is DynamicObject ? "its values, as a dictionary" : "a copy, \(type(of: object))(value:)"
                misuse("\(LiveRow.name(object)) is embedded and has an owner already; give \(copy), to the other one")
            }
            return object.row.key
        case .live:
            misuse(
                session.isMigration
                    ? "a migration links to a \(object.layout.schema.className) as the file had it; link to the new "
                        + "one, which enumerateObjects gives with it. Links of a property whose name and type stay are "
                        + "there already"
                    : "\(LiveRow.name(object)) belongs to another realm; use create(_:value:) to copy it")
        case .deleted: misuse("\(type(of: object)) was deleted and cannot be added again; make another object")
        case .recording: misuse("an object that records a key path cannot be stored")
        }
    }

    /// Gives an object a row with its plain values; its links wait. Returns its key.
    ///
    /// - Parameter existing: the key of an embedded object whose row the object gets, instead of a new one.
    func insert(_ object: ObjectBase, over existing: UInt64? = nil) throws(StrataError) -> UInt64 {
        if let key = managedKey(object) { return key }
        let managed = session.classes.of(type(of: object))
        var links: [(slot: Int, link: Link)] = []
        let arena = session.arena
        arena.reset()
        let values = arena.nulls(managed.columnCount)
        if managed.hasLeftColumns {
            for (column, type) in managed.leftColumns { values[Int(column)] = .zero(type, arena) }
        }
        collect(object, managed, arena, values, &links)
        let key: UInt64, existed: Bool
        if let existing {
            try update(object, managed, existing, UnsafeBufferPointer(values))
            (key, existed) = (existing, true)
        } else {
            (key, existed) = try store(object, managed, UnsafeBufferPointer(values))
        }
        show(object, managed, key)
        if !links.isEmpty, !existed { links.removeAll { if case .one(nil) = $0.link { true } else { false } } }
        if !links.isEmpty {
            waiting.append(Waiting(object: object, managed: managed, existed: existed, links: links))
        }
        return key
    }

    // MARK: Rows

    /// The plain values of an object by column, and its links.
    private func collect(
        _ object: ObjectBase, _ managed: ManagedClass, _ arena: ValueArena,
        _ values: UnsafeMutableBufferPointer<EngineValue>, _ links: inout [(slot: Int, link: Link)]
    ) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        for (slot, attachment) in managed.attachments.enumerated() where attachment.isStored {
            switch answer(base + attachment.field.start, attachment.access, managed, arena, slot) {
            case .plain(let value): values[Int(attachment.column)] = value
            case .link(let link, let now):
                if let now { values[Int(attachment.column)] = now }
                links.append((slot, link))
            case .none: break
            }
        }
    }

    /// How the value of a property gets into the row.
    @inline(__always)
    private func answer(
        _ wrapper: UnsafeMutableRawPointer, _ access: UnmanagedValue, _ managed: ManagedClass, _ arena: ValueArena,
        _ slot: Int
    ) -> Answer {
        if let encoded = access.encoded(wrapper, arena) { return .plain(encoded) }
        if access == .link { return answer(toLink: UnmanagedValue.link(wrapper), managed, slot) }
        return generalAnswer(wrapper, access, managed, slot)
    }

    /// With `.error`, a new row is made, which needs no links to nothing and no contents of empty collections.
    private func answer(toLink target: ObjectBase?, _ managed: ManagedClass, _ slot: Int) -> Answer {
        guard let target else { return policy == .error ? .none : .link(.one(nil)) }
        guard let key = managedKey(target, isLinked: true) else { return .link(.one(target)) }
        requireKind(of: target, managed, slot)
        return policy == .error ? .plain(.link(key)) : .link(.one(target), now: .link(key))
    }

    private func generalAnswer(
        _ wrapper: UnsafeMutableRawPointer, _ access: UnmanagedValue, _ managed: ManagedClass, _ slot: Int
    ) -> Answer {
        if access == .collection, UnmanagedValue.isUntouched(wrapper) {
            if policy == .error { return .none }
            return .link(.many(managed.layout.slots[slot].property.isMap ? .entries([]) : .elements([])))
        }
        let stored = managed.layout.slots[slot].access._unmanagedValue(wrapper)
        if managed.isLinkOfAnyClass(slot) && stored.needsLinking { return .link(.any(stored)) }
        switch stored {
        case .null where managed.layout.slots[slot].property.type == .object:
            return answer(toLink: nil, managed, slot)
        case .object(let target as ObjectBase):
            guard target._mode == .live, let key = managedKey(target) else { return .link(.one(target)) }
            requireKind(of: target, managed, slot)
            return policy == .error ? .plain(.link(key)) : .link(.one(target), now: .link(key))
        case .collection(let collection as any PersistedCollection):
            let contents = collection.contents
            return policy == .error && contents.isEmpty ? .none : .link(.many(contents))
        default: return stored.encoded(session.arena).map { .plain($0) } ?? .none
        }
    }

    /// Creates the row, or changes the one that has the primary key.
    private func store(
        _ object: ObjectBase, _ managed: ManagedClass, _ values: UnsafeBufferPointer<EngineValue>
    ) throws(StrataError) -> (key: UInt64, existed: Bool) {
        let view = session.view
        if policy != .error, let primaryKey = managed.layout.primaryKey {
            let value = values[Int(managed.columns[primaryKey])]
            if let key = try view.find(in: managed.table, primary: value) {
                try update(object, managed, key, values)
                return (key, true)
            }
        }
        do throws(StrataError) {
            switch try view.create(in: managed.table, values) {
            case .created(let key):
                if managed.firstCreated == 0 { managed.firstCreated = key }
                return (key, false)
            case .duplicate: throw StrataError(.invalidInput, duplicate(object, managed))
            }
        } catch {
            throw error.naming(describe(object, managed))
        }
    }

    /// Changes the plain values of an object that exists; with `.modified`, only those that differ.
    private func update(
        _ object: ObjectBase, _ managed: ManagedClass, _ key: UInt64, _ values: UnsafeBufferPointer<EngineValue>
    ) throws(StrataError) {
        let layout = managed.layout
        let mentioned = mentioned[ObjectIdentifier(object)]
        var row = managed.unbound(key)
        try session.view.bind(&row, to: managed.table, key)
        // All are compared before one is set, since that makes the row out of date.
        var changed: [UInt32] = []
        for index in 0..<layout.storedCount where index != layout.primaryKey {
            let slot = layout.slots[index]
            if slot.property.type == .object || slot.property.isCollection { continue }
            if let mentioned, !mentioned.contains(index) { continue }
            if managed.isLinkOfAnyClass(index),
                slot.access._unmanagedValue(slot.wrapper(in: object)).needsLinking
            {
                continue
            }
            let column = managed.columns[index]
            if policy == .modified, try session.view.isSame(&row, column, as: values[Int(column)]) { continue }
            changed.append(column)
        }
        for column in changed { try session.view.set(&row, column, values[Int(column)]) }
    }

    /// Makes the object show its row, and its collections their columns. The values that it had are released, but for
    /// its collections, which stay those of the properties.
    private func show(_ object: ObjectBase, _ managed: ManagedClass, _ key: UInt64) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        for (index, attachment) in managed.attachments.enumerated() {
            let wrapper = base + attachment.field.start
            if attachment.access.forget(wrapper) { continue }
            let access = managed.layout.slots[index].access
            if attachment.isCollection,
                case .collection(let collection as any PersistedCollection) = access._unmanagedValue(wrapper)
            {
                collection.becomeManaged(
                    ManagedCollection(managed, key, attachment.column, generation: session.generation))
                continue
            }
            access._forget(wrapper)
        }
        managed.attach(object, key)
    }

    // MARK: Links

    /// Sets one link or collection of an object that has its row.
    private func set(_ current: Waiting, _ slot: Int, _ link: Link) throws(StrataError) {
        if current.existed, let mentioned = mentioned[ObjectIdentifier(current.object)], !mentioned.contains(slot) {
            return
        }
        switch link {
        case .one(let target): try self.link(current, slot, to: target)
        case .many(let contents): try fill(current, slot, contents)
        case .any(let value): try set(current, slot, any: value)
        }
    }

    /// Sets a to-one link. With `.modified`, an object that existed gets it only if it differs.
    private func link(_ current: Waiting, _ slot: Int, to target: ObjectBase?) throws(StrataError) {
        let managed = current.managed
        let column = managed.columns[slot]
        var row = managed.unbound(current.key)
        var old: UInt64 = 0
        if current.existed {
            try session.view.bind(&row, to: managed.table, current.key)
            old = row.link(column)
        }
        let targetClass = managed.target(ofSlot: slot)
        if let target { requireKind(of: target, managed, slot) }
        if targetClass.isEmbedded, let target, old != 0, policy == .modified {
            _ = try insert(target, over: old)
            return
        }
        var key: UInt64 = 0
        if let target { key = try insert(target) }
        if current.existed, policy == .modified, old == key { return }
        try session.view.set(&row, column, .link(key))
        if targetClass.isEmbedded, old != 0 { session.deleteEmbedded([old], of: targetClass) }
    }

    /// Stops the program unless a property can lead to an object.
    private func requireKind(of target: ObjectBase, _ managed: ManagedClass, _ slot: Int) {
        managed.unretainedTarget(ofSlot: slot)._withUnsafeGuaranteedRef {
            $0.requireKind(of: target, linkedBy: "\(managed.name).\(managed.layout.slots[slot].property.name)")
        }
    }

    // MARK: Messages

    private func duplicate(_ object: ObjectBase, _ managed: ManagedClass) -> String {
        guard let index = managed.layout.primaryKey else { return "a duplicate" }
        let slot = managed.layout.slots[index]
        let value = slot.access._unmanagedValue(slot.wrapper(in: object)).text
        return "another object has the primary key \(slot.property.name) = \(value); "
            + "pass update: .modified to change it"
    }

    private func describe(_ object: ObjectBase, _ managed: ManagedClass) -> String {
        guard let index = managed.layout.primaryKey, object._mode == .unmanaged else { return managed.name }
        let slot = managed.layout.slots[index]
        return "\(managed.name) with \(slot.property.name) "
            + slot.access._unmanagedValue(slot.wrapper(in: object)).text
    }
}

extension _StoredValue {
    /// Whether the value is set after all objects have their rows.
    fileprivate var needsLinking: Bool {
        switch self {
        case .object, .collection, .elements, .entries: true
        default: false
        }
    }
}
