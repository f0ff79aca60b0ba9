// SPDX-License-Identifier: MIT
// RealmCollection+Values.swift -- properties of all elements by name, and elements by positions.

public import Foundation

extension RealmCollectionBase {
    /// The elements at some positions; one that does not exist stops the program.
    public func objects(at indexes: IndexSet) -> [Element] {
        let count = count
        return indexes.map { index in
            if index >= count { misuse("index \(index) is outside of a collection of \(count) elements") }
            return self[index]
        }
    }

    /// The value of a property of each element; "self" for the elements. NSNull stands for nil. Elements are given as
    /// `ObjectBase.subscript(_:)` gives values: enums as raw values, custom types as what is stored for them, and
    /// `AnyRealmValue` as the value in it.
    ///
    /// Stops the program if there is no such property.
    public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

    /// The values behind a path of properties, or what an operator makes of them: `@count`, `@min.x`, `@max.x`,
    /// `@sum.x`, `@avg.x`, `@unionOfObjects.x` and `@distinctUnionOfObjects.x`, where x is a path, or `self`.
    public func value(forKeyPath keyPath: String) -> Any? {
        let names = keyPath.split(separator: ".").map(String.init), query = managedObjects
        if let query, names.count > 1, let aggregate = Self.aggregates[names[0]],
            !names.dropFirst().contains(where: { $0.hasPrefix("@") })
        {
            return query.measure(aggregate, names.dropFirst().joined(separator: "."), as: nil).plain
        }
        return KeyedValues(query?.objects ?? map { Element._plain($0) ?? NSNull() }).value(names)
    }

    /// The aggregates of the engine that operators of key paths stand for.
    private static var aggregates: [String: EngineAggregate] {
        ["@min": .min, "@max": .max, "@sum": .sum, "@avg": .average]
    }

    /// The query for the elements, if they are objects of a realm.
    private var managedObjects: LiveQuery? {
        guard realm != nil, Element._shape.type == .object else { return nil }
        let results = results
        return results.findsObjects ? results.query : nil
    }

    /// Sets a property of each element, which must be objects, or in a realm values that are stored as objects. The key
    /// may be a path of names joined by dots, as `setValue(_:forKeyPath:)` of an object takes it.
    ///
    /// Stops the program if there is no such property, or if a link on the path is nil.
    public func setValue(_ value: Any?, forKey key: String) {
        for element in managedObjects?.objects ?? Array(self) as [Any] {
            guard let object = UntypedValue.unwrap(element) as? ObjectBase else {
                misuse("setValue(_:forKey: \"\(key)\") of \(Element.self) elements, which have no properties")
            }
            object.setValue(value, forKeyPath: key)
        }
    }

    func setValue(_ value: Any?, forKeyPath keyPath: String) { setValue(value, forKey: keyPath) }
}

extension List: KeyPathSource {}
extension MutableSet: KeyPathSource {}
extension LinkingObjects: KeyPathSource {}
