// SPDX-License-Identifier: MIT
// NestedHandles.swift -- keeps nested collections that a program holds where they were.

/// The nested collections of a session that somebody holds.
///
/// Their places are positions. So whoever inserts, removes or moves elements of a list of values of any type says so
/// here, and those behind the element follow it. What others commit, and entries that leave because their object was
/// deleted, they do not follow.
final class NestedHandles {
    /// A change of the elements of one collection.
    enum Change {
        case inserted(Int, Int)
        case removed(Range<Int>)
        case removedKey(String)
        case moved(Int, Int)

        /// Where an element is afterwards; nil if it is gone.
        func apply(_ step: NestedStep) -> NestedStep? {
            switch (self, step) {
            case (.inserted(let at, let count), .index(let index)): .index(index >= at ? index + count : index)
            case (.removed(let range), .index(let index)):
                range.contains(index) ? nil : .index(index >= range.upperBound ? index - range.count : index)
            case (.removedKey(let key), .key(let other)): key == other ? nil : step
            case (.moved(let from, let to), .index(let index)):
                index == from
                    ? .index(to)
                    : .index(index - (index > from ? 1 : 0) + (index - (index > from ? 1 : 0) >= to ? 1 : 0))
            default: step
            }
        }
    }

    /// Not retained: each removes itself before it goes.
    private var held: [ObjectIdentifier: Unmanaged<NestedCollection>] = [:]
    /// How to take back what this write did to places.
    private var undo: [() -> Void] = []

    var isEmpty: Bool { held.isEmpty }

    func add(_ collection: NestedCollection) { held[ObjectIdentifier(collection)] = .passUnretained(collection) }

    func remove(_ collection: NestedCollection) { held[ObjectIdentifier(collection)] = nil }

    /// Tells of a change in the collection that `path` leads to, from a property on.
    func moved(_ change: @autoclosure () -> Change, in base: CollectionPlace, _ path: @autoclosure () -> [NestedStep]) {
        if held.isEmpty { return }
        let change = change(), path = path()
        var roots = Set<ObjectIdentifier>()
        for handle in held.values {
            let collection = handle.takeUnretainedValue(), root = collection.root
            guard root.base.isSame(as: base) else { continue }
            if path.isEmpty, let element = root.element {
                if roots.insert(ObjectIdentifier(root)).inserted { apply(change, to: root, element) }
                continue
            }
            let skipped = root.element == nil ? 0 : 1
            if skipped == 1, root.element != path.first { continue }
            let inner = path.dropFirst(skipped)
            guard collection.path.count > inner.count, collection.path.starts(with: inner) else { continue }
            apply(change, to: collection, inner.count)
        }
    }

    private func apply(_ change: Change, to root: NestedRoot, _ element: NestedStep) {
        let new = change.apply(element)
        if new == element { return }
        let wasGone = root.isGone
        undo.append { (root.element, root.isGone) = (element, wasGone) }
        if let new { root.element = new } else { root.isGone = true }
    }

    private func apply(_ change: Change, to collection: NestedCollection, _ depth: Int) {
        let old = collection.path, new = change.apply(old[depth])
        if new == old[depth] { return }
        let wasGone = collection.isGone
        undo.append { (collection.path, collection.isGone) = (old, wasGone) }
        if let new { collection.path[depth] = new } else { collection.isGone = true }
    }

    /// Forgets how to take back, when a write was committed.
    func commit() { undo.removeAll() }

    /// Takes back what a write did to places.
    func rollBack() {
        for step in undo.reversed() { step() }
        undo.removeAll()
    }
}
