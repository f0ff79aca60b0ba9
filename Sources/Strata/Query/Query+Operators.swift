// SPDX-License-Identifier: MIT
// Query+Operators.swift -- comparison and logic in conditions.

import CStrata
public import struct Foundation.Date

// MARK: Equality

extension Query where T: _Persistable {
    /// The property has the value. Nil equals nil.
    public static func == (left: Query<T>, right: T) -> Query<Bool> { left.equal(right, true) }

    /// The property has another value.
    public static func != (left: Query<T>, right: T) -> Query<Bool> { left.equal(right, false) }

    /// The property has one of the values.
    public func `in`<S: Sequence>(_ values: S) -> Query<Bool> where S.Element == T {
        let values = values.map(T._stored)
        return values.isEmpty ? Query<Bool>(Condition.none) : compare(.STRATA_IN, values)
    }

    private func equal(_ value: T, _ holds: Bool) -> Query<Bool> {
        if case .condition(let condition) = expression {
            guard let truth = value as? Bool else { misuse("a condition is true or false, never \(value)") }
            return Query<Bool>(truth == holds ? condition : .not(condition))
        }
        return compare(holds ? .STRATA_EQUAL : .STRATA_NOT_EQUAL, [T._stored(value)])
    }
}

extension Query {
    /// The list holds the object.
    public func contains<Element: Object>(_ object: Element) -> Query<Bool> where T == List<Element> {
        compare(.STRATA_EQUAL, [.object(object)])
    }

    /// The list holds one of the objects.
    public func containsAny<Element: Object, S: Sequence>(in objects: S) -> Query<Bool>
    where T == List<Element>, S.Element == Element {
        compare(.STRATA_IN, objects.map { .object($0) })
    }
}

// MARK: Order

/// Types whose values have an order that queries know, and their Optionals.
public protocol _QueryOrdered: _Persistable {}

extension Int: _QueryOrdered {}
extension Int8: _QueryOrdered {}
extension Int16: _QueryOrdered {}
extension Int32: _QueryOrdered {}
extension Int64: _QueryOrdered {}
extension Float: _QueryOrdered {}
extension Double: _QueryOrdered {}
extension String: _QueryOrdered {}
extension Date: _QueryOrdered {}
extension Optional: _QueryOrdered where Wrapped: _QueryOrdered & _OptionalPersistable {}
extension Decimal128: _QueryOrdered {}

extension Query where T: _Persistable, T.PersistedType: _QueryOrdered {
    /// The value is less; false for nil, as in the next three. Strings are compared byte by byte.
    public static func < (left: Query<T>, right: T) -> Query<Bool> { left.order(.STRATA_LESS, right) }
    /// The value is less or equal.
    public static func <= (left: Query<T>, right: T) -> Query<Bool> { left.order(.STRATA_LESS_EQUAL, right) }
    /// The value is greater.
    public static func > (left: Query<T>, right: T) -> Query<Bool> { left.order(.STRATA_GREATER, right) }
    /// The value is greater or equal.
    public static func >= (left: Query<T>, right: T) -> Query<Bool> { left.order(.STRATA_GREATER_EQUAL, right) }

    private func order(_ op: strata_operator, _ value: T) -> Query<Bool> {
        let stored = T._stored(value)
        if case .null = stored { return Query<Bool>(Condition.none) }
        return compare(op, [stored])
    }
}

extension Query where T: _Persistable & Comparable, T.PersistedType: _QueryOrdered {
    /// The value is in the range, both ends included.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        compare(.STRATA_BETWEEN, [T._stored(range.lowerBound), T._stored(range.upperBound)])
    }

    /// The value is in the range, its upper end excluded.
    public func contains(_ range: Range<T>) -> Query<Bool> { self >= range.lowerBound && self < range.upperBound }
}

extension Query {
    /// The value is in the range, both ends included; nil is in none.
    public func contains<Wrapped: Comparable & _OptionalPersistable>(
        _ range: ClosedRange<Wrapped>
    ) -> Query<Bool> where T == Wrapped?, Wrapped.PersistedType: _QueryOrdered & _OptionalPersistable {
        compare(.STRATA_BETWEEN, [Wrapped._stored(range.lowerBound), Wrapped._stored(range.upperBound)])
    }

    /// The value is in the range, its upper end excluded; nil is in none.
    public func contains<Wrapped: Comparable & _OptionalPersistable>(
        _ range: Range<Wrapped>
    ) -> Query<Bool> where T == Wrapped?, Wrapped.PersistedType: _QueryOrdered & _OptionalPersistable {
        self >= .some(range.lowerBound) && self < .some(range.upperBound)
    }
}

// MARK: Logic

extension Query<Bool> {
    /// Neither is false.
    public static func && (left: Query<Bool>, right: Query<Bool>) -> Query<Bool> {
        Query(.and([left.condition, right.condition]))
    }

    /// One of them is true.
    public static func || (left: Query<Bool>, right: Query<Bool>) -> Query<Bool> {
        Query(.or([left.condition, right.condition]))
    }

    /// The condition is false.
    public static prefix func ! (query: Query<Bool>) -> Query<Bool> { Query(.not(query.condition)) }
}
