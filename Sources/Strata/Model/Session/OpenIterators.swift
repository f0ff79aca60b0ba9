// SPDX-License-Identifier: MIT
// OpenIterators.swift -- the loops over collections that have not read everything yet.
//
// A loop shows a collection as it was when the loop began, and reads it some elements at a time. Before anything
// changes, the session makes every loop that is not at its end read the rest.

/// A loop that reads a collection while it runs.
protocol OpenIterator: AnyObject {
    /// Reads what is left, because something is about to change.
    func readAll()
}

/// The loops of a session that are not at their ends.
final class OpenIterators {
    /// Not retained: each removes itself before it is destroyed.
    @exclusivity(unchecked) private var open: [Unmanaged<AnyObject>] = []

    @inline(__always)
    var isEmpty: Bool { open.isEmpty }

    func add(_ iterator: any OpenIterator) { open.append(.passUnretained(iterator)) }

    func remove(_ iterator: any OpenIterator) {
        // From the end, because mostly it is the one that was opened last.
        let address = Unmanaged.passUnretained(iterator as AnyObject).toOpaque()
        if let index = open.lastIndex(where: { $0.toOpaque() == address }) { open.remove(at: index) }
    }

    /// Makes all loops independent of what happens next.
    func readAll() {
        if open.isEmpty { return }
        for iterator in open { (iterator.takeUnretainedValue() as? any OpenIterator)?.readAll() }
        open.removeAll()
    }
}
