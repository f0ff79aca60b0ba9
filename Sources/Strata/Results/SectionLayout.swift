// SPDX-License-Identifier: MIT
// SectionLayout.swift -- which element is in which section, and how that changed.

import Foundation

/// Which positions of a result are in which section, as it was once.
struct SectionLayout<Key: Hashable> {
    let keys: [Key]
    private let counts: [Int]
    /// The ranges of positions, in their order: where each begins, and the section and the item of its first element.
    private let ranges: [(start: Int, section: Int, item: Int)]

    init(_ sections: [(key: Key, positions: SectionPositions)]) {
        var ranges: [(start: Int, section: Int, item: Int)] = []
        for (section, (_, positions)) in sections.enumerated() {
            var item = 0
            for range in positions.ranges {
                ranges.append((range.lowerBound, section, item))
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
    /// or came. The items of sections that went are not listed. A section that moved went and came.
    func changes(to new: SectionLayout, _ changes: EngineChanges) -> SectionChanges {
        var gone = IndexSet(), come = IndexSet()
        for change in new.keys.difference(from: keys) {
            switch change {
            case .remove(let offset, _, _): gone.insert(offset)
            case .insert(let offset, _, _): come.insert(offset)
            }
        }
        var deletions = changes.deletions.map(place), modifications: [IndexPath] = []
        var insertions = Set(changes.insertions.map(new.place))
        for (before, after) in zip(changes.modifications, changes.modificationsAfter) {
            let old = place(before), now = new.place(after)
            if keys[old[0]] == new.keys[now[0]] {
                modifications.append(old)
            } else {
                deletions.append(old)
                insertions.insert(now)
            }
        }
        for section in come { for item in 0..<new.counts[section] { insertions.insert([section, item]) } }
        return SectionChanges(
            deletions: deletions.filter { !gone.contains($0[0]) }.sorted(), insertions: insertions.sorted(),
            modifications: modifications.filter { !gone.contains($0[0]) }.sorted(), gone: gone, come: come)
    }
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
