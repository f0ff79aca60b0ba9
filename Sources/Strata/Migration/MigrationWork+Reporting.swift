// SPDX-License-Identifier: MIT
// MigrationWork+Reporting.swift -- which values a migration loses, and which objects it fails with.

import Foundation

extension MigrationWork {
    /// How many objects a loss or a failure names.
    private static let mostExamples = 10

    // MARK: Losses

    /// What becomes of the values of the properties that go, or have another type.
    func losses(_ differences: [SchemaDifference]) -> [MigrationReport.Loss] {
        differences.filter { $0.mark == .losesData && !isRenamed($0) }.compactMap { difference in
            let loss = loss(difference)
            return loss.values == 0 && loss.zeroed == 0 ? nil : loss
        }
    }

    /// Whether the values of a property that goes stay under another name.
    private func isRenamed(_ difference: SchemaDifference) -> Bool {
        difference.property.map { renamed.contains("\(difference.className).\($0)") } ?? false
    }

    private func loss(_ difference: SchemaDifference) -> MigrationReport.Loss {
        let className = difference.className, name = difference.property ?? ""
        var loss = MigrationReport.Loss(className: className, property: name)
        guard let oldSession else { return loss }
        let stays = difference.kind == .typeChanged
        let column = newSession.schema[className]?[name]?.columnName ?? name
        let old = oldSession.classes.dynamic(className)
        let oldSlot = old.layout.index(of: column)
        let newSlot = stays ? newSession.classes.dynamic(className).layout.index(of: name) : nil
        guard let oldSlot else { return loss }
        for object in Results<MigrationObject>(LiveQuery(old)) {
            let before = ReportedValue(object.plainValue(oldSlot))
            if before.isNothing && !before.isNil { continue }  // a zero that goes is no loss
            let new = newSession.schema[className] == nil ? nil : self.object(className, object.row.key)
            if new?.isInvalidated == true { continue }
            let after = ReportedValue(newSlot.flatMap { new?.plainValue($0) })
            guard loss.count(before, after), loss.examples.count < Self.mostExamples else { continue }
            loss.examples.append(MigrationReport.Example(
                object: Self.name(of: object), oldValue: before.text, newValue: after.text))
        }
        return loss
    }

    // MARK: Failures

    /// Which objects keep the migration from being finished. What was written so far is stored for that.
    func failures() throws(StrataError) -> [MigrationReport.Failure] {
        newSession.openIterators.readAll()
        let tables = newSession.schema.declaration
        var failures: [MigrationReport.Failure] = []
        for (position, objectSchema) in newSession.schema.objectSchema.enumerated() {
            guard objectSchema.isEmbedded || objectSchema.primaryKeyProperty != nil else { continue }
            let found = try newSession.view.migrationFailures(tables, at: position)
            if found.duplicates.count != 0 { failures.append(duplicates(found.duplicates, objectSchema)) }
            if found.unowned.count != 0 { failures.append(unowned(found.unowned, objectSchema)) }
        }
        return failures
    }

    /// The failure that the block ended the migration with, at an object.
    func stop(_ className: String, _ key: UInt64, _ error: any Error) -> MigrationReport.Failure {
        let message = (error as? StrataError)?.message ?? "\(error)"
        return MigrationReport.Failure(
            className: className, property: nil, objects: 1, reason: message,
            examples: [example(className, key, nil)])
    }

    private func duplicates(_ found: EngineFailures, _ objectSchema: ObjectSchema) -> MigrationReport.Failure {
        let name = objectSchema.primaryKeyProperty?.name ?? "", className = objectSchema.className
        return MigrationReport.Failure(
            className: className, property: name, objects: found.count,
            reason: "the value of the primary key is that of another object",
            examples: found.first.map { example(className, $0.key, name) })
    }

    private func unowned(_ found: EngineFailures, _ objectSchema: ObjectSchema) -> MigrationReport.Failure {
        let links = Set(found.first.map(\.other)).sorted().map(String.init).joined(separator: ", ")
        return MigrationReport.Failure(
            className: objectSchema.className, property: nil, objects: found.count,
            reason: "an embedded object has exactly one owner; so many links lead to them: \(links)",
            examples: found.first.map { example(objectSchema.className, $0.key, nil) })
    }

    /// An object of the new session, with its values before and after.
    private func example(_ className: String, _ key: UInt64, _ property: String?) -> MigrationReport.Example {
        func value(_ object: MigrationObject?, _ name: String?) -> String? {
            guard let object, let slot = name.flatMap({ object.layout.index(of: $0) }) else { return nil }
            return ReportedValue(object.plainValue(slot)).text
        }
        let column = property.flatMap { newSession.schema[className]?[$0]?.columnName }
        let old = oldSession.flatMap { session in
            oldSchema[className] == nil ? nil : Self.object(className, key, session)
        }
        let before = old?.isInvalidated == true ? nil : old
        let new = newSession.schema[className] == nil ? nil : object(className, key)
        return MigrationReport.Example(
            object: before.map(Self.name) ?? "new object \(key)", oldValue: value(before, column),
            newValue: value(new, property))
    }

    /// "id 7", or "object 7".
    private static func name(of object: MigrationObject) -> String {
        guard let key = object.layout.primaryKey else { return "object \(object.row.key)" }
        return "\(object.layout.slots[key].property.name) \(ReportedValue(object.plainValue(key)).text ?? "nil")"
    }
}

extension MigrationReport.Loss {
    /// Counts the values of an object; false if nothing is lost with them.
    fileprivate mutating func count(_ before: ReportedValue, _ after: ReportedValue) -> Bool {
        if before.isNil {
            let isZeroed = after.isNothing && !after.isNil
            zeroed += isZeroed ? 1 : 0
            return isZeroed
        }
        values += 1
        if after.isNothing {
            lost += 1
            return true
        }
        filled += 1
        let isNarrowed = before.isNarrowed(to: after)
        narrowed += isNarrowed ? 1 : 0
        return isNarrowed
    }
}

/// A value of a property as a report sees it.
private struct ReportedValue {
    private let value: Any?

    init(_ value: Any?) { self.value = value.flatMap(UntypedValue.content) }

    var isNil: Bool { value == nil }

    /// Whether it is nil, zero or empty.
    var isNothing: Bool {
        switch value {
        case nil: true
        case let value as Bool: !value
        case let value as String: value.isEmpty
        case let value as Data: value.isEmpty
        case let value as Date: value.timeIntervalSinceReferenceDate == 0
        case let value as UUID: value == UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        case let value as ObjectId: value.stringValue.allSatisfy { $0 == "0" }
        default: number == 0 || elements == 0
        }
    }

    private var number: Double? {
        switch value {
        case let value as Int: Double(value)
        case let value as Float: Double(value)
        case let value as Double: value
        case let value as Decimal128: Double("\(value)")
        default: nil
        }
    }

    private var elements: Int? {
        switch value {
        case let value as any RealmCollectionBase: value.count
        case let value as any RealmKeyedCollection: value.count
        default: nil
        }
    }

    /// Whether another number came of a number, or a shorter collection of a collection.
    func isNarrowed(to other: ReportedValue) -> Bool {
        if let whole = value as? Int, let real = other.value as? Double { return Int(exactly: real) != whole }
        if let number, let new = other.number { return number != new }
        if let elements, let new = other.elements { return new < elements }
        return false
    }

    /// For people; nil for nil.
    var text: String? {
        if let elements { return elements == 1 ? "1 element" : "\(elements) elements" }
        guard let value else { return nil }
        switch value {
        case let value as String: return "\"\(Self.cut(value))\""
        case let value as Data: return "\(value.count) bytes"
        case let value as ObjectBase: return "a \(value.layout.schema.className)"
        default: return Self.cut("\(value)")
        }
    }

    private static func cut(_ text: String) -> String { text.count > 60 ? "\(text.prefix(60))…" : text }
}
