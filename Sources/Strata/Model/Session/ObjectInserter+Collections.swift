// SPDX-License-Identifier: MIT
// ObjectInserter+Collections.swift -- the collections of objects that have become managed get their contents.

extension ObjectInserter {
    /// Gives a collection of an object that has its row the contents that it must have.
    ///
    /// In an object that existed, `.modified` changes only the elements that differ, and embedded objects keep their
    /// rows.
    func fill(_ current: Waiting, _ slot: Int, _ contents: _StoredValue) throws(StrataError) {
        let managed = current.managed
        let collection = ManagedCollection(
            managed, current.key, managed.columns[slot], generation: session.generation)
        let isEmbedded = collection.target?.isEmbedded == true
        switch contents {
        case .elements(let values):
            if isEmbedded { return try fillEmbedded(current.existed, values, collection) }
            try insertAll(values)
            if current.existed, policy == .modified { return try update(collection, values) }
        case .entries(let entries):
            if isEmbedded { return try fillEmbedded(current.existed, entries, collection) }
            try insertAll(entries.map(\.value))
            if current.existed, policy == .modified { return try update(collection, entries) }
        default: return
        }
        if current.existed { collection.remove(0..<collection.sizeForChange()) }
        collection.fill(with: contents)
    }

    /// Sets a property of any type to an object, a list or a dictionary.
    func set(_ current: Waiting, _ slot: Int, any value: _StoredValue) throws(StrataError) {
        try insertAll([value])
        let column = current.managed.columns[slot]
        var row = current.managed.unbound(current.key)
        if current.existed, policy == .modified {
            try session.view.bind(&row, to: current.managed.table, current.key)
            if isSameElement(try session.storedValue(&row, current.managed, column), value) { return }
        }
        session.arena.reset()
        guard let encoded = try value.encodedAny(
            session.arena, for: "\(current.managed.name).\(current.managed.layout.slots[slot].property.name)")
        else { return }
        try session.view.set(&row, column, encoded)
    }

    /// Makes the objects in some values managed.
    private func insertAll(_ values: [_StoredValue]) throws(StrataError) {
        for value in values {
            for object in value.objects { _ = try insert(object) }
        }
    }

    /// Changes the elements of a list that differ, one by one. A set loses elements and gets others.
    private func update(_ collection: ManagedCollection, _ values: [_StoredValue]) throws(StrataError) {
        if collection.kind.isSet {
            let remaining = Set(values.compactMap(collection.position))
            if remaining.count < collection.count {
                for position in (0..<collection.count).reversed() where !remaining.contains(position) {
                    collection.remove(position..<position + 1)
                }
            }
            return collection.insertIntoSet(values)
        }
        let count = collection.sizeForChange(), common = min(count, values.count)
        for (position, old) in collection.values(0..<common).enumerated()
        where !isSameElement(old, values[position]) {
            collection.set(values[position], at: position)
        }
        if count > common { collection.remove(common..<count) }
        if values.count > common { collection.insert(values[common...], at: common) }
    }

    /// Changes the entries of a map that differ.
    private func update(
        _ collection: ManagedCollection, _ entries: [(key: String, value: _StoredValue)]
    ) throws(StrataError) {
        removeEntries(collection, except: entries)
        for (key, value) in entries {
            if let position = collection.position(ofKey: key),
                isSameElement(try collection.wholeValue(at: position), value)
            {
                continue
            }
            collection.set(value, forKey: key)
        }
    }

    /// Removes the entries of a map whose keys are not among others.
    private func removeEntries(
        _ collection: ManagedCollection, except entries: [(key: String, value: _StoredValue)]
    ) {
        // Keys are the same if their bytes are, which Swift's strings do not ask for.
        let remaining = Set(entries.compactMap { collection.position(ofKey: $0.key) })
        for position in (0..<collection.count).reversed() where !remaining.contains(position) {
            collection.remove(position..<position + 1)
        }
    }

    private func isSameElement(_ left: _StoredValue, _ right: _StoredValue) -> Bool {
        if case .object(let left as ObjectBase) = left, case .object(let right as ObjectBase) = right {
            return left.isIdentical(to: right)
        }
        switch (left, right) {
        case (.elements(let left), .elements(let right)):
            return left.count == right.count && zip(left, right).allSatisfy(isSameElement)
        case (.entries(let left), .entries(let right)):
            let left = left.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            let right = right.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            return left.count == right.count
                && zip(left, right).allSatisfy {
                    $0.key.utf8.elementsEqual($1.key.utf8) && isSameElement($0.value, $1.value)
                }
        default: return _StoredValue.same(left, right)
        }
    }

    // MARK: Embedded objects

    private func fillEmbedded(
        _ existed: Bool, _ values: [_StoredValue], _ collection: ManagedCollection
    ) throws(StrataError) {
        var objects: [ObjectBase] = []
        for value in values {
            guard case .object(let object as ObjectBase) = value else {
                throw StrataError(
                    .invalidInput, "\(collection.name) is a list of objects and cannot hold \(value.text)")
            }
            objects.append(object)
        }
        var common = 0
        if existed {
            let old = collection.links
            if policy == .modified {
                common = min(old.count, objects.count)
                for (object, key) in zip(objects, old) { _ = try insert(object, over: key) }
            }
            collection.remove(common..<old.count)
        }
        var links: [EngineValue] = []
        for object in objects.dropFirst(common) { links.append(.link(try insert(object))) }
        try session.view.insert(links, into: &collection.row, collection.column, at: common)
    }

    private func fillEmbedded(
        _ existed: Bool, _ entries: [(key: String, value: _StoredValue)], _ collection: ManagedCollection
    ) throws(StrataError) {
        if existed, policy == .modified {
            removeEntries(collection, except: entries)
        } else if existed {
            collection.remove(0..<collection.sizeForChange())
        }
        for (name, value) in entries {
            guard case .object(let object as ObjectBase) = value else {
                collection.set(.null, forKey: name)
                continue
            }
            if existed, let position = collection.position(ofKey: name) {
                let old = collection.links(position..<position + 1)[0]
                if old != 0 {
                    _ = try insert(object, over: old)
                    continue
                }
            }
            let link = EngineValue.link(try insert(object))
            try session.view.set(link, in: &collection.row, collection.column, forKey: name)
        }
    }
}
