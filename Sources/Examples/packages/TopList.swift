// SPDX-License-Identifier: MIT
// TopList.swift -- the few largest of many, without keeping the many.

struct TopList<Value: Comparable> {
    let limit: Int
    /// Largest count first; of equal counts, the smaller value first.
    private(set) var entries: [(value: Value, count: Int)] = []

    init(limit: Int) { self.limit = limit }

    /// False if a value with this count has no chance: then it need not even be read.
    func admits(_ count: Int) -> Bool {
        guard count > 0 else { return false }
        guard entries.count == limit, let last = entries.last else { return true }
        return count >= last.count
    }

    mutating func insert(_ value: Value, _ count: Int) {
        let position = entries.firstIndex { ($0.count, value) < (count, $0.value) } ?? entries.endIndex
        entries.insert((value, count), at: position)
        if entries.count > limit { entries.removeLast() }
    }
}
