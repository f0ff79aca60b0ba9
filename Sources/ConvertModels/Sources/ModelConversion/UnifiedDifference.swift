// SPDX-License-Identifier: MIT
// UnifiedDifference.swift -- the difference of two texts, in the form that `patch` reads.

/// The lines that differ, each group with three lines around it, as `diff -u` shows them.
///
/// - Parameter path: the name in the head.
/// - Returns: an empty text if there is no difference.
public func unifiedDifference(_ path: String, _ before: String, _ after: String) -> String {
    let old = lines(before)
    let new = lines(after)
    let rows = alignment(old, new)
    let around = 3
    var text = ""
    var index = 0
    while let first = rows[index...].firstIndex(where: { $0.mark != " " }) {
        var last = first
        while let next = rows[(last + 1)...].firstIndex(where: { $0.mark != " " }), next - last <= 2 * around {
            last = next
        }
        let shown = max(index, first - around)..<min(rows.count, last + around + 1)
        text += head(rows[shown]) + rows[shown].map { "\($0.mark)\($0.text)\n" }.joined()
        index = shown.upperBound
    }
    return text.isEmpty ? "" : "--- a/\(path)\n+++ b/\(path)\n" + text
}

private struct Row {
    let mark: Character
    let text: Substring
    /// The lines of the two texts at which the row stands, from one.
    let old: Int
    let new: Int
}

private func lines(_ text: String) -> [Substring] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    return lines
}

/// All lines of both texts in order, those that differ marked.
private func alignment(_ old: [Substring], _ new: [Substring]) -> [Row] {
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in new.difference(from: old) {
        switch change {
        case .remove(let offset, _, _): removed.insert(offset)
        case .insert(let offset, _, _): inserted.insert(offset)
        }
    }
    var rows: [Row] = []
    var (at, to) = (0, 0)
    while at < old.count || to < new.count {
        if removed.contains(at) {
            rows.append(Row(mark: "-", text: old[at], old: at + 1, new: to + 1))
            at += 1
        } else if inserted.contains(to) {
            rows.append(Row(mark: "+", text: new[to], old: at + 1, new: to + 1))
            to += 1
        } else {
            rows.append(Row(mark: " ", text: old[at], old: at + 1, new: to + 1))
            (at, to) = (at + 1, to + 1)
        }
    }
    return rows
}

private func head(_ rows: ArraySlice<Row>) -> String {
    let old = rows.count { $0.mark != "+" }
    let new = rows.count { $0.mark != "-" }
    let first = rows.first!
    return "@@ -\(old == 0 ? first.old - 1 : first.old),\(old) +\(new == 0 ? first.new - 1 : first.new),\(new) @@\n"
}
