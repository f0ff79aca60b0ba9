// SPDX-License-Identifier: MIT
// LiveQuery+Groups.swift -- aggregates of the objects of a query, and of groups of them.

/// An aggregate of the objects of a group.
struct QueryMeasure {
    let aggregate: EngineAggregate
    /// Nil for how many objects there are.
    let path: ColumnPath?
}

/// One group: the values of its keys, then those of its measures.
typealias QueryGroup = [_StoredValue]

extension LiveQuery {
    /// One aggregate of a property of all objects. Stops the program if the property has no such aggregate, or if
    /// `type` cannot represent it; nil stands for a type that can represent every value.
    func measure(_ aggregate: EngineAggregate, _ keyPath: String, as type: PropertyType?) -> _StoredValue {
        let path = ColumnPath(keyPath, managed, for: "added up")
        func name() -> String { "the \(aggregate.name) of \(managed.name).\(keyPath)" }
        let group = groups([], [QueryMeasure(aggregate: aggregate, path: path)], for: name()).0.first
        if let type, !type.represents(path.property.type) {
            misuse(
                "\(name()) is asked for as \(type), but the property is \(path.property.type); "
                    + "ask for a value of that type")
        }
        return group?.first ?? aggregate.ofNothing
    }

    /// How many objects agree in each value of a property, in the ascending order of the values.
    func groupSizes(_ path: ColumnPath) -> [Int] {
        groups([path], [QueryMeasure(aggregate: .count, path: nil)]).0.map { Int($0[1].real ?? 0) }
    }

    /// The groups of objects that agree in some properties, with measures of each, and how they were found.
    func groups(
        _ keys: [ColumnPath], _ measures: [QueryMeasure], for purpose: @autoclosure () -> String? = nil
    ) -> ([QueryGroup], EngineQueryRun) {
        let targets = keys.map(\.target) + measures.map { $0.path?.target }
        let name = purpose() ?? "grouping \(managed.name)"
        return session.search(name, orElse: ([], .stopped)) { () throws(StrataError) in
            let (groups, run) = try session.view.group(
                engineQuery(), by: keys.map { EngineSortKey(columns: $0.columns) },
                measures.map { EngineMeasure(aggregate: $0.aggregate, columns: $0.path?.columns) })
            defer { withExtendedLifetime(groups) {} }  // the values point into its memory
            var result: [QueryGroup] = []
            for index in 0..<groups.count {
                var group: QueryGroup = []
                for (value, target) in zip(groups[index], targets) {
                    group.append(try session.storedValue(value, target))
                }
                result.append(group)
            }
            return (result, run)
        }
    }
}

extension PropertyType {
    /// Whether values of this type can represent an aggregate of properties of another type.
    fileprivate func represents(_ other: PropertyType) -> Bool {
        switch (self, other) {
        case (.any, _), (_, .any): true
        case (.float, .int), (.float, .double), (.double, .int), (.double, .float), (.decimal128, .int),
            (.decimal128, .float), (.decimal128, .double):
            true
        default: self == other
        }
    }
}
