// SPDX-License-Identifier: MIT
// ManagedCollection+Changing.swift -- changing a managed collection, with elements in their general form.
//
// Every change is recorded by the session: the first that fails makes the write fail, and those after it are ignored.
// Before each, the caller has asked for `sizeForChange()`, which stops the program where no change is allowed.

extension ManagedCollection {
    /// The size before a change; stops the program where no change is allowed.
    @usableFromInline
    func sizeForChange() -> Int {
        session.checkThread { name }
        session.requireWriting { "\(name) cannot be changed" }
        guard let size else {
            let why = nested.map { $0.isMap ? "there is no longer a dictionary" : "there is no longer a list" }
            misuse("\(name) is changed, but \(why ?? "its object was deleted"); check isInvalidated first")
        }
        return size
    }

    // MARK: Lists

    /// Inserts elements before a position of a list. Unmanaged objects are added to the realm.
    func insert(_ values: some Sequence<_StoredValue>, at position: Int) {
        change { () throws(StrataError) in
            // If the elements are values of any type, the values may be nested in this list: they are read first.
            if nested == nil && !kind.isAny { return try append(values, at: position) }
            let values = Array(values)
            if let nested { return try nested.insert(values, at: position) }
            try append(values, at: position)
            session.nested.follow(.inserted(position, values.count), in: self, [])
        }
    }

    /// Replaces an element of a list. An embedded object is deleted with it.
    func set(_ value: _StoredValue, at position: Int) {
        change { () throws(StrataError) in
            if let nested { return try nested.set(value, at: position) }
            let old = try embedded(position..<position + 1)
            let encoded = try encode([value])
            try session.view.set(encoded[0], in: &row, column, at: position)
            deleteEmbedded(old)
        }
    }

    /// Removes elements, or entries of a map. Embedded objects are deleted with them.
    func remove(_ range: Range<Int>) {
        change { () throws(StrataError) in
            if let nested { return try nested.remove(range) }
            let old = try embedded(range)
            let keys = try session.nested.isEmpty || !kind.isMap ? [] : session.view.keys(of: &row, column, range)
            try session.view.remove(range, from: &row, column)
            deleteEmbedded(old)
            for key in keys { session.nested.follow(.removedKey(key), in: self, []) }
            if !kind.isMap { session.nested.follow(.removed(range), in: self, []) }
        }
    }

    /// Moves an element of a list so that it ends up at position `to`.
    func move(from: Int, to: Int) {
        change { () throws(StrataError) in
            if let nested { return try nested.move(from: from, to: to) }
            let value = try copy(at: from)
            try session.view.remove(from..<from + 1, from: &row, column)
            try session.view.insert(value, into: &row, column, at: to)
            session.nested.follow(.moved(from, to), in: self, [])
        }
    }

    /// Exchanges two elements of a list.
    func swap(_ first: Int, _ second: Int) {
        if first == second { return }
        move(from: max(first, second), to: min(first, second))
        move(from: min(first, second) + 1, to: max(first, second))
    }

    // MARK: Sets

    /// Inserts the elements that a set does not have.
    func insertIntoSet(_ values: some Sequence<_StoredValue>) {
        change { () throws(StrataError) in try append(values, at: nil) }
    }

    // MARK: Maps

    /// Stores a value under a key. An embedded object that was there is deleted.
    func set(_ value: _StoredValue, forKey key: String) {
        change { () throws(StrataError) in
            if let nested { return try nested.set(value, forKey: key) }
            if let problem = MapKeys.problem(key) { throw StrataError(.invalidInput, problem) }
            var old: [UInt64] = []
            if target?.isEmbedded == true, let position = try session.view.find(key: key, in: &row, column) {
                old = try embedded(position..<position + 1)
            }
            let encoded = try encode([value])
            try session.view.set(encoded[0], in: &row, column, forKey: key)
            deleteEmbedded(old)
        }
    }

    // MARK: All kinds

    /// Replaces everything by the contents of another collection: `.elements` or `.entries`.
    func replace(with contents: _StoredValue) {
        let size = sizeForChange()
        if let nested { return change { () throws(StrataError) in try nested.replace(with: contents) } }
        remove(0..<size)
        fill(with: contents)
    }

    /// Adds contents to those that are there.
    func fill(with contents: _StoredValue) {
        switch contents {
        case .elements(let values):
            if kind.isSet {
                insertIntoSet(values)
            } else {
                insert(values, at: count)
            }
        case .entries(let entries): for (key, value) in entries { set(value, forKey: key) }
        default: break
        }
    }

    /// Runs a change; if it fails, the error names the property.
    func change(_ body: () throws(StrataError) -> Void) {
        session.record { () throws(StrataError) in
            do throws(StrataError) {
                try body()
            } catch {
                throw error.naming(name)
            }
        }
    }

    /// Makes the write fail, unless an earlier change did.
    func fail(_ error: StrataError) { change { () throws(StrataError) in throw error } }

    // MARK: Values for the engine

    /// Inserts values from `position` on, or into a set if that is nil; many with one call of the engine.
    private func append(_ values: some Sequence<_StoredValue>, at position: Int?) throws(StrataError) {
        var position = position
        var batch: [_StoredValue] = []
        func flush() throws(StrataError) {
            if batch.isEmpty { return }
            let encoded = try encode(batch)
            if let start = position {
                try session.view.insert(encoded, into: &row, column, at: start)
                position = start + encoded.count
            } else {
                try session.view.insert(encoded, intoSet: &row, column)
            }
            batch.removeAll(keepingCapacity: true)
        }
        for value in values {
            batch.append(value)
            if batch.count == Self.batch { try flush() }
        }
        try flush()
    }

    /// Values in the form of the engine, which are valid until the session encodes others. Objects are added to the
    /// realm first, because adding them encodes values as well.
    private func encode(_ values: [_StoredValue]) throws(StrataError) -> [EngineValue] {
        var links: [EngineValue?] = []
        let isAny = kind.isAny
        for (index, value) in values.enumerated() where isAny || target != nil {
            if isAny { for object in value.objects { _ = try ObjectInserter(session, .error).add(object) } }
            guard case .object(let object) = value, let object = object as? ObjectBase else { continue }
            if links.isEmpty { links = Array(repeating: nil, count: values.count) }
            target?.requireKind(of: object, linkedBy: name)
            let key = try ObjectInserter(session, .error).add(object)
            links[index] = target == nil ? .link(key, of: object.row.table) : .link(key)
        }
        session.arena.reset()
        var result: [EngineValue] = []
        result.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            if !links.isEmpty, let link = links[index] {
                result.append(link)
            } else if let encoded = try value.encodedAny(session.arena, for: name) {
                result.append(encoded)
            } else {
                misuse("\(name) cannot hold \(value.text)")
            }
        }
        return result
    }

    /// One element with its bytes in the arena of the session, so that it can be stored at another position.
    private func copy(at position: Int) throws(StrataError) -> [EngineValue] {
        session.arena.reset()
        var result: [EngineValue] = []
        try session.view.visit(&row, column, position..<position + 1) { (value, position) throws(StrataError) in
            if value.isLink {
                result.append(value)
            } else if let encoded = try wholeValue(value, position).encodedAny(session.arena) {
                result.append(encoded)
            }
        }
        return result
    }

    // MARK: Embedded objects

    /// The embedded objects of a range. They must be deleted when the range no longer holds them.
    private func embedded(_ range: Range<Int>) throws(StrataError) -> [UInt64] {
        target?.isEmbedded == true ? try currentLinks(range).filter { $0 != 0 } : []
    }

    private func deleteEmbedded(_ keys: [UInt64]) {
        if let target, !keys.isEmpty { session.deleteEmbedded(keys, of: target) }
    }
}
