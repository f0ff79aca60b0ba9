// SPDX-License-Identifier: MIT
// NestedRoot.swift -- a value of any type in the file that is a list or a map, with all that is nested in it.

/// A step from a collection to one of its elements.
enum NestedStep: Hashable {
    case index(Int)
    case key(String)

    /// Keys are equal if their bytes are, as in the file.
    static func == (left: NestedStep, right: NestedStep) -> Bool {
        switch (left, right) {
        case (.index(let one), .index(let other)): one == other
        case (.key(let one), .key(let other)): KeyBytes(one) == KeyBytes(other)
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .index(let index): hasher.combine(index)
        case .key(let key): hasher.combine(KeyBytes(key))
        }
    }
}

/// A property of any type, or an element of a list or map of such values, while it holds a list or a map.
///
/// In the file this is one value, whatever is nested in it. So a change of any list or map in it reads the whole value,
/// changes it in memory and stores it. What was read is cached, because a loop over the elements reads them one by one.
final class NestedRoot {
    /// The property that holds the value.
    let base: ManagedCollection
    /// Which element of the property, unless that is a single value.
    var element: NestedStep?
    /// Set when the element was removed.
    var isGone = false
    private var cached = Cached<_StoredValue?>()
    private let frozenValue = SharedCache<_StoredValue?>()

    init(_ base: ManagedCollection, _ element: NestedStep?) {
        self.base = base
        self.element = element
    }

    var session: Session { base.session }

    /// The value, with all that is nested in it; nil if it is gone.
    var value: _StoredValue? {
        if isGone || !base.isReachable { return nil }
        if base.owner.isFrozen {
            if let value = frozenValue.value { return value }
            return frozenValue.set(session.read(base.name) { () throws(StrataError) in try load() })
        }
        if let value = cached.current(session) { return value }
        let value = session.read(base.name) { () throws(StrataError) in try load() }
        cached = Cached(value, session)
        return value
    }

    private func load() throws(StrataError) -> _StoredValue? {
        switch element {
        case nil:
            var row = base.row  // which is another one at each use, if the collection is frozen
            guard try session.view.bind(&row, to: base.owner.table, base.key) else { return nil }
            return try session.storedValue(&row, base.owner, base.column)
        case .index(let position):
            guard let size = try session.view.size(of: &base.row, base.column), position < size else { return nil }
            return try base.wholeValue(at: position)
        case .key(let key):
            guard try session.view.size(of: &base.row, base.column) != nil,
                let position = try session.view.find(key: key, in: &base.row, base.column)
            else { return nil }
            return try base.wholeValue(at: position)
        }
    }

    /// Changes the value. Must be called inside of `Session.record`, and after the objects in it were added.
    func change(_ body: (inout _StoredValue) throws(StrataError) -> Void) throws(StrataError) {
        guard var changed = value else { return }
        try body(&changed)
        session.arena.reset()
        guard let encoded = try changed.encodedAny(session.arena, for: base.name) else {
            throw StrataError(.invalidInput, "a value of any type cannot hold \(changed.text)")
        }
        switch element {
        case nil: try session.view.set(&base.row, base.column, encoded)
        case .index(let position): try session.view.set(encoded, in: &base.row, base.column, at: position)
        case .key(let key): try session.view.set(encoded, in: &base.row, base.column, forKey: key)
        }
        cached = Cached(changed, session)
    }

    /// Whether both are the same value of the same object.
    func isSame(as other: NestedRoot) -> Bool {
        self === other || base.isSame(as: other.base) && element == other.element && !isGone && !other.isGone
    }
}

extension _StoredValue {
    /// What a step leads to; nil if there is nothing.
    func child(_ step: NestedStep) -> _StoredValue? {
        switch (self, step) {
        case (.elements(let values), .index(let index)): values.indices.contains(index) ? values[index] : nil
        case (.entries(let entries), .key(let key)):
            _StoredValue.position(of: key, in: entries).map { entries[$0].value }
        default: nil
        }
    }

    /// Changes the value that some steps lead to. Does nothing if they lead nowhere.
    mutating func change(
        _ path: ArraySlice<NestedStep>, _ body: (inout _StoredValue) throws(StrataError) -> Void
    ) throws(StrataError) {
        guard let step = path.first else { return try body(&self) }
        switch (self, step) {
        case (.elements(var values), .index(let index)) where values.indices.contains(index):
            self = .null  // so that the array is changed in place
            try values[index].change(path.dropFirst(), body)
            self = .elements(values)
        case (.entries(var entries), .key(let key)):
            guard let position = _StoredValue.position(of: key, in: entries) else { return }
            self = .null
            try entries[position].value.change(path.dropFirst(), body)
            self = .entries(entries)
        default: break
        }
    }

    /// The position of a key among entries in the order of their keys.
    static func position(of key: String, in entries: [(key: String, value: _StoredValue)]) -> Int? {
        let position = insertionIndex(of: key, in: entries)
        return position < entries.count && entries[position].key.utf8.elementsEqual(key.utf8) ? position : nil
    }

    /// Where a key is, or would be, among entries in the order of their keys.
    static func insertionIndex(of key: String, in entries: [(key: String, value: _StoredValue)]) -> Int {
        var low = 0, high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if MapKeys.precedes(entries[middle].key, key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether two values are equal as elements of a collection: numbers by their values, whatever their types; objects
    /// if they are the same; lists and maps by their elements.
    static func equal(_ left: _StoredValue, _ right: _StoredValue) -> Bool {
        switch (left, right) {
        case (.object(let one as ObjectBase), .object(let other as ObjectBase)): one.isIdentical(to: other)
        case (.elements(let one), .elements(let other)):
            one.count == other.count && zip(one, other).allSatisfy(equal)
        case (.entries(let one), .entries(let other)):
            one.count == other.count
                && zip(one, other).allSatisfy { KeyBytes($0.key) == KeyBytes($1.key) && equal($0.value, $1.value) }
        case (.object, _), (_, .object), (.elements, _), (_, .elements), (.entries, _), (_, .entries): false
        default: order(left, right) == 0
        }
    }
}
