// SPDX-License-Identifier: MIT

/// The names most like `wanted`, best first: those that differ in few letters, then those that contain it.
public func closeNames(to wanted: String, among names: some Sequence<String>, limit: Int = 5) -> [String] {
    let target = Array(wanted.lowercased().utf8)
    let tolerance = max(1, target.count / 3)
    var candidates: [(distance: Int, name: String)] = []
    for name in names {
        let bytes = Array(name.lowercased().utf8)
        if let distance = editDistance(target, bytes, atMost: tolerance) {
            candidates.append((distance, name))
        } else if target.count >= 3, name.lowercased().contains(wanted.lowercased()) {
            candidates.append((tolerance + bytes.count - target.count, name))
        }
    }
    candidates.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
    return candidates.prefix(limit).map(\.name)
}

/// How many letters must be put in, taken out, replaced or swapped with their neighbour; nil if more than `limit`.
func editDistance(_ left: [UInt8], _ right: [UInt8], atMost limit: Int) -> Int? {
    guard abs(left.count - right.count) <= limit else { return nil }
    var beforePrevious = [Int](repeating: 0, count: right.count + 1)
    var previous = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var current = [i + 1]
        current.reserveCapacity(right.count + 1)
        for (j, b) in right.enumerated() {
            var best = min(previous[j] + (a == b ? 0 : 1), previous[j + 1] + 1, current[j] + 1)
            if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { best = min(best, beforePrevious[j - 1] + 1) }
            current.append(best)
        }
        if current.allSatisfy({ $0 > limit }) { return nil }
        (beforePrevious, previous) = (previous, current)
    }
    return previous[right.count] <= limit ? previous[right.count] : nil
}
