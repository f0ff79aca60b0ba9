// SPDX-License-Identifier: MIT
// ParsedPredicate.swift -- the general road from a condition to the engine: text that the engine parses.

/// A condition that does not belong to a realm yet.
protocol ConditionSource: AnyObject {
    /// The condition on the objects of a class; stops the program if the class has no such properties, or if they are
    /// of other types.
    func condition(_ managed: ManagedClass) -> EngineCondition
    /// The condition on the values of a collection; stops the program if the values are of other types.
    func condition(onValuesOf collection: ManagedCollection) -> EngineCondition
}

/// A condition as text that was parsed, together with the objects it mentions.
final class ParsedPredicate: ConditionSource {
    private let predicate: EnginePredicate
    private let objects: [ObjectBase]
    private let source: String

    /// Parses text; stops the program if it is no predicate, or if conditions cannot compare with a value.
    init(_ text: String, _ constants: [QueryConstant], _ arena: ValueArena = ValueArena(size: 240)) {
        do throws(StrataError) {
            var arguments: [EngineArgument] = []
            arguments.reserveCapacity(constants.count)
            for constant in constants {
                guard let argument = try constant.argument(arena) else {
                    misuse("the predicate \"\(text)\" is given \(constant.text), which cannot be compared with")
                }
                arguments.append(argument)
            }
            predicate = try EnginePredicate(text, arguments)
        } catch {
            misuse("the predicate \"\(text)\" cannot be read: \(error.message)")
        }
        objects = constants.flatMap(\.objects)
        source = text
    }

    /// A format with values of unknown type; stops the program as above.
    convenience init(format: String, _ values: [Any]) {
        let constants = values.map { value in
            guard let constant = QueryConstant(value) else {
                misuse(
                    "the predicate \"\(format)\" is given a value of type \(type(of: value)), which no property has; "
                        + "pass numbers, strings, data, dates, identifiers, objects or collections of these")
            }
            return constant
        }
        self.init(format, constants)
    }

    /// A condition of `where { }`.
    convenience init(_ condition: QueryNode, _ arena: ValueArena = ValueArena(size: 240)) {
        let text = QueryText(condition)
        self.init(text.text, text.arguments, arena)
    }

    func condition(_ managed: ManagedClass) -> EngineCondition {
        condition(managed, column: nil, name: managed.layout.schema.className)
    }

    func condition(onValuesOf collection: ManagedCollection) -> EngineCondition {
        condition(collection.owner, column: collection.column, name: collection.name)
    }

    /// The condition on the objects of a class, or on the values in a collection of one.
    private func condition(
        _ managed: ManagedClass, column: UInt32?, name: @autoclosure () -> String
    ) -> EngineCondition {
        let session = managed.session
        for object in objects where object._mode == .live && object._session !== session {
            misuse("\(LiveRow.name(object)) belongs to another realm than the query")
        }
        do throws(StrataError) {
            return try EngineCondition(
                predicate, session.view, table: managed.table, column: column, session.aliases)
        } catch {
            misuse("the predicate \"\(source)\" cannot be used on \(name()): \(error.message)")
        }
    }

    /// The predicate in its plainest spelling.
    var text: String { predicate.text }

    /// Whether both are of the same form with equal values.
    func isEqual(_ other: ParsedPredicate) -> Bool { predicate.isEqual(other.predicate) }
}
