// SPDX-License-Identifier: MIT
// ParsedPredicate.swift -- the general road from a condition to the engine: text that the engine parses.

/// A condition that does not belong to a realm yet.
protocol ConditionSource: AnyObject {
    /// The condition on the objects of a class; fails if the class has no such properties, or if they are of other
    /// types.
    func condition(_ managed: ManagedClass) throws(StrataError) -> EngineCondition
    /// The condition on the values of a collection; fails if the values are of other types.
    func condition(onValuesOf collection: ManagedCollection) throws(StrataError) -> EngineCondition
}

extension ConditionSource {
    /// The condition on the objects of a class, which the program is sure of; stops the program as above.
    func valid(_ managed: ManagedClass) -> EngineCondition {
        ParsedPredicate.valid { () throws(StrataError) in try condition(managed) }
    }
}

/// A condition as text that was parsed, together with the objects it mentions.
final class ParsedPredicate: ConditionSource {
    private let predicate: EnginePredicate
    private let objects: [ObjectBase]
    private let source: String

    /// Parses text; fails if it is no predicate, or if conditions cannot compare with a value.
    init(
        _ text: String, _ constants: [QueryConstant], _ arena: ValueArena = ValueArena(size: 240)
    ) throws(StrataError) {
        do throws(StrataError) {
            var arguments: [EngineArgument] = []
            arguments.reserveCapacity(constants.count)
            for constant in constants {
                guard let argument = try constant.argument(arena) else {
                    throw Self.wrong("\(constant.text) cannot be compared with")
                }
                arguments.append(argument)
            }
            predicate = try EnginePredicate(text, arguments)
        } catch {
            throw Self.wrong("the predicate \"\(text)\" cannot be read: \(error.message)")
        }
        objects = constants.flatMap(\.objects)
        source = text
    }

    /// A format with values of unknown type; fails as above.
    convenience init(format: String, _ values: [Any]) throws(StrataError) {
        var constants: [QueryConstant] = []
        constants.reserveCapacity(values.count)
        for value in values {
            guard let constant = QueryConstant(value) else {
                throw Self.wrong(
                    "the predicate \"\(format)\" is given a value of type \(type(of: value)), which no property has; "
                        + "pass numbers, strings, data, dates, identifiers, objects or collections of these")
            }
            constants.append(constant)
        }
        try self.init(format, constants)
    }

    /// A condition of `where { }`.
    convenience init(_ condition: QueryNode, _ arena: ValueArena = ValueArena(size: 240)) throws(StrataError) {
        let text = QueryText(condition)
        try self.init(text.text, text.arguments, arena)
    }

    func condition(_ managed: ManagedClass) throws(StrataError) -> EngineCondition {
        try condition(managed, column: nil, name: managed.layout.schema.className)
    }

    func condition(onValuesOf collection: ManagedCollection) throws(StrataError) -> EngineCondition {
        try condition(collection.owner, column: collection.column, name: collection.name)
    }

    /// The condition on the objects of a class, or on the values in a collection of one.
    private func condition(
        _ managed: ManagedClass, column: UInt32?, name: @autoclosure () -> String
    ) throws(StrataError) -> EngineCondition {
        let session = managed.session
        for object in objects where !session.canCompare(with: object) {
            throw Self.wrong("\(LiveRow.name(object)) belongs to another realm than the query")
        }
        do throws(StrataError) {
            return try EngineCondition(
                predicate, session.view, table: managed.table, column: column, session.classes.aliases)
        } catch {
            throw Self.wrong(
                "the predicate \"\(source)\" cannot be used on \(name()): \(error.message)"
                    + ProjectedProperties.hint(behind: error.message, managed.layout.type))
        }
    }

    /// The predicate in its plainest spelling.
    var text: String { predicate.text }

    /// Whether both are of the same form with equal values.
    func isEqual(_ other: ParsedPredicate) -> Bool { predicate.isEqual(other.predicate) }

    // MARK: Failures

    /// A condition that means nothing. It is thrown where the program asks whether it does; elsewhere it is a mistake
    /// of the program.
    static func wrong(_ message: String) -> StrataError { StrataError(.invalidInput, message) }

    /// A format that the program is sure of.
    static func valid(_ format: String, _ values: [Any]) -> ParsedPredicate {
        valid { () throws(StrataError) in try ParsedPredicate(format: format, values) }
    }

    /// A condition of the program.
    static func valid(_ condition: QueryNode) -> ParsedPredicate {
        valid { () throws(StrataError) in try ParsedPredicate(condition) }
    }

    /// What a body returns; stops the program if it fails.
    static func valid<R>(_ body: () throws(StrataError) -> R) -> R {
        do throws(StrataError) {
            return try body()
        } catch {
            misuse(error.message)
        }
    }
}
