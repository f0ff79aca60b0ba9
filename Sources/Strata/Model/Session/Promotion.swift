// SPDX-License-Identifier: MIT
// Promotion.swift -- unmanaged objects become managed, with all that they reach.
//
// An object first gets a row with its plain values and is made to show it; only then are its links followed. So cycles
// end, and a chain of any length needs no deep recursion: objects whose links are still to be set wait in a list.

import CStrata

/// Adds unmanaged objects to a realm. Lives for one call.
final class Promotion {
    /// An object whose links and collections are still to be set.
    struct Waiting {
        let object: ObjectBase
        let managed: ManagedClass
        /// Whether the row was there before.
        let existed: Bool
        let links: [(slot: Int, link: Link)]

        var key: UInt64 { object.row.pointee.key }
    }

    /// What a property is to hold that may lead to objects which are not yet managed.
    enum Link {
        case one(ObjectBase)
        case none
        case many(_StoredValue)
        /// Objects in a property of any type.
        case any(_StoredValue)
    }

    let session: Session
    let policy: UpdatePolicy
    /// Which properties of an object are to be changed if it exists already; all, where nothing is said.
    private let mentioned: [ObjectIdentifier: Set<Int>]
    private var waiting: [Waiting] = []

    init(_ session: Session, _ policy: UpdatePolicy, mentioned: [ObjectIdentifier: Set<Int>] = [:]) {
        self.session = session
        self.policy = policy
        self.mentioned = mentioned
    }

    /// The key of an object, which is made managed with all that it reaches if it is not yet.
    func add(_ object: ObjectBase) throws(StrataError) -> UInt64 {
        let key = try place(object)
        var next = 0
        while next < waiting.count {
            let current = waiting[next]
            for (slot, link) in current.links { try set(current, slot, link) }
            next += 1
        }
        waiting.removeAll()
        return key
    }

    /// The key of an object that is managed already. Of one that is linked to, the engine finds out whether it is
    /// there.
    private func managedKey(_ object: ObjectBase, isLinked: Bool = false) -> UInt64? {
        switch object._mode {
        case .unmanaged: return nil
        case .live where object._session === session:
            if isLinked ? object.isKnownGone : object.isInvalidated {
                misuse("\(LiveRow.name(object)) was deleted and cannot be used again")
            }
            if object.isEmbedded {
                misuse(
                    "\(LiveRow.name(object)) is embedded and has an owner already; "
                        + "give a copy, \(type(of: object))(value:), to the other one")
            }
            return object.row.pointee.key
        case .live: misuse("\(LiveRow.name(object)) belongs to another realm; use create(_:value:) to copy it")
        case .deleted: misuse("\(type(of: object)) was deleted and cannot be added again; make another object")
        case .tracing: misuse("an object that records a key path cannot be stored")
        }
    }

    /// Gives an object a row with its plain values, and notes its links. An embedded object may take the place of one
    /// that exists.
    func place(_ object: ObjectBase, over existing: UInt64? = nil) throws(StrataError) -> UInt64 {
        if let key = managedKey(object) { return key }
        let managed = session.managed(type(of: object))
        var links: [(slot: Int, link: Link)] = []
        session.arena.reset()
        let values = session.arena.nulls(managed.columnCount)
        try collect(object, managed, values, &links)
        let key: UInt64, existed: Bool
        if let existing {
            try update(object, managed, existing, UnsafeBufferPointer(values))
            (key, existed) = (existing, true)
        } else {
            (key, existed) = try store(object, managed, UnsafeBufferPointer(values))
        }
        if !existed { links.removeAll { if case .none = $0.link { true } else { false } } }
        show(object, managed, key)
        if !links.isEmpty {
            waiting.append(Waiting(object: object, managed: managed, existed: existed, links: links))
        }
        return key
    }

    /// The plain values of an object by column, and its links.
    private func collect(
        _ object: ObjectBase, _ managed: ManagedClass, _ values: UnsafeMutableBufferPointer<strata_value>,
        _ links: inout [(slot: Int, link: Link)]
    ) throws(StrataError) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        for (index, attachment) in managed.attachments.enumerated() where attachment.isStored {
            let wrapper = base + Int(attachment.place.offset)
            let column = Int(attachment.column)
            if let encoded = attachment.kind.encoded(wrapper, session.arena) {
                values[column] = encoded
                continue
            }
            if attachment.kind == .link {
                let target = UnmanagedValue.link(wrapper)
                if let key = target.flatMap({ managedKey($0, isLinked: true) }) { values[column] = strata_link(key) }
                if policy == .error, target?._mode != .unmanaged { continue }
                links.append((index, target.map { .one($0) } ?? .none))
                continue
            }
            if attachment.kind == .collection, UnmanagedValue.isUntouched(wrapper) {
                let isMap = managed.layout.slots[index].property.isMap
                if policy != .error { links.append((index, .many(isMap ? .entries([]) : .elements([])))) }
                continue
            }
            let stored = managed.layout.slots[index].access._unmanagedValue(wrapper)
            switch stored {
            case _ where managed.isLinkOfAnyClass(index) && stored.needsLinking:
                links.append((index, .any(stored)))
            case .object(let target as ObjectBase):
                if target._mode == .live, let key = managedKey(target) {
                    values[column] = strata_link(key)
                    if policy == .error { continue }
                }
                links.append((index, .one(target)))
            case .collection(let collection as any PersistedCollection):
                let contents = collection.contents
                if policy != .error || !contents.isEmpty { links.append((index, .many(contents))) }
            default:
                if let encoded = stored.encoded(session.arena) { values[column] = encoded }
            }
        }
    }

    /// Creates the row, or changes the one that has the primary key.
    private func store(
        _ object: ObjectBase, _ managed: ManagedClass, _ values: UnsafeBufferPointer<strata_value>
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
            throw StrataError(
                error.code, "\(describe(object, managed)): \(error.message)",
                systemCode: error.systemCode, fileURL: error.fileURL)
        }
    }

    /// Changes the plain values of an object that exists; with `.modified` only those that differ.
    private func update(
        _ object: ObjectBase, _ managed: ManagedClass, _ key: UInt64, _ values: UnsafeBufferPointer<strata_value>
    ) throws(StrataError) {
        let layout = managed.layout
        let mask = mentioned[ObjectIdentifier(object)]
        var row = managed.unbound(key)
        try session.view.bind(&row, to: managed.table, key)
        for index in 0..<layout.storedCount where index != layout.primaryKey {
            let slot = layout.slots[index]
            if slot.property.type == .object || slot.property.isCollection { continue }
            if let mask, !mask.contains(index) { continue }
            let new = slot.access._unmanagedValue(slot.wrapper(in: object))
            if new.needsLinking { continue }
            if policy == .modified {
                let old = try session.storedValue(&row, managed, managed.columns[index])
                if _StoredValue.same(old, new) { continue }
            }
            try session.view.set(&row, managed.columns[index], values[Int(managed.columns[index])])
        }
    }

    /// Makes the object show its row; its collections show their columns, and its values are released.
    private func show(_ object: ObjectBase, _ managed: ManagedClass, _ key: UInt64) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        for (index, attachment) in managed.attachments.enumerated() {
            let wrapper = base + Int(attachment.place.offset)
            if attachment.kind.forget(wrapper) { continue }
            let access = managed.layout.slots[index].access
            if attachment.isCollection,
                case .collection(let collection as any PersistedCollection) = access._unmanagedValue(wrapper)
            {
                collection.becomeManaged(
                    CollectionPlace(managed, key, attachment.column, moment: session.moment))
            }
            access._forget(wrapper)
        }
        managed.attach(object, key)
    }

    /// Sets one link or collection of an object that has its row.
    private func set(_ current: Waiting, _ slot: Int, _ link: Link) throws(StrataError) {
        if current.existed, let mask = mentioned[ObjectIdentifier(current.object)], !mask.contains(slot) { return }
        switch link {
        case .none: try self.link(current, slot, to: nil)
        case .one(let target): try self.link(current, slot, to: target)
        case .many(let contents): try fill(current, slot, contents)
        case .any(let value): try set(current, slot, any: value)
        }
    }

    /// Sets a to-one link; of an object that existed, with `.modified`, only if it differs.
    private func link(_ current: Waiting, _ slot: Int, to target: ObjectBase?) throws(StrataError) {
        let managed = current.managed
        let column = managed.columns[slot]
        var row = managed.unbound(current.key)
        var old: UInt64 = 0
        if current.existed {
            try session.view.bind(&row, to: managed.table, current.key)
            old = strata_row_link(&row, column)
        }
        let isPart = managed.target(ofSlot: slot).isEmbedded
        if isPart, let target, old != 0, policy == .modified {
            _ = try place(target, over: old)
            return
        }
        var key: UInt64 = 0
        if let target { key = try place(target) }
        if current.existed, policy == .modified, old == key { return }
        try session.view.set(&row, column, strata_link(key))
        if isPart, old != 0 { session.delete(table: managed.target(ofSlot: slot).table, keys: CollectionOfOne(old)) }
    }

    private func duplicate(_ object: ObjectBase, _ managed: ManagedClass) -> String {
        guard let index = managed.layout.primaryKey else { return "a duplicate" }
        let slot = managed.layout.slots[index]
        let value = slot.access._unmanagedValue(slot.wrapper(in: object)).text
        return "another object has the primary key \(slot.property.name) = \(value); "
            + "pass update: .modified to change it"
    }

    private func describe(_ object: ObjectBase, _ managed: ManagedClass) -> String {
        let name = managed.layout.schema.className
        guard let index = managed.layout.primaryKey, object._mode == .unmanaged else { return name }
        let slot = managed.layout.slots[index]
        return "\(name) with \(slot.property.name) \(slot.access._unmanagedValue(slot.wrapper(in: object)).text)"
    }
}

extension _StoredValue {
    /// Whether there is nothing in a collection.
    fileprivate var isEmpty: Bool {
        switch self {
        case .elements(let values): values.isEmpty
        case .entries(let entries): entries.isEmpty
        default: false
        }
    }

    /// Whether the value is set after all objects have their rows.
    fileprivate var needsLinking: Bool {
        switch self {
        case .object, .collection, .elements, .entries: true
        default: false
        }
    }
}
