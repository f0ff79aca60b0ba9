// SPDX-License-Identifier: MIT
// LiveQuery+Measures.swift -- what the values of the objects of a query add up to, and groups of the objects.

import CStrata

/// What is taken of the objects of a group.
struct QueryMeasure {
    let aggregate: strata_aggregate
    /// Nil for how many objects there are.
    let path: ColumnPath?
}

/// One group: the values of its keys, then those of its measures.
typealias QueryGroup = [_StoredValue]

extension LiveQuery {
    /// One value of all objects. A property that does not have it stops the program.
    func measure(_ aggregate: strata_aggregate, _ keyPath: String) -> _StoredValue {
        let path = ColumnPath(keyPath, managed, for: "added up")
        let group = groups([], [QueryMeasure(aggregate: aggregate, path: path)]).0.first
        return group?.first ?? .null
    }

    /// How many objects agree in each value of a property, in the ascending order of the values.
    func groupSizes(_ path: ColumnPath) -> [Int] {
        groups([path], [QueryMeasure(aggregate: .STRATA_COUNT, path: nil)]).0.map { Int($0[1].real ?? 0) }
    }

    /// The groups of objects that agree in some properties, with measures of each, and how they were found.
    func groups(_ keys: [ColumnPath], _ measures: [QueryMeasure]) -> ([QueryGroup], Run) {
        let arena = ValueArena(size: 512)
        let sorts = keys.map { path in
            var sort = strata_sort()
            (sort.path, sort.path_length) = path.steps(arena)
            return sort
        }
        let wanted = measures.map { measure in
            var result = strata_measure()
            result.aggregate = measure.aggregate
            if let path = measure.path { (result.path, result.path_length) = path.steps(arena) }
            return result
        }
        let targets = keys.map(\.target) + measures.map { $0.path?.target }
        return session.read("grouping \(managed.layout.schema.className)") { () throws(StrataError) in
            try withQuery { (query) throws(StrataError) in
                var stats = strata_query_stats()
                let groups = try session.view.group(&query, sorts, wanted, &stats)
                var result: [QueryGroup] = []
                for index in 0..<groups.count {
                    var group: QueryGroup = []
                    for (value, target) in zip(groups[index], targets) {
                        group.append(try session.decoded(value, target))
                    }
                    result.append(group)
                }
                withExtendedLifetime((groups, arena)) {}
                return (result, Run(&stats))
            }
        }
    }
}
