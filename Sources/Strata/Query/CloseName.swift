// SPDX-License-Identifier: MIT
// CloseName.swift -- proposals for names that do not exist.

/// The name that was probably meant, among those that exist.
enum CloseName {
    /// A proposal for a message; empty if no name is close, and none of a projection is the same.
    static func hint(_ name: String, _ layout: ClassLayout) -> String {
        let projected = ProjectedProperties.hint(name, layout.type)
        return projected.isEmpty ? hint(name, layout.slots.lazy.map(\.property.name)) : projected
    }

    /// The same, among the properties of a schema.
    static func hint(_ name: String, _ schema: ObjectSchema) -> String {
        hint(name, schema.properties.lazy.map(\.name))
    }

    private static func hint(_ name: String, _ names: some Sequence<String>) -> String {
        let wanted = Array(name.lowercased())
        let best = names.map { ($0, distance(wanted, Array($0.lowercased()))) }.min { $0.1 < $1.1 }
        guard let best, best.1 <= max(1, wanted.count / 3) else { return "" }
        return "; did you mean \"\(best.0)\"?"
    }

    /// How many letters have to be inserted, removed, replaced or exchanged with their neighbour.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var before: [Int] = [], row = Array(0...right.count)
        for i in left.indices {
            var next = [i + 1]
            for j in right.indices {
                var best = min(row[j] + (left[i] == right[j] ? 0 : 1), min(row[j + 1], next[j]) + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    best = min(best, before[j - 1] + 1)
                }
                next.append(best)
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}
