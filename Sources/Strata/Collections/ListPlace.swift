// SPDX-License-Identifier: MIT
// ListPlace.swift -- the column that a managed list shows.

import CStrata

/// A list column of one object. Has a row of its own, because the object may be pointed elsewhere.
final class ListPlace {
    let session: Session
    let owner: ManagedClass
    let target: ManagedClass
    let column: UInt32
    let key: UInt64
    private let moment: UInt64
    private var row: strata_row

    init(_ owner: ManagedClass, _ key: UInt64, _ column: UInt32, _ target: ManagedClass, moment: UInt64) {
        session = owner.session
        self.owner = owner
        self.target = target
        self.column = column
        self.key = key
        self.moment = moment
        row = owner.unbound(key)
    }

    private var name: String {
        "\(owner.layout.schema.className).\(owner.propertyName(ofColumn: column) ?? "list")"
    }

    // MARK: Reading

    /// The length; nil if the object is gone.
    private var size: Int? {
        if moment < session.invalidatedAt || owner.wasRolledBack(key, moment) { return nil }
        return session.read(name) { () throws(StrataError) in try session.view.listSize(&row, column) }
    }

    var count: Int {
        session.checkThread { name }
        return size ?? 0
    }

    var isInvalidated: Bool {
        session.checkThread { name }
        return size == nil
    }

    /// The keys of all elements.
    var keys: [UInt64] {
        let count = count
        return session.read(name) { () throws(StrataError) in
            try session.view.listKeys(&row, column, 0..<count)
        }
    }

    func object(at position: Int) -> Object {
        let count = count
        if position < 0 || position >= count {
            misuse("index \(position) is outside of \(name), which has \(count) elements")
        }
        let key = session.read(name) { () throws(StrataError) in
            try session.view.listKey(&row, column, position)
        }
        return target.makeObject(key ?? 0)
    }

    func position(of object: Object) -> Int? {
        guard let key = session.keyForComparison(object), object.row.pointee.table == target.table, size != nil else {
            return nil
        }
        return session.read(name) { () throws(StrataError) in try session.view.listFind(&row, column, key) }
    }

    var query: LiveQuery { LiveQuery(target, .list(owner, column: column, key: key)) }

    // MARK: Changing

    /// The length for a change; stops the program where no change is allowed.
    func countForChange() -> Int {
        session.checkThread { name }
        session.requireWriting { "\(name) cannot be changed" }
        guard let size else { misuse("\(name) is changed, but its object was deleted; check isInvalidated first") }
        return size
    }

    func insert(_ objects: [Object], at position: Int) {
        session.record { () throws(StrataError) in
            var keys: [UInt64] = []
            keys.reserveCapacity(objects.count)
            for object in objects { keys.append(try Promotion(session, .error).add(object)) }
            try session.view.listInsert(&row, column, at: position, keys)
        }
    }

    func set(_ object: Object, at position: Int) {
        session.record { () throws(StrataError) in
            let key = try Promotion(session, .error).add(object)
            try session.view.listSet(&row, column, at: position, key)
        }
    }

    func remove(_ range: Range<Int>) {
        session.record { () throws(StrataError) in try session.view.listRemove(&row, column, range) }
    }

    func move(from: Int, to: Int) {
        session.record { () throws(StrataError) in
            guard let key = try session.view.listKey(&row, column, from) else { return }
            try session.view.listRemove(&row, column, from..<from + 1)
            try session.view.listInsert(&row, column, at: to, [key])
        }
    }

    func swap(_ first: Int, _ second: Int) {
        session.record { () throws(StrataError) in
            guard let one = try session.view.listKey(&row, column, first),
                let two = try session.view.listKey(&row, column, second)
            else { return }
            try session.view.listSet(&row, column, at: first, two)
            try session.view.listSet(&row, column, at: second, one)
        }
    }
}
