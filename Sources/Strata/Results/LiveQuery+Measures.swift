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
    /// One value of all objects. A property that does not have it stops the program, as does a type that cannot take
    /// it; nil is a type that can take every value.
    func measure(_ aggregate: strata_aggregate, _ keyPath: String, as type: PropertyType?) -> _StoredValue {
        let path = ColumnPath(keyPath, managed, for: "added up")
        func name() -> String { "the \(aggregate.name) of \(managed.layout.schema.className).\(keyPath)" }
        let group = groups([], [QueryMeasure(aggregate: aggregate, path: path)], for: name()).0.first
        if let type, !type.takes(path.property.type) {
            misuse(
                "\(name()) is asked for as \(type), but the property is \(path.property.type); "
                    + "ask for a value of that type")
        }
        return group?.first ?? .null
    }

    /// How many objects agree in each value of a property, in the ascending order of the values.
    func groupSizes(_ path: ColumnPath) -> [Int] {
        groups([path], [QueryMeasure(aggregate: .STRATA_COUNT, path: nil)]).0.map { Int($0[1].real ?? 0) }
    }

    /// The groups of objects that agree in some properties, with measures of each, and how they were found.
    func groups(
        _ keys: [ColumnPath], _ measures: [QueryMeasure], for purpose: @autoclosure () -> String? = nil
    ) -> ([QueryGroup], Run) {
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
        return session.read(purpose() ?? "grouping \(managed.layout.schema.className)") { () throws(StrataError) in
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

extension PropertyType {
    /// Whether values of this type can be made of a measure of properties of another.
    fileprivate func takes(_ other: PropertyType) -> Bool {
        switch (self, other) {
        case (.any, _), (_, .any): true
        case (.float, .int), (.float, .double), (.double, .int), (.double, .float), (.decimal128, .int),
            (.decimal128, .float), (.decimal128, .double):
            true
        default: self == other
        }
    }
}

extension strata_aggregate {
    fileprivate var name: String {
        switch self {
        case .STRATA_MIN: "minimum"
        case .STRATA_MAX: "maximum"
        case .STRATA_SUM: "sum"
        case .STRATA_AVERAGE: "average"
        default: "count"
        }
    }
}
