// SPDX-License-Identifier: MIT
// CollectionUpdate.swift -- the positions by which a collection changed.

/// Positions that were deleted and modified, before the change, and inserted, after it. All ascend.
struct CollectionUpdate {
    var deletions: [Int] = []
    var insertions: [Int] = []
    var modifications: [Int] = []
    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

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
}
