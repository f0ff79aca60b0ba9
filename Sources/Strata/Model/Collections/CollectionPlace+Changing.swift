// SPDX-License-Identifier: MIT
// CollectionPlace+Changing.swift -- changing a managed collection.
//
// Every change is recorded by the session: the first that fails makes the write fail, and those after it are ignored.

public import CStrata

extension CollectionPlace {
    /// The size for a change; stops the program where no change is allowed.
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

    // MARK: Plain values, as the engine takes them

    /// Appends a value to a list; false where `insert(_:at:)` must.
    @usableFromInline
    func append(plain value: strata_value) -> Bool {
        if !isPlain { return false }
        insert(value, at: sizeForChange())
        return true
    }

    /// Appends values to a list of plain ones.
    @usableFromInline
    func append(plain values: Slice<UnsafeMutableBufferPointer<strata_value>>) {
        let size = sizeForChange()
        if values.isEmpty { return }
        guard session.beginChange() else { return }
        let status = strata_list_insert(
            &row, column, UInt64(size), values.base.baseAddress, UInt64(values.count), session.view.error)
        if status == .STRATA_OK { resized(to: size + values.count) } else { failed(status) }
    }

    /// Inserts a value before a position that exists, or is the size; false where `insert(_:at:)` must, or must say
    /// what is wrong.
    @usableFromInline
    func insert(plain value: strata_value, at position: Int) -> Bool {
        if !isPlain || position < 0 || position > sizeForChange() { return false }
        insert(value, at: position)
        return true
    }

    private func insert(_ value: strata_value, at position: Int) {
        var value = value
        let size = count
        guard session.beginChange() else { return }
        let status = strata_list_insert(&row, column, UInt64(position), &value, 1, session.view.error)
        if status == .STRATA_OK { resized(to: size + 1) } else { failed(status) }
    }

    /// Replaces an element of a list; false where `set(_:at:)` must, or must say what is wrong.
    @usableFromInline
    func set(plain value: strata_value, at position: Int) -> Bool {
        let size = sizeForChange()
        if !isPlain || position < 0 || position >= size { return false }
        var value = value
        guard session.beginChange() else { return true }
        let status = strata_list_set(&row, column, UInt64(position), &value, session.view.error)
        if status == .STRATA_OK { resized(to: size) } else { failed(status) }
        return true
    }

    /// Inserts a value into a set; false where `unite(_:)` must.
    @usableFromInline
    func unite(plain value: strata_value) -> Bool {
        if !isPlain { return false }
        let size = sizeForChange()
        var value = value, position: UInt64 = 0, isNew = false
        guard session.beginChange() else { return true }
        let status = strata_set_insert(&row, column, &value, &isNew, &position, session.view.error)
        if status == .STRATA_OK { resized(to: size + (isNew ? 1 : 0)) } else { failed(status) }
        return true
    }

    /// Puts a value under a key of a map; false where `set(_:forKey:)` must, or must say what is wrong.
    @usableFromInline
    func set(plain value: strata_value, forKey key: String) -> Bool {
        if !isPlain || MapKeys.problem(key) != nil { return false }
        _ = sizeForChange()
        var value = value, key = key
        guard session.beginChange() else { return true }
        let status = key.withUTF8 { text in
            strata_map_set(
                &row, column, strata_bytes(data: text.baseAddress, size: text.count), &value, session.view.error)
        }
        if status != .STRATA_OK { failed(status) }
        return true
    }

    private func failed(_ status: strata_status) {
        change { () throws(StrataError) in try session.view.check(status) }
    }

    // MARK: Lists

    /// Inserts elements before a position of a list. Unmanaged objects are added to the realm.
    func insert(_ values: some Sequence<_StoredValue>, at position: Int) {
        change { () throws(StrataError) in
            // Values of any type may be parts of this list: they are read before it changes.
            if nested == nil && !kind.isAny { return try append(values, at: position) }
            let values = Array(values)
            if let nested { return try nested.insert(values, at: position) }
            try append(values, at: position)
            session.nested.moved(.inserted(position, values.count), in: self, [])
        }
    }

    /// Replaces an element of a list.
    func set(_ value: _StoredValue, at position: Int) {
        change { () throws(StrataError) in
            if let nested { return try nested.set(value, at: position) }
            let old = try embedded(position..<position + 1)
            let encoded = try encode([value])
            try session.view.set(encoded[0], in: &row, column, at: position)
            discard(old)
        }
    }

    /// Removes elements, or entries of a map. Embedded objects are deleted with it.
    func remove(_ range: Range<Int>) {
        change { () throws(StrataError) in
            if let nested { return try nested.remove(range) }
            let old = try embedded(range)
            let keys = try session.nested.isEmpty || !kind.isMap ? [] : session.view.keys(of: &row, column, range)
            try session.view.remove(range, from: &row, column)
            discard(old)
            for key in keys { session.nested.moved(.removedKey(key), in: self, []) }
            if !kind.isMap { session.nested.moved(.removed(range), in: self, []) }
        }
    }

    /// Moves an element of a list so that it ends up at position `to`.
    func move(from: Int, to: Int) {
        change { () throws(StrataError) in
            if let nested { return try nested.move(from: from, to: to) }
            let value = try plain(at: from)
            try session.view.remove(from..<from + 1, from: &row, column)
            try session.view.insert(value, into: &row, column, at: to)
            session.nested.moved(.moved(from, to), in: self, [])
        }
    }

    /// Exchanges two elements of a list.
    func swap(_ first: Int, _ second: Int) {
        if first == second { return }
        move(from: max(first, second), to: min(first, second))
        move(from: min(first, second) + 1, to: max(first, second))
    }

    // MARK: Sets

    /// Inserts elements into a set, those that it has excepted.
    func unite(_ values: some Sequence<_StoredValue>) {
        change { () throws(StrataError) in try append(values, at: nil) }
    }

    // MARK: Maps

    /// Puts a value under a key.
    func set(_ value: _StoredValue, forKey key: String) {
        change { () throws(StrataError) in
            if let problem = MapKeys.problem(key) { throw StrataError(.invalidInput, problem) }
            if let nested { return try nested.set(value, forKey: key) }
            var old: [UInt64] = []
            if target?.isEmbedded == true, let position = try session.view.find(key: key, in: &row, column) {
                old = try embedded(position..<position + 1)
            }
            let encoded = try encode([value])
            try session.view.set(encoded[0], in: &row, column, forKey: key)
            discard(old)
        }
    }

    // MARK: All

    /// Replaces everything by the contents of another collection: `.elements` or `.entries`.
    func replace(with contents: _StoredValue) {
        let size = sizeForChange()
        if let nested { return change { () throws(StrataError) in try nested.replace(with: contents) } }
        remove(0..<size)
        fill(with: contents)
    }

    /// Adds contents.
    func fill(with contents: _StoredValue) {
        switch contents {
        case .elements(let values):
            if kind.isSet {
                unite(values)
            } else {
                insert(values, at: count)
            }
        case .entries(let entries): for (key, value) in entries { set(value, forKey: key) }
        default: break
        }
    }

    /// Runs a change; a failure names the property.
    private func change(_ body: () throws(StrataError) -> Void) {
        session.record { () throws(StrataError) in
            do throws(StrataError) {
                try body()
            } catch {
                throw StrataError(
                    error.code, "\(name): \(error.message)", systemCode: error.systemCode, fileURL: error.fileURL)
            }
        }
    }

    /// Inserts values from `position` on, or into a set if that is nil; many at a time.
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
                try session.view.unite(encoded, with: &row, column)
            }
            batch.removeAll(keepingCapacity: true)
        }
        for value in values {
            batch.append(value)
            if batch.count == Self.batch { try flush() }
        }
        try flush()
    }

    /// Values as the engine takes them; they are good until the session encodes others. Objects are added first,
    /// because that encodes values as well.
    private func encode(_ values: [_StoredValue]) throws(StrataError) -> [strata_value] {
        var links: [strata_value?] = []
        let isAny = kind.isAny
        for (index, value) in values.enumerated() where isAny || target != nil {
            if isAny { for object in value.objects { _ = try Promotion(session, .error).add(object) } }
            guard case .object(let object) = value, let object = object as? ObjectBase else { continue }
            if links.isEmpty { links = Array(repeating: nil, count: values.count) }
            let key = try Promotion(session, .error).add(object)
            links[index] = session.link(key, target == nil ? object.row.pointee.table : 0)
        }
        session.arena.reset()
        var result: [strata_value] = []
        result.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            if !links.isEmpty, let link = links[index] {
                result.append(link)
            } else if let encoded = try value.encodedAny(session.arena) {
                result.append(encoded)
            } else {
                misuse("\(name) cannot hold \(value.text)")
            }
        }
        return result
    }

    /// One element with its bytes in the arena of the session, to be put elsewhere.
    private func plain(at position: Int) throws(StrataError) -> [strata_value] {
        session.arena.reset()
        var result: [strata_value] = []
        try session.view.visit(&row, column, position..<position + 1) { (value, position) throws(StrataError) in
            if value.type == .STRATA_LINK {
                result.append(value)
            } else if let encoded = try decode(value, position).encodedAny(session.arena) {
                result.append(encoded)
            }
        }
        return result
    }

    /// The embedded objects of a range, which are to be deleted when nothing holds them.
    private func embedded(_ range: Range<Int>) throws(StrataError) -> [UInt64] {
        target?.isEmbedded == true ? try currentLinks(range).filter { $0 != 0 } : []
    }

    private func discard(_ keys: [UInt64]) {
        if let target, !keys.isEmpty { session.delete(table: target.table, keys: keys) }
    }
}

extension strata_value {
    /// Whether the value only points to what it is.
    @inlinable
    var hasBytes: Bool { type == .STRATA_STRING || type == .STRATA_DATA || type == .STRATA_NESTED }
}
