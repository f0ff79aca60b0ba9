// SPDX-License-Identifier: MIT
// Query.swift -- conditions written as Swift expressions.

/// A property, or a condition on properties, inside of `where { }`.
///
/// ```swift
/// realm.objects(Person.self).where { $0.age > 30 && $0.dog.name.starts(with: "R") }
/// realm.objects(Person.self).where { $0.dogs.age < 2 }              // any of the dogs
/// realm.objects(Person.self).where { ($0.dogs.age < 2).count > 3 }  // more than three of the dogs
/// ```
///
/// A `Query` is a value that describes the condition; nothing is run while it is built. A `Query<Bool>` that is a
/// property stands for "is true".
@dynamicMemberLookup
public struct Query<T> {
    let node: QueryNode

    /// The object that is tested.
    @usableFromInline
    static var tested: Query<T> { Query(.root) }

    init(_ node: QueryNode) { self.node = node }
    init(_ path: QueryPath) { node = .path(path) }

    /// The path to the property; stops the program if this is a condition or a count.
    var path: QueryPath {
        guard case .path(let path) = node else {
            misuse("a condition has no properties and no elements; combine conditions with &&, || and !")
        }
        return path
    }

    func compare(_ op: QueryOperator, _ right: QueryNode) -> Query<Bool> { Query<Bool>(.comparison(op, node, right)) }

    func member<Root: ObjectBase, V>(_ member: KeyPath<Root, V>) -> Query<V> {
        let path = path
        return Query<V>(path.isRoot ? KeyPathNames.node(member) : .path(path.appending(KeyPathNames.component(member))))
    }

    func elementMember<Root: ObjectBase, V>(_ member: KeyPath<Root, V>) -> Query<V> {
        Query<V>(path.elements.appending(KeyPathNames.component(member)))
    }

    func special<V>(_ name: String, _: V.Type = V.self) -> Query<V> { Query<V>(path.appending(.special(name))) }
}

// MARK: Members

extension Query where T: ObjectBase {
    /// A property.
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T, V>) -> Query<V> { self.member(member) }
}

extension Query {
    /// A property of the object that is linked to.
    public subscript<Target: ObjectBase, V: _Persistable>(dynamicMember member: KeyPath<Target, V>) -> Query<V>
    where T == Target? {
        self.member(member)
    }
}

extension Query where T: _QueryCollection {
    /// A property of each of the objects in a collection.
    public subscript<Target: ObjectBase, V: _Persistable>(dynamicMember member: KeyPath<Target, V>) -> Query<V>
    where T._QueryElement == Target {
        elementMember(member)
    }

    /// A property of each of the objects in a map.
    public subscript<Target: ObjectBase, V: _Persistable>(dynamicMember member: KeyPath<Target, V>) -> Query<V>
    where T._QueryElement == Target? {
        elementMember(member)
    }
}

extension Query where T: _CustomPersistable {
    /// The value as it is stored.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node) }
}

extension Query where T: _CustomPersistable, T.PersistedType: ObjectBase {
    /// A property of the embedded object that the value is stored as.
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T.PersistedType, V>) -> Query<V> {
        self.member(member)
    }
}

/// An Optional of a custom type. Not for use by programs.
public protocol _CustomOptional {
    /// The type that is stored.
    associatedtype _Stored
}

extension Optional: _CustomOptional where Wrapped: _CustomPersistable {
    public typealias _Stored = Wrapped.PersistedType
}

/// An Optional of an enum. Not for use by programs.
public protocol _EnumOptional {
    /// The type of the raw values.
    associatedtype _Raw
}

extension Optional: _EnumOptional where Wrapped: RealmEnum {
    public typealias _Raw = Wrapped.RawValue
}

extension Query where T: _CustomOptional {
    /// The value as it is stored.
    public var persistableValue: Query<T._Stored?> { Query<T._Stored?>(node) }
}

extension Query where T: _EnumOptional {
    /// The raw value of the enum.
    public var rawValue: Query<T._Raw?> { Query<T._Raw?>(node) }
}

extension Query where T: _CustomOptional, T._Stored: ObjectBase {
    /// A property of the embedded object that the value is stored as.
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T._Stored, V>) -> Query<V> { self.member(member) }
}

extension Query where T: RealmEnum {
    /// The raw value of the enum.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(node) }
}

// MARK: Logic

extension Query<Bool> {
    /// Both conditions are true.
    public static func && (left: Query<Bool>, right: Query<Bool>) -> Query<Bool> {
        Query(.compound(.and, left.node, right.node))
    }

    /// At least one of the conditions is true.
    public static func || (left: Query<Bool>, right: Query<Bool>) -> Query<Bool> {
        Query(.compound(.or, left.node, right.node))
    }

    /// The condition is false.
    public static prefix func ! (query: Query<Bool>) -> Query<Bool> { Query(.not(query.node)) }

    /// How many of the objects in a collection meet the whole condition. Each object is tested by itself, while a
    /// comparison without `count` holds if it holds for any of the objects.
    ///
    /// ```swift
    /// people.where { ($0.dogs.age > 3 && $0.dogs.name == "Rex").count >= 1 }
    /// ```
    public var count: Query<Int> { Query<Int>(.matches(node)) }
}

// MARK: For tests

extension Query {
    /// The object that is tested, outside of `where { }`. Not for use by programs.
    public static func _constructForTesting() -> Query<T> { .tested }

    /// The predicate that the condition stands for, with its arguments. Not for use by programs.
    public func _constructPredicate() -> (String, [Any]) {
        let text = QueryText(node)
        return (text.text, text.arguments.map(\.plain))
    }
}
