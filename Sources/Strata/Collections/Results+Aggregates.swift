// SPDX-License-Identifier: MIT
// Results+Aggregates.swift -- least, greatest, sum and average of a property.

public import Foundation

import CStrata

/// Types of which there is a least and a greatest value.
public protocol MinMaxType: RealmCollectionValue {}
/// Types that can be added up.
public protocol AddableType: RealmCollectionValue {}

extension Int: MinMaxType, AddableType {}
extension Int8: MinMaxType, AddableType {}
extension Int16: MinMaxType, AddableType {}
extension Int32: MinMaxType, AddableType {}
extension Int64: MinMaxType, AddableType {}
extension Float: MinMaxType, AddableType {}
extension Double: MinMaxType, AddableType {}
extension Date: MinMaxType {}
extension Optional: MinMaxType where Wrapped: MinMaxType & _OptionalPersistable {}
extension Optional: AddableType where Wrapped: AddableType & _OptionalPersistable {}

extension Results where Element: ObjectBase {
    /// The least value of a property; nil if there is none. Nulls are ignored.
    public func min<Value: MinMaxType>(of keyPath: KeyPath<Element, Value>) -> Value? {
        min(ofProperty: KeyPathNames.of(keyPath).joined(separator: "."))
    }

    /// The greatest value of a property; nil if there is none. Nulls are ignored.
    public func max<Value: MinMaxType>(of keyPath: KeyPath<Element, Value>) -> Value? {
        max(ofProperty: KeyPathNames.of(keyPath).joined(separator: "."))
    }

    /// The sum of a property. Nulls are ignored; integers wrap around.
    public func sum<Value: AddableType>(of keyPath: KeyPath<Element, Value>) -> Value {
        sum(ofProperty: KeyPathNames.of(keyPath).joined(separator: "."))
    }

    /// The average of a property; nil if there is no value. Nulls are ignored.
    public func average<Value: AddableType>(of keyPath: KeyPath<Element, Value>) -> Double? {
        average(ofProperty: KeyPathNames.of(keyPath).joined(separator: "."))
    }

    /// The least value of a property that is named.
    public func min<Value: MinMaxType>(ofProperty property: String) -> Value? {
        convert(query.totals(property).least)
    }

    /// The greatest value of a property that is named.
    public func max<Value: MinMaxType>(ofProperty property: String) -> Value? {
        convert(query.totals(property).greatest)
    }

    /// The sum of a property that is named.
    public func sum<Value: AddableType>(ofProperty property: String) -> Value {
        let totals = query.totals(property)
        let sum: _StoredValue
        switch Value._shape.type {
        case .int: sum = .int(totals.integers)
        case .float: sum = .float(Float(totals.reals))
        default: sum = .double(totals.reals)
        }
        if case .int(let wide) = sum, let narrow = Value.self as? any FixedWidthInteger.Type {
            return Value._value(.int(narrow.wrapped(wide))) ?? Value._default()
        }
        return convert(sum) ?? Value._default()
    }

    /// The average of a property that is named.
    public func average(ofProperty property: String) -> Double? {
        let totals = query.totals(property)
        return totals.count == 0 ? nil : totals.reals / Double(totals.count)
    }

    private func convert<Value: _Persistable>(_ stored: _StoredValue?) -> Value? { stored.flatMap(Value._value) }
}

extension FixedWidthInteger {
    /// The value after wrapping around.
    fileprivate static func wrapped(_ value: Int64) -> Int64 {
        Int64(truncatingIfNeeded: Self(truncatingIfNeeded: value))
    }
}

/// What a walk over a property adds up to.
struct Totals {
    var count = 0
    var integers: Int64 = 0
    var reals = 0.0
    var least: _StoredValue?
    var greatest: _StoredValue?
}

extension LiveQuery {
    /// Walks over a numeric property of the objects.
    func totals(_ property: String) -> Totals {
        guard let index = managed.layout.index(of: property), index < managed.layout.storedCount,
            !managed.layout.slots[index].property.isArray
        else {
            misuse("\(managed.layout.schema.className) has no property \"\(property)\" to be added up")
        }
        let column = managed.columns[index]
        switch managed.layout.slots[index].property.type {
        case .int: return integers(column)
        case .float: return reals(column, { Double(strata_row_float($0, $1)) }, { .float(Float($0)) })
        case .double: return reals(column, { strata_row_double($0, $1) }, { .double($0) })
        case .date:
            return reals(
                column, { strata_row_double($0, $1) }, { .date(Date(timeIntervalSinceReferenceDate: $0)) })
        default: misuse("\(managed.layout.schema.className).\(property) is no number and cannot be added up")
        }
    }

    private func integers(_ column: UInt32) -> Totals {
        var totals = Totals(), least = Int64.max, greatest = Int64.min
        let nullable = isNullable(column)
        visit { row in
            if nullable, strata_row_null(row, column) { return }
            let value = strata_row_int(row, column)
            totals.count += 1
            totals.integers &+= value
            totals.reals += Double(value)
            least = min(least, value)
            greatest = max(greatest, value)
        }
        if totals.count > 0 { (totals.least, totals.greatest) = (.int(least), .int(greatest)) }
        return totals
    }

    private func reals(
        _ column: UInt32, _ read: (_Row, UInt32) -> Double, _ store: (Double) -> _StoredValue
    ) -> Totals {
        var totals = Totals(), least = 0.0, greatest = 0.0
        let nullable = isNullable(column)
        visit { row in
            if nullable, strata_row_null(row, column) { return }
            let value = read(row, column)
            least = totals.count == 0 ? value : min(least, value)
            greatest = totals.count == 0 ? value : max(greatest, value)
            totals.count += 1
            totals.reals += value
        }
        if totals.count > 0 { (totals.least, totals.greatest) = (store(least), store(greatest)) }
        return totals
    }

    private func isNullable(_ column: UInt32) -> Bool { managed.property(ofColumn: column)?.isOptional ?? false }

    /// Visits the ready row of each object; no objects are made.
    private func visit(_ body: (_Row) -> Void) {
        var row = strata_row()
        session.read("adding up \(managed.layout.schema.className)") { () throws(StrataError) in
            if conditions.isEmpty, limit == nil, case .table = source {
                let cursor = try EngineCursor(session.view, table: managed.table)
                while try cursor.next(&row) { body(&row) }
            } else {
                let keys = currentKeys()
                for index in 0..<keys.count where try session.view.bind(&row, to: managed.table, keys[index]) {
                    body(&row)
                }
            }
        }
    }
}
