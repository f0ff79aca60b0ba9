// SPDX-License-Identifier: MIT
// OpenWalks.swift -- the walks over collections that have not read everything yet.

/// A walk that reads a collection as it goes.
protocol OpenWalk: AnyObject {
    /// Reads what is left, because something is about to change.
    func readAll()
}

/// The walks of a session that are not at their ends.
final class OpenWalks {
    /// Not retained: each removes itself before it goes.
    @exclusivity(unchecked) private var open: [Unmanaged<AnyObject>] = []

    @inline(__always)
    var isEmpty: Bool { open.isEmpty }

    func add(_ walk: any OpenWalk) { open.append(.passUnretained(walk)) }

    func remove(_ walk: any OpenWalk) {
        // Mostly the one that was opened last.
        let address = Unmanaged.passUnretained(walk as AnyObject).toOpaque()
        if let index = open.lastIndex(where: { $0.toOpaque() == address }) { open.remove(at: index) }
    }

    /// Makes all walks independent of what happens next.
    func readAll() {
        if open.isEmpty { return }
        for walk in open { (walk.takeUnretainedValue() as? any OpenWalk)?.readAll() }
        open.removeAll()
    }
}
