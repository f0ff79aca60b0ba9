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
        self.init(format: predicateFormat, argumentArray: args)
    }

    /// Creates a predicate of text, with values instead of `%@`, `%K`, `%d` and the like.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self = FormatPredicate(ParsedPredicate.valid(predicateFormat, arguments ?? [])) as! Self
    }

    /// Creates a predicate of text that comes from elsewhere, such as from a user of a service, and may be none.
    ///
    /// ```swift
    /// let (text, values): (String, [Any]) = ("age > %@", [3])  // say of a request
    /// let predicate = try NSPredicate(checking: text, argumentArray: values)
    /// let found = try realm.objects(Dog.self).filter(checking: predicate)
    /// ```
    ///
    /// Throws `Realm.Error` with the code `.invalidInput` if the format is no predicate, or if nothing can be compared
    /// with one of the values; the message says where. Whether it fits a class is known when it is used; see
    /// ``RealmCollectionBase/filter(checking:_:)``.
    public init(checking predicateFormat: String, _ args: Any...) throws {
        try self.init(checking: predicateFormat, argumentArray: args)
    }

    /// Creates a predicate of text that comes from elsewhere and may be none; throws as ``init(checking:_:)``.
    public init(checking predicateFormat: String, argumentArray arguments: [Any]?) throws {
        self = FormatPredicate(try ParsedPredicate(format: predicateFormat, arguments ?? [])) as! Self
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

    func condition(_ managed: ManagedClass) throws(StrataError) -> EngineCondition {
        try joined { (part) throws(StrataError) in try part.condition(managed) }
    }

    func condition(onValuesOf collection: ManagedCollection) throws(StrataError) -> EngineCondition {
        try joined { (part) throws(StrataError) in try part.condition(onValuesOf: collection) }
    }

    private func joined(
        _ condition: (any ConditionSource) throws(StrataError) -> EngineCondition
    ) throws(StrataError) -> EngineCondition {
        var parts: [EngineCondition] = []
        for part in conditions { parts.append(try condition(part)) }
        return EngineCondition(op, parts)
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
    var source: any ConditionSource {
        ParsedPredicate.valid { () throws(StrataError) in try checkedSource() }
    }

    /// The predicate for the engine; fails as above.
    func checkedSource(depth: Int = 1) throws(StrataError) -> any ConditionSource {
        if depth > Self.deepest {
            throw ParsedPredicate.wrong(
                "NSCompoundPredicates are nested more than \(Self.deepest) deep; "
                    + "join all parts with andPredicateWithSubpredicates: or orPredicateWithSubpredicates: at once")
        }
        switch self {
        case let own as FormatPredicate: return own.predicate
        case let compound as NSCompoundPredicate:
            var conditions: [any ConditionSource] = []
            for part in compound.subpredicates { conditions.append(try part.checkedSource(depth: depth + 1)) }
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
        default:
            throw ParsedPredicate.wrong(
                "a predicate that is made of a block cannot be run by a query; use NSPredicate(format:)")
        }
    }
}
