// SPDX-License-Identifier: MIT
// NestedCollection.swift -- one of the lists and maps inside of a value of any type.
//
// In the file a value of any type is one value, whatever is nested in it. So a change of one list in it changes the
// whole value in memory and stores it again; see `NestedRoot`.

/// A list or a map inside of a value of any type in the file: where it is, reading it, changing it.
final class NestedCollection {
    let root: NestedRoot
    let isMap: Bool
    /// The steps from the value of the root to this collection. They change when elements around it are inserted,
    /// removed or moved through the same realm; see `NestedHandles`.
    var path: [NestedStep]
    /// Set when the collection was removed, or an element that contains it.
    var isGone = false

    init(_ root: NestedRoot, _ path: [NestedStep], isMap: Bool) {
        self.root = root
        self.path = path
        self.isMap = isMap
        if !root.session.isFrozen { root.session.nested.add(self) }
    }

    deinit { if !root.session.isFrozen { root.session.nested.remove(self) } }

    /// The outermost list or map of a property or of an element of it; nil if its value is neither.
    static func of(_ root: NestedRoot) -> NestedCollection? {
        switch root.value {
        case .elements: NestedCollection(root, [], isMap: false)
        case .entries: NestedCollection(root, [], isMap: true)
        default: nil
        }
    }

    /// The name of the property with the steps, such as "Setting.value[2]["size"]".
    var name: String {
        ([root.element].compactMap { $0 } + path).reduce(root.base.name) { name, step in
            switch step {
            case .index(let index): "\(name)[\(index)]"
            case .key(let key): "\(name)[\"\(key)\"]"
            }
        }
    }

    /// Whether both are at the same position of the same object.
    func isSame(as other: NestedCollection) -> Bool {
        self === other || root.isSame(as: other.root) && path == other.path && !isGone && !other.isGone
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(root.element)
        hasher.combine(path)
    }

    // MARK: Reading

    /// Everything in it; nil if there is no longer a collection of this kind.
    private var contents: _StoredValue? {
        guard !isGone, var value = root.value else { return nil }
        for step in path {
            guard let child = value.child(step) else { return nil }
            value = child
        }
        switch value {
        case .elements: return isMap ? nil : value
        case .entries: return isMap ? value : nil
        default: return nil
        }
    }

    var size: Int? {
        switch contents {
        case .elements(let values): values.count
        case .entries(let entries): entries.count
        default: nil
        }
    }

    var keys: [String] {
        if case .entries(let entries) = contents { entries.map(\.key) } else { [] }
    }

    func position(ofKey key: String) -> Int? {
        if case .entries(let entries) = contents { _StoredValue.position(of: key, in: entries) } else { nil }
    }

    func position(of value: _StoredValue) -> Int? { values.firstIndex { _StoredValue.equal($0, value) } }

    /// The elements, or the values of a map, with all that is nested in them.
    var values: [_StoredValue] {
        switch contents {
        case .elements(let values): values
        case .entries(let entries): entries.map(\.value)
        default: []
        }
    }

    /// The element at a position that exists. A list or a map is one that can be changed.
    func element(at position: Int) -> _StoredValue {
        let step: NestedStep, value: _StoredValue
        switch contents {
        case .elements(let values): (step, value) = (.index(position), values[position])
        case .entries(let entries): (step, value) = (.key(entries[position].key), entries[position].value)
        default: return .null
        }
        switch value {
        case .elements: return .collection(ManagedCollection(NestedCollection(root, path + [step], isMap: false)))
        case .entries: return .collection(ManagedCollection(NestedCollection(root, path + [step], isMap: true)))
        default: return value
        }
    }

    // MARK: Searching

    /// The positions of the elements that meet a condition. The engine tests them in the snapshot of the session, so
    /// that objects among them are those of the realm.
    func select(_ condition: EngineCondition) throws(StrataError) -> [Int] {
        let session = root.session
        session.arena.reset()
        guard let encoded = try contents?.encodedAny(session.arena) else { return [] }
        return try session.view.select(
            nested: encoded, in: root.base.owner.table, root.base.column, condition
        ).positions
    }

    /// The positions of the elements in an order: that of the collection if `ascending` is nil.
    func order(ascending: Bool?, isDistinct: Bool) -> [Int] {
        let values = values
        var order = Array(values.indices)
        if ascending != nil || isDistinct {
            order.sort {
                let comparison = _StoredValue.order(values[$0], values[$1])
                return comparison == 0 ? $0 < $1 : (ascending ?? true) ? comparison < 0 : comparison > 0
            }
        }
        guard isDistinct else { return order }
        var result: [Int] = []
        for position in order {
            if let last = result.last, _StoredValue.order(values[last], values[position]) == 0 { continue }
            result.append(position)
        }
        return ascending == nil ? result.sorted() : result
    }

    // MARK: Changing. These must be called inside of `Session.record`.

    func insert(_ values: [_StoredValue], at position: Int) throws(StrataError) {
        try prepare(values)
        try changeList { $0.insert(contentsOf: values, at: position) }
        follow(.inserted(position, values.count))
    }

    func set(_ value: _StoredValue, at position: Int) throws(StrataError) {
        try prepare([value])
        try changeList { $0[position] = value }
    }

    func remove(_ range: Range<Int>) throws(StrataError) {
        if isMap {
            let keys = keys[range]
            try change { if case .entries(var entries) = $0 { entries.removeSubrange(range); $0 = .entries(entries) } }
            for key in keys { follow(.removedKey(key)) }
        } else {
            try changeList { $0.removeSubrange(range) }
            follow(.removed(range))
        }
    }

    func move(from: Int, to: Int) throws(StrataError) {
        try changeList { $0.insert($0.remove(at: from), at: to) }
        follow(.moved(from, to))
    }

    func set(_ value: _StoredValue, forKey key: String) throws(StrataError) {
        try prepare([value])
        try change { contents in
            guard case .entries(var entries) = contents else { return }
            contents = .null  // so that the array is changed in place
            let position = _StoredValue.insertionIndex(of: key, in: entries)
            if _StoredValue.position(of: key, in: entries) != nil {
                entries[position].value = value
            } else {
                entries.insert((key, value), at: position)
            }
            contents = .entries(entries)
        }
    }

    /// Replaces everything.
    func replace(with contents: _StoredValue) throws(StrataError) {
        try prepare([contents])
        let size = size ?? 0, keys = keys
        try change { $0 = contents }
        for key in keys { follow(.removedKey(key)) }
        if !isMap { follow(.removed(0..<size)) }
    }

    private func changeList(_ body: (inout [_StoredValue]) -> Void) throws(StrataError) {
        try change { contents in
            guard case .elements(var values) = contents else { return }
            contents = .null  // so that the array is changed in place
            body(&values)
            contents = .elements(values)
        }
    }

    private func change(_ body: (inout _StoredValue) -> Void) throws(StrataError) {
        let path = path[...]
        try root.change { (value) throws(StrataError) in try value.change(path) { body(&$0) } }
    }

    /// Adds the unmanaged objects among some values to the realm.
    private func prepare(_ values: [_StoredValue]) throws(StrataError) {
        for value in values {
            for object in value.objects { _ = try ObjectInserter(root.session, .error).add(object) }
        }
    }

    /// Tells the other nested collections that the program holds of a change.
    private func follow(_ change: NestedHandles.Change) {
        root.session.nested.follow(change, in: root.base, [root.element].compactMap { $0 } + path)
    }
}
