// SPDX-License-Identifier: MIT
// RolledBackWrites.swift -- which objects of a class are gone because the writes that created them were rolled back.

/// The writes of a session that were rolled back and had created objects of a class.
///
/// The engine gives the keys of such objects to others, so that it cannot tell that they are gone. It gives them out in
/// ascending order, and again after a rollback only: when a write began, no object had the first of the keys that it
/// was given, or a greater one. So no object that was made in the generation of such a write, or before, has them any
/// more. A later write with the same first key says all that an earlier one says, and takes its place.
struct RolledBackWrites {
    /// In the order of their generations. Invariant: the first keys ascend, too.
    private var writes: [(generation: UInt64, firstKey: UInt64)] = []
    /// A session that lives long forgets the oldest of so many: an object of a write that was rolled back so many
    /// writes ago, and that the program still holds, may show another one, which has its key now.
    private static let most = 65536

    var isEmpty: Bool { writes.isEmpty }

    /// A write of a generation was rolled back, the first of whose new objects had a key.
    mutating func insert(_ generation: UInt64, firstKey: UInt64) {
        let end = countBefore(generation)
        if end < writes.count && writes[end].firstKey <= firstKey { return }
        let start = writes[..<end].lastIndex { $0.firstKey < firstKey }.map { $0 + 1 } ?? 0
        writes.replaceSubrange(start..<end, with: [(generation: generation, firstKey: firstKey)])
        if writes.count > Self.most { writes.removeFirst(Self.most / 2) }
    }

    /// Whether the object is gone that was made in a generation and has a key.
    func contains(_ generation: UInt64, key: UInt64) -> Bool {
        let index = countBefore(generation)
        return index < writes.count && key >= writes[index].firstKey
    }

    /// How many of the writes were of earlier generations.
    private func countBefore(_ generation: UInt64) -> Int {
        var low = 0, high = writes.count
        while low < high {
            let middle = (low + high) / 2
            if writes[middle].generation < generation { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
