// SPDX-License-Identifier: MIT
// Promotion.swift -- unmanaged objects become managed, with all that they reach.
//
// An object first gets a row with its plain values and is made to show it; only then are its links followed. So cycles
// end, and a chain of any length needs no deep recursion: objects whose links are still to be set wait in a list.

import CStrata

/// Adds unmanaged objects to a realm. Lives for one call.
final class Promotion {
    /// A property that links to objects, some of which may not yet be managed.
    private enum Link {
        case one(Object)
        case none
        case many([Object])
    }

    /// An object whose links are still to be set.
    private struct Waiting {
        let object: Object
        let managed: ManagedClass
        let existed: Bool
        let links: [(slot: Int, link: Link)]
    }

    private let session: Session
    private let policy: UpdatePolicy
    /// Which properties of an object are to be changed if it exists already; all, where nothing is said.
    private let mentioned: [ObjectIdentifier: Set<Int>]
    private var waiting: [Waiting] = []

    init(_ session: Session, _ policy: UpdatePolicy, mentioned: [ObjectIdentifier: Set<Int>] = [:]) {
        self.session = session
        self.policy = policy
        self.mentioned = mentioned
    }

    /// The key of an object, which is made managed with all that it reaches if it is not yet.
    func add(_ object: Object) throws(StrataError) -> UInt64 {
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

    /// The key of an object that is managed already.
    private func managedKey(_ object: Object) -> UInt64? {
        switch object._mode {
        case .unmanaged: return nil
        case .live where object._session === session:
            if object.isInvalidated { misuse("\(LiveRow.name(object)) was deleted and cannot be used again") }
            return object.row.pointee.key
        case .live: misuse("\(LiveRow.name(object)) belongs to another realm; use create(_:value:) to copy it")
        case .deleted: misuse("\(type(of: object)) was deleted and cannot be added again; make another object")
        case .tracing: misuse("an object that records a key path cannot be stored")
        }
    }

    /// Gives an object a row with its plain values, and notes its links.
    private func place(_ object: Object) throws(StrataError) -> UInt64 {
        if let key = managedKey(object) { return key }
        let managed = session.managed(type(of: object))
        let layout = managed.layout
        let base = Unmanaged.passUnretained(object).toOpaque()
        var links: [(slot: Int, link: Link)] = []
        session.arena.reset()
        let (key, existed) = try withUnsafeTemporaryValues(managed.columnCount) {
            (values: UnsafeMutableBufferPointer<strata_value>) throws(StrataError) in
            values.initialize(repeating: strata_null())
            for (index, attachment) in managed.attachments.enumerated() where attachment.isStored {
                let wrapper = base + Int(attachment.offset)
                if let encoded = attachment.kind.encoded(wrapper, session.arena) {
                    values[Int(attachment.column)] = encoded
                } else if attachment.kind == .link {
                    guard let target = UnmanagedValue.link(wrapper) else {
                        if policy != .error { links.append((index, .none)) }
                        continue
                    }
                    if target._mode == .live, let key = managedKey(target) {
                        values[Int(attachment.column)] = strata_link(key)
                        if policy == .error { continue }
                    }
                    links.append((index, .one(target)))
                } else {
                    let stored = layout.slots[index].access._unmanagedValue(wrapper)
                    if let encoded = stored.encoded(session.arena) {
                        values[Int(attachment.column)] = encoded
                    } else if case .collection(let list) = stored, let list = list as? any ObjectCollection {
                        let elements = list.snapshot
                        if !elements.isEmpty || policy != .error { links.append((index, .many(elements))) }
                    }
                }
            }
            return try store(object, managed, UnsafeBufferPointer(values))
        }
        if !existed { links.removeAll { if case .none = $0.link { true } else { false } } }
        show(object, managed, key)
        if !links.isEmpty {
            waiting.append(Waiting(object: object, managed: managed, existed: existed, links: links))
        }
        return key
    }

    /// Creates the row, or changes the one that has the primary key.
    private func store(
        _ object: Object, _ managed: ManagedClass, _ values: UnsafeBufferPointer<strata_value>
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
        _ object: Object, _ managed: ManagedClass, _ key: UInt64, _ values: UnsafeBufferPointer<strata_value>
    ) throws(StrataError) {
        let layout = managed.layout
        let mask = mentioned[ObjectIdentifier(object)]
        var row = managed.unbound(key)
        try session.view.bind(&row, to: managed.table, key)
        for index in 0..<layout.storedCount where index != layout.primaryKey {
            let slot = layout.slots[index]
            if slot.property.type == .object { continue }
            if let mask, !mask.contains(index) { continue }
            if policy == .modified {
                let new = slot.access._unmanagedValue(slot.wrapper(in: object))
                if _StoredValue.same(slot.access._managedValue(&row, managed.columns[index]), new) { continue }
            }
            try session.view.set(&row, managed.columns[index], values[Int(managed.columns[index])])
        }
    }

    /// Makes the object show its row; its collections show their columns, and its values are released.
    private func show(_ object: Object, _ managed: ManagedClass, _ key: UInt64) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        for (index, attachment) in managed.attachments.enumerated() {
            let wrapper = base + Int(attachment.offset)
            if attachment.kind.forget(wrapper) { continue }
            let access = managed.layout.slots[index].access
            if attachment.isList, case .collection(let list) = access._unmanagedValue(wrapper) {
                (list as? any ObjectCollection)?.becomeManaged(
                    managed, key, attachment.column, managed.target(ofSlot: index))
            }
            access._forget(wrapper)
        }
        managed.attach(object, key)
    }

    /// Sets one link property of an object that has its row.
    private func set(_ current: Waiting, _ slot: Int, _ link: Link) throws(StrataError) {
        if current.existed, let mask = mentioned[ObjectIdentifier(current.object)], !mask.contains(slot) { return }
        let column = current.managed.columns[slot]
        let key = current.object.row.pointee.key
        switch link {
        case .none: try self.link(current, column, key, to: 0)
        case .one(let target): try self.link(current, column, key, to: try place(target))
        case .many(let elements):
            var keys: [UInt64] = []
            keys.reserveCapacity(elements.count)
            for element in elements { keys.append(try place(element)) }
            var row = current.managed.unbound(key)
            if current.existed {
                let count = try session.view.listSize(&row, column) ?? 0
                if policy == .modified, try session.view.listKeys(&row, column, 0..<count) == keys { return }
                try session.view.listRemove(&row, column, 0..<count)
            }
            try session.view.listInsert(&row, column, at: 0, keys)
        }
    }

    /// Sets a to-one link; of an object that existed, with `.modified`, only if it differs.
    private func link(
        _ current: Waiting, _ column: UInt32, _ key: UInt64, to target: UInt64
    ) throws(StrataError) {
        var row = current.managed.unbound(key)
        if current.existed, policy == .modified {
            try session.view.bind(&row, to: current.managed.table, key)
            if strata_row_link(&row, column) == target { return }
        }
        try session.view.set(&row, column, strata_link(target))
    }

    private func duplicate(_ object: Object, _ managed: ManagedClass) -> String {
        guard let index = managed.layout.primaryKey else { return "a duplicate" }
        let slot = managed.layout.slots[index]
        let value = slot.access._unmanagedValue(slot.wrapper(in: object)).text
        return "another object has the primary key \(slot.property.name) = \(value); "
            + "pass update: .modified to change it"
    }

    private func describe(_ object: Object, _ managed: ManagedClass) -> String {
        let name = managed.layout.schema.className
        guard let index = managed.layout.primaryKey, object._mode == .unmanaged else { return name }
        let slot = managed.layout.slots[index]
        return "\(name) with \(slot.property.name) \(slot.access._unmanagedValue(slot.wrapper(in: object)).text)"
    }
}

/// Lends room for some values.
private func withUnsafeTemporaryValues<R>(
    _ count: Int, _ body: (UnsafeMutableBufferPointer<strata_value>) throws(StrataError) -> R
) throws(StrataError) -> R {
    let values = UnsafeMutableBufferPointer<strata_value>.allocate(capacity: count)
    defer { values.deallocate() }
    return try body(values)
}
