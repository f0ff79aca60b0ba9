// SPDX-License-Identifier: MIT
// Promotion+Collections.swift -- collections of objects that have become managed get their contents.

import CStrata

extension Promotion {
    /// Gives a collection of an object, which has its row, what it is to hold.
    ///
    /// Of an object that existed, `.modified` changes only elements that differ, and embedded objects in their places.
    func fill(_ current: Waiting, _ slot: Int, _ contents: _StoredValue) throws(StrataError) {
        let managed = current.managed
        let place = CollectionPlace(managed, current.key, managed.columns[slot], moment: session.moment)
        let target = place.target
        switch contents {
        case .elements(let values):
            if target?.isEmbedded == true { return try fillParts(current.existed, values, place) }
            try placeAll(values)
            if current.existed {
                if policy == .modified { return update(place, values) }
                place.remove(0..<place.sizeForChange())
            }
            place.fill(with: contents)
        case .entries(let entries):
            if target?.isEmbedded == true { return try fillParts(current.existed, entries, place) }
            try placeAll(entries.map(\.value))
            if current.existed {
                if policy == .modified { return update(place, entries) }
                place.remove(0..<place.sizeForChange())
            }
            place.fill(with: contents)
        default: break
        }
    }

    /// Sets a property of any type to an object, a list or a dictionary.
    func set(_ current: Waiting, _ slot: Int, any value: _StoredValue) throws(StrataError) {
        try placeAll([value])
        let column = current.managed.columns[slot]
        var row = current.managed.unbound(current.key)
        if current.existed, policy == .modified {
            try session.view.bind(&row, to: current.managed.table, current.key)
            if sameElement(try session.storedValue(&row, current.managed, column), value) { return }
        }
        session.arena.reset()
        guard let encoded = try value.encodedAny(session.arena) else { return }
        try session.view.set(&row, column, encoded)
    }

    /// Makes the objects in some values managed.
    private func placeAll(_ values: [_StoredValue]) throws(StrataError) {
        for value in values {
            for object in value.objects { _ = try self.place(object) }
        }
    }

    /// Changes the elements of a list that differ, one by one; a set loses and gets what it must.
    private func update(_ place: CollectionPlace, _ values: [_StoredValue]) {
        if place.kind.isSet {
            let kept = Set(values.compactMap(place.position))
            if kept.count < place.count {
                for position in (0..<place.count).reversed() where !kept.contains(position) {
                    place.remove(position..<position + 1)
                }
            }
            return place.unite(values)
        }
        let count = place.sizeForChange(), common = min(count, values.count)
        for (position, old) in place.values(0..<common).enumerated() where !sameElement(old, values[position]) {
            place.set(values[position], at: position)
        }
        if count > common { place.remove(common..<count) }
        if values.count > common { place.insert(values[common...], at: common) }
    }

    /// Changes the entries of a map that differ.
    private func update(_ place: CollectionPlace, _ entries: [(key: String, value: _StoredValue)]) {
        let keys = Set(entries.map(\.key))
        for (position, key) in place.keys.enumerated().reversed() where !keys.contains(key) {
            place.remove(position..<position + 1)
        }
        for (key, value) in entries {
            if let position = place.position(ofKey: key), sameElement(place.whole(at: position), value) { continue }
            place.set(value, forKey: key)
        }
    }

    private func sameElement(_ left: _StoredValue, _ right: _StoredValue) -> Bool {
        if case .object(let left as ObjectBase) = left, case .object(let right as ObjectBase) = right {
            return left.isSameObject(as: right)
        }
        switch (left, right) {
        case (.elements(let left), .elements(let right)):
            return left.count == right.count && zip(left, right).allSatisfy(sameElement)
        case (.entries(let left), .entries(let right)):
            let left = left.sorted { $0.key < $1.key }, right = right.sorted { $0.key < $1.key }
            return left.count == right.count
                && zip(left, right).allSatisfy { $0.key == $1.key && sameElement($0.value, $1.value) }
        default: return _StoredValue.same(left, right)
        }
    }

    // MARK: Embedded objects

    private func fillParts(
        _ existed: Bool, _ values: [_StoredValue], _ place: CollectionPlace
    ) throws(StrataError) {
        let objects = values.compactMap { value -> ObjectBase? in
            if case .object(let object as ObjectBase) = value { object } else { nil }
        }
        var kept = 0
        if existed {
            let old = place.links
            if policy == .modified {
                kept = min(old.count, objects.count)
                for (object, key) in zip(objects, old) { _ = try self.place(object, over: key) }
            }
            place.remove(kept..<old.count)
        }
        var links: [strata_value] = []
        for object in objects.dropFirst(kept) { links.append(strata_link(try self.place(object))) }
        try session.view.insert(links, into: &place.row, place.column, at: kept)
    }

    private func fillParts(
        _ existed: Bool, _ entries: [(key: String, value: _StoredValue)], _ place: CollectionPlace
    ) throws(StrataError) {
        if existed, policy == .modified {
            let names = Set(entries.map(\.key))
            for (position, key) in place.keys.enumerated().reversed() where !names.contains(key) {
                place.remove(position..<position + 1)
            }
        } else if existed {
            place.remove(0..<place.sizeForChange())
        }
        for (name, value) in entries {
            guard case .object(let object as ObjectBase) = value else {
                place.set(.null, forKey: name)
                continue
            }
            if existed, let position = place.position(ofKey: name) {
                let old = place.links(position..<position + 1)[0]
                if old != 0 {
                    _ = try self.place(object, over: old)
                    continue
                }
            }
            let link = strata_link(try self.place(object))
            try session.view.set(link, in: &place.row, place.column, forKey: name)
        }
    }
}
