// SPDX-License-Identifier: MIT
// NestedHandles.swift -- makes the nested collections that a program holds follow the elements around them.

/// The nested collections of a session that the program holds.
///
/// A nested collection knows where it is by positions and keys. So every change that inserts, removes or moves elements
/// of a list or a map of values of any type is reported here, and the collections in the elements behind follow it.
/// They do not follow changes that other programs commit, and elements that are removed because their object was
/// deleted.
final class NestedHandles {
    /// A change of the elements of one collection.
    enum Change {
        /// Where, and how many.
        case inserted(Int, Int)
        case removed(Range<Int>)
        case removedKey(String)
        /// From, and to.
        case moved(Int, Int)

        /// Where an element is afterwards; nil if it is gone.
        func apply(_ step: NestedStep) -> NestedStep? {
            switch (self, step) {
            case (.inserted(let at, let count), .index(let index)): .index(index >= at ? index + count : index)
            case (.removed(let range), .index(let index)):
                range.contains(index) ? nil : .index(index >= range.upperBound ? index - range.count : index)
            case (.removedKey(let key), .key): step == .key(key) ? nil : step
            case (.moved(let from, let to), .index(let index)):
                index == from
                    ? .index(to)
                    : .index(index - (index > from ? 1 : 0) + (index - (index > from ? 1 : 0) >= to ? 1 : 0))
            default: step
            }
        }
    }

    /// Not retained: each removes itself before it is destroyed.
    private var held: [ObjectIdentifier: Unmanaged<NestedCollection>] = [:]
    /// How to undo what this write did to the collections.
    private var undo: [() -> Void] = []
    /// Whether this write has inserted, removed or moved elements of any list or map that is nested or has nested ones.
    private(set) var haveMoved = false

    var isEmpty: Bool { held.isEmpty }

    func add(_ collection: NestedCollection) { held[ObjectIdentifier(collection)] = .passUnretained(collection) }

    func remove(_ collection: NestedCollection) { held[ObjectIdentifier(collection)] = nil }

    /// Makes the collections follow a change.
    ///
    /// - Parameters:
    ///   - base: the property whose value changes.
    ///   - path: the steps from the property to the list or map whose elements change.
    func follow(
        _ change: @autoclosure () -> Change, in base: ManagedCollection, _ path: @autoclosure () -> [NestedStep]
    ) {
        haveMoved = true
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

    /// Must be called when a write was committed.
    func commit() {
        undo.removeAll()
        haveMoved = false
    }

    /// Undoes what a write did to the collections, which was rolled back.
    func rollBack() {
        for step in undo.reversed() { step() }
        commit()
    }
}
