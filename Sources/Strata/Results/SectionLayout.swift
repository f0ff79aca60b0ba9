// SPDX-License-Identifier: MIT
// SectionLayout.swift -- which element is in which section, and how that changed.

import Foundation

/// Which positions of a result are in which section, as it was once.
struct SectionLayout<Key: Hashable> {
    let keys: [Key]
    private let counts: [Int]
    /// The ranges of positions, in their order: where each begins and ends, and the section and the item of its first
    /// element.
    fileprivate let ranges: [(start: Int, end: Int, section: Int, item: Int)]

    init(_ sections: [(key: Key, positions: SectionPositions)]) {
        var ranges: [(start: Int, end: Int, section: Int, item: Int)] = []
        for (section, (_, positions)) in sections.enumerated() {
            var item = 0
            for range in positions.ranges {
                ranges.append((range.lowerBound, range.upperBound, section, item))
                item += range.count
            }
        }
        self.ranges = ranges.sorted { $0.start < $1.start }
        keys = sections.map(\.key)
        counts = sections.map(\.positions.count)
    }

    /// The section and the item of a position of the result.
    private func place(_ position: Int) -> IndexPath {
        var low = 0, high = ranges.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if ranges[middle].start <= position { low = middle } else { high = middle }
        }
        let range = ranges[low]
        return [range.section, range.item + position - range.start]
    }

    /// How to get to a later layout of the result: which sections went and came, and which items of those that stayed
    /// or came. The items of sections that went are not listed. A section that moved went and came. An element that is
    /// in another section was deleted and inserted, whether it counts as modified or not.
    func changes(to new: SectionLayout, _ changes: EngineChanges) -> SectionChanges {
        var gone = IndexSet(), come = IndexSet()
        for change in new.keys.difference(from: keys) {
            switch change {
            case .remove(let offset, _, _): gone.insert(offset)
            case .insert(let offset, _, _): come.insert(offset)
            }
        }
        var deletions = changes.deletions.map(place)
        var insertions = Set(changes.insertions.map(new.place))
        var before = Stretches(self, without: changes.deletions)
        var after = Stretches(new, without: changes.insertions)
        while let old = before.next, let now = after.next {
            let count = min(old.count, now.count)
            if keys[old.section] != new.keys[now.section] {
                deletions += (0..<count).map { [old.section, old.item + $0] }
                insertions.formUnion((0..<count).map { [now.section, now.item + $0] })
            }
            before.skip(count)
            after.skip(count)
        }
        for section in come { for item in 0..<new.counts[section] { insertions.insert([section, item]) } }
        let modifications = zip(changes.modifications, changes.modificationsAfter).compactMap { before, after in
            let old = place(before)
            return keys[old[0]] == new.keys[new.place(after)[0]] && !gone.contains(old[0]) ? old : nil
        }
        return SectionChanges(
            deletions: deletions.filter { !gone.contains($0[0]) }.sorted(), insertions: insertions.sorted(),
            modifications: modifications.sorted(), gone: gone, come: come)
    }
}

/// Walks the elements of a layout that are also in another one, by stretches of one section.
private struct Stretches<Key: Hashable> {
    private let ranges: [(start: Int, end: Int, section: Int, item: Int)]
    /// The positions that are left out. They ascend.
    private let without: [Int]
    private var position = 0, range = 0, left = 0

    init(_ layout: SectionLayout<Key>, without: [Int]) {
        ranges = layout.ranges
        self.without = without
    }

    /// The section and the item where the walk is, and how many elements follow there; nil at the end.
    var next: (section: Int, item: Int, count: Int)? {
        mutating get {
            while left < without.count, without[left] == position {
                position += 1
                left += 1
            }
            while range < ranges.count, ranges[range].end <= position { range += 1 }
            if range == ranges.count { return nil }
            let here = ranges[range], end = left < without.count ? min(without[left], here.end) : here.end
            return (here.section, here.item + position - here.start, end - position)
        }
    }

    mutating func skip(_ count: Int) { position += count }
}

/// How sections changed.
struct SectionChanges {
    let deletions: [IndexPath]
    let insertions: [IndexPath]
    let modifications: [IndexPath]
    /// Sections that went, by their positions before, and that came, by those after.
    let gone: IndexSet
    let come: IndexSet

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && gone.isEmpty && come.isEmpty
    }

    /// Only what concerns one section, which was and is at these positions.
    func only(_ before: Int?, _ after: Int?) -> SectionChanges {
        SectionChanges(
            deletions: deletions.filter { $0[0] == before }, insertions: insertions.filter { $0[0] == after },
            modifications: modifications.filter { $0[0] == before },
            gone: gone.filteredIndexSet { $0 == before }, come: come.filteredIndexSet { $0 == after })
    }
}
