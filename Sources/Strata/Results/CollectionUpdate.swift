// SPDX-License-Identifier: MIT
// CollectionUpdate.swift -- the positions by which a collection changed.

/// Positions that were deleted and modified, before the change, and inserted, after it. All ascend.
struct CollectionUpdate: Equatable {
    var deletions: [Int] = []
    var insertions: [Int] = []
    var modifications: [Int] = []
    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    init(deletions: [Int], insertions: [Int], modifications: [Int]) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
    }

    init(_ changes: EngineChanges) {
        deletions = changes.deletions
        insertions = changes.insertions
        modifications = changes.modifications
    }

    /// The difference of two lists of values.
    init(_ before: [_StoredValue], _ after: [_StoredValue]) {
        for change in after.difference(from: before, by: { _StoredValue.equal($0, $1) }) {
            switch change {
            case .remove(let offset, _, _): deletions.append(offset)
            case .insert(let offset, _, _): insertions.append(offset)
            }
        }
        deletions.sort()
    }

    /// This change and then another one, as one: what came and went is not in it, what came and was modified is only
    /// an insertion.
    func merged(with next: CollectionUpdate) -> CollectionUpdate {
        let between = insertions.ranks, after = next.insertions.ranks
        /// Where an element was before both; nil if the first one inserted it.
        func before(_ position: Int) -> Int? { between.rank(of: position).map(deletions.ranks.position) }
        let gone = next.deletions.ranks
        return CollectionUpdate(
            deletions: (deletions + next.deletions.compactMap(before)).sorted(),
            insertions: (next.insertions + insertions.compactMap { gone.rank(of: $0).map(after.position) }).sorted(),
            modifications: (modifications.filter { old in
                deletions.ranks.rank(of: old).map { gone.rank(of: between.position($0)) != nil } ?? false
            } + next.modifications.compactMap(before)).sortedAndUnique)
    }
}

/// The positions that are not in an ascending list of some, numbered.
private struct Ranks {
    let without: [Int]

    /// How many positions not in the list come before one; nil if it is in the list.
    func rank(of position: Int) -> Int? {
        let smaller = without.lowerBound { $0 < position }
        return smaller < without.count && without[smaller] == position ? nil : position - smaller
    }

    /// The position with a rank.
    func position(_ rank: Int) -> Int {
        // `without[i] - i` positions that are not in the list come before the i-th that is.
        rank + without.indices.lowerBound { without[$0] - $0 <= rank }
    }
}

extension [Int] {
    fileprivate var ranks: Ranks { Ranks(without: self) }

    fileprivate var sortedAndUnique: [Int] {
        var result: [Int] = []
        for element in sorted() where result.last != element { result.append(element) }
        return result
    }
}

extension RandomAccessCollection where Index == Int {
    /// How many elements at the front a condition holds for, if it holds for no others.
    fileprivate func lowerBound(_ holds: (Element) -> Bool) -> Int {
        var low = startIndex, high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if holds(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low - startIndex
    }
}
