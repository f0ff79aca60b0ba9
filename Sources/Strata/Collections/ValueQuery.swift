// SPDX-License-Identifier: MIT
// ValueQuery.swift -- the values of a collection in order, or each once, as a result.

public import Foundation

/// The values of a collection, sorted or made distinct. What it found is kept until anything changes.
final class ValueQuery {
    private enum Step {
        case sort(ascending: Bool)
        case distinct
    }

    let place: CollectionPlace
    private let steps: [Step]
    private var known: ([_StoredValue], UInt64)?

    private init(_ place: CollectionPlace, _ steps: [Step]) {
        self.place = place
        self.steps = steps
    }

    convenience init(_ place: CollectionPlace) { self.init(place, []) }

    func sorted(ascending: Bool) -> ValueQuery { ValueQuery(place, steps + [.sort(ascending: ascending)]) }

    func distinct() -> ValueQuery { ValueQuery(place, steps + [.distinct]) }

    /// The values as they are now.
    var values: [_StoredValue] {
        let session = place.session
        session.checkThread { place.name }
        if let (values, changes) = known, changes == session.changes { return values }
        var values = place.values(0..<place.count)
        for step in steps { values = Self.apply(step, values) }
        known = (values, session.changes)
        return values
    }

    private static func apply(_ step: Step, _ values: [_StoredValue]) -> [_StoredValue] {
        switch step {
        case .sort(let ascending):
            // Equal values cannot be told apart, so that it does not matter whether the sort is stable.
            return values.sorted { ascending ? _StoredValue.order($0, $1) < 0 : _StoredValue.order($1, $0) < 0 }
        case .distinct:
            let order = values.indices.sorted {
                let order = _StoredValue.order(values[$0], values[$1])
                return order == 0 ? $0 < $1 : order < 0
            }
            var kept: [Int] = []
            for index in order {
                if let last = kept.last, _StoredValue.order(values[last], values[index]) == 0 { continue }
                kept.append(index)
            }
            return kept.sorted().map { values[$0] }
        }
    }
}

/// Types of values that can be sorted.
public protocol SortableType: RealmCollectionValue {}

extension List where Element: SortableType {
    /// The values in order. Stops the program if the list is unmanaged.
    public func sorted(ascending: Bool = true) -> Results<Element> {
        Results(values("sorted").sorted(ascending: ascending))
    }

    /// The values, each once, in the order in which they come first. Stops the program if the list is unmanaged.
    public func distinct() -> Results<Element> { Results(values("made distinct").distinct()) }

    private func values(_ what: String) -> ValueQuery { ValueQuery(managedPlace(what)) }
}

extension MutableSet where Element: SortableType {
    /// The values in order. Stops the program if the set is unmanaged.
    public func sorted(ascending: Bool = true) -> Results<Element> {
        Results(ValueQuery(managedPlace("sorted")).sorted(ascending: ascending))
    }

    /// The values, each once. Stops the program if the set is unmanaged.
    public func distinct() -> Results<Element> { Results(ValueQuery(managedPlace("made distinct"))) }
}

extension Map where Value: SortableType {
    /// The values in order. Stops the program if the map is unmanaged.
    public func sorted(ascending: Bool = true) -> Results<Value> {
        Results(ValueQuery(managedPlace("sorted")).sorted(ascending: ascending))
    }
}

extension Results where Element: SortableType {
    /// The values in order.
    public func sorted(ascending: Bool = true) -> Results<Element> { Results(values.sorted(ascending: ascending)) }

    /// The values, each once, in the order in which they come first.
    public func distinct() -> Results<Element> { Results(values.distinct()) }
}

extension PersistedCollection {
    /// The place of a collection that is to be queried; stops the program if it is unmanaged.
    func managedPlace(_ what: String) -> CollectionPlace {
        guard let place else { misuse("an unmanaged \(Self.typeName) cannot be \(what); add its object first") }
        return place
    }
}

extension Bool: SortableType {}
extension Int: SortableType {}
extension Int8: SortableType {}
extension Int16: SortableType {}
extension Int32: SortableType {}
extension Int64: SortableType {}
extension Float: SortableType {}
extension Double: SortableType {}
extension String: SortableType {}
extension Data: SortableType {}
extension Date: SortableType {}
extension UUID: SortableType {}
extension ObjectId: SortableType {}
extension Optional: SortableType where Wrapped: SortableType & _OptionalPersistable {}
