// SPDX-License-Identifier: MIT
// ValueIterator.swift -- loops over the values of a collection without reading all of them first.
//
// A lane that is compiled into programs: values that the engine lends are converted by inlined code.

public import CStrata

/// A loop over the values of a list, a set or a map, as they were when the loop began.
///
/// It reads some at a time, so that a loop over any number of values needs little memory. Before anything changes, the
/// session makes it read the rest.
@usableFromInline
final class ValueIterator<Element: RealmCollectionValue>: OpenIterator {
    /// How many values are read at a time.
    @usableFromInline static var batch: Int { 256 }

    @usableFromInline let collection: ManagedCollection
    @usableFromInline var position = 0
    @usableFromInline let count: Int
    /// Whether the session knows the loop.
    private var isOpen: Bool
    /// The values that were left when something changed.
    private var rest: [Element]?

    init(_ collection: ManagedCollection) {
        self.collection = collection
        count = collection.count
        isOpen = count > 0 && !collection.session.isFrozen
        if isOpen { collection.session.openIterators.add(self) }
    }

    deinit { close() }

    private func close() {
        if isOpen { collection.session.openIterators.remove(self) }
        isOpen = false
    }

    /// The next values; none at the end.
    @inlinable
    func next() -> [Element] {
        let size = Swift.min(count - position, Self.batch)
        if size <= 0 { return [] }
        return withUnsafeTemporaryAllocation(of: strata_value.self, capacity: size) { values in
            guard let start = values.baseAddress, lend(size, start) else { return general(size) }
            var result: [Element] = []
            result.reserveCapacity(size)
            for index in 0..<size {
                guard let element = Element._decode(values[index]) else { return general(size) }
                result.append(element)
            }
            advance(size)
            return result
        }
    }

    @usableFromInline
    func advance(_ size: Int) {
        position += size
        if position == count { close() }
    }

    @usableFromInline
    func lend(_ size: Int, _ out: UnsafeMutablePointer<strata_value>) -> Bool {
        rest == nil && collection.plain?.lend(position, size, out) == true
    }

    /// The next values, where the engine does not lend them.
    @usableFromInline
    func general(_ size: Int) -> [Element] {
        if let rest {
            position = count
            return rest
        }
        defer { advance(size) }
        return collection.elements(position..<position + size, Element._element)
    }

    func readAll() {
        isOpen = false
        rest = collection.elements(position..<count, Element._element)
    }
}
