// SPDX-License-Identifier: MIT
// NSPredicate+Format.swift -- predicates made of text, as the type that Foundation has for them.
//
// Foundation for Linux has the class NSPredicate, but its initialisers with a format are marked as unavailable. Those
// here are used instead, so that there is only one type of that name and programs which import Foundation need not
// choose. An initialiser of a class cannot return an instance of a subclass, but one of a protocol can.

public import Foundation

/// A type whose initialisers can return instances of a subclass. Not for use by programs.
public protocol _PredicateFormat {}

extension NSPredicate: _PredicateFormat {}

extension _PredicateFormat {
    /// Creates a predicate of text, with values instead of `%@`, `%K`, `%d` and the like.
    ///
    /// ```swift
    /// let predicate = NSPredicate(format: "age > %d AND %K BEGINSWITH[c] %@", 3, "name", "r")
    /// realm.objects(Dog.self).filter(predicate)
    /// ```
    ///
    /// Stops the program if the format is no predicate; the message says where. Predicates are equal if they are of
    /// the same form with equal values.
    public init(format predicateFormat: String, _ args: Any...) {
        self = FormatPredicate(ParsedPredicate(format: predicateFormat, args)) as! Self
    }

    /// Creates a predicate of text, with values instead of `%@`, `%K`, `%d` and the like.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self = FormatPredicate(ParsedPredicate(format: predicateFormat, arguments ?? [])) as! Self
    }
}

/// A predicate that was made of text.
final class FormatPredicate: NSPredicate {
    let predicate: ParsedPredicate

    init(_ predicate: ParsedPredicate) {
        self.predicate = predicate
        super.init(value: true)
    }

    required init?(coder: NSCoder) { nil }

    override func isEqual(_ object: Any?) -> Bool {
        (object as? FormatPredicate).map { $0 === self || predicate.isEqual($0.predicate) } ?? false
    }

    override var hash: Int { predicate.text.hashValue }
    override var predicateFormat: String { predicate.text }
    override var description: String { predicate.text }
    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        switch object {
        case let object as ObjectBase where object is Object || object._mode == .live: return object.meets(predicate)
        default: misuse("the predicate \"\(predicate.text)\" is evaluated with something that is no object")
        }
    }
}

/// Predicates that are joined, or always or never true.
private final class CompoundCondition: ConditionSource {
    private let op: EngineOperator
    private let conditions: [any ConditionSource]

    init(_ op: EngineOperator, _ conditions: [any ConditionSource] = []) {
        self.op = op
        self.conditions = conditions
    }

    func condition(_ managed: ManagedClass) -> EngineCondition {
        EngineCondition(op, conditions.map { $0.condition(managed) })
    }

    func condition(onValuesOf collection: ManagedCollection) -> EngineCondition {
        EngineCondition(op, conditions.map { $0.condition(onValuesOf: collection) })
    }
}

/// The text of a predicate. Foundation marks this property as deprecated; a protocol reads it without a warning.
private protocol PredicateText {
    var predicateFormat: String { get }
}

extension NSPredicate: PredicateText {}

extension NSPredicate {
    /// How deep the engine accepts conditions inside of conditions.
    private static let deepest = 200

    /// The predicate for the engine; stops the program if this is one that only Swift code can evaluate, or if it is
    /// nested too deep.
    var source: any ConditionSource { source(depth: 1) }

    private func source(depth: Int) -> any ConditionSource {
        if depth > Self.deepest {
            misuse(
                "NSCompoundPredicates are nested more than \(Self.deepest) deep; "
                    + "join all parts with andPredicateWithSubpredicates: or orPredicateWithSubpredicates: at once")
        }
        switch self {
        case let own as FormatPredicate: return own.predicate
        case let compound as NSCompoundPredicate:
            let conditions = compound.subpredicates.map { $0.source(depth: depth + 1) }
            switch compound.compoundPredicateType {
            case .and: return CompoundCondition(.and, conditions)
            case .or: return CompoundCondition(.or, conditions)
            case .not: return CompoundCondition(.not, conditions)
            }
        default: break
        }
        switch (self as any PredicateText).predicateFormat {
        case "TRUEPREDICATE": return CompoundCondition(.always)
        case "FALSEPREDICATE": return CompoundCondition(.never)
        default: misuse("a predicate that is made of a block cannot be run by a query; use NSPredicate(format:)")
        }
    }
}
