// SPDX-License-Identifier: MIT
// Query+Comparison.swift -- comparison with values and with other properties.

public import struct Foundation.Date

// MARK: Equality

extension Query where T: _Persistable {
    /// The property has the value. Nil equals nil.
    public static func == (left: Query<T>, right: T) -> Query<Bool> { left.equal(right, true) }

    /// The property has another value.
    public static func != (left: Query<T>, right: T) -> Query<Bool> { left.equal(right, false) }

    /// Two properties have the same value.
    public static func == (left: Query<T>, right: Query<T>) -> Query<Bool> { left.equal(right.node, true) }

    /// Two properties have different values.
    public static func != (left: Query<T>, right: Query<T>) -> Query<Bool> { left.equal(right.node, false) }

    /// The property has one of the values.
    public func `in`<S: Sequence>(_ values: S) -> Query<Bool> where S.Element == T {
        let values = values.map(T._stored)
        if case .path(let path) = node, let members = MemberwiseEquality(path, of: T.self) {
            return Query<Bool>(members.isIn(values))
        }
        return compare(.in, .constant(.list(values)))
    }

    private func equal(_ value: T, _ holds: Bool) -> Query<Bool> {
        let stored = T._stored(value)
        switch node {
        case .path(let path):
            if let members = MemberwiseEquality(path, of: T.self) {
                return Query<Bool>(holds ? members.isIn([stored]) : members.isNot(stored))
            }
        case .matches: break
        default:
            guard let truth = value as? Bool else { misuse("a condition is true or false, never \(value)") }
            return Query<Bool>(truth == holds ? node : .not(node))
        }
        return compare(holds ? .equal : .notEqual, .constant(.value(stored)))
    }
}

extension Query where T: _OptionalPersistable {
    /// Two properties have the same value; one of them may be nil.
    public static func == (left: Query<T>, right: Query<T?>) -> Query<Bool> { left.equal(right.node, true) }
    /// Two properties have the same value; one of them may be nil.
    public static func == (left: Query<T?>, right: Query<T>) -> Query<Bool> { left.equal(right.node, true) }
    /// Two properties have different values; one of them may be nil.
    public static func != (left: Query<T>, right: Query<T?>) -> Query<Bool> { left.equal(right.node, false) }
    /// Two properties have different values; one of them may be nil.
    public static func != (left: Query<T?>, right: Query<T>) -> Query<Bool> { left.equal(right.node, false) }
}

extension Query {
    /// Whether two sides are, or are not, the same. Conditions are, if both hold or both fail.
    fileprivate func equal(_ right: QueryNode, _ holds: Bool) -> Query<Bool> {
        guard node.isCondition || right.isCondition else { return compare(holds ? .equal : .notEqual, right) }
        return Query<Bool>(.conditions(node, right, areSame: holds))
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
extension Decimal128: _QueryOrdered {}
extension AnyRealmValue: _QueryOrdered {}
extension Optional: _QueryOrdered where Wrapped: _QueryOrdered & _OptionalPersistable {}

extension Query where T: _Persistable, T.PersistedType: _QueryOrdered {
    /// The value is less; false for nil, as in the next three. Strings are compared byte by byte.
    public static func < (left: Query<T>, right: T) -> Query<Bool> { left.order(.less, right) }
    /// The value is less or equal.
    public static func <= (left: Query<T>, right: T) -> Query<Bool> { left.order(.lessOrEqual, right) }
    /// The value is greater.
    public static func > (left: Query<T>, right: T) -> Query<Bool> { left.order(.greater, right) }
    /// The value is greater or equal.
    public static func >= (left: Query<T>, right: T) -> Query<Bool> { left.order(.greaterOrEqual, right) }

    /// The value is less than another property, which must be of the same type, as in the next three.
    public static func < (left: Query<T>, right: Query<T>) -> Query<Bool> { left.compare(.less, right.node) }
    /// The value is less than another property, or equal to it.
    public static func <= (left: Query<T>, right: Query<T>) -> Query<Bool> { left.compare(.lessOrEqual, right.node) }
    /// The value is greater than another property.
    public static func > (left: Query<T>, right: Query<T>) -> Query<Bool> { left.compare(.greater, right.node) }
    /// The value is greater than another property, or equal to it.
    public static func >= (left: Query<T>, right: Query<T>) -> Query<Bool> { left.compare(.greaterOrEqual, right.node) }

    private func order(_ op: QueryOperator, _ value: T) -> Query<Bool> {
        compare(op, .constant(.value(T._stored(value))))
    }
}

extension Query where T: _OptionalPersistable, T.PersistedType: _QueryOrdered {
    /// The value is less than that of another property, one of which may be nil.
    public static func < (left: Query<T>, right: Query<T?>) -> Query<Bool> { left.compare(.less, right.node) }
    /// The value is less than that of another property, one of which may be nil.
    public static func < (left: Query<T?>, right: Query<T>) -> Query<Bool> { left.compare(.less, right.node) }
    /// The value is less than or equal to that of another property, one of which may be nil.
    public static func <= (left: Query<T>, right: Query<T?>) -> Query<Bool> {
        left.compare(.lessOrEqual, right.node)
    }
    /// The value is less than or equal to that of another property, one of which may be nil.
    public static func <= (left: Query<T?>, right: Query<T>) -> Query<Bool> {
        left.compare(.lessOrEqual, right.node)
    }
    /// The value is greater than that of another property, one of which may be nil.
    public static func > (left: Query<T>, right: Query<T?>) -> Query<Bool> { left.compare(.greater, right.node) }
    /// The value is greater than that of another property, one of which may be nil.
    public static func > (left: Query<T?>, right: Query<T>) -> Query<Bool> { left.compare(.greater, right.node) }
    /// The value is greater than or equal to that of another property, one of which may be nil.
    public static func >= (left: Query<T>, right: Query<T?>) -> Query<Bool> {
        left.compare(.greaterOrEqual, right.node)
    }
    /// The value is greater than or equal to that of another property, one of which may be nil.
    public static func >= (left: Query<T?>, right: Query<T>) -> Query<Bool> {
        left.compare(.greaterOrEqual, right.node)
    }
}

extension Query where T: _Persistable & Comparable, T.PersistedType: _QueryOrdered {
    /// The value is in the range, both ends included.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        between(T._stored(range.lowerBound), T._stored(range.upperBound))
    }

    /// The value is in the range, its upper end excluded.
    public func contains(_ range: Range<T>) -> Query<Bool> { self >= range.lowerBound && self < range.upperBound }
}

extension Query {
    /// The value is in the range, both ends included; nil is in none.
    public func contains<Wrapped: Comparable & _OptionalPersistable>(_ range: ClosedRange<Wrapped>) -> Query<Bool>
    where T == Wrapped?, Wrapped.PersistedType: _QueryOrdered & _OptionalPersistable {
        between(Wrapped._stored(range.lowerBound), Wrapped._stored(range.upperBound))
    }

    /// The value is in the range, its upper end excluded; nil is in none.
    public func contains<Wrapped: Comparable & _OptionalPersistable>(_ range: Range<Wrapped>) -> Query<Bool>
    where T == Wrapped?, Wrapped.PersistedType: _QueryOrdered & _OptionalPersistable {
        self >= .some(range.lowerBound) && self < .some(range.upperBound)
    }
}

extension Query {
    /// The engine has no BETWEEN for strings, whose ends are two comparisons. Of several strings one has to meet both,
    /// as a number does.
    fileprivate func between(_ low: _StoredValue, _ high: _StoredValue) -> Query<Bool> {
        guard case .string = low else { return Query<Bool>(.between(node, .value(low), .value(high))) }
        let both = QueryNode.compound(
            .and, compare(.greaterOrEqual, .constant(.value(low))).node,
            compare(.lessOrEqual, .constant(.value(high))).node)
        return Query<Bool>(path.isElement ? both : .together(both))
    }
}

// MARK: Aggregates of what a path through a collection leads to

extension Query where T: _Persistable, T.PersistedType: _QueryOrdered {
    /// The least value in the collection that the path leads through; nil if there is none.
    public var min: Query<T> { aggregate(.min) }
    /// The greatest value in the collection that the path leads through; nil if there is none.
    public var max: Query<T> { aggregate(.max) }
    /// The average of the values in the collection that the path leads through; nil if there is none.
    public var avg: Query<T> { aggregate(.avg) }
    /// The sum of the values in the collection that the path leads through.
    public var sum: Query<T> { aggregate(.sum) }

    /// The least, greatest or average value is nil: there is no value.
    @_disfavoredOverload
    public static func == (left: Query<T>, right: _OptionalNilComparisonType) -> Query<Bool> {
        left.compare(.equal, .constant(.value(.null)))
    }

    /// The least, greatest or average value is not nil: there is a value.
    @_disfavoredOverload
    public static func != (left: Query<T>, right: _OptionalNilComparisonType) -> Query<Bool> {
        left.compare(.notEqual, .constant(.value(.null)))
    }

    private func aggregate(_ aggregate: QueryPath.Aggregate) -> Query<T> {
        var path = path
        if let first = path.aggregate {
            misuse("\(first.rawValue) of \(path.text) is one value, which has no \(aggregate.rawValue)")
        }
        path.aggregate = aggregate
        return Query(path)
    }
}
