// SPDX-License-Identifier: MIT
// Map+Queries.swift -- filtering and sorting the values of a map.
//
// The elements of the results have the type of the values of the map, as in the map. So the objects of a map are
// Optionals, although nils are left out; ``Map/results()`` gives them as they are.

public import Foundation

extension Map {
    /// The values for which a condition holds, in the order of their keys. Objects are found as often as the map holds
    /// them.
    ///
    /// ```swift
    /// let full = kennel.seats.where { $0 > 3 }
    /// let old = kennel.dogs.where { $0.age > 10 }  // dogs is a Map<String, Dog?>
    /// ```
    ///
    /// Stops the program if the map is unmanaged.
    public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> {
        asResults().filtered(isIncluded(.tested).node)
    }

    /// The values that meet a predicate, in the order of their keys, such as "SELF > 3", or "age > 3" for objects.
    ///
    /// Stops the program if the format is no predicate, or does not fit the values, or if the map is unmanaged.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        asResults().filtered(ParsedPredicate.valid(predicateFormat, args))
    }

    /// The values that meet a predicate, in the order of their keys. Stops the program if the map is unmanaged.
    public func filter(_ predicate: NSPredicate) -> Results<Value> { asResults().filtered(predicate.source) }

    /// The objects in the order of a property, or values in the order of "self".
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        asResults().sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// The objects in the order of some properties, the most important first.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value> where S.Element == SortDescriptor {
        asResults().sorted(by: sortDescriptors)
    }

    /// The objects in the order of a property.
    public func sorted<Target: ObjectBase, Property: _Persistable>(
        by keyPath: KeyPath<Target, Property>, ascending: Bool = true
    ) -> Results<Value> where Value == Target? {
        asResults().sorted(by: keyPath, ascending: ascending)
    }
}
