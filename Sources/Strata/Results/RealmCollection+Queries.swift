// SPDX-License-Identifier: MIT
// RealmCollection+Queries.swift -- filtering, sorting and searching all kinds of collections.

public import Foundation

// MARK: Filtering

extension RealmCollectionBase {
    /// The elements for which a condition holds, in their present order.
    ///
    /// ```swift
    /// let old = realm.objects(Dog.self).where { $0.age > 10 && $0.name.starts(with: "R") }
    /// let long = walk.minutes.where { $0 > 60 }
    /// ```
    ///
    /// The condition is built once, by calling the closure, and run by the engine, with indexes where they help. Stops
    /// the program if the collection is unmanaged.
    @inlinable
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        results.filtered(isIncluded(Query<Element>.tested))
    }

    /// The position of the first element for which a condition holds, or nil; also in an unmanaged list.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        first(meeting: ParsedPredicate.valid(isIncluded(.tested).node))
    }
}

extension RealmCollectionBase {
    /// The elements that meet a predicate, in their present order.
    ///
    /// ```swift
    /// let old = realm.objects(Dog.self).filter("age > %@ AND name BEGINSWITH[c] %@", 10, "r")
    /// let long = walk.minutes.filter("SELF > 60")
    /// ```
    ///
    /// Stops the program if the format is no predicate, or does not fit the class or the values; the message says
    /// where. The arguments are read now, also those in a collection.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        filtered(ParsedPredicate.valid(predicateFormat, args))
    }

    /// The elements that meet a predicate, in their present order.
    ///
    /// Predicates are made with `NSPredicate(format:)`; one that is made of a block stops the program.
    public func filter(_ predicate: NSPredicate) -> Results<Element> { filtered(predicate.source) }

    /// The position of the first element that meets a predicate, or nil; also in an unmanaged list.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        first(meeting: ParsedPredicate.valid(predicateFormat, args))
    }

    /// The position of the first element that meets a predicate, or nil; also in an unmanaged list.
    public func index(matching predicate: NSPredicate) -> Int? { first(meeting: predicate.source) }

    private func filtered(_ predicate: any ConditionSource) -> Results<Element> { results.filtered(predicate) }

    /// The position of the first element that meets a condition, also in an unmanaged list.
    func first(meeting condition: any ConditionSource) -> Int? {
        if let collection = persisted {
            if type(of: collection).isSet {
                misuse("index(matching:) of a set, which has no order; ask for first of a filter")
            }
            if collection.live == nil { return UnmanagedSearch().first(of: collection, meeting: condition) }
        } else if let links = self as? any EmptyWhenUnmanaged, links.isUnmanaged {
            return nil
        }
        let results = results
        if !results.findsObjects { return results.values.first(meeting: condition) }
        let query = results.query
        return query.first(meeting: condition).flatMap(query.position)
    }

    /// The list or set that this is, or wraps; nil for results and linking objects.
    var persisted: (any PersistedCollection)? {
        (self as? any PersistedCollection) ?? (self as? any WrappingCollection)?.wrapped.persisted
    }
}

/// A collection that stands for another one.
private protocol WrappingCollection<Element> {
    associatedtype Element: RealmCollectionValue
    var wrapped: any RealmCollection<Element> { get }
}

extension AnyRealmCollection: WrappingCollection {
    fileprivate var wrapped: any RealmCollection<Element> { base }
}

extension RealmCollectionBase where Element: _ObjectElement {
    /// The objects that meet a predicate, in their present order.
    ///
    /// ```swift
    /// let old = realm.objects(Dog.self).filter(#Predicate<Dog> { $0.age > 10 && $0.name.starts(with: "R") })
    /// ```
    ///
    /// The engine runs the predicate. Stops the program if it contains an expression that the engine does not have,
    /// such as arithmetic; the message names it. Contrary to Swift, nothing contains or starts with an empty text.
    public func filter(_ predicate: Foundation.Predicate<Element>) -> Results<Element> {
        results.filtered(ExpressionTranslator.condition(predicate))
    }

    /// The position of the first object that meets a predicate, or nil.
    public func index(matching predicate: Foundation.Predicate<Element>) -> Int? {
        first(meeting: ParsedPredicate.valid(ExpressionTranslator.condition(predicate)))
    }
}

extension Results {
    /// The elements that meet a condition.
    func filtered(_ condition: any ConditionSource) -> Results {
        findsObjects ? Results(query.filtered(condition)) : Results(values.filtered(condition))
    }

    /// The elements that meet a condition of `where { }`.
    func filtered(_ condition: QueryNode) -> Results {
        findsObjects ? Results(query.filtered(condition)) : Results(values.filtered(ParsedPredicate.valid(condition)))
    }

    @usableFromInline
    func filtered(_ condition: Query<Bool>) -> Results { filtered(condition.node) }
}

// MARK: Sorting

extension RealmCollectionBase {
    /// In the order of a property; equal elements keep their order so far.
    ///
    /// Ascending, nulls come first, and objects whose path meets a null link come last. Strings are compared byte by
    /// byte.
    ///
    /// - Parameters:
    ///   - keyPath: names of to-one links, then of the property, joined by dots.
    ///   - ascending: whether small values come first.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: CollectionOfOne(SortDescriptor(keyPath: keyPath, ascending: ascending)))
    }

    /// In the order of some properties, the most important first; without any, in the order so far.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element> where S.Element == SortDescriptor {
        let results = results
        if !results.findsObjects {
            return sortDescriptors.reversed().reduce(results) { $0.sorted($1) }
        }
        let query = results.query
        return Results(query.sorted(sortDescriptors.map { $0.key(query.managed) }))
    }

    /// Only the first of those objects that agree in some properties, in the order so far.
    ///
    /// ```swift
    /// dogs.sorted(byKeyPath: "age").distinct(by: ["breed"])  // the youngest of each breed
    /// ```
    ///
    /// Objects whose path to a property meets a null link are left out; nulls are one value. A filter on the result is
    /// applied first, as if it had been called before.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == String {
        let results = results
        if !results.findsObjects, Array(keyPaths) == ["self"] { return Results(results.values.distinct()) }
        let query = results.objects(toBe: "made distinct by properties")
        return Results(query.distinct(keyPaths.map { ColumnPath($0, query.managed, for: "made distinct") }))
    }
}

extension RealmCollectionBase where Element: _ObjectElement {
    /// In the order of a property; equal elements keep their order so far. See ``sorted(byKeyPath:ascending:)``.
    public func sorted<Value: _HasPersistedType>(
        by keyPath: KeyPath<Element, Value>, ascending: Bool = true
    ) -> Results<Element> {
        let query = results.objects(toBe: "sorted by properties"), names = KeyPathNames.of(keyPath)
        let path = ColumnPath(names, query.managed, for: "sorted")
        return Results(query.sorted([
            SortKey(path, ascending, of: query.managed, named: names.joined(separator: "."))
        ]))
    }

    /// Only the first of those objects that agree in some properties, in the order so far. See ``distinct(by:)``.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == PartialKeyPath<Element> {
        distinct(by: keyPaths.map { KeyPathNames.joined($0) })
    }

    /// Some of the objects, in their present order.
    ///
    /// ```swift
    /// let ten = people.sorted(by: \.name).limit(10, skip: 20)
    /// ```
    ///
    /// The engine stops as soon as it has them. A result that is limited can be filtered and sorted further.
    ///
    /// - Parameters:
    ///   - count: how many at most.
    ///   - skip: how many of the first ones to leave out.
    public func limit(_ count: Int, skip: Int = 0) -> Results<Element> {
        if count < 0 || skip < 0 { misuse("limit(\(count), skip: \(skip)) is negative") }
        return Results(results.query.limited(to: count, skip: skip))
    }
}
