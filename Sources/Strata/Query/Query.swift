// SPDX-License-Identifier: MIT
// Query.swift -- conditions written as Swift expressions.

import CStrata

/// A property, or a condition on properties, inside of `where { }`.
///
/// ```swift
/// realm.objects(Person.self).where { $0.age > 30 && $0.dog.name.starts(with: "R") }
/// realm.objects(Person.self).where { $0.dogs.age < 2 }   // any of the dogs
/// ```
///
/// A `Query` is a value that describes the condition; nothing is run while it is built. A `Query<Bool>` that is a
/// property stands for "is true".
@dynamicMemberLookup
public struct Query<T> {
    /// What has been written so far.
    enum Expression {
        /// A property, by the names that lead to it. Empty for the object itself.
        case path([String])
        case condition(Condition)
    }

    let expression: Expression

    init(_ path: [String]) { expression = .path(path) }
    init(_ condition: Condition) { expression = .condition(condition) }

    /// The names that lead to the property; stops the program if this is a condition.
    var path: [String] {
        guard case .path(let path) = expression, !path.isEmpty else {
            misuse("a condition cannot be compared with a value; combine conditions with &&, || and !")
        }
        return path
    }

    /// A comparison of the property.
    func compare(
        _ op: strata_operator, _ values: [_StoredValue], caseInsensitive: Bool = false
    ) -> Query<Bool> {
        Query<Bool>(.compare(path: path, op, values, caseInsensitive: caseInsensitive))
    }

    private func following<Root: ObjectBase, V>(_ member: KeyPath<Root, V>) -> [String] {
        guard case .path(let path) = expression else { misuse("a condition has no properties") }
        return path + KeyPathNames.of(member)
    }
}

extension Query where T: ObjectBase {
    /// A property.
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T, V>) -> Query<V> { Query<V>(following(member)) }
}

extension Query {
    /// A property of the object that is linked to.
    public subscript<Target: ObjectBase, V: _Persistable>(dynamicMember member: KeyPath<Target, V>) -> Query<V>
    where T == Target? {
        Query<V>(following(member))
    }

    /// A property of any of the objects in a list.
    public subscript<Target: ObjectBase, V: _Persistable>(dynamicMember member: KeyPath<Target, V>) -> Query<V>
    where T == List<Target> {
        Query<V>(following(member))
    }
}

extension Query where T: _CustomPersistable {
    /// The value as it is stored.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(path) }
}

extension Query where T: PersistableEnum {
    /// The raw value of the enum.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(path) }
}

extension Query<Bool> {
    /// The condition; of a property, that it is true.
    var condition: Condition {
        switch expression {
        case .condition(let condition): condition
        case .path: .compare(path: path, .STRATA_EQUAL, [.bool(true)], caseInsensitive: false)
        }
    }
}
